"""All ports on one page. The loop knows only these; adapters know only these; `agent.py` joins them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from prudent.errors import CallRefused, ErrorKind
from prudent.events import ApprovalAsked, ApprovalDecided, ApprovalKind, Event, IncompleteReason
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest
from prudent.folds import Folded, FoldTrigger
from prudent.messages import Image, Message
from prudent.state import RunState
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject, Usage


class Model(Protocol):
    """A language model behind some wire."""

    name: str
    """As asked for, such as `deepseek:deepseek-chat`."""

    profile: ModelProfile

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield deltas and, last, one `Reply`; raise a `ModelError` when there is none. Closing the generator ends the call."""
        ...

    async def aclose(self) -> None:
        """Give connections and memory back."""
        ...


class Journal(Protocol):
    """The record of one run, as its owner writes it."""

    def append(self, event: Event) -> None:
        """Write one event and its projections in one transaction. Raises `OwnershipLost` when another process owns the run."""
        ...


@dataclass(frozen=True, slots=True)
class Artifact:
    """A full raw result."""

    handle: str
    media_type: str
    content: str | bytes


class Artifacts(Protocol):
    """Full results by handle, for as long as the run's record lasts."""

    def keep(self, call_id: str, media_type: str, content: str | bytes) -> str:
        """Keep a result and return its handle."""
        ...

    def find(self, handle: str) -> Artifact | None:
        """Give a kept result back, None when there is none."""
        ...

    def handles(self) -> Sequence[str]:
        """Name what is kept, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that is about to be allowed or not."""

    tool: Tool
    call_id: str
    arguments: JSONObject
    turn: int
    position: int
    earlier: tuple[Candidate, ...] = ()
    """Calls of the same reply that stand before it and were let through."""

    decision: ApprovalDecided | None = None
    """What was decided about it, if it was asked about."""

    question: ApprovalAsked | None = None
    confirmation: str = ""
    """The token with which the model confirms a call of a tool with `confirm = "model"`."""


@dataclass(frozen=True, slots=True)
class End:
    """A brake's verdict: the run is over."""

    reason: IncompleteReason
    detail: str
    """One sentence with the kind, value, limit and source of what was exceeded."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A brake's verdict: somebody has to decide first."""

    kind: ApprovalKind
    preview: str
    binding: str
    each_time: bool = False
    """Whether no standing rule may answer it."""


Verdict: TypeAlias = CallRefused | End | Ask


class Brake(Protocol):
    """Whatever can stop a call or a run. Stateless: it looks at the run's state only."""

    def before_model(self, state: RunState) -> End | None:
        """Look before a model call is paid for."""
        ...

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Look before a call runs, or starts early; None lets it through."""
        ...


class Approver(Protocol):
    """Who is asked."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Answer, or None when nobody is there: the run is parked."""
        ...


class Runner(Protocol):
    """How a tool is executed and killed."""

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run it within `context.timeout_seconds` and return the raw result.

        Raises ToolTimedOut, ToolCrashed, or what the tool raised. When cancelled it kills what it can and returns control
        within 0.2 s.
        """
        ...

    def left_running(self, whole_call_id: str) -> bool:
        """Whether the code of a call, by its `Context.whole_call_id`, may still be running, because it could not be killed."""
        ...


@dataclass(frozen=True, slots=True)
class Shaped:
    """A result as the model sees it."""

    shown: str
    """Never empty."""

    result_chars: int
    result_hash: str
    artifact: str = ""
    images: tuple[Image, ...] = field(default=())


class Shaper(Protocol):
    """Turns raw results into what the model sees."""

    def shape(self, tool: Tool, call_id: str, result: object) -> Shaped:
        """Shape a result; never raises, whatever the result is."""
        ...

    def shape_error(self, error: Exception) -> tuple[ErrorKind, Shaped]:
        """Tell the model why a call has no result: `{"error": {"kind", "reason", "fix"}}`."""
        ...

    def digest_request(self, shaped: Shaped, window_tokens: int) -> tuple[Message, ...] | None:
        """Write what a model is asked for a summary of a kept result; None for what is no long text."""
        ...

    def with_digest(self, tool: Tool, shaped: Shaped, written: str, *, by: str) -> Shaped:
        """Show a model's summary in place of the beginning; the result as it was where the summary cannot be believed."""
        ...


class ContextView(Protocol):
    """Chooses what of the transcript the model sees."""

    def view(self, state: RunState) -> Sequence[Message]:
        """Give a valid list of messages: every call answered once, in order."""
        ...


class Counter(Protocol):
    """Counts tokens where the provider does not."""

    def usage(self, request: ModelRequest, reply: Message) -> Usage:
        """Estimate what a model call took."""
        ...


@dataclass(frozen=True, slots=True)
class Fold:
    """Old turns that are to be put together."""

    trigger: FoldTrigger
    first_kept: int
    """Where in the transcript the first turn begins that stays whole."""

    turns: int
    """How many turns are folded by then, counted from the first."""

    request: tuple[Message, ...]
    """What a model is asked for a summary."""


class Folder(Protocol):
    """Keeps the context within the model's window by putting old turns together. Looks at the run's state only."""

    def due(self, state: RunState, *, overflow: bool = False) -> Fold | None:
        """Say what is to be folded now, or, after an `overflow`, whatever can be; None when nothing is."""
        ...

    def fold(self, state: RunState, fold: Fold, written: str, *, by: str) -> Folded:
        """Make the fold of a summary that a model has written; `written` is empty when none could be had."""
        ...

    def warnings(self, state: RunState) -> Sequence[str]:
        """Say what of the newest results takes too much of the window."""
        ...
