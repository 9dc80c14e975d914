from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prudent.errors import RunNotFound
from prudent.events import Event, RunEnded, RunStarted
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.state import RunState


@pytest.mark.parametrize("length", range(0, 30, 3))
def test_a_run_read_back_knows_what_it_knew_when_it_died(
    path: Path, start: Callable[..., RunStarted], whole_run: Sequence[Event], length: int
) -> None:
    live = RunState()
    with JournalStore(path) as store:
        journal = store.begin(start())
        live.apply(start())
        for event in whole_run[:length]:
            journal.append(event)
            live.apply(event)
            if isinstance(event, RunEnded):
                journal = store.claim("run-1")
    with JournalStore(path) as again:
        assert replay(again, "run-1") == live


def test_a_run_that_does_not_exist_is_named(store: JournalStore) -> None:
    with pytest.raises(RunNotFound, match="nope"):
        replay(store, "nope")
