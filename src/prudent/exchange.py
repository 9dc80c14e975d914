"""What goes to a model in one call, and what comes back while it streams.

An adapter yields deltas and, last, exactly one `Reply`; it raises a `ModelError` when there is none. Only a reply that
came to a clean end is yielded: without a finish reason there is no `Reply`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from prudent.messages import Message, ToolCall, ToolSpec
from prudent.types import JSONObject, Usage

FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "other"]
ToolChoice = Literal["auto", "none"]
Purpose = Literal["turn", "closing", "folding", "digest"]
"""What a model call is for: the next turn, the last answer of a run cut short, a summary of old turns or of a result."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model is to generate. None leaves a value to the provider."""

    temperature: float | None = 0.3
    max_tokens: int | None = None
    reasoning: str | None = None
    """The provider's own reasoning: `off`, `low`, `medium`, `high`."""

    parallel_tool_calls: bool | None = None
    """Sent where the provider takes it; None does not send it."""

    stall_seconds: float = 30.0
    """Longest time without a byte."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    tool_choice: ToolChoice = "auto"
    """`none` for the closing call: the tool block stays, no tool may be called."""

    output_schema: JSONObject | None = None
    """JSON schema of the final answer, for adapters that can hold a model to it; others ignore it."""

    purpose: Purpose = "turn"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallReady:
    """A call whose arguments are complete, while later ones may still stream. Positions count from 0."""

    position: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Retrying:
    """The call failed and is made again: forget every delta so far."""

    attempt: int
    """The attempt that failed, from 1."""

    wait_seconds: float
    reason: str
    tokens_came: bool
    """Whether the failed attempt had already delivered tokens, and so counts as a model call."""


@dataclass(frozen=True, slots=True)
class RawExchange:
    """The bytes of one call both ways, for `show --raw`. Messages stand apart so that each is kept once."""

    url: str
    request_head: bytes
    """The request's body without its messages."""

    request_messages: tuple[bytes, ...]
    """Each message as it was sent."""

    response: bytes
    """What came, as it came."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply. Its calls' ids are the provider's and not to be trusted."""

    message: Message
    finish_reason: FinishReason
    usage: Usage
    raw: RawExchange | None = None
    model: str = ""
    """The model's name as the provider gives it."""


ModelEvent: TypeAlias = TextDelta | ReasoningDelta | CallReady | Retrying | Reply


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What the runtime needs to know about a model; each adapter fills it in from its table of facts."""

    provider: str
    context_window_tokens: int = 32_768
    takes_images: bool = False
    takes_tool_choice_none: bool = True
    """False where the tool block has to be left out of the closing call instead."""

    takes_parallel_parameter: bool = True
    input_price: float | None = None
    """US dollars for a million tokens read; None when unknown."""

    cached_price: float | None = None
    output_price: float | None = None
    defaults: ModelSettings | None = None
    """Settings that suit this model better than the agent's defaults (`local` is greedy). Explicit ones win."""
