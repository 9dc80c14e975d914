"""A run that is cut off anywhere, taken up again, and ends as if nobody had cut it."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stories.chaos import (
    Killed,
    Plan,
    Planner,
    World,
    answer,
    bury,
    count_effects,
    how_it_ended,
    play_uncut,
    secret_of,
    sit,
)

from prudent.journal.database import Database, Transaction, Value
from prudent.models.scripted import call, raw_call, reply


class Guillotine:
    """Ends the process, as far as the journal can tell, at one of its writes: just before it is stored, or just after."""

    def __init__(self, world: World, *, write: int, after: bool) -> None:
        self.world = world
        self.left = write
        self.after = after

    def fall(self) -> None:
        self.world.dead = True
        raise Killed


@contextmanager
def cutting(patch: pytest.MonkeyPatch, blade: Guillotine) -> Generator[None]:
    """Let the blade hang over every transaction of the journal, and let nothing be read or written once it fell."""
    leave, execute = Transaction.__exit__, Database.execute

    def guarded_exit(transaction: Transaction, kind: Any, error: Any, trace: Any) -> None:
        outermost = not transaction._is_part  # pyright: ignore[reportPrivateUsage]
        if outermost and kind is None:
            blade.left -= 1
        falls = outermost and kind is None and blade.left < 0 and not blade.world.dead
        if falls and not blade.after:
            leave(transaction, Killed, None, None)
            blade.fall()
        leave(transaction, kind, error, trace)
        if falls:
            blade.fall()

    def guarded_execute(database: Database, sql: str, parameters: Sequence[Value] = ()) -> Any:
        if blade.world.dead and not sql.startswith(("ROLLBACK", "PRAGMA")):
            raise Killed
        return execute(database, sql, parameters)

    with patch.context() as patched:
        patched.setattr(Transaction, "__exit__", guarded_exit)
        patched.setattr(Database, "execute", guarded_execute)
        yield
    blade.world.dead = False


def play_cut(patch: pytest.MonkeyPatch, world: World, plan: Plan, blades: Sequence[tuple[int, bool]]) -> int:
    """Play a run to its end through these cuts, one a sitting; gives how many of them fell."""
    fallen = 0
    for sitting in itertools.count():
        assert sitting < 60, "it does not come to its end"
        write, after = blades[sitting] if sitting < len(blades) else (1_000_000, False)
        try:
            with cutting(patch, Guillotine(world, write=write, after=after)):
                result = asyncio.run(sit(world, plan))
        except Killed:
            world.dead = False
            fallen += 1
            bury(world)
            continue
        if result.status != "awaiting_approval":
            return fallen
        answer(world, result)
    raise AssertionError


def how_many_writes(patch: pytest.MonkeyPatch, world: World, plan: Plan) -> int:
    blade = Guillotine(world, write=1_000_000, after=False)
    with cutting(patch, blade):
        play_uncut(world, plan)
    return 1_000_000 - blade.left


BLADES = st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=5)


@given(st.integers(0, 2**32), BLADES)
@settings(max_examples=60)
def test_a_run_cut_anywhere_ends_like_one_that_nobody_cut(seed: int, blades: list[tuple[int, bool]]) -> None:
    plan = Planner(Random(seed)).plan()
    with TemporaryDirectory() as uncut_folder, TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        uncut, world = World(Path(uncut_folder)), World(Path(folder))
        play_uncut(uncut, plan)
        play_cut(patch, world, plan, blades)
        assert count_effects(world, uncut)["repeated effects"] == 0
        assert how_it_ended(world) == how_it_ended(uncut)


RICH = reply(
    call("look", number=5),
    call("note", path="a", number=1),
    call("post", number=2),
    call("post", number=4),
    call("post", number=2),
    call("pay", number=3),
    call("book", number=6),
    call("login", number=8, key=secret_of(8)),
    call("login", number=8, key=secret_of(8)),
    raw_call("post", '{"number": 7, '),
)


def test_a_run_of_everything_is_cut_at_each_of_its_writes(tmp_path: Path) -> None:
    plan = Plan((RICH, reply("bad answer"), reply("answer")), parallel=True)
    uncut = World(tmp_path / "uncut")
    uncut.folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        writes = how_many_writes(patch, uncut, plan)
        assert writes > 30
        for write in range(writes):
            world = World(tmp_path / str(write))
            world.folder.mkdir()
            play_cut(patch, world, plan, [(write, write % 2 == 1)])
            assert count_effects(world, uncut)["repeated effects"] == 0
            assert how_it_ended(world) == how_it_ended(uncut)


def test_processes_that_are_really_killed_repeat_nothing_and_leave_nothing() -> None:
    command = [sys.executable, "-m", "tests.stories.kills", "3", "6", "2"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] >= 3
    assert (counts["repeated effects"], counts["processes left"]) == (0, 0)
