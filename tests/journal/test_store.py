from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prudent.errors import JournalError, OwnershipLost, RunAlive, RunNotFound
from prudent.events import (
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    MessageAdded,
    RunEnded,
    RunStarted,
    RunStatus,
    TextArrived,
    Warned,
)
from prudent.journal.database import Database, Value
from prudent.journal.store import JournalStore
from prudent.messages import Message
from prudent.ports import Artifacts, Journal

Start = Callable[..., RunStarted]


class Hands:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


def test_file_and_folder_are_made_for_their_owner_only(store: JournalStore, path: Path, start: Start) -> None:
    store.begin(start())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_a_run_journal_is_what_the_ports_ask_for(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    port: Journal = journal
    results: Artifacts = journal.artifacts
    port.append(Warned(text="x"))
    assert results.find("r1") is None


def test_events_are_read_back_in_order_and_numbered_without_gaps(
    store: JournalStore, path: Path, start: Start, whole_run: Sequence[Event]
) -> None:
    journal = store.begin(start(budget={"seconds": 60}, session="desk"))
    for event in whole_run[:18]:
        journal.append(event)
    journal = store.claim("run-1")
    for event in whole_run[18:]:
        journal.append(event)
    assert list(store.read("run-1")) == [start(budget={"seconds": 60}, session="desk"), *whole_run]
    rows = Database(path).query("SELECT seq FROM events ORDER BY seq")
    assert [seq for (seq,) in rows] == list(range(1, len(whole_run) + 2))


def test_long_records_are_read_in_pages(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    journal.append_all([Warned(at=i, text=str(i)) for i in range(1200)])
    assert [e.text for e in store.read("run-1") if isinstance(e, Warned)] == [str(i) for i in range(1200)]


def test_events_that_are_not_recorded_are_passed_over(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    journal.append(TextArrived(turn=1, text="Hel"))
    assert len(list(store.read("run-1"))) == 1


def test_several_events_are_written_together_or_not_at_all(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    prepared = CallPrepared(turn=1, position=0, call_id="c", tool_name="add", arguments={})
    message = MessageAdded(message=Message("user", "never stored"))
    with pytest.raises(OwnershipLost):
        journal.append_all([message, prepared, RunEnded(status="completed"), Warned(text="after the end")])
    assert len(list(store.read("run-1"))) == 1
    assert store.tool_calls("run-1") == []
    assert store.run("run-1").status == "running"
    journal.append(message)
    assert list(store.read("run-1"))[-1] == message


def test_an_interrupt_just_after_the_commit_does_not_break_the_numbering(
    store: JournalStore, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = store.begin(start())
    execute = store.database.execute

    def interrupted(sql: str, parameters: Sequence[Value] = ()) -> object:
        done = execute(sql, parameters)
        if sql == "COMMIT":
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(store.database, "execute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(Warned(text="stored all the same"))
    journal.append(Warned(text="next"))
    assert [e.text for e in store.read("run-1") if isinstance(e, Warned)] == ["stored all the same", "next"]


def test_a_call_prepared_again_after_a_crash_begins_anew(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    prepared = CallPrepared(turn=1, position=0, call_id="c", tool_name="add", arguments={})
    journal.append_all([prepared, CallStarted(turn=1, call_id="c"), prepared])
    (call,) = store.tool_calls("run-1")
    assert (call.status, call.started_at) == ("pending", None)


def test_a_run_id_is_used_once(store: JournalStore, start: Start) -> None:
    store.begin(start())
    with pytest.raises(JournalError, match="there is a run run-1"):
        store.begin(start())


def test_a_stale_owner_writes_nothing(store: JournalStore, path: Path, start: Start) -> None:
    stale = store.begin(start())
    with JournalStore(path) as other:
        fresh = other.seize("run-1")
        assert fresh.fence > stale.fence
        for attempt in (
            lambda: stale.append(MessageAdded(message=Message("user", "stale words"))),
            lambda: stale.artifacts.keep("c", "text/plain", "stale result"),
            stale.renew,
        ):
            with pytest.raises(OwnershipLost):
                attempt()
        fresh.append(Warned(text="fresh"))
    assert [type(event) for event in store.read("run-1")] == [RunStarted, Warned]
    assert Database(path).query("SELECT * FROM messages UNION ALL SELECT run_id, handle FROM artifacts") == []


def test_a_run_at_work_is_not_claimed(store: JournalStore, path: Path, start: Start) -> None:
    store.begin(start(), owner="the morning shift")
    with (
        JournalStore(path) as other,
        pytest.raises(RunAlive, match=r"by the morning shift \(process \d+ on .*prudent stop run-1"),
    ):
        other.claim("run-1")
    assert store.is_alive("run-1")


def test_a_run_is_claimed_when_its_lease_has_run_out(path: Path, start: Start) -> None:
    clock = Hands()
    with JournalStore(path, clock=clock) as store:
        journal = store.begin(start())
        clock.time += 14
        with pytest.raises(RunAlive):
            store.claim("run-1")
        journal.renew()
        clock.time += 14
        with pytest.raises(RunAlive):
            store.claim("run-1")
        clock.time += 2
        assert not store.is_alive("run-1")
        assert store.claim("run-1").fence == journal.fence + 1


@pytest.mark.parametrize("status", ["completed", "incomplete", "stopped", "failed", "awaiting_approval"])
def test_a_run_that_ended_is_let_go(store: JournalStore, start: Start, status: RunStatus) -> None:
    journal = store.begin(start())
    journal.append(RunEnded(status=status))
    assert not store.is_alive("run-1")
    with pytest.raises(OwnershipLost):
        journal.append(Warned(text="late"))
    store.claim("run-1").append(Warned(text="resumed"))


def test_a_run_can_be_let_go_without_an_end(store: JournalStore, start: Start) -> None:
    store.begin(start()).release()
    assert store.run("run-1").status == "running"
    assert store.claim("run-1").fence > 1


def test_runs_that_do_not_exist_are_named(store: JournalStore) -> None:
    for attempt in (
        lambda: store.claim("nope"),
        lambda: store.run("nope"),
        lambda: list(store.read("nope")),
        lambda: store.is_alive("nope"),
        lambda: store.post("nope", "stop", {}),
    ):
        with pytest.raises(RunNotFound, match="nope"):
            attempt()


def test_runs_are_found_by_the_beginning_of_their_id(store: JournalStore, start: Start) -> None:
    with pytest.raises(RunNotFound, match=r"no run in .*agent.db yet"):
        store.find("last")
    for run_id in ("ab-1", "ab-12", "cd-1"):
        store.begin(start(run_id))
    assert store.find("c") == "cd-1"
    assert store.find("ab-1") == "ab-1"
    assert store.find("last") == "cd-1"
    with pytest.raises(RunNotFound, match=r"several runs in .* begin with 'ab' \(ab-1, ab-12\)"):
        store.find("ab")
    for prefix in ("x", "", "%", "_"):
        with pytest.raises(RunNotFound, match="begins with"):
            store.find(prefix)


def test_runs_are_listed_newest_first(store: JournalStore) -> None:
    for number, agent in enumerate(["clerk", "cook", "clerk"]):
        journal = store.begin(RunStarted(at=number, run_id=f"r{number}", agent=agent, task="t", model="m", session="desk"))
        if number:
            journal.append(RunEnded(status="completed"))
    assert [run.run_id for run in store.runs()] == ["r2", "r1", "r0"]
    assert [run.run_id for run in store.runs(limit=1)] == ["r2"]
    assert [run.run_id for run in store.runs(status="completed", agent="clerk")] == ["r2"]
    assert store.session("desk") == ["r0", "r1", "r2"]
    assert store.session("other") == []


def test_half_characters_do_not_end_a_run(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    message = Message("assistant", "half \ud83d here\x00")
    ended = CallEnded(turn=1, call_id="c", status="ok", shown="\udc80 and 好")
    journal.append(MessageAdded(message=message))
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="add", arguments={"x": "\ud800"}))
    journal.append(ended)
    assert list(store.read("run-1"))[1:] == [
        MessageAdded(message=message),
        CallPrepared(turn=1, position=0, call_id="c", tool_name="add", arguments={"x": "\ud800"}),
        ended,
    ]
    assert store.tool_calls("run-1")[0].shown == "\\udc80 and 好"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE events SET data='{' WHERE seq=2", "is damaged (event 2 of run run-1 cannot be read): restore it"),
        ("UPDATE events SET data='{}' WHERE seq=2", "is damaged (event 2 of run run-1 cannot be read): restore it"),
        ("UPDATE events SET kind='Dreamt' WHERE seq=2", "holds an event of a newer Prudent (Dreamt): update"),
        ("DELETE FROM messages", "is damaged (a message "),
    ],
)
def test_a_record_that_cannot_be_read_says_where(store: JournalStore, start: Start, change: str, words: str) -> None:
    store.begin(start()).append(MessageAdded(message=Message("user", "x")))
    store.database.execute(change)
    with pytest.raises(JournalError) as caught:
        list(store.read("run-1"))
    assert words in str(caught.value)
    assert str(store.database.path) in str(caught.value)


WRITER = """
import sys
from prudent.events import RunEnded, RunStarted, Warned
from prudent.journal.store import JournalStore
path, run_id = sys.argv[1:]
with JournalStore(path) as store:
    journal = store.begin(RunStarted(at=1.0, run_id=run_id, agent="a", task="t", model="m"))
    for i in range(150):
        journal.append(Warned(at=float(i), text=f"{run_id} {i}"))
    journal.append(RunEnded(at=2.0, status="completed"))
"""


def test_several_processes_write_to_a_fresh_file_at_once(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, f"run-{n}"], stderr=subprocess.PIPE) for n in range(3)]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (writer.returncode, errors) == (0, b"")
    with JournalStore(path) as store:
        for n in range(3):
            texts = [event.text for event in store.read(f"run-{n}") if isinstance(event, Warned)]
            assert texts == [f"run-{n} {i}" for i in range(150)]
        assert {run.status for run in store.runs()} == {"completed"}


def test_many_runs_share_one_store(store: JournalStore, start: Start) -> None:
    journals = [store.begin(start(f"run-{n}")) for n in range(50)]
    for i in range(5):
        for journal in journals:
            journal.append(Warned(text=f"{journal.run_id} {i}"))
    for journal in journals:
        journal.append(RunEnded(status="completed"))
    for journal in journals:
        assert [e.text for e in store.read(journal.run_id) if isinstance(e, Warned)] == [
            f"{journal.run_id} {i}" for i in range(5)
        ]
