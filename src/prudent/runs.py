"""A run as the program that started it holds it: it works, it can be stopped, it keeps its deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import anyio
import anyio.lowlevel

from prudent.brakes.budget import Budget
from prudent.brakes.stop import StopSignal
from prudent.errors import CallRefused, JournalError
from prudent.events import ApprovalAsked, ApprovalDecided, CallEnded, CallStatus, RunEnded
from prudent.loop.answer import Ending
from prudent.loop.recorder import Watcher
from prudent.loop.run import TurnLoop
from prudent.ports import End
from prudent.result import RunResult, result_of
from prudent.state import RunState

TEND_SECONDS = 0.2
"""How often a live run looks for orders from other processes."""

LEAST_SECONDS, LEAST_COST = 0.1, 1e-6
"""What is left at least, since a budget of nothing is none."""


class Keeper(Protocol):
    """Keeps a run while it is live: its ownership, and its orders from other processes."""

    def renew(self) -> None:
        """Say that the owner is alive."""
        ...

    def stop_requested(self) -> str | None:
        """Tell whether another process asked for a stop, with its reason."""
        ...

    def decision_on(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Give what another process decided about this question, once; None while nobody has."""
        ...

    def close(self) -> None:
        """Let go of the run."""
        ...


@dataclass(slots=True)
class RunClock:
    """The run's deadline, as a cancel scope. Waiting for a person does not count."""

    seconds: float
    _scope: anyio.CancelScope | None = None
    _began: float = 0.0
    _waited: float = 0.0
    _paused: int = 0
    _paused_at: float = 0.0

    def start(self, scope: anyio.CancelScope) -> None:
        """Start counting; the scope is cancelled at the deadline."""
        self._scope, self._began = scope, time.monotonic()
        scope.deadline = anyio.current_time() + self.seconds

    @contextmanager
    def pause(self) -> Generator[None]:
        """Stand still while a person is being waited for."""
        if not self._paused:
            self._paused_at = time.monotonic()
        self._paused += 1
        self._move()
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused:
                self._waited += time.monotonic() - self._paused_at
            self._move()

    @property
    def worked(self) -> float:
        """Seconds that count so far."""
        waiting = time.monotonic() - self._paused_at if self._paused else 0.0
        return time.monotonic() - self._began - self._waited - waiting if self._began else 0.0

    def _move(self) -> None:
        if self._scope:
            left = self.seconds - self.worked
            self._scope.deadline = float("inf") if self._paused else anyio.current_time() + left


@dataclass(slots=True)
class Run:
    """One sitting of a run: from its start, or from where it was left, to its end or to where a person is needed."""

    loop: TurnLoop
    budget: Budget
    keeper: Keeper
    clock: RunClock
    signal: StopSignal = field(default_factory=StopSignal)
    restore: Callable[[Any], Any] | None = None
    """Turns a JSON answer back into the agent's output type."""

    process_ends: bool = False
    """Whether the process ends with the run, so that nothing a stop left running can go on."""

    on_close: Callable[[], None] = lambda: None
    """Called when the sitting is over, however it ended."""

    @property
    def state(self) -> RunState:
        """What is known of the run."""
        return self.loop.parts.state

    @property
    def run_id(self) -> str:
        """The run's id in the journal."""
        return self.state.run_id

    def stop(self, reason: str = "") -> None:
        """Stop the run; from any thread, at any time. It ends `stopped` and can be resumed."""
        self.signal.request(reason)

    async def work(self, watch: Watcher | None = None) -> RunResult:
        """Work until the run ends or is parked. Every event is shown to `watch`."""
        recorder = self.loop.parts.recorder
        if watch:
            recorder.watchers.append(watch)
        try:
            self._take_orders()
            ending = await self._work_to_an_end()
            self._record(ending)
        except JournalError:
            raise  # what cannot be recorded whole is left as a crash leaves it, for a resume to ask about
        except BaseException:
            self._abort()
            raise
        finally:
            self.keeper.close()
            self.on_close()
        return self.result()

    def budget_left(self) -> Budget:
        """Tell what a sub-agent may still spend."""
        usage, tokens = self.state.usage, self.budget.tokens
        cost = None if self.budget.cost is None or self.state.cost is None else self.budget.cost - self.state.cost
        return Budget(
            seconds=max(LEAST_SECONDS, self.clock.seconds - self.clock.worked),
            tokens=None if tokens is None else max(1, tokens - usage.total_tokens),
            cost=None if cost is None else max(LEAST_COST, cost),
        )

    def result(self) -> RunResult:
        """Give the result as far as the run has come."""
        result = result_of(self.state)
        if self.restore is None or result.status != "completed":
            return result
        return replace(result, output=self.restore(result.output))

    async def _work_to_an_end(self) -> Ending:
        outcome = await self._stoppable(self.loop.work, deadline=True)
        if outcome is None and not self.signal.requested:
            self._answer_open_calls("the run's time was up")
            spent = f"seconds: {self.budget.seconds:g} of {self.budget.seconds:g} (the agent's budget)"
            outcome = End("seconds", spent)
        if isinstance(outcome, End):
            end = outcome
            outcome = await self._stoppable(lambda: self.loop.close(end), deadline=False)
        if outcome is None:
            self._answer_open_calls("the run was stopped" + (f": {self.signal.reason}" if self.signal.reason else ""))
            return Ending("stopped", error=self.signal.reason)
        assert isinstance(outcome, Ending)
        return outcome

    async def _stoppable(self, part: Callable[[], Any], *, deadline: bool) -> Ending | End | None:
        """Do a part of the work; None when a stop or the deadline cut it short."""
        outcome: Ending | End | None = None
        with anyio.CancelScope() as scope:
            if deadline:
                self.clock.start(scope)
            self.signal.bind(scope)
            try:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._tend)
                    try:
                        await anyio.lowlevel.checkpoint_if_cancelled()  # a stop may have come before the run worked at all
                        outcome = await part()
                    finally:
                        group.cancel_scope.cancel()
            except BaseExceptionGroup as errors:
                raise first_error(errors) from None
        self.signal.release()
        return outcome

    async def _tend(self) -> None:
        """Renew the ownership and look for a stop from another process, as long as the run works."""
        while True:
            await anyio.sleep(TEND_SECONDS)
            self.keeper.renew()
            self._heed_stop()

    def _heed_stop(self) -> None:
        if (reason := self.keeper.stop_requested()) is not None:
            self.stop(reason)

    def _take_orders(self) -> None:
        """Heed a stop that came before the run worked, and record what was decided while nobody worked on it.

        A decision is used once, for the question it answers.
        """
        self._heed_stop()
        for record in self.state.waiting:
            decision = self.keeper.decision_on(record.question) if record.question else None
            if decision:
                self.loop.parts.recorder.emit(decision)

    def _answer_open_calls(self, why: str) -> None:
        """Give every call that was cut short an answer, so that the transcript stays valid."""
        for call_id in self.state.open_calls:
            record = self.state.calls.get(call_id)
            if record is None or record.answered or record.status == "unknown":
                continue  # what became of an unknown one is asked again when the run is resumed
            left = self.loop.parts.runner.left_running(f"{self.run_id}:{call_id}") and not self.process_ends
            status: CallStatus = "abandoned" if left else "stopped"
            unsure = record.attempt > 0 and record.effect != "read"
            reason = (
                f"{why} while this call ran; whether it took effect is not known" if unsure else f"{why} before this call ended"
            )
            kind, shaped = self.loop.parts.shaper.shape_error(CallRefused("abandoned" if left else "stopped", reason))
            self.loop.parts.recorder.emit(
                CallEnded(turn=record.turn, call_id=call_id, status=status, shown=shaped.shown, error_kind=kind)
            )

    def _record(self, ending: Ending) -> None:
        self.loop.parts.recorder.emit(
            RunEnded(
                status=ending.status,
                reason=ending.reason,
                output=ending.output,
                error=ending.error,
                seconds=self.clock.worked,
            )
        )

    def _abort(self) -> None:
        """Leave a clean record when the program that holds the run is cancelled or an error of ours comes up."""
        if self.state.status != "running":
            return
        with suppress(JournalError):
            self._answer_open_calls("the run was stopped")
            self._record(Ending("stopped", error="the program ended the run"))


def first_error(error: BaseException) -> BaseException:
    """Take the first error out of a task group's bundle, which may hold bundles itself."""
    bundled: Sequence[BaseException] = getattr(error, "exceptions", ())
    return first_error(bundled[0]) if bundled else error
