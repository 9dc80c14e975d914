"""Settling: a resumed run first answers the calls that its last message left open.

A call that finished is never repeated. One that was prepared only, runs. One that had started and has no outcome runs
again when that is safe; else its own `check` answers, or a person does.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isawaitable

from prudent.calls import CallRecord
from prudent.errors import CallRefused
from prudent.events import ApprovalDecided
from prudent.loop.dispatch import Dispatcher
from prudent.loop.gate import Gate, Job, find_alike
from prudent.loop.parts import Parts
from prudent.loop.questions import Questions
from prudent.messages import ToolCall
from prudent.ports import Ask, End
from prudent.tools.definition import Tool

UNKNOWN = "the process ended while this call ran; whether it took effect is not known"


@dataclass(slots=True)
class Settler:
    """Answers the open calls of a resumed run."""

    parts: Parts
    gate: Gate
    dispatcher: Dispatcher
    questions: Questions

    async def settle(self) -> End | None:
        """Work through the open calls. Those that wait for a person stay open."""
        state = self.parts.state
        if not state.open_calls:
            return None
        message = next(m for m in reversed(state.transcript) if m.role == "assistant")
        jobs = [self._job(call, position) for position, call in enumerate(message.calls)]
        find_alike(jobs)
        for job in jobs:
            self._take_up(job)
        jobs = [job for job in jobs if _was_let_through(job, state.calls[job.call.id])]
        if state.cut:
            self.dispatcher.refuse_cut(jobs)
            return None
        for job in jobs:
            if not job.done.is_set() and (self._waits(job) or not await self._outcome_known(job)):
                job.parked = not state.calls[job.call.id].answered
                job.done.set()
        return await self.dispatcher.work(jobs)

    def _waits(self, job: Job) -> bool:
        """Whether it waits for the answer to a sub-agent's question, and nobody is there to be asked."""
        record = self.parts.state.calls[job.call.id]
        asked = record.question is not None and record.question.sub_call and record.decision is None
        return bool(asked) and self.parts.approver is None

    def _job(self, call: ToolCall, position: int) -> Job:
        """Make the job of a call as it stands on record."""
        record = self.parts.state.calls.get(call.id)
        job = self.gate.prepare(call, position, record.turn if record else self.parts.state.turn)
        if record:
            job.alike = record.same_as or call.id
            job.arguments = record.arguments if job.refusal is None else job.arguments
        return job

    def _take_up(self, job: Job) -> None:
        """Put a call on record that is not there yet; of one that is, heed what was decided about it."""
        record = self.parts.state.calls.get(job.call.id)
        if record is None:
            self.dispatcher.admit(job)
        elif record.answered:
            job.done.set()
        elif record.decision and record.decision.decision == "edit" and record.question and not record.question.sub_call:
            self.questions.take(job, record.decision)

    async def _outcome_known(self, job: Job) -> bool:
        """Whether the call may go through the gate (again); one of unknown outcome is answered here, or waits."""
        record = self.parts.state.calls[job.call.id]
        if record.attempt == 0 or record.effect == "read" or record.idempotent:
            return True
        if not _asked(record):
            happened = await self._checked(job)
            if happened is not None:
                return not happened
            self.questions.ask(job, Ask("unknown_outcome", f"{record.tool_name}: {UNKNOWN}", binding=""))
        decision = record.decision or await self.questions.decide(job)
        return bool(decision) and self._follow(job, decision)

    def _follow(self, job: Job, decision: ApprovalDecided) -> bool:
        """Follow a person's word; true when the call is to run again."""
        if decision.decision == "happened":
            self._answer(job, decision.result)
        elif decision.decision == "skip":
            reason = f"{UNKNOWN}; {decision.decided_by} decided to go on without it"
            kind, shaped = self.parts.shaper.shape_error(CallRefused("unknown_outcome", reason))
            self.dispatcher.end(job, "rejected", shaped, 0.0, kind=kind)
        return decision.decision == "retry"

    async def _checked(self, job: Job) -> bool | None:
        """Let the tool's own check tell whether it happened, and answer the call if so; None when it cannot tell."""
        if job.tool is None or job.tool.check is None:
            return None
        try:
            told = job.tool.check(job.arguments, f"{self.parts.state.run_id}:{job.call.id}")
            known = await told if isawaitable(told) else told
        except Exception:  # a check is a user's code: when it fails the outcome stays unknown
            return None
        if known is None or known is False:
            return known
        self._answer(job, known)
        return True

    def _answer(self, job: Job, result: object) -> None:
        given = result is not None and result is not True
        tool = job.tool or Tool(job.call.name, _gone, "", {})
        shaped = self.parts.shaper.shape(tool, job.call.id, result if given else "It did happen; there is no result.")
        self.dispatcher.end(job, "ok", shaped, 0.0)


def _was_let_through(job: Job, record: CallRecord) -> bool:
    """Whether the others are compared with the call: one that was refused at once means nothing to them."""
    return not job.done.is_set() or record.executed or record.question is not None


def _asked(record: CallRecord) -> bool:
    """Whether the question what became of it stands."""
    return record.question is not None and record.question.kind == "unknown_outcome" and not record.question.sub_call


def _gone() -> None:
    """Stand for the function of a tool that the agent no longer has."""
