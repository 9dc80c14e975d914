from __future__ import annotations

import subprocess
import sys

import pytest
from tests.models.loopback import say, serving

from prudent.errors import ConfigurationError
from prudent.exchange import ModelRequest
from prudent.messages import Message
from prudent.models.mending import MendingModel
from prudent.models.names import OTHER_WIRES, PLACEHOLDER_KEY, resolve
from prudent.models.openai_chat import OpenAIChat
from prudent.models.retrying import RetryingModel


def chat(name: str, *, base_url: str | None = None, api_key: str | None = None) -> OpenAIChat:
    model = resolve(name, base_url=base_url, api_key=api_key)
    assert isinstance(model, MendingModel)
    assert isinstance(model.inner, RetryingModel)
    assert isinstance(model.inner.inner, OpenAIChat)
    assert model.name == name
    return model.inner.inner


async def key_sent(name: str, *, api_key: str | None = None) -> str:
    """Call the model once at a server of ours, and see the key that comes."""
    async with serving(say("ok")) as server:
        model = resolve(name, base_url=server.url, api_key=api_key)
        async for _ in model.stream(ModelRequest([Message("user", "hi")])):
            pass
        await model.aclose()
    return server.received[0].headers["authorization"].removeprefix("Bearer ")


def test_a_provider_s_model_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-1")
    model = chat("deepseek:deepseek-chat")
    assert (model.model, model.url) == ("deepseek-chat", "https://api.deepseek.com/chat/completions")


@pytest.mark.anyio
async def test_the_key_comes_from_the_provider_s_variable_or_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", " sk-1 ")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-3")
    assert await key_sent("deepseek:deepseek-chat") == "sk-1"
    assert await key_sent("deepseek:deepseek-chat", api_key="sk-2") == "sk-2"
    assert await key_sent("openai:x") == "sk-3"


@pytest.mark.anyio
async def test_with_a_base_url_a_placeholder_does() -> None:
    for name in ("openai:gpt-x", "deepseek:x", "bare"):
        assert await key_sent(name) == PLACEHOLDER_KEY


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="groq: needs a key: set GROQ_API_KEY"):
        resolve("groq:llama-3.3-70b-versatile")


def test_a_local_server_needs_no_key() -> None:
    model = chat("ollama:qwen3:8b")
    assert (model.model, model.url) == ("qwen3:8b", "http://localhost:11434/v1/chat/completions")


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/chat/completions"]
)
def test_a_base_url_may_be_written_in_several_ways(base_url: str) -> None:
    assert chat("openai:x", base_url=base_url).url == "http://127.0.0.1:1/v1/chat/completions"


@pytest.mark.parametrize("name", ["my-model", "qwen3:8b", "org/model"])
def test_with_a_base_url_a_bare_name_is_enough(name: str) -> None:
    model = chat(name, base_url="http://127.0.0.1:1/v1")
    assert (model.model, model.facts.name) == (name, "openai-compatible")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("depseek:x", "no provider is called 'depseek'. Did you mean deepseek:x?"),
        ("gpt-4o", "'gpt-4o' names no provider"),
        ("", "names no provider"),
        ("nobody:x", "ollama, openai"),
        ("antropic:claude", "Did you mean anthropic:claude?"),
    ],
)
def test_an_unknown_name_says_what_there_is(name: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        resolve(name)
    assert words in str(caught.value)
    assert "give --base-url" in str(caught.value)


@pytest.mark.parametrize("name", ["openai:", "deepseek: "])
def test_a_name_without_a_model_is_an_error(name: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model"):
        resolve(name, base_url="http://127.0.0.1:1/v1")


def test_a_base_url_that_cannot_work_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="begins with http"):
        resolve("openai:x", base_url="localhost:8000")


def test_other_wires_do_not_take_our_names() -> None:
    assert not set(OTHER_WIRES) & {"openai", "deepseek", "local", "ollama"}


def test_knowing_names_loads_no_http_client() -> None:
    modules = "prudent.models.names, prudent.models.scripted"
    code = f"import sys, {modules}; sys.exit(bool({{'httpx2', 'pydantic'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
