from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from prudent.events import ApprovalAsked, ApprovalDecided, CallEnded, CallPrepared, RunEnded, RunStarted
from prudent.journal.database import Database
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.types import JSONObject

Start = Callable[..., RunStarted]


POST = """
import sys
from prudent.journal.store import JournalStore
JournalStore(sys.argv[1]).post("run-1", "stop", {"by": "ann"})
"""


def ask(journal: RunJournal, call_id: str = "c", secret: tuple[str, ...] = ()) -> None:
    arguments: JSONObject = {"user": "ann", "password": "open-sesame"}
    journal.append(CallPrepared(turn=1, position=0, call_id=call_id, tool_name="login", arguments=arguments, secret=secret))
    journal.append(ApprovalAsked(call_id=call_id, kind="call", tool_name="login", arguments=arguments, preview="", binding="b"))


def notes(path: Path) -> list[object]:
    database = Database(path)
    rows = database.query("SELECT kind, data FROM inbox")
    database.close()
    return list(rows)


def test_each_note_is_given_once_in_order(store: JournalStore, start: Start) -> None:
    journal, other = store.begin(start()), store.begin(start("run-2"))
    assert journal.take() == []
    store.post("run-1", "decision", {"call_id": "c", "decision": "approve"})
    store.post("run-1", "stop", {})
    assert [(note.kind, note.data) for note in journal.take()] == [
        ("decision", {"call_id": "c", "decision": "approve"}),
        ("stop", {}),
    ]
    assert journal.take() == other.take() == []


def test_one_look_tells_which_runs_have_notes(store: JournalStore, start: Start) -> None:
    journals = {run_id: store.begin(start(run_id)) for run_id in ("a", "b", "c")}
    assert store.watch(journals) == set()
    store.post("a", "stop", {})
    store.post("c", "stop", {})
    assert store.watch(journals) == {"a", "c"}
    assert store.watch(["a", "b"]) == {"a"}
    journals["a"].take()
    assert store.watch(journals) == {"c"}
    store.post("a", "stop", {})
    assert store.watch(journals) == {"a", "c"}


def test_notes_come_from_other_processes(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    subprocess.run([sys.executable, "-c", POST, path], check=True, timeout=60)
    assert store.watch(["run-1"]) == {"run-1"}
    assert [note.data for note in journal.take()] == [{"by": "ann"}]


def test_a_decision_survives_the_death_of_who_took_it_but_not_its_record(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    store.post("run-1", "decision", {"call_id": "c", "decision": "approve"})
    assert len(journal.take()) == 1
    journal = store.seize("run-1")
    assert len(journal.take()) == 1
    journal.append(ApprovalDecided(call_id="c", decision="approve", decided_by="ann"))
    assert notes(path) == []
    assert store.seize("run-1").take() == []


def test_a_decision_that_came_second_is_gone_and_answers_no_later_question(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    store.post("run-1", "decision", {"call_id": "c", "decision": "reject"})
    store.post("run-1", "decision", {"call_id": "other", "decision": "reject"})
    journal.append(ApprovalDecided(call_id="c", decision="approve", decided_by="a rule"))
    assert [note.data["call_id"] for note in journal.take()] == ["other"]


def test_decisions_wait_while_a_run_is_parked_and_go_when_it_is_over(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    journal.append(RunEnded(status="awaiting_approval"))
    store.post("run-1", "decision", {"call_id": "c", "decision": "approve"})
    journal = store.claim("run-1")
    assert len(journal.take()) == 1
    journal.append(RunEnded(status="completed"))
    assert notes(path) == []


def test_a_stop_does_not_reach_a_later_sitting(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    journal.append(RunEnded(status="awaiting_approval"))
    store.post("run-1", "stop", {})
    assert store.claim("run-1").take() == []


def test_a_stop_outlives_an_owner_that_died_before_it_stopped(store: JournalStore, start: Start) -> None:
    store.begin(start()).release()
    store.post("run-1", "stop", {})
    assert [note.kind for note in store.claim("run-1").take()] == ["stop"]


def test_edited_secret_arguments_arrive_whole_and_are_not_left_behind(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    ask(journal, secret=("password",))
    edited: JSONObject = {"user": "bob", "password": "new-sesame"}
    store.post("run-1", "decision", {"call_id": "c", "decision": "edit", "arguments": edited})
    assert "new-sesame" not in str(notes(path))
    (note,) = journal.take()
    assert note.data["arguments"] == edited
    journal.append(ApprovalDecided(call_id="c", decision="edit", decided_by="ann", arguments=edited))
    assert "new-sesame" not in store.tool_calls("run-1")[0].arguments
    decided = [event for event in store.read("run-1") if isinstance(event, ApprovalDecided)]
    assert decided[0].arguments == edited
    journal.append(CallEnded(turn=1, call_id="c", status="ok", shown="in"))
    decided = [event for event in store.read("run-1") if isinstance(event, ApprovalDecided)]
    assert "new-sesame" not in str(decided)
