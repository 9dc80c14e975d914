"""Decisions that are left for a run from outside: for the question that was seen, and the first one counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from prudent.errors import JournalError
from prudent.events import ApprovalAsked, ApprovalDecided, CallEnded, CallPrepared, RunEnded, RunStarted
from prudent.journal.decisions import asked_about, decision_of, leave_decision
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.standing import StandingRule
from prudent.types import JSONObject

Start = Callable[..., RunStarted]


def ask(journal: RunJournal, at: float = 5.0, *, sub_call: str = "", call_id: str = "c") -> None:
    if at == 5.0:
        journal.append(CallPrepared(turn=1, position=0, call_id=call_id, tool_name="delete", arguments={}))
    journal.append(
        ApprovalAsked(
            at=at, call_id=call_id, kind="call", tool_name="delete", arguments={}, preview="p", binding="b", sub_call=sub_call
        )
    )


def by(name: str, decision: str = "approve", call_id: str = "c", **more: object) -> JSONObject:
    return {"call_id": call_id, "decision": decision, "decided_by": name, **more}  # pyright: ignore[reportReturnType]


def test_the_first_decision_counts_and_the_second_is_told(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    assert leave_decision(store, "run-1", by("ann", asked_at=5.0)) is None
    with JournalStore(path) as other:
        first = leave_decision(other, "run-1", by("bob", "reject", asked_at=5.0))
    assert first
    assert (first.decision, first.decided_by) == ("approve", "ann")
    assert [note.data["decided_by"] for note in journal.take()] == ["ann"]


def test_a_decision_on_record_counts_too(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    journal.append(ApprovalDecided(call_id="c", decision="reject", decided_by="the person at the terminal"))
    first = leave_decision(store, "run-1", by("bob"))
    assert first
    assert (first.decision, first.decided_by) == ("reject", "the person at the terminal")
    assert journal.take() == []


def test_what_is_asked_anew_is_decided_anew(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    assert leave_decision(store, "run-1", by("ann", asked_at=5.0)) is None
    ask(journal, at=6.0)
    asked = asked_about(store, "run-1", "c")
    assert asked
    assert asked.answer is None, "what ann saw is no longer asked"
    with pytest.raises(JournalError, match="something else is asked"):
        leave_decision(store, "run-1", by("bob", asked_at=5.0))
    assert leave_decision(store, "run-1", by("bob", asked_at=6.0)) is None


def test_a_decision_that_cannot_answer_stands_in_nobodys_way(store: JournalStore, start: Start) -> None:
    ask(store.begin(start()))
    store.post("run-1", "decision", by("ann", "happened"))
    assert leave_decision(store, "run-1", by("bob")) is None


def test_nobody_was_asked(store: JournalStore, start: Start) -> None:
    store.begin(start())
    assert asked_about(store, "run-1", "c") is None
    with pytest.raises(JournalError, match="prudent approvals"):
        leave_decision(store, "run-1", by("ann"))


def test_a_sub_agents_question_and_the_parents_are_one(store: JournalStore, start: Start) -> None:
    parent = store.begin(start())
    child = store.begin(start("run-1.c"))
    ask(child, call_id="t1")
    ask(parent, sub_call="run-1.c/t1")
    assert leave_decision(store, "run-1.c", by("ann", call_id="t1", asked_at=5.0)) is None
    assert child.take() == [], "it goes to where the question surfaced, and from there down"
    (note,) = parent.take()
    assert (note.data["call_id"], note.data["asked_at"]) == ("c", 5.0)
    for run_id, call_id in (("run-1", "c"), ("run-1.c", "t1")):
        first = leave_decision(store, run_id, by("bob", "reject", call_id=call_id))
        assert first
        assert first.decided_by == "ann"


def test_a_question_that_has_not_surfaced_is_answered_where_it_was_asked(store: JournalStore, start: Start) -> None:
    ask(store.begin(start()), call_id="c")
    child = store.begin(start("run-1.c"))
    ask(child, call_id="t1")
    assert leave_decision(store, "run-1.c", by("ann", call_id="t1")) is None
    assert len(child.take()) == 1


def test_only_what_still_waits_is_listed_as_undecided(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    ask(journal)
    ask(journal, at=6.0)
    assert [row.asked_at for row in store.approvals(undecided=True)] == [6.0]
    ask(journal, call_id="d")
    journal.append(CallEnded(turn=1, call_id="c", status="ok", shown="done by a standing rule"))
    assert [row.call_id for row in store.approvals(undecided=True)] == ["d"]
    journal.append(RunEnded(status="stopped"))
    assert store.approvals(undecided=True) == []


def test_a_note_is_read_whole_or_with_its_defaults() -> None:
    rule = StandingRule("r1", "delete", {"path": "*"})
    whole = by("ann", "always", asked_at=5.0, rule=rule.as_json(), reason="r", result={"a": 1}, arguments={"b": 2})
    assert decision_of(whole) == ApprovalDecided(
        call_id="c",
        decision="always",
        decided_by="ann",
        reason="r",
        arguments={"b": 2},
        result={"a": 1},
        rule=rule,
        asked_at=5.0,
    )
    assert decision_of({}) == ApprovalDecided(call_id="", decision="reject", decided_by="")
