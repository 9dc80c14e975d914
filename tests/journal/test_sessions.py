"""Sessions: the questions and answers of runs under one name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from prudent.errors import JournalError
from prudent.events import RunEnded, RunStarted
from prudent.journal.sessions import Exchange, Sessions
from prudent.journal.store import JournalStore


def ask(store: JournalStore, run_id: str, at: float, session: str = "tax", **ending: Any) -> None:
    started = RunStarted(at=at, run_id=run_id, agent="a", task=f"question {run_id}", model="m", session=session)
    journal = store.begin(started)
    journal.append(replace(RunEnded(at=at + 1, status="completed", output=f"answer {run_id}"), **ending))


def test_questions_and_answers_come_in_order(store: JournalStore) -> None:
    ask(store, "r2", 20.0)
    ask(store, "r1", 10.0)
    ask(store, "r3", 30.0, status="incomplete", reason="seconds", output="half")
    ask(store, "r4", 40.0, status="failed", output=None, error="gone")
    ask(store, "r5", 50.0, output={"城市": "北京"})
    ask(store, "r2.c1", 21.0)
    ask(store, "other", 60.0, session="")
    assert Sessions(store.database).exchanges("tax") == [
        Exchange("r1", "question r1", "answer r1", finished=True),
        Exchange("r2", "question r2", "answer r2", finished=True),
        Exchange("r3", "question r3", "half", finished=False),
        Exchange("r5", "question r5", '{"城市":"北京"}', finished=True),
    ]


def test_sessions_are_listed_the_latest_first(store: JournalStore) -> None:
    ask(store, "r1", 10.0)
    ask(store, "r2", 20.0, session="law")
    ask(store, "r3", 30.0)
    rows = [(row.session, row.runs, row.last_task) for row in Sessions(store.database).rows()]
    assert rows == [("tax", 2, "question r3"), ("law", 1, "question r2")]


def test_a_branch_shares_what_was_said_and_goes_on_by_itself(store: JournalStore) -> None:
    sessions = Sessions(store.database)
    for number in (1, 2, 3):
        ask(store, f"r{number}", number * 10.0)
    assert sessions.branch("tax", "tax-2", at="r2") == 2
    ask(store, "r4", 40.0, session="tax-2")
    assert sessions.run_ids("tax-2") == ["r1", "r2", "r4"]
    assert sessions.run_ids("tax") == ["r1", "r2", "r3"]
    assert sessions.branch("tax", "whole") == 3


@pytest.mark.parametrize(("name", "new", "at"), [("none", "x", ""), ("tax", "tax", ""), ("tax", "x", "r9"), ("tax", " ", "")])
def test_a_branch_that_cannot_be_is_refused(store: JournalStore, name: str, new: str, at: str) -> None:
    ask(store, "r1", 10.0)
    with pytest.raises(JournalError):
        Sessions(store.database).branch(name, new, at=at)


def test_deleting_a_session_leaves_its_runs(store: JournalStore) -> None:
    ask(store, "r1", 10.0)
    sessions = Sessions(store.database)
    sessions.branch("tax", "copy")
    assert sessions.delete("tax") == 1
    assert store.run("r1").output == "answer r1"
    assert sessions.run_ids("copy") == ["r1"]
    with pytest.raises(JournalError, match="no session"):
        sessions.delete("tax")
