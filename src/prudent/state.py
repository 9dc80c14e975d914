"""What is known of a run: the fold of its events.

`RunState.apply` is the only place that changes it, while a run goes on as well as when one is read back from the journal.
So a resumed run knows exactly what the one that died knew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatchmethod

from prudent.calls import CallRecord
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    IncompleteReason,
    MessageAdded,
    ModeChanged,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    RunEnded,
    RunResumed,
    RunStarted,
    RunStatus,
    SubRunWorked,
    ThoughtRecorded,
)
from prudent.folds import Folds
from prudent.messages import Message
from prudent.sitting import Sitting
from prudent.standing import StandingRule
from prudent.toolbox import Toolbox
from prudent.types import JSON, Usage


@dataclass(slots=True)
class RunState:
    """A run as far as its events tell."""

    run_id: str = ""
    agent: str = ""
    task: str = ""
    model: str = ""
    mode: str = "act"
    status: RunStatus = "running"
    reason: IncompleteReason | None = None
    output: JSON = None
    error: str = ""
    transcript: list[Message] = field(default_factory=list[Message])
    """Every call in it has its result after it, except those of the last message while they are worked on."""

    calls: dict[str, CallRecord] = field(default_factory=dict[str, CallRecord])
    """All calls of the run by id, in call order."""

    open_calls: tuple[str, ...] = ()
    """The calls of the last assistant message while some of them have no result."""

    open_answer: str | None = None
    """Text of a reply without calls that nobody has judged yet: it has neither ended the run nor been sent back."""

    cut: bool = False
    """Whether the last turn's reply ended for length: none of its calls runs, its text is no whole answer."""

    turn: int = 0
    """Turns so far; the first is 1."""
    model_calls: int = 0
    """All model calls that were paid for, the closing call included."""

    empty_replies: int = 0
    """Empty replies in a row."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None as soon as one call's price is unknown."""

    sub_runs: dict[str, tuple[Usage, float | None]] = field(default_factory=dict[str, tuple[Usage, float | None]])
    """What sub-agents' runs took, by their id, as far as it is added to this run."""

    thoughts: list[ThoughtRecorded] = field(default_factory=list[ThoughtRecorded])
    planned: bool = False
    """Whether a thought was recorded since the last results of task calls."""

    plan_approved: bool = False
    """Whether a person has approved a plan of this run, or written their own."""

    standing: list[StandingRule] = field(default_factory=list[StandingRule])
    """Standing rules made in this sitting; earlier ones are in the journal, as far as they were not forgotten since."""

    seen_results: set[str] = field(default_factory=set[str])
    turns_with_news: set[int] = field(default_factory=set[int])
    """Turns that brought a result not seen before in this run."""

    working_seconds: float = 0.0
    """Working time of earlier sittings."""
    repetition_turn: int = 0
    """The turn whose repetition ended the run last, as far as that end is on record."""

    sitting: Sitting = field(default_factory=Sitting)
    folds: Folds = field(default_factory=Folds)
    toolbox: Toolbox = field(default_factory=Toolbox)

    def apply(self, event: Event) -> None:
        """Take one event in."""
        self._take_in(event)
        self.sitting.see(event)
        self.folds.see(event, self.transcript)
        self.toolbox.see(event)

    @singledispatchmethod
    def _take_in(self, event: Event) -> None:
        """Change what is known; events that are not listed below change nothing."""

    @property
    def spent_seconds(self) -> float:
        """Working time so far, with that of a sitting that was cut off; waiting for a person does not count."""
        return self.working_seconds + (self.sitting.worked_seconds if self.status == "running" else 0.0)

    @property
    def executed_calls(self) -> list[CallRecord]:
        """Task calls that ran, in the order they were asked for."""
        return [record for record in self.calls.values() if record.executed]

    @property
    def task_turns(self) -> int:
        """Turns that executed a task call; what the automatic budget counts."""
        return len({record.turn for record in self.calls.values() if record.executed})

    @property
    def waiting(self) -> list[CallRecord]:
        """Calls that wait for a person."""
        return [r for r in self.calls.values() if r.question and not r.decision and not r.answered]

    @_take_in.register
    def _(self, event: RunStarted) -> None:
        self.run_id, self.agent, self.task = event.run_id, event.agent, event.task
        self.model, self.mode = event.model, event.mode

    @_take_in.register
    def _(self, _event: RunResumed) -> None:
        self.working_seconds = self.spent_seconds
        self.status, self.reason, self.output, self.error = "running", None, None, ""
        self.standing.clear()

    @_take_in.register
    def _(self, event: MessageAdded) -> None:
        self.transcript.append(event.message)
        self.open_answer = None

    @_take_in.register
    def _(self, event: ModelCallRetried | ModelCallFailed) -> None:
        self.model_calls += event.counted

    @_take_in.register
    def _(self, event: ModelCallEnded) -> None:
        self.model_calls += 1
        self.usage = self.usage + event.usage
        self.cost = added(self.cost, event.cost)
        if event.purpose != "turn":
            return
        self.turn, self.cut = event.turn, event.finish_reason == "length"
        self.open_answer = None if event.message.calls else event.message.text
        if not event.kept:
            self.empty_replies += event.finish_reason != "length"
            return
        self.empty_replies = 0
        self.transcript.append(event.message)
        self.open_calls = tuple(call.id for call in event.message.calls)

    @_take_in.register
    def _(self, event: CallPrepared) -> None:
        self.calls[event.call_id] = CallRecord(
            event.turn, event.position, event.call_id, event.tool_name, event.arguments, event.is_task, same_as=event.same_as
        )

    @_take_in.register
    def _(self, event: CallStarted) -> None:
        record = self.calls[event.call_id]
        if record.question and record.question.kind == "unknown_outcome" and not record.question.sub_call:
            record.question = record.decision = None  # to run it again was the answer: the next crash is a new question
        record.status, record.attempt, record.planned = "running", event.attempt, event.planned
        record.effect, record.idempotent = event.effect, event.idempotent

    @_take_in.register
    def _(self, event: CallEnded) -> None:
        record = self.calls[event.call_id]
        record.status, record.error_kind, record.shown = event.status, event.error_kind, event.shown
        record.result_hash, record.artifact, record.images = event.result_hash, event.artifact, event.images
        if record.executed and event.result_hash and event.result_hash not in self.seen_results:
            self.seen_results.add(event.result_hash)
            self.turns_with_news.add(record.turn)
        self._answer_open_calls()

    def _answer_open_calls(self) -> None:
        """Put the results behind their message, in call order, once all of them are there."""
        records = [self.calls.get(call_id) for call_id in self.open_calls]
        if not records or not all(record and record.answered for record in records):
            return
        for record in records:
            assert record
            self.transcript.append(Message("tool", record.shown, call_id=record.call_id, images=record.images))
        if any(record and record.executed for record in records):
            self.planned = False
        self.open_calls = ()

    @_take_in.register
    def _(self, event: ThoughtRecorded) -> None:
        self.thoughts.append(event)
        self.planned = True

    @_take_in.register
    def _(self, event: ApprovalAsked) -> None:
        record = self.calls[event.call_id]
        record.question, record.decision = event, None
        record.status = "unknown" if event.kind == "unknown_outcome" else "pending"

    @_take_in.register
    def _(self, event: ApprovalDecided) -> None:
        record = self.calls[event.call_id]
        record.decision = event
        if record.question and record.question.kind == "plan":
            self.plan_approved = self.plan_approved or event.decision in ("approve", "edit", "always")
            return
        about_itself = record.question is None or not record.question.sub_call
        if event.decision == "edit" and event.arguments is not None and about_itself:
            record.arguments = event.arguments
        if event.rule and about_itself:
            self.standing.append(event.rule)

    @_take_in.register
    def _(self, event: SubRunWorked) -> None:
        self.usage, self.cost = self.usage + event.usage, added(self.cost, event.cost)
        usage, cost = self.sub_runs.get(event.run_id, (Usage(), 0.0))
        self.sub_runs[event.run_id] = (usage + event.usage, added(cost, event.cost))

    @_take_in.register
    def _(self, event: ModeChanged) -> None:
        self.mode = event.mode

    @_take_in.register
    def _(self, event: RunEnded) -> None:
        self.status, self.reason, self.output, self.error = event.status, event.reason, event.output, event.error
        if event.status != "stopped" and event.reason != "seconds":
            self.open_answer = None
        if event.reason == "repetition":
            self.repetition_turn = self.turn
        self.working_seconds += event.seconds


def added(cost: float | None, more: float | None) -> float | None:
    """Add two costs; None as soon as one is unknown."""
    return None if cost is None or more is None else cost + more
