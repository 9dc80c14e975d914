"""A reply's calls: each is prepared, checked, run within its limit, shaped and recorded. Run at once, answered in order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import anyio
import anyio.lowlevel

from prudent.errors import CallParked, CallRefused, ErrorKind, JournalError, ToolTimedOut
from prudent.events import CallEnded, CallPrepared, CallStarted, CallStatus
from prudent.loop.digest import Digest
from prudent.loop.early import EarlyStarts
from prudent.loop.gate import Gate, Job, find_alike
from prudent.loop.notes import event_of
from prudent.loop.parts import Parts
from prudent.loop.questions import Questions
from prudent.messages import ToolCall
from prudent.ports import Ask, End, Shaped
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSON, JSONObject

NOT_RUN = "not run: the run ended before it"


@dataclass(slots=True)
class Dispatcher:
    """Works through the calls of one reply at a time."""

    parts: Parts
    gate: Gate
    questions: Questions
    digest: Digest

    async def dispatch(
        self, calls: Sequence[ToolCall], turn: int, early: EarlyStarts | None = None, *, cut: bool = False
    ) -> End | None:
        """Work through a reply's calls; those of one that was cut for length are refused. What started early ends with it."""
        try:
            jobs = self.admit_all(calls, turn)
            if not cut:
                return await self.work(jobs, early)
            self.refuse_cut(jobs)
            return None
        finally:
            if early:
                with anyio.CancelScope(shield=True):
                    await early.discard()

    def admit_all(self, calls: Sequence[ToolCall], turn: int) -> list[Job]:
        """Put all calls of a reply on record, in order."""
        jobs = [self.gate.prepare(call, position, turn) for position, call in enumerate(calls)]
        find_alike(jobs)
        for job in jobs:
            self.admit(job)
        return jobs

    def refuse_cut(self, jobs: Sequence[Job]) -> None:
        """Answer the calls of a reply that ended for length: nothing of it runs, though its JSON may parse."""
        for job in jobs:
            if not job.done.is_set():
                reason = "the reply was cut off at its length limit, so this call may be incomplete; it was not run"
                self._refuse(job, CallRefused("truncated", reason, fix="make the call again, shorter"))

    def admit(self, job: Job) -> None:
        """Put a call on record as the next one."""
        self.parts.recorder.emit(
            CallPrepared(
                turn=job.turn,
                position=job.position,
                call_id=job.call.id,
                tool_name=job.tool.name if job.tool else job.call.name,
                arguments=job.arguments,
                repairs=job.repairs,
                is_task=job.tool.is_task if job.tool else True,
                secret=job.tool.secret if job.tool else (),
                same_as="" if job.alike == job.call.id else job.alike,
            )
        )

    async def work(self, jobs: Sequence[Job], early: EarlyStarts | None = None) -> End | None:
        """Give every call its answer, except those that wait for a person. Returns what a brake said if it ends the run.

        The jobs are checked in order, those let through run at once, copies are answered like their originals. Jobs that
        are done already, in a run that was resumed, are there for the others to be compared with.
        """
        admitted: list[Job] = []
        end: End | None = None
        for job in jobs:
            if job.done.is_set():
                admitted.append(job)
                continue
            end = end or await self._check(job, admitted)
            if end and not self._answered(job) and job not in admitted:
                self._refuse(job, CallRefused("repetition" if end.reason == "repetition" else "budget", NOT_RUN))
        async with anyio.create_task_group() as group:
            for job in admitted:
                if not job.done.is_set():
                    group.start_soon(self._see_through, job, early)
        return end

    async def _check(self, job: Job, admitted: list[Job]) -> End | None:
        """Refuse the job, or put it among the admitted ones; the runtime's own tools run at once."""
        self.gate.relate(job, admitted)
        verdict = self.gate.check(job, self.parts.state)
        if isinstance(verdict, End):
            return verdict
        if isinstance(verdict, CallRefused):
            self._refuse(job, verdict)
            return None
        admitted.append(job)
        if isinstance(verdict, Ask) and job.original is None:
            self.questions.ask(job, verdict)
        if job.tool and not job.tool.is_task and job.original is None:
            await self._see_through(job, None)
        return None

    async def _see_through(self, job: Job, early: EarlyStarts | None) -> None:
        """Wait for what the job depends on, for its decision, run it, and let others go on."""
        try:
            if job.original:
                await job.original.done.wait()
                self._copy(job, job.original)
                return
            for other in job.waits_for:
                await other.done.wait()
                job.parked = job.parked or other.parked
            if not job.parked and await self._decided(job):
                await self._execute(job, early)
        finally:
            job.done.set()

    async def _decided(self, job: Job) -> bool:
        """Get the decision the job waits for; false when it is parked or was refused."""
        while True:
            verdict = self.gate.check(job, self.parts.state)
            if verdict is None:
                return True
            if isinstance(verdict, End):
                verdict = CallRefused("repetition", verdict.detail)
            if isinstance(verdict, CallRefused):
                self._refuse(job, verdict)
                return False
            self.questions.ask(job, verdict)
            if not await self.questions.decide(job):
                job.parked = True
                return False

    async def _execute(self, job: Job, early: EarlyStarts | None) -> None:
        """Run the tool within its limit and record how it went."""
        assert job.tool
        await anyio.lowlevel.checkpoint_if_cancelled()  # nothing starts once the run is stopped
        started_early = early.take(job) if early else None
        context = self.context(job)
        record = self.parts.state.calls[job.call.id]
        self.parts.recorder.emit(
            CallStarted(
                turn=job.turn,
                call_id=job.call.id,
                attempt=context.attempt,
                planned=self.parts.state.planned,
                effect=job.tool.effect or "write",
                idempotent=job.tool.idempotent,
                asked=record.decision is not None,
            )
        )
        began = started_early.started if started_early else time.monotonic()
        try:
            result = await (started_early.task if started_early else self.parts.runner.run(job.tool, job.arguments, context))
        except JournalError:
            raise  # not the tool's failure: the run itself can no longer be recorded
        except CallParked as parked:
            self.questions.park(job, parked)
            return
        except Exception as error:  # a tool is a user's code: whatever it raises is an answer to the model
            self._fail(job, error, time.monotonic() - began)
            return
        seconds = time.monotonic() - began
        shaped = self.parts.shaper.shape(job.tool, job.call.id, result)
        try:
            shaped = await self.digest.shorten(job.tool, shaped)
        finally:  # a stop in the middle of a summary takes nothing away from what has happened
            self.end(job, "ok", shaped, seconds)

    def context(self, job: Job) -> Context:
        """Give the tool what it may know of the run."""
        assert job.tool
        state = self.parts.state
        record = state.calls.get(job.call.id)

        def note(kind: str, data: dict[str, JSON]) -> None:
            self._note(job, kind, data)

        steps = count(1)

        async def run_tool(tool: Tool, arguments: JSONObject) -> object:
            key = f"{context.idempotency_key}:{next(steps)}"  # the same step has it again when the call is run again
            within = replace(context, idempotency_key=key, timeout_seconds=tool.timeout_seconds)
            return await self.parts.runner.run(tool, arguments, within)

        context = Context(
            run_id=state.run_id,
            call_id=job.call.id,
            attempt=(record.attempt if record else 0) + 1,
            idempotency_key=f"{state.run_id}:{job.call.id}",
            workspace=self.parts.workspace,
            timeout_seconds=job.tool.timeout_seconds,
            mode=state.mode,
            dependencies=self.parts.dependencies,
            note=note,
            delegate=partial(self.parts.delegate, job.call.id),
            run_tool=run_tool,
        )
        return context

    def _note(self, job: Job, kind: str, data: dict[str, JSON]) -> None:
        event = event_of(job, kind, data)
        record = self.parts.state.calls.get(job.call.id)
        again = record is not None and record.attempt > 1
        said_before = again and any(replace(known, at=0.0) == event for known in self.parts.state.thoughts)
        if not said_before and (record or not event.recorded):  # a call that started early is not on record yet
            self.parts.recorder.emit(event)

    def _answered(self, job: Job) -> bool:
        return self.parts.state.calls[job.call.id].answered

    def _refuse(self, job: Job, refusal: CallRefused) -> None:
        self._fail(job, refusal, 0.0)
        job.done.set()

    def _fail(self, job: Job, error: Exception, seconds: float) -> None:
        kind, shaped = self.parts.shaper.shape_error(error)
        self.end(job, status_of(error), shaped, seconds, kind=kind)

    def _copy(self, job: Job, original: Job) -> None:
        """Answer a copy with its original's result; one that waits for a person is parked with it."""
        record = self.parts.state.calls[original.call.id]
        if not record.answered:
            job.parked = True
            return
        shaped = Shaped(record.shown, len(record.shown), record.result_hash, record.artifact, record.images)
        self.end(job, record.status, shaped, 0.0, kind=record.error_kind)

    def end(self, job: Job, status: CallStatus, shaped: Shaped, seconds: float, *, kind: ErrorKind | None = None) -> None:
        """Record a call's answer."""
        self.parts.recorder.emit(
            CallEnded(
                turn=job.turn,
                call_id=job.call.id,
                status=status,
                shown=shaped.shown,
                error_kind=kind,
                seconds=seconds,
                result_chars=shaped.result_chars,
                artifact=shaped.artifact,
                result_hash=shaped.result_hash,
                images=shaped.images,
            )
        )


def status_of(error: Exception) -> CallStatus:
    """Tell which status a call that ended by this error has."""
    if isinstance(error, CallRefused):
        return "rejected" if error.kind == "rejected" else "refused"
    return "timeout" if isinstance(error, ToolTimedOut) else "error"
