"""What a run is doing right now, for those who watch: a fold of its events."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatchmethod

from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallNoted,
    CallPrepared,
    CallStarted,
    CallStatus,
    Event,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    ModelCallStarted,
    ReasoningArrived,
    RunResumed,
    RunStarted,
    TextArrived,
    ThoughtRecorded,
)
from prudent.journal.redact import hide_parameters
from prudent.types import JSONObject, Usage

TEXT_CHARS = 4000
"""How much of a streaming text is kept for the view; the whole comes at the end."""


@dataclass(slots=True)
class CallView:
    """One call as it is shown."""

    call_id: str
    tool_name: str
    arguments: JSONObject
    """Secrets hidden."""

    is_task: bool = True
    status: CallStatus = "pending"
    started_at: float = 0.0
    seconds: float = 0.0
    note: str = ""
    """What the call last said of its progress."""

    shown: str = ""
    asked: bool = False
    """Whether it waits for somebody's decision."""


@dataclass(slots=True)
class Board:
    """A run as it is shown while it goes on."""

    run_id: str = ""
    agent: str = ""
    model: str = ""
    task: str = ""
    started_at: float = 0.0
    turn: int = 0
    plan: str = ""
    """The latest plan's text."""

    calls: dict[str, CallView] = field(default_factory=dict[str, CallView])
    text: str = ""
    """The end of what the model is saying in this turn."""

    activity: str = ""
    """What is being waited for while no call runs: the model, a retry."""

    usage: Usage = field(default_factory=Usage)
    model_calls: int = 0

    @singledispatchmethod
    def apply(self, event: Event) -> None:
        """Take one event in; those not listed below change nothing that is shown."""

    @property
    def running(self) -> list[CallView]:
        """Calls that are under way, in the order they were asked for."""
        return [call for call in list(self.calls.values()) if call.status == "running"]

    @property
    def grounds(self) -> list[CallView]:
        """Task calls that gave a result."""
        return [call for call in self.calls.values() if call.is_task and call.status == "ok"]

    @apply.register
    def _(self, event: RunStarted) -> None:
        self.run_id, self.agent, self.model, self.task = event.run_id, event.agent, event.model, event.task
        self.started_at = event.at

    @apply.register
    def _(self, event: RunResumed) -> None:
        self.started_at = event.at

    @apply.register
    def _(self, event: ModelCallStarted) -> None:
        self.turn, self.text = event.turn, ""
        self.activity = {
            "turn": "thinking",
            "closing": "closing",
            "folding": "folding old turns",
            "digest": "summarising a result",
        }[event.purpose]

    @apply.register
    def _(self, event: TextArrived) -> None:
        self.text = (self.text + event.text)[-TEXT_CHARS:]
        self.activity = "answering"

    @apply.register
    def _(self, _event: ReasoningArrived) -> None:
        self.activity = "reasoning"

    @apply.register
    def _(self, event: ModelCallRetried) -> None:
        self.text = ""
        self.activity = f"trying the model again in {event.wait_seconds:.0f} s"
        self.model_calls += event.counted

    @apply.register
    def _(self, event: ModelCallFailed) -> None:
        self.activity = ""
        self.model_calls += event.counted

    @apply.register
    def _(self, event: ModelCallEnded) -> None:
        self.activity = ""
        self.usage += event.usage
        self.model_calls += 1

    @apply.register
    def _(self, event: CallPrepared) -> None:
        arguments = hide_parameters(event.arguments, event.secret)
        self.calls[event.call_id] = CallView(event.call_id, event.tool_name, arguments, event.is_task)

    @apply.register
    def _(self, event: CallStarted) -> None:
        if call := self.calls.get(event.call_id):
            call.status, call.started_at, call.asked = "running", event.at, False

    @apply.register
    def _(self, event: CallNoted) -> None:
        if call := self.calls.get(event.call_id):
            call.note = str(event.data.get("text", "")) or event.note

    @apply.register
    def _(self, event: CallEnded) -> None:
        if call := self.calls.get(event.call_id):
            call.status, call.seconds, call.shown, call.note = event.status, event.seconds, event.shown, ""

    @apply.register
    def _(self, event: ThoughtRecorded) -> None:
        self.plan = event.plan or self.plan

    @apply.register
    def _(self, event: ApprovalAsked) -> None:
        if call := self.calls.get(event.call_id):
            call.asked = True

    @apply.register
    def _(self, event: ApprovalDecided) -> None:
        if call := self.calls.get(event.call_id):
            call.asked = False
