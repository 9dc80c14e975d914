"""Many runs at once in one process, with failures, stops and approvals at random; afterwards nothing may be lost or left."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import anyio
from tests.stories.chaos import DATABASE, IDEMPOTENT, Planner, World, agent_of, decision
from tests.stories.stamping import land

from prudent import Agent, Context, RunResult, tool
from prudent.assembly import process_wide_runner
from prudent.errors import ModelError, ModelOverloaded, ModelStalled, ModelUnreachable
from prudent.events import CallStarted, RunEnded
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.models.retrying import RetryingModel
from prudent.ports import Model
from prudent.runs import Run
from prudent.tools.definition import Tool

SITTINGS = 12
ENDED = ("completed", "incomplete", "failed", "stopped")
EFFECTFUL = ("note", "post", "pay", "book", "stamp", "slow", "threaded")


class FlakyModel:
    """Fails at random, before, in the midst of, or after what another model says."""

    def __init__(self, inner: Model, random: Random) -> None:
        self.inner, self.random = inner, random
        self.name = inner.name
        self.profile: ModelProfile = inner.profile

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        failure = self._failure()
        after = self.random.randrange(4)
        async with aclosing(self.inner.stream(request)) as events:
            count = 0
            async for event in events:
                if failure and count == after:
                    raise failure
                await anyio.sleep(self.random.uniform(0, 0.01))
                yield event
                count += 1

    async def aclose(self) -> None:
        await self.inner.aclose()

    def _failure(self) -> ModelError | None:
        kinds = [ModelUnreachable("gone"), ModelOverloaded("busy", status=429), ModelStalled("silent")]
        return self.random.choices([None, *kinds], [85, 6, 6, 3])[0]


def soaking_tools(folder: Path) -> list[Tool]:
    """Make tools that take their time in every way there is, or more time than they have."""

    @tool(name="slow", effect="write", confirm="never", timeout_seconds=0.15)
    async def dawdle(context: Context, number: int) -> str:
        """Take too long now and then."""
        land(folder, "slow", context.idempotency_key, number=number)
        await anyio.sleep(0.4 if number % 3 == 0 else 0.02)
        return f"slow {number}"

    @tool(name="threaded", effect="write", confirm="never", timeout_seconds=5)
    def work_in_a_thread(context: Context, number: int) -> str:
        """Work in a thread, and fail now and then."""
        land(folder, "threaded", context.idempotency_key, number=number)
        if number % 4 == 0:
            raise ValueError(number)
        return f"threaded {number}"

    return [dawdle, work_in_a_thread]


@dataclass(slots=True)
class Soak:
    """So many runs at once."""

    folder: Path
    random: Random
    process_share: float = 0.1
    counts: Counter[str] = field(default_factory=Counter[str])

    @property
    def db(self) -> Path:
        return self.folder / DATABASE

    async def run(self, runs: int, prefix: str = "run") -> None:
        """Bring so many runs to their ends, all at once."""
        async with anyio.create_task_group() as group:
            for number in range(runs):
                group.start_soon(self._one, f"{prefix}-{number}", self.random.randrange(2**32))

    async def _one(self, run_id: str, seed: int) -> None:
        random = Random(seed)
        world = World(self.folder, longest_pause_seconds=0.03)
        agent = self._agent(world, random, seed)
        run: Run | None = agent.prepare("do it", db=self.db, run_id=run_id)
        for _ in range(SITTINGS):
            result = await self._sit(run, random)
            self.counts[result.status] += 1
            if result.status in ("completed", "incomplete"):
                return
            if result.status == "awaiting_approval":
                self._answer(world, run_id, result)
            run = agent.resume(run_id, db=self.db)
        run.stop("it has had its time")
        await run.work()

    def _agent(self, world: World, random: Random, seed: int) -> Agent:
        process = random.random() < self.process_share
        plan = Planner(Random(seed), process=process, extra=("slow", "threaded")).plan()
        agent = agent_of(world, plan, process=process, more_tools=soaking_tools(self.folder))
        assert not isinstance(agent.model, str | None)
        agent.model = RetryingModel(FlakyModel(agent.model, random), sleep=lambda _: anyio.sleep(0.02))
        return agent

    async def _sit(self, run: Run, random: Random) -> RunResult:
        """Work, and be interrupted now and then: by a stop, a stop from elsewhere, or a cancellation."""
        way = random.choices(["none", "stop", "post", "cancel"], [70, 10, 10, 10])[0]
        moment = random.uniform(0, 0.5)
        working = asyncio.create_task(run.work())
        if way == "none":
            return await working
        await asyncio.wait([working], timeout=moment)
        if not working.done():
            self.counts[f"interrupted by {way}"] += 1
            match way:
                case "stop":
                    run.stop("enough")
                case "post":
                    with JournalStore(self.db) as store:
                        store.post(run.run_id, "stop", {"reason": "enough"})
                case _:
                    working.cancel()
        with suppress(asyncio.CancelledError):
            await working
        return run.result()

    def _answer(self, world: World, run_id: str, result: RunResult) -> None:
        with JournalStore(self.db) as store:
            for question in result.pending:
                store.post(
                    run_id, "decision", {"call_id": question["call_id"], "decided_by": "ann", **decision(world, question)}
                )

    def check(self) -> None:
        """Check that every run has its end on record, that nothing works on it, and that no effect is lost or repeated."""
        started: set[str] = set()
        fine: set[str] = set()
        with JournalStore(self.db) as store:
            for row in store.runs(limit=100_000):
                events = list(store.read(row.run_id))
                assert row.status in ENDED, (row.run_id, row.status)
                assert isinstance(events[-1], RunEnded), row.run_id
                assert not store.is_alive(row.run_id)
                calls = replay(store, row.run_id).calls.values()
                assert not [record for record in calls if record.status == "running"]
                fine |= {
                    f"{row.run_id}:{r.call_id}" for r in calls if r.status == "ok" and r.attempt and r.tool_name in EFFECTFUL
                }
                started |= {f"{row.run_id}:{event.call_id}" for event in events if isinstance(event, CallStarted)}
                self.counts["runs"] += 1
        effects = Counter((name, key) for name, _, key in World(self.folder).effects())
        assert {key for _, key in effects} <= started, "something took effect that is not on record"
        assert fine <= {key for _, key in effects}, "something is on record that did not take effect"
        repeated = {effect: times for effect, times in effects.items() if times > 1 and effect[0] not in IDEMPOTENT}
        assert not repeated, repeated
        self.counts["effects"] = len(effects)


def held() -> dict[str, int]:
    """Count what this process holds: files, threads of tools, child processes."""
    gc.collect()
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    threads = [thread for thread in threading.enumerate() if thread.name == "prudent tool"]
    return {"files": len([*Path("/proc/self/fd").iterdir()]), "threads": len(threads), "children": len(children)}


async def give_back() -> None:
    """Have the runners give back what they keep for the next call, and wait until it is gone."""
    await process_wide_runner().aclose()
    for _ in range(100):
        now = held()
        if not now["threads"] and not now["children"]:
            return
        await anyio.sleep(0.05)


async def soak(folder: Path, runs: int, seed: int) -> dict[str, int]:
    """Soak; gives counts. Raises when something is lost or left.

    The first runs open what stays open on purpose: the journal (its file, the log and the index of it), which one
    connection serves for the whole process, and one file more that SQLite keeps when a second connection to it is closed,
    since to close it would drop the locks of the first. After that not one file, thread or process more may be held.
    """
    whole = Soak(folder, Random(seed))
    await whole.run(4, prefix="first")
    with JournalStore(whole.db):
        pass
    await give_back()
    before = held()
    await whole.run(runs)
    await give_back()
    after = held()
    assert after == before, (before, after)
    whole.check()
    more = {f"{name} held": count - before[name] for name, count in after.items()}  # tests before this one may hold some
    return {**whole.counts, **more}
