"""Settling: a resumed run first answers the calls that its last message left open.

A call that finished is never repeated. One that was prepared only, runs. One that had started and has no outcome runs
again when that is safe; else its own `check` answers, or a person does.
"""

from __future__ import annotations

from dataclasses import dataclass

from prudent.errors import CallRefused, ErrorKind
from prudent.events import ApprovalAsked, ApprovalDecided, CallEnded, CallStatus
from prudent.loop.dispatch import Dispatcher
from prudent.loop.gate import Gate, Job
from prudent.loop.parts import Parts
from prudent.messages import ToolCall
from prudent.ports import End
from prudent.state import CallRecord
from prudent.types import JSON

UNKNOWN = "the process ended while this call ran; whether it took effect is not known"


@dataclass(slots=True)
class Settler:
    """Answers the open calls of a resumed run."""

    parts: Parts
    gate: Gate
    dispatcher: Dispatcher

    async def settle(self) -> End | None:
        """Work through the open calls. Those that wait for a person stay open."""
        state = self.parts.state
        if not state.open_calls:
            return None
        message = next(m for m in reversed(state.transcript) if m.role == "assistant")
        jobs: list[Job] = []
        for position, call in enumerate(message.calls):
            record = state.calls.get(call.id)
            if record is None:
                jobs.append(self.dispatcher.admit(call, position, state.turn))
            elif not record.answered and await self._outcome_known(record):
                jobs.append(self._job(call, record))
        return await self.dispatcher.work(jobs)

    def _job(self, call: ToolCall, record: CallRecord) -> Job:
        """Take the call up again with the arguments on record, edited ones included."""
        job = Job(call, record.position, record.turn, arguments=record.arguments)
        try:
            job.tool = self.parts.surface.find(record.tool_name)
        except CallRefused as refusal:
            job.refusal = refusal
        decision = record.decision
        if decision and decision.decision == "edit" and record.question and not record.question.sub_call:
            self.dispatcher.take_decision(job, decision)
        return job

    async def _outcome_known(self, record: CallRecord) -> bool:
        """Whether the call may go through the gate (again); one of unknown outcome is answered here, or waits."""
        if record.attempt == 0 or record.effect == "read" or record.idempotent:
            return True
        if record.decision and record.question and record.question.kind == "unknown_outcome" and not record.question.sub_call:
            return self._take(record, record.decision)
        if self._checked(record):
            return False
        if not record.question or record.question.kind != "unknown_outcome":
            self._ask(record)
        return await self._decided(record)

    def _take(self, record: CallRecord, decision: ApprovalDecided) -> bool:
        """Follow a person's word; true when the call is to run again."""
        if decision.decision == "happened":
            self._answer(record, decision.result)
        elif decision.decision == "skip":
            reason = f"{UNKNOWN}; {decision.decided_by} decided to go on without it"
            kind, shaped = self.parts.shaper.shape_error(CallRefused("unknown_outcome", reason))
            self._end(record, "rejected", shaped.shown, kind=kind)
        return decision.decision == "retry"

    def _checked(self, record: CallRecord) -> bool:
        """Let the tool's own check answer; false when it has none or cannot tell."""
        try:
            tool = self.parts.surface.find(record.tool_name)
            known = tool.check(record.arguments, f"{self.parts.state.run_id}:{record.call_id}") if tool.check else None
        except Exception:  # a check is a user's code: when it fails the outcome stays unknown
            return False
        if known is None or known is False:
            return False
        self._answer(record, known)
        return True

    def _ask(self, record: CallRecord) -> None:
        self.parts.recorder.emit(
            ApprovalAsked(
                call_id=record.call_id,
                kind="unknown_outcome",
                tool_name=record.tool_name,
                arguments=record.arguments,
                preview=f"{record.tool_name}: {UNKNOWN}",
                binding="",
            )
        )

    async def _decided(self, record: CallRecord) -> bool:
        if self.parts.approver is None or record.question is None:
            return False
        with self.parts.pause():
            decision = await self.parts.approver.decide(record.question)
        if decision is None or decision.decision not in ("happened", "retry", "skip"):
            return False
        self.parts.recorder.emit(decision)
        return self._take(record, decision)

    def _answer(self, record: CallRecord, result: JSON | object) -> None:
        tool = self.parts.surface.find(record.tool_name)
        given = result is not None and result is not True
        shaped = self.parts.shaper.shape(tool, record.call_id, result if given else "It did happen; there is no result.")
        self._end(record, "ok", shaped.shown)

    def _end(self, record: CallRecord, status: CallStatus, shown: str, *, kind: ErrorKind | None = None) -> None:
        self.parts.recorder.emit(
            CallEnded(turn=record.turn, call_id=record.call_id, status=status, shown=shown, error_kind=kind)
        )
