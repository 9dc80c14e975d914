"""The journal as a command finds it: opened for reading, a run by what the user typed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from prudent.journal.rows import RunRow
from prudent.journal.store import JournalStore


@contextmanager
def open_records(database: Path) -> Generator[JournalStore]:
    """Open a journal that must be there; raises JournalError with what to do."""
    with JournalStore(database, must_exist=True) as store:
        yield store


def find_run(database: Path, reference: str) -> RunRow:
    """Find a run by its id, the beginning of one, or `last`; raises RunNotFound."""
    with open_records(database) as store:
        return store.run(store.find(reference))
