"""Every other wire (Anthropic, OpenAI Responses, Gemini, Bedrock, …): opened by name.

What is opened stands on the model layer of pydantic-ai, which is an extra and takes two seconds to load; this module
does neither before a model is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from prudent.errors import ConfigurationError, MissingExtra
from prudent.models.facts import PLACEHOLDER_KEY
from prudent.models.providers_facts import WIRES, WireFacts
from prudent.ports import Model


def open_provider(name: str, *, base_url: str | None = None, api_key: str | None = None, stream: bool = True) -> Model:
    """Open a model such as `anthropic:claude-sonnet-4-5` or `gateway:anthropic:claude-sonnet-4-5`.

    Args:
        name: `PREFIX:MODEL`; `WIRES` lists the prefixes.
        base_url: Server to speak to instead of the provider's own. For `anthropic` it ends before `/v1`.
        api_key: The key; by default it is taken from the wire's environment variable.
        stream: False for a server that breaks replies when it streams.

    Raises:
        ConfigurationError: There is no such wire, or its key or address is missing; names the variable.
        MissingExtra: The extra `providers` is not installed.
    """
    prefix, _, model = name.strip().partition(":")
    wire = WIRES.get(prefix)
    if wire is None or not model:
        raise ConfigurationError(f"{name!r} names no model: write PREFIX:MODEL with one of: {', '.join(sorted(WIRES))}")
    if wire.from_environment and (base_url or api_key):
        raise ConfigurationError(f"{wire.name}: takes its address and key from the environment only: {wire.key_variable}")
    key = (api_key or "").strip() or _key(wire, placeholder=bool(base_url))
    try:
        # An extra, and slow to load.
        from prudent.models.providers_model import ProviderModel
    except ImportError as error:
        raise MissingExtra(wire.name, "providers") from error
    address = base_url.rstrip("/").removesuffix(wire.cut_from_url) if base_url else ""
    return ProviderModel.open(name.strip(), wire=wire, model=model, base_url=address, api_key=key, stream=stream)


def _key(wire: WireFacts, *, placeholder: bool, environment: Mapping[str, str] = os.environ) -> str:
    for variable in wire.key_variables:
        key = environment.get(variable, "").strip()
        if key:
            return key
    if wire.key_variables and not placeholder:
        raise ConfigurationError(f"{wire.name}: needs a key: set {wire.key_variable} in the environment")
    return PLACEHOLDER_KEY if wire.key_variables else ""
