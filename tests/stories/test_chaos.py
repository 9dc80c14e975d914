"""A run that is cut off anywhere, taken up again, and ends as if nobody had cut it."""

from __future__ import annotations

import asyncio
import itertools
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
    check_effects,
    how_it_ended,
    play_uncut,
    sit,
)

from prudent.journal.database import Database, Transaction, Value


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


BLADES = st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=5)


@given(st.integers(0, 2**32), BLADES)
@settings(max_examples=60)
def test_a_run_cut_anywhere_ends_like_one_that_nobody_cut(seed: int, blades: list[tuple[int, bool]]) -> None:
    plan = Planner(Random(seed)).plan()
    with TemporaryDirectory() as uncut_folder, TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        uncut, world = World(Path(uncut_folder)), World(Path(folder))
        play_uncut(uncut, plan)
        play_cut(patch, world, plan, blades)
        check_effects(world, uncut)
        assert how_it_ended(world) == how_it_ended(uncut)
