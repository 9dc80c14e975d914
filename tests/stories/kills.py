"""Sittings of random runs in processes of their own, which are ended by `kill -9` at random moments.

Run as a program, so that forking is safe: this process has one thread and opens no run itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.stories.chaos import (
    DATABASE,
    RUN,
    Plan,
    Planner,
    World,
    answer,
    count_effects,
    how_it_ended,
    sit,
)

from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.result import RunResult, result_of

MARK = "PRUDENT_CHAOS"
"""Set in the environment of every process that a sitting starts, so that those left over are found."""

PAUSE_SECONDS = 0.015
GAP_SECONDS = 0.001


@dataclass(slots=True)
class Killer:
    """Kills sittings and counts what that led to."""

    random: Random
    most_kills_a_run: int = 40
    counts: Counter[str] = field(default_factory=Counter[str])

    def play(self, seed: int) -> None:
        """Play one random run twice, uncut and cut, and check that nothing shows the difference."""
        process = seed % 3 == 0
        plan = Planner(Random(seed), process=process).plan()
        with TemporaryDirectory() as uncut_folder, TemporaryDirectory() as folder:
            uncut, world = (World(Path(name), longest_pause_seconds=PAUSE_SECONDS) for name in (uncut_folder, folder))
            seconds = self._play_uncut(uncut, plan, process=process)
            self._play_cut(world, plan, seconds, process=process)
            for name, count in count_effects(world, uncut).items():
                self.counts[name] += count
            ended, due = how_it_ended(world), how_it_ended(uncut)
            assert ended == due, (seed, {key: (ended[key], due[key]) for key in due if ended[key] != due[key]})
        self.counts["runs"] += 1

    def _play_uncut(self, world: World, plan: Plan, *, process: bool) -> float:
        longest = 0.0
        while True:
            began = time.monotonic()
            result = self._sit(world, plan, kill_after=None, process=process)
            assert result is not None
            longest = max(longest, time.monotonic() - began)
            if result.status != "awaiting_approval":
                return longest
            answer(world, result)

    def _play_cut(self, world: World, plan: Plan, seconds: float, *, process: bool) -> None:
        for sitting in range(80):
            kill_after = self.random.uniform(0, 1.1 * seconds) if sitting < self.most_kills_a_run else None
            result = self._sit(world, plan, kill_after=kill_after, process=process)
            if result is None or result.status == "running":
                continue
            if result.status != "awaiting_approval":
                return
            for kind in answer(world, result):
                self.counts[f"asked about {kind}"] += 1
        raise AssertionError("it does not come to its end")

    def _sit(self, world: World, plan: Plan, *, kill_after: float | None, process: bool) -> RunResult | None:
        """Sit in a process that is killed after so many seconds; gives how the run stands, None before its first write."""
        child = os.fork()
        if child == 0:
            _be_the_victim(world, plan, process=process)
        if kill_after is not None:
            until = time.monotonic() + kill_after
            while time.monotonic() < until and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                time.sleep(0.0005)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            self.counts["kills"] += 1
        else:
            assert os.waitstatus_to_exitcode(status) == 0, "the sitting failed by itself, see above"
        return _where_it_stands(world)


def _be_the_victim(world: World, plan: Plan, *, process: bool) -> None:
    try:
        asyncio.run(sit(world, plan, process=process, gap_seconds=GAP_SECONDS))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _where_it_stands(world: World) -> RunResult | None:
    if not (world.folder / DATABASE).exists():
        return None
    with JournalStore(world.folder / DATABASE) as store:
        return result_of(replay(store, RUN)) if store.has(RUN) else None


def left_over(mark: str) -> list[int]:
    """Find the processes that sittings started and that still live."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            alive = (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
            if entry.name.isdigit() and alive and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return [pid for pid in found if pid != os.getpid()]


def kill_many(kills: int, seed: int, most_kills_a_run: int = 40) -> dict[str, int]:
    """Play random runs until so many sittings were killed; gives counts. Raises when a run ends otherwise than uncut."""
    killer = Killer(Random(seed), most_kills_a_run)
    while killer.counts["kills"] < kills:
        seed += 1
        killer.play(seed)
    return dict(killer.counts)


def main() -> None:
    mark = os.environ.get(MARK, "")
    if not mark:  # only what a process was started with can be read in /proc
        again = [sys.executable, "-m", "tests.stories.kills", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, MARK: str(os.getpid())})  # noqa: S606 (this very program)
    counts = kill_many(*map(int, sys.argv[1:]))
    time.sleep(0.5)
    counts["processes left"] = len(left_over(mark))
    sys.stdout.write(json.dumps(counts) + "\n")


if __name__ == "__main__":
    main()
