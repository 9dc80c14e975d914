"""From a model's name, such as `deepseek:deepseek-chat`, to the model."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping

from prudent.errors import ConfigurationError
from prudent.models.facts import ALIASES, PLACEHOLDER_KEY, PROVIDERS, ProviderFacts, facts_for
from prudent.models.mending import MendingModel
from prudent.ports import Model
from prudent.tools.dialects import dialect_for

OTHER_WIRES = (
    "anthropic",
    "azure",
    "azure-responses",
    "bedrock",
    "bedrock-mantle",
    "cohere",
    "gateway",
    "gemini",
    "google",
    "google-cloud",
    "google-gla",
    "google-vertex",
    "huggingface",
    "openai-responses",
    "vertex",
)
"""Prefixes of models that speak another wire than OpenAI chat completions."""


def resolve(name: str, *, base_url: str | None = None, api_key: str | None = None) -> Model:
    """Find the model of a name. Raises ConfigurationError when there is none, or its key is missing.

    Args:
        name: `PROVIDER:MODEL`, `local`, `local:NAME` or `local:PATH.gguf`. With a base URL a bare model name is enough.
        base_url: Server to speak to instead of the provider's own, such as `http://localhost:8000/v1`.
        api_key: The key; by default it is taken from the provider's environment variable.
    """
    prefix, colon, model = name.strip().partition(":")
    if prefix == "local" and not base_url:
        # The embedded engine is an extra, and slow to load.
        from prudent.models.local import open_local

        return _mending(open_local(name), "")
    if prefix in OTHER_WIRES and colon:
        # These wires are an extra, and slow to load.
        from prudent.models.providers import open_provider

        return _mending(open_provider(name, base_url=base_url, api_key=api_key), model)
    if not _is_known(prefix) or not colon:
        if not base_url or not name.strip():
            raise ConfigurationError(_unknown(name))
        prefix, model = "openai", name.strip()
    if not model:
        raise ConfigurationError(f"{name!r} names no model: write {prefix}:MODEL")
    facts = facts_for(prefix, base_url)
    return _mending(_open(name.strip(), model, facts, api_key or _key(facts, placeholder=bool(base_url))), model)


def _open(name: str, model: str, facts: ProviderFacts, api_key: str) -> Model:
    # The HTTP client takes a tenth of a second to load.
    from prudent.models.openai_chat import OpenAIChat
    from prudent.models.retrying import RetryingModel

    return RetryingModel(OpenAIChat(name, model=model, facts=facts, api_key=api_key))


def _mending(inner: Model, model: str) -> Model:
    """Have tools written in the dialect of whoever answers."""
    return MendingModel(inner, dialect_for(inner.profile.provider, model))


def _is_known(prefix: str) -> bool:
    return prefix in PROVIDERS or prefix in ALIASES


def _key(facts: ProviderFacts, *, placeholder: bool, environment: Mapping[str, str] = os.environ) -> str:
    for variable in facts.key_variables:
        key = environment.get(variable, "").strip()
        if key:
            return key
    if placeholder:
        return PLACEHOLDER_KEY
    if facts.key_variables:
        raise ConfigurationError(f"{facts.name}: needs a key: set {facts.key_variable} in the environment")
    return ""


def _unknown(name: str) -> str:
    """Say what there is, and what was probably meant."""
    known = sorted((*PROVIDERS, *OTHER_WIRES, "local"))
    prefix, colon, model = name.partition(":")
    near = difflib.get_close_matches(prefix.lower(), known, n=1)
    meant = f" Did you mean {near[0]}{colon}{model}?" if near else ""
    what = f"no provider is called {prefix!r}" if colon else f"{name!r} names no provider"
    return f"{what}.{meant} Write PROVIDER:MODEL with one of: {', '.join(known)}; or give --base-url."
