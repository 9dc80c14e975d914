"""What a run emits, in order: facts, but for `CallStarted`, which comes before its call. The recorded ones are the journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from prudent.errors import ErrorKind
from prudent.exchange import FinishReason, Purpose, RawExchange
from prudent.messages import Image, Message, ToolSpec
from prudent.standing import StandingRule
from prudent.types import JSON, JSONObject, Usage

RunStatus = Literal["running", "awaiting_approval", "completed", "incomplete", "stopped", "failed"]
IncompleteReason = Literal["model_calls", "seconds", "tokens", "cost", "repetition", "truncated", "empty"]
CallStatus = Literal["pending", "running", "ok", "error", "refused", "rejected", "timeout", "stopped", "abandoned", "unknown"]
ApprovalKind = Literal["call", "unknown_outcome", "plan", "mode"]
Decision = Literal["approve", "edit", "reject", "always", "happened", "retry", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Root of all events. `at` is seconds since 1970, set by the run that emits it."""

    recorded: ClassVar[bool] = True
    """Whether the journal keeps it; the others are for those who watch."""

    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A task was given to an agent."""

    run_id: str
    agent: str
    agent_file: str = ""
    agent_hash: str = ""
    task: str
    model: str
    base_url: str = ""
    mode: str = "act"
    budget: JSONObject = field(default_factory=dict[str, JSON])
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResumed(Event):
    """A parked, stopped or interrupted run goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAdded(Event):
    """A system or user message joined the transcript."""

    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallStarted(Event):
    """A model is about to be called with exactly these messages and tools."""

    turn: int
    purpose: Purpose
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    settings: JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class TextArrived(Event):
    """A piece of the answer."""

    recorded: ClassVar[bool] = False
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningArrived(Event):
    """A piece of the model's own reasoning."""

    recorded: ClassVar[bool] = False
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallRetried(Event):
    """An attempt failed and is made again after `wait_seconds`."""

    turn: int
    attempt: int
    wait_seconds: float
    reason: str
    counted: bool
    """Whether the failed attempt counts as a model call (tokens had come)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallEnded(Event):
    """A whole reply came. Its calls carry ids that are unique in the run and arguments that are JSON objects."""

    turn: int
    purpose: Purpose
    message: Message
    finish_reason: FinishReason
    usage: Usage
    seconds: float
    cost: float | None = None
    """US dollars; None when the price is unknown."""

    kept: bool = True
    """False when the reply stays out of the transcript (empty, or cut while calling tools)."""

    largest_message: int = -1
    """Index of the message of the request that had grown most since the call before; -1 when unknown."""

    raw: RawExchange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallFailed(Event):
    """The call came to nothing."""

    turn: int
    purpose: Purpose
    reason: str
    seconds: float
    counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPrepared(Event):
    """A call was taken from a reply, in call order; what becomes of it follows as `CallStarted` or `CallEnded`."""

    turn: int
    position: int
    call_id: str
    tool_name: str
    """The registered name; for an unknown tool the name as the model wrote it."""

    arguments: JSONObject
    """Decoded, validated, defaults filled in. For a refused call whatever could be decoded, else empty."""

    repairs: tuple[str, ...] = ()
    is_task: bool = True
    same_as: str = ""
    """The first call of the same reply that is equal to this one, "" when this is the first itself."""

    secret: tuple[str, ...] = ()
    """Parameters whose values the journal hides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted(Event):
    """A call is about to run."""

    turn: int
    call_id: str
    attempt: int = 1
    planned: bool = False
    """Whether a thought stood before it since the last results; plan adherence is the share of these."""

    effect: str = "write"
    idempotent: bool = False
    asked: bool = False
    """Whether it runs by a decision that was asked for."""

    @property
    def durable(self) -> bool:
        """Whether the record must be on disk before the call runs."""
        return self.effect != "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNoted(Event):
    """A running call says something: progress, a warning."""

    recorded: ClassVar[bool] = False
    call_id: str
    note: str
    data: JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded(Event):
    """A call has its answer, whatever it is."""

    turn: int
    call_id: str
    status: CallStatus
    shown: str
    """What the model sees; never empty."""

    error_kind: ErrorKind | None = None
    seconds: float = 0.0
    result_chars: int = 0
    """Length of the raw result as text."""

    artifact: str = ""
    """Handle of the full result where `shown` is only a part."""

    result_hash: str = ""
    """Hash of the raw result: equal results of repeated calls bring nothing new."""

    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtRecorded(Event):
    """The model used the planning tool."""

    turn: int
    number: str
    thought: str
    plan: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAsked(Event):
    """A person or a rule is to decide about a call."""

    call_id: str
    kind: ApprovalKind
    tool_name: str
    arguments: JSONObject
    preview: str
    binding: str
    """Hash of tool, arguments and previewed state that a decision is bound to."""

    sub_call: str = ""
    """`RUN/CALL` when the question is really about a call of a sub-agent's run, which this call started."""

    each_time: bool = False
    """Whether it is asked every time, so that no standing rule can answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided(Event):
    """The answer to an `ApprovalAsked`."""

    call_id: str
    decision: Decision
    decided_by: str
    reason: str = ""
    arguments: JSONObject | None = None
    """The edited arguments, where the decision was `edit`."""

    result: JSON = None
    """What a person says came of the call, where the decision was `happened`."""

    rule: StandingRule | None = None
    """What runs unasked from now on, where the decision was `always`."""

    asked_at: float | None = None
    """When the question was asked that was seen and answered; None when that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubRunWorked(Event):
    """A sub-agent began to work for a call, or (`ended`) has worked; what that took is added to this run."""

    call_id: str
    run_id: str
    agent: str
    ended: bool = False
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars of this sitting; None when a price is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChanged(Event):
    """Another choice of tools is on the surface."""

    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(Event):
    """Something a person should know, that ends nothing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Event):
    """The run ended or was parked. `awaiting_approval` may be followed by `RunResumed`, and so may `stopped`."""

    status: RunStatus
    reason: IncompleteReason | None = None
    output: JSON = None
    """The answer; a partial one when the run is incomplete."""

    error: str = ""
    seconds: float = 0.0
    """Working time of this sitting; waiting for a person does not count."""
