"""Opens a model of the layer: its provider, its key, its address, and an HTTP client that is watched."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model as LayerModel
from pydantic_ai.models import infer_model
from pydantic_ai.providers import Provider, infer_provider

from prudent.errors import ConfigurationError
from prudent.models.providers_facts import WireFacts
from prudent.models.providers_traffic import new_client
from prudent.models.wire import CONNECT_SECONDS

READ_SECONDS = 60.0
"""The longest time without a byte where the library lets nobody set it for a single call."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a provider is to be found."""

    base_url: str | None
    api_key: str | None
    client: httpx2.AsyncClient


@dataclass(frozen=True, slots=True)
class Opened:
    """A model of the layer, for one event loop."""

    model: LayerModel[Any]
    client: httpx2.AsyncClient
    watched: bool
    """Whether its requests go through `client`."""

    async def aclose(self) -> None:
        """Close all connections."""
        # Leaving it is how the layer's own client is closed, where it made one.
        async with self.model:
            pass
        await self.client.aclose()


def open_layer(wire: WireFacts, model: str, *, base_url: str, api_key: str) -> Opened:
    """Open a model of the layer.

    Raises:
        ConfigurationError: Something it needs is missing; the sentence names it.
    """
    client = new_client()
    address = Address(base_url or None, api_key or None, client)
    builder = _BUILDERS.get(wire.kind)
    kind = f"gateway/{model.partition(':')[0]}" if wire.kind == "gateway" else wire.kind
    name = model.partition(":")[2] if wire.kind == "gateway" else model
    if not name:
        raise ConfigurationError(f"gateway: {model!r} names no model: write gateway:UPSTREAM:MODEL")
    try:
        layer = infer_model(f"{kind}:{name}", (lambda kind: builder(kind, address)) if builder else infer_provider)
    except ImportError as error:
        missing = wire.package or "prudent[providers]"
        raise ConfigurationError(f"{wire.name} needs a package that is not installed: pip install '{missing}'") from error
    except (UserError, ValueError) as error:
        raise ConfigurationError(f"{wire.name}: {_first_sentence(error)}") from error
    return Opened(layer, client, watched=builder not in (None, _bedrock))


def _first_sentence(error: Exception) -> str:
    return " ".join(str(error).split()).partition(". ")[0].removesuffix(".")


def _anthropic(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicProvider(api_key=address.api_key, base_url=address.base_url, http_client=address.client)


def _openai(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider(base_url=address.base_url, api_key=address.api_key, http_client=address.client)


def _azure(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from pydantic_ai.providers.azure import AzureProvider

    if not (address.base_url or os.environ.get("AZURE_OPENAI_ENDPOINT")):
        raise ConfigurationError("azure: needs an address: set AZURE_OPENAI_ENDPOINT in the environment, or give --base-url")
    return AzureProvider(azure_endpoint=address.base_url, api_key=address.api_key, http_client=address.client)


def _google(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleProvider(api_key=address.api_key, http_client=address.client, base_url=address.base_url)


def _vertex(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from google.auth.exceptions import DefaultCredentialsError
    from pydantic_ai.providers.google_cloud import GoogleCloudProvider

    try:
        return GoogleCloudProvider(api_key=address.api_key, http_client=address.client, base_url=address.base_url)
    except DefaultCredentialsError as error:
        how = "set GOOGLE_APPLICATION_CREDENTIALS in the environment, or log in with gcloud"
        raise ConfigurationError(f"vertex: needs Google Cloud credentials: {how}") from error


def _bedrock(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    import boto3
    from botocore.config import Config

    # It can only be loaded where those can.
    from pydantic_ai.providers.bedrock import BedrockProvider

    session: Any = boto3.Session(region_name=os.environ.get("AWS_REGION"))
    if session.region_name is None:
        raise ConfigurationError("bedrock: needs a region: set AWS_REGION in the environment")
    if not os.environ.get("AWS_BEARER_TOKEN_BEDROCK") and session.get_credentials() is None:
        raise ConfigurationError("bedrock: needs a key: set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID in the environment")
    # Trying again is not left to the library: it would not be seen, counted or bounded.
    config = Config(connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, retries={"total_max_attempts": 1})
    client: Any = session.client("bedrock-runtime", config=config, endpoint_url=address.base_url)
    return BedrockProvider(bedrock_client=client)


def _mantle(_kind: str, address: Address) -> Provider[Any]:
    # Each provider brings its own large library.
    from pydantic_ai.providers.bedrock_mantle import BedrockMantleProvider

    return BedrockMantleProvider(base_url=address.base_url, api_key=address.api_key, http_client=address.client)


_BUILDERS: dict[str, Callable[[str, Address], Provider[Any]]] = {
    "anthropic": _anthropic,
    "openai-responses": _openai,
    "azure": _azure,
    "azure-responses": _azure,
    "google": _google,
    "google-cloud": _vertex,
    "bedrock": _bedrock,
    "bedrock-mantle": _mantle,
}
"""How to open a provider with an address and a client of ours; the layer opens the others by itself."""
