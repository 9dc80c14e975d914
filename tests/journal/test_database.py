from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prudent.errors import JournalError
from prudent.events import CallStarted, MessageAdded, RunEnded, RunStarted, Warned
from prudent.journal.database import Database, explain
from prudent.journal.store import JournalStore
from prudent.messages import Message

Start = Callable[..., RunStarted]


def one_sentence(error: JournalError, path: Path) -> bool:
    text = str(error)
    return str(path) in text and "\n" not in text and "Traceback" not in text and "sqlite3" not in text


def test_a_locked_file_is_said_to_be_locked(store: JournalStore, path: Path, start: Start) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with JournalStore(path, patience_seconds=0.05) as impatient, pytest.raises(JournalError) as caught:
        impatient.begin(start())
    assert "is locked by another process: wait" in str(caught.value)
    assert one_sentence(caught.value, path)
    other.execute("ROLLBACK")
    other.close()
    store.begin(start())


def test_a_full_disk_loses_the_event_and_nothing_else(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    database = store.database  # the disk must be full for this connection only
    (pages,) = database.query("PRAGMA page_count")[0]
    database.execute(f"PRAGMA max_page_count={pages}")
    large = MessageAdded(message=Message("user", "x" * 100_000))
    with pytest.raises(JournalError, match="the disk is full: free some space") as caught:
        journal.append(large)
    assert one_sentence(caught.value, path)
    database.execute("PRAGMA max_page_count=100000")
    journal.append(large)
    assert list(store.read("run-1"))[1:] == [large]


def test_a_file_that_may_not_be_written_is_said_to_be_so(store: JournalStore, path: Path, start: Start) -> None:
    store.database.execute("PRAGMA query_only=1")  # root may write anything else
    with pytest.raises(JournalError, match="cannot be written: give yourself write permission") as caught:
        store.begin(start())
    assert one_sentence(caught.value, path)


def test_a_damaged_file_is_said_to_be_damaged(path: Path, start: Start) -> None:
    with JournalStore(path) as store:
        store.begin(start()).append_all([Warned(text="x" * 1000)] * 200)
    data = bytearray(path.read_bytes())
    data[4096 * 3 :] = b"\xa5" * (len(data) - 4096 * 3)
    path.write_bytes(data)
    with pytest.raises(JournalError, match="is damaged: restore it from a copy") as caught, JournalStore(path) as store:
        list(store.read("run-1"))
    assert one_sentence(caught.value, path)


@pytest.mark.parametrize("content", [b"not a database at all, just a text " * 40, b"short"])
def test_another_kind_of_file_is_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(JournalError, match="is not a database: choose another file") as caught:
        JournalStore(path)
    assert one_sentence(caught.value, path)
    assert path.read_bytes() == content


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="choose another") as caught:
        JournalStore(tmp_path)
    assert one_sentence(caught.value, tmp_path)


def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    path = tmp_path / "file" / "agent.db"
    with pytest.raises(JournalError, match=r"choose another|not a folder") as caught:
        JournalStore(path)
    assert one_sentence(caught.value, path)


def test_who_only_reads_makes_no_file(path: Path) -> None:
    with pytest.raises(JournalError, match="there is no journal at"):
        JournalStore(path, must_exist=True)
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_IOERR, "check the disk"),
        (sqlite3.SQLITE_CANTOPEN, "folder exists"),
        (sqlite3.SQLITE_READONLY, "write permission"),
        (sqlite3.SQLITE_ERROR, "cannot be used"),
    ],
)
def test_every_error_says_what_to_do(code: int, words: str) -> None:
    error = sqlite3.OperationalError("something inside")
    error.sqlite_errorcode = code
    assert words in str(explain(error, Path("a.db")))


def test_a_transaction_inside_another_is_part_of_it(path: Path) -> None:
    JournalStore(path).close()
    database = Database(path)

    def fail_after_a_part() -> None:
        with database.transaction():
            with database.transaction():
                database.execute("INSERT INTO sessions VALUES ('s', 'r')")
            raise KeyError

    with pytest.raises(KeyError):
        fail_after_a_part()
    assert database.query("SELECT * FROM sessions") == []
    assert not database.in_transaction
    database.close()


SYNCS = """
import sys
from prudent.events import CallPrepared, CallStarted, RunEnded, RunStarted, Warned
from prudent.journal.store import JournalStore
levels = []
store = JournalStore(sys.argv[1])
execute = store.database.execute
def spy(sql, parameters=()):
    if sql == "COMMIT":
        levels.append(execute("PRAGMA synchronous").fetchone()[0])
    return execute(sql, parameters)
store.database.execute = spy
journal = store.begin(RunStarted(run_id="r", agent="a", task="t", model="m"))
journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="t", arguments={}))
journal.append(CallStarted(turn=1, call_id="c", effect="read"))
journal.append(CallStarted(turn=1, call_id="c", effect="write"))
journal.append(Warned(text="x"))
journal.append(RunEnded(status="completed"))
print(levels)
"""


def test_what_must_not_be_lost_is_on_disk_before_append_returns(path: Path) -> None:
    """Level 1 is NORMAL, 2 is FULL: only the call with an effect and the end of the run wait for the disk."""
    done = subprocess.run([sys.executable, "-c", SYNCS, path], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[1, 1, 1, 2, 1, 2]"


def test_durable_is_what_the_event_says() -> None:
    assert CallStarted(turn=1, call_id="c", effect="destructive").durable
    assert not CallStarted(turn=1, call_id="c", effect="read").durable
    assert RunEnded.recorded
