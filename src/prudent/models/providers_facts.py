"""What is known of each wire that pydantic-ai's model layer speaks for us: one row each, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFacts:
    """One wire."""

    name: str
    """The usual prefix of its models' names, and how errors call it."""

    kind: str
    """What the layer calls it."""

    key_variables: tuple[str, ...] = ()
    """Environment variables that may hold the key, the usual one first; none where the key is not one string."""

    from_environment: bool = False
    """Whether key and address come from the environment only."""

    cut_from_url: str = ""
    """What the wire appends itself to a base URL, so that an address that has it already works too."""

    output_schema: bool = False
    """Whether the final answer can be held to a schema while tools are offered."""

    package: str = ""
    """The package extra that brings its library, where ours does not."""

    @property
    def key_variable(self) -> str:
        """The usual variable of the key, "" where there is none."""
        return self.key_variables[0] if self.key_variables else ""


_GOOGLE = WireFacts(name="google", kind="google", key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"))
_VERTEX = WireFacts(name="vertex", kind="google-cloud")
_AZURE = ("AZURE_OPENAI_API_KEY",)

WIRES: Mapping[str, WireFacts] = {
    "anthropic": WireFacts(
        name="anthropic", kind="anthropic", key_variables=("ANTHROPIC_API_KEY",), cut_from_url="/v1", output_schema=True
    ),
    "openai-responses": WireFacts(
        name="openai-responses", kind="openai-responses", key_variables=("OPENAI_API_KEY",), output_schema=True
    ),
    "google": _GOOGLE,
    "gemini": _GOOGLE,
    "google-gla": _GOOGLE,
    "vertex": _VERTEX,
    "google-vertex": _VERTEX,
    "google-cloud": _VERTEX,
    "bedrock": WireFacts(name="bedrock", kind="bedrock"),
    "bedrock-mantle": WireFacts(name="bedrock-mantle", kind="bedrock-mantle"),
    "azure": WireFacts(name="azure", kind="azure", key_variables=_AZURE),
    "azure-responses": WireFacts(name="azure-responses", kind="azure-responses", key_variables=_AZURE, output_schema=True),
    "gateway": WireFacts(
        name="gateway", kind="gateway", key_variables=("PYDANTIC_AI_GATEWAY_API_KEY", "PAIG_API_KEY"), from_environment=True
    ),
    "cohere": WireFacts(
        name="cohere", kind="cohere", key_variables=("CO_API_KEY",), from_environment=True, package="pydantic-ai-slim[cohere]"
    ),
    "huggingface": WireFacts(
        name="huggingface",
        kind="huggingface",
        key_variables=("HF_TOKEN",),
        from_environment=True,
        package="pydantic-ai-slim[huggingface]",
    ),
}
"""The table, by prefix; some wires have several."""
