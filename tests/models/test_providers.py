from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import pytest

from prudent.errors import ConfigurationError, MissingExtra
from prudent.models.names import OTHER_WIRES, resolve
from prudent.models.providers import open_provider
from prudent.models.providers_facts import WIRES
from prudent.models.providers_model import ProviderModel

VARIABLES = {variable for wire in WIRES.values() for variable in wire.key_variables}
AWS = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE")


@pytest.fixture(autouse=True)
def _no_keys_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*VARIABLES, *AWS, "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")


def inner(model: object) -> ProviderModel:
    """Find the model inside what is wrapped around it."""
    while not isinstance(model, ProviderModel):
        model = vars(model)["inner"]
    return model


def test_the_table_has_the_names_that_lead_to_it() -> None:
    assert set(OTHER_WIRES) == set(WIRES)


@pytest.mark.parametrize(
    ("prefix", "variable"),
    [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai-responses", "OPENAI_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("gemini", "GOOGLE_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("azure-responses", "AZURE_OPENAI_API_KEY"),
        ("cohere", "CO_API_KEY"),
        ("huggingface", "HF_TOKEN"),
        ("gateway", "PYDANTIC_AI_GATEWAY_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(prefix: str, variable: str) -> None:
    with pytest.raises(ConfigurationError, match=f"needs a key: set {variable} in the environment"):
        open_provider(f"{prefix}:m")


def test_amazon_needs_a_region_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="set AWS_REGION"):
        open_provider("bedrock:amazon.nova-lite-v1:0")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with pytest.raises(ConfigurationError, match="set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID"):
        open_provider("bedrock:amazon.nova-lite-v1:0")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "k")
    opened = inner(open_provider("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"))
    assert opened.profile.provider == "bedrock"
    assert not opened.profile.takes_parallel_parameter


def test_azure_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    with pytest.raises(ConfigurationError, match="set AZURE_OPENAI_ENDPOINT in the environment, or give --base-url"):
        open_provider("azure:gpt-x")
    assert inner(open_provider("azure:gpt-x", base_url="http://127.0.0.1:1/openai/v1")).name == "azure:gpt-x"


@pytest.mark.parametrize("name", ["nobody:x", "anthropic:", "anthropic", ""])
def test_a_name_that_names_no_model(name: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model: write PREFIX:MODEL with one of: anthropic"):
        open_provider(name)


@pytest.mark.parametrize(
    ("name", "base_url", "key"),
    [
        ("anthropic:claude-x", None, "k"),
        ("anthropic:claude-x", "http://127.0.0.1:1", ""),
        ("anthropic:claude-x", "http://127.0.0.1:1/v1/", ""),
        ("openai-responses:gpt-5", "http://127.0.0.1:1/v1", ""),
        ("google:gemini-2.5-flash", None, "k"),
        ("gemini:gemini-2.5-flash", "http://127.0.0.1:1", ""),
        ("vertex:gemini-2.5-flash", "http://127.0.0.1:1", "k"),
        ("azure-responses:gpt-5", "http://127.0.0.1:1/openai/v1", ""),
        ("bedrock-mantle:openai.gpt-5.6-luna", "http://127.0.0.1:1/openai/v1", "k"),
    ],
)
def test_wires_open_without_a_word_over_the_network(
    name: str, base_url: str | None, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: Any) -> None:
        raise AssertionError("no connection is due before the first call")

    monkeypatch.setattr(socket.socket, "connect", connect)
    model = resolve(name, base_url=base_url, api_key=key or None)
    assert model.name == name
    assert inner(model).profile.provider == WIRES[name.partition(":")[0]].name


def test_the_gateway_reaches_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYDANTIC_AI_GATEWAY_API_KEY", "pylf_v1_us_0123456789")
    assert inner(open_provider("gateway:anthropic:claude-sonnet-5-5")).profile.provider == "gateway"
    with pytest.raises(ConfigurationError, match="write gateway:UPSTREAM:MODEL"):
        open_provider("gateway:anthropic")
    with pytest.raises(ConfigurationError, match="from the environment only"):
        open_provider("gateway:anthropic:x", base_url="http://127.0.0.1:1")


def test_a_package_that_the_extra_does_not_bring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CO_API_KEY", "k")
    monkeypatch.setitem(sys.modules, "cohere", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'pydantic-ai-slim\[cohere\]'"):
        open_provider("cohere:command-r")


def test_a_missing_extra_is_one_sentence_with_the_command() -> None:
    code = """
import sys
sys.modules["pydantic_ai"] = None
from prudent.errors import MissingExtra
from prudent.models.names import resolve
try:
    resolve("anthropic:claude-x", api_key="k")
except MissingExtra as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told == "anthropic needs an extra that is not installed: pip install 'prudent[providers]'\n"
    assert issubclass(MissingExtra, ConfigurationError)


def test_nothing_heavy_is_loaded_before_a_model_is_asked_for() -> None:
    modules = "prudent, prudent.models.names, prudent.models.providers"
    heavy = {"pydantic_ai", "anthropic", "openai", "google.genai", "boto3", "genai_prices"}
    code = f"import sys, {modules}; sys.exit(bool({heavy!r} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
