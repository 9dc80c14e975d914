from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prudent.errors import JournalError, OwnershipLost, RunNotFound
from prudent.events import ApprovalAsked, CallEnded, CallPrepared, CallStarted, Event, RunEnded, RunStarted, Warned
from prudent.journal.outside import end_from_outside
from prudent.journal.replay import replay
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore

Start = Callable[..., RunStarted]


def hang(journal: RunJournal) -> None:
    """Leave a call in each state."""
    for position, call_id in enumerate(("done", "running", "pending", "unknown")):
        journal.append(CallPrepared(turn=1, position=position, call_id=call_id, tool_name="t", arguments={}))
    for call_id in ("done", "running", "unknown"):
        journal.append(CallStarted(turn=1, call_id=call_id))
    journal.append(CallEnded(turn=1, call_id="done", status="ok", shown="3"))
    journal.append(
        ApprovalAsked(call_id="unknown", kind="unknown_outcome", tool_name="t", arguments={}, preview="", binding="")
    )


def test_a_hanging_run_is_ended_from_another_thread(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    hang(journal)
    ended: list[bool] = []
    watchdog = threading.Thread(target=lambda: ended.append(end_from_outside(path, "run-1", seconds=2.5, error="hung")))
    watchdog.start()
    watchdog.join(timeout=10)
    assert ended == [True]
    assert {call.call_id: call.status for call in store.tool_calls("run-1")} == {
        "done": "ok",
        "running": "stopped",
        "pending": "stopped",
        "unknown": "unknown",
    }
    run = store.run("run-1")
    assert (run.status, run.error) == ("stopped", "hung")
    last = list(store.read("run-1"))[-1]
    assert isinstance(last, RunEnded)
    assert last.seconds == 2.5
    with pytest.raises(OwnershipLost):
        journal.append(Warned(text="late"))


def test_what_the_model_would_see_says_whether_the_call_ran(store: JournalStore, path: Path, start: Start) -> None:
    hang(store.begin(start()))
    end_from_outside(path, "run-1")
    state = replay(store, "run-1")
    shown = [json.loads(state.calls[call_id].shown)["error"] for call_id in ("running", "pending")]
    assert [error["kind"] for error in shown] == ["stopped", "stopped"]
    assert "may have had its effect" in shown[0]["reason"]
    assert "before this call" in shown[1]["reason"]
    assert state.status == "stopped"


def test_a_run_that_has_ended_is_left_as_it_is(
    store: JournalStore, path: Path, start: Start, whole_run: Sequence[Event]
) -> None:
    store.begin(start()).append(RunEnded(status="completed", output="42"))
    assert not end_from_outside(path, "run-1")
    assert store.run("run-1").status == "completed"
    assert len(list(store.read("run-1"))) == 2


def test_a_parked_run_can_be_ended(store: JournalStore, path: Path, start: Start) -> None:
    store.begin(start()).append(RunEnded(status="awaiting_approval"))
    assert end_from_outside(path, "run-1")
    assert store.run("run-1").status == "stopped"
    store.claim("run-1").append(Warned(text="resumed"))


def test_what_does_not_exist_is_not_made(path: Path, store: JournalStore) -> None:
    with pytest.raises(RunNotFound):
        end_from_outside(path, "nope")
    with pytest.raises(JournalError, match="there is no journal"):
        end_from_outside(path.parent / "other.db", "run-1")
    assert not (path.parent / "other.db").exists()
