"""One store for each file and thread, and few that nobody works with."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from prudent.events import RunStarted
from prudent.journal.opened import MOST_IDLE, opened
from prudent.journal.store import JournalStore

Start = Callable[..., RunStarted]


def give(path: Path) -> JournalStore:
    return opened(path, record_raw=True, secrets=list)


def files_of(folder: Path) -> set[str]:
    """Name the folder's databases that this process has open."""
    found: set[str] = set()
    for file in Path("/proc/self/fd").iterdir():
        try:
            target = file.readlink()
        except OSError:
            continue
        if target.parent == folder and target.suffix == ".db":
            found.add(target.name)
    return found


def test_the_same_file_has_the_same_store(tmp_path: Path) -> None:
    assert give(tmp_path / "a.db") is give(tmp_path / "a.db")
    assert give(tmp_path / "a.db") is not give(tmp_path / "b.db")


def test_each_thread_has_its_own(tmp_path: Path) -> None:
    others: list[JournalStore] = []
    thread = threading.Thread(target=lambda: others.append(give(tmp_path / "a.db")))
    thread.start()
    thread.join()
    assert others[0] is not give(tmp_path / "a.db")


def test_a_file_in_the_place_of_the_one_it_knew_is_opened_anew(tmp_path: Path) -> None:
    first = give(tmp_path / "a.db")
    (tmp_path / "a.db").rename(tmp_path / "moved.db")
    second = give(tmp_path / "a.db")
    assert second is not first
    assert second.database.in_place


def test_few_are_kept_open_that_nobody_works_with(tmp_path: Path, start: Start) -> None:
    at_work = give(tmp_path / "at work.db")
    journal = at_work.begin(start("run-1"))
    for number in range(3 * MOST_IDLE):
        give(tmp_path / f"{number}.db")
    open_files = files_of(tmp_path)
    assert "at work.db" in open_files
    assert len(open_files) <= MOST_IDLE + 2
    assert give(tmp_path / "at work.db") is at_work
    journal.release()
