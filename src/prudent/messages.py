"""What is said between the model and the runtime: messages, calls, and tool definitions as the model reads them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from prudent.types import JSONMapping, JSONObject

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture inside a message."""

    media_type: str
    """Such as `image/png`."""

    data: bytes


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request by the model to use a tool."""

    id: str
    """Inside the runtime unique within a run. As an adapter delivers it: the provider's id, "" when it gave none."""

    name: str
    """The tool's name as the model wrote it. Once in the history: a name that providers accept."""

    arguments: str
    """The argument string as the model wrote it, which may be no JSON. Once in the history: always a JSON object."""

    arguments_were_null: bool = False
    """True when the provider sent null or left the arguments out, which means no arguments."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Immutable; kept once in the journal, by the hash of its content."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """What an assistant message asks for."""

    call_id: str = ""
    """In a tool message: the call that it answers."""

    images: tuple[Image, ...] = ()

    reasoning: str = ""
    """The model's own reasoning in readable form, for people. What goes back to the provider is `opaque`."""

    opaque: str = ""
    """JSON that only the adapter named in `opaque_by` reads and sends back exactly as it came (signatures, reasoning items)."""

    opaque_by: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool definition as the model reads it."""

    name: str
    description: str
    parameters: JSONObject
    """JSON schema of an object."""

    def as_json(self) -> JSONObject:
        """Give the definition in the form of OpenAI's chat completions."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }


def canonical_json(value: JSONMapping) -> str:
    """Write an object so that equal objects give equal text: keys sorted, no spaces, CJK as it stands."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
