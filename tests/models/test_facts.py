from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from prudent.models.catalogue import known_model, takes_pictures
from prudent.models.facts import ALIASES, OTHER, PROVIDERS, ProviderFacts, facts_for


@pytest.mark.parametrize("name", ["openai", "deepseek", "ollama", "openrouter", "qwen", "groq", "mistral"])
def test_the_providers_that_are_promised_have_a_row(name: str) -> None:
    assert PROVIDERS[name].name == name


@pytest.mark.parametrize("facts", PROVIDERS.values(), ids=PROVIDERS)
def test_every_row_can_work(facts: ProviderFacts) -> None:
    url = urlsplit(facts.url)
    local = url.hostname == "localhost"
    assert url.scheme == ("http" if local else "https")
    assert not facts.url.endswith("/")
    assert bool(facts.key_variables) != local
    for pattern in (facts.fixed_temperature, facts.no_parallel_parameter):
        re.compile(pattern)


def test_aliases_lead_somewhere_and_hide_nobody() -> None:
    assert set(ALIASES.values()) <= set(PROVIDERS)
    assert not set(ALIASES) & set(PROVIDERS)


def test_a_base_url_moves_a_provider_and_keeps_its_ways() -> None:
    facts = facts_for("deepseek", "http://127.0.0.1:1/v1")
    assert (facts.name, facts.url, facts.effort) == ("deepseek", "http://127.0.0.1:1/v1", "thinking")
    assert facts_for("deepseek") is PROVIDERS["deepseek"]
    assert facts_for("kimi") is PROVIDERS["moonshot"]


def test_openai_at_another_address_is_whoever_stands_there() -> None:
    facts = facts_for("openai", "http://127.0.0.1:1/v1")
    assert (facts.name, facts.url) == (OTHER.name, "http://127.0.0.1:1/v1")
    assert facts.key_variable == "OPENAI_API_KEY"
    facts = facts_for("openai", "https://api.deepseek.com/v1")
    assert (facts.name, facts.key_variables) == ("deepseek", ("OPENAI_API_KEY", "DEEPSEEK_API_KEY"))
    assert facts_for("openai", "https://api.openai.com/v1").name == "openai"


def test_an_unknown_prefix_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        facts_for("nobody")


@pytest.mark.parametrize(
    ("provider", "model", "window"),
    [
        ("openai", "gpt-4o", 128_000),
        ("openai", "gpt-4o-2024-08-06", 128_000),
        ("openai", "gpt-5.1", 400_000),
        ("openai", "gpt-4o-audio-preview", None),
        ("openai", "gpt-5.5", 1_000_000),
        ("groq", "openai/gpt-oss-120b", 131_072),
        ("openrouter", "gpt-4o", None),
    ],
)
def test_known_models_are_found_by_their_own_provider_s_names(provider: str, model: str, window: int | None) -> None:
    known = known_model(provider, model)
    assert (known.window_tokens if known else None) == window


def test_a_price_that_depends_on_the_prompt_is_not_given() -> None:
    known = known_model("openai", "gpt-5.5")
    assert known is not None
    assert known.input_price is None


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o-mini",
        "gpt-5",
        "o3",
        "claude-sonnet-4.5",
        "google/gemini-2.5-flash",
        "qwen2.5-vl-72b",
        "qwen-vl-max",
        "pixtral-12b",
        "llava:13b",
        "gemma3:4b",
        "llama-4-scout",
        "mistral-medium-latest",
        "kimi-k2.5",
        "glm-4.5v",
    ],
)
def test_models_with_eyes(model: str) -> None:
    assert takes_pictures(model)


@pytest.mark.parametrize(
    "model", ["gpt-3.5-turbo", "o3mega", "qwen2.5-coder", "deepseek-chat", "llama-3.3-70b", "glm-4.7", "m"]
)
def test_models_without(model: str) -> None:
    assert not takes_pictures(model)
