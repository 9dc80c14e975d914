"""Eager start: a reading call starts as soon as its own arguments are complete, while later ones still stream.

Nothing of it is recorded before the reply has come to a clean end; early results of a reply that breaks are discarded.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from prudent.errors import CallRefused
from prudent.exchange import CallReady
from prudent.loop.gate import Gate, Job
from prudent.loop.intake import Intake
from prudent.ports import Runner
from prudent.state import RunState
from prudent.tools.context import Context


@dataclass(slots=True)
class EarlyStart:
    """A call under way before its reply has ended."""

    job: Job
    task: asyncio.Task[object]
    started: float
    """Monotonic seconds."""


@dataclass(slots=True)
class EarlyStarts:
    """Those of one reply."""

    gate: Gate
    runner: Runner
    state: RunState
    intake: Intake
    context: Callable[[Job], Context]
    _let_through: list[Job] = field(default_factory=list[Job])
    _under_way: dict[int, EarlyStart] = field(default_factory=dict[int, EarlyStart])
    _closed: bool = False

    def consider(self, ready: CallReady) -> None:
        """Start the call if it only reads and nothing stands against it.

        A call that is refused, or has to ask, or is not a plain read, ends the eager start for what follows only where a
        later call would depend on it: the brakes see all calls that stand before.
        """
        call = self.intake.identify(ready.position, ready.call)
        job = self.gate.prepare(call, ready.position, self.intake.turn)
        self.gate.relate(job, self._let_through)
        verdict = self.gate.check(job, self.state)
        if job.tool is None or isinstance(verdict, CallRefused):
            return
        self._let_through.append(job)
        plain = job.reads and job.tool.is_task and not job.waits_for and job.original is None
        if verdict is None and plain and not self._closed:
            task = asyncio.get_running_loop().create_task(_run(self.runner, job, self.context(job)))
            task.add_done_callback(_look_at)
            self._under_way[ready.position] = EarlyStart(job, task, time.monotonic())
        elif verdict is not None:
            self._closed = True

    def take(self, job: Job) -> EarlyStart | None:
        """Hand over the early start of this very call, if there is one."""
        early = self._under_way.get(job.position)
        if early is None or early.job.key != job.key or early.job.call.id != job.call.id:
            return None
        return self._under_way.pop(job.position)

    async def discard(self) -> None:
        """Kill what is still under way and forget it."""
        tasks = [early.task for early in self._under_way.values()]
        self._under_way.clear()
        self._let_through.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)


async def _run(runner: Runner, job: Job, context: Context) -> object:
    assert job.tool
    return await runner.run(job.tool, job.arguments, context)


def _look_at(task: asyncio.Task[object]) -> None:
    """Take the exception of a discarded call, so that nobody warns of it."""
    if not task.cancelled():
        task.exception()
