"""What a live run reads from its inbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prudent.events import ApprovalAsked, ApprovalDecided, CallPrepared, RunStarted
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.keeping import JournalKeeper
from prudent.types import JSONObject

QUESTION = ApprovalAsked(at=5.0, call_id="c", kind="call", tool_name="delete", arguments={"id": 7}, preview="", binding="b")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JournalStore]:
    with JournalStore(tmp_path / "agent.db") as opened:
        yield opened


@pytest.fixture
def journal(store: JournalStore) -> RunJournal:
    journal = store.begin(RunStarted(run_id="r", agent="a", task="x", model="m"))
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="delete", arguments={"id": 7}))
    journal.append(QUESTION)
    return journal


def post(store: JournalStore, by: str, decision: str = "approve", call_id: str = "c", **more: object) -> None:
    data: JSONObject = {"call_id": call_id, "decision": decision, "decided_by": by}
    store.post("r", "decision", {**data, **more})  # pyright: ignore[reportArgumentType]


def test_the_first_decision_is_given_once_and_the_second_never(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    assert keeper.decision_on(QUESTION) is None
    post(store, "ann")
    post(store, "bob", "reject")
    first = keeper.decision_on(QUESTION)
    assert first
    assert (first.decided_by, first.decision) == ("ann", "approve")
    assert keeper.decision_on(QUESTION) is None
    assert keeper.decision_on(replace(QUESTION, at=6.0)) is None, "bob did not see that one"


def test_a_decision_about_an_earlier_question_does_not_count(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    post(store, "ann", asked_at=4.0)
    post(store, "bob", asked_at=5.0)
    first = keeper.decision_on(QUESTION)
    assert first
    assert first.decided_by == "bob"


def test_a_decision_that_cannot_answer_is_passed_over(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    post(store, "ann", "happened")
    assert keeper.decision_on(QUESTION) is None


def test_decisions_are_kept_apart_by_call_until_they_are_wanted(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    post(store, "ann", call_id="d")
    assert keeper.decision_on(QUESTION) is None
    other = keeper.decision_on(replace(QUESTION, call_id="d"))
    assert other
    assert other.decided_by == "ann"


def test_an_always_has_its_rule(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    post(store, "ann", "always")
    decision = keeper.decision_on(QUESTION)
    assert isinstance(decision, ApprovalDecided)
    assert decision.rule
    assert decision.rule.covers("delete", {"id": 7})


def test_stops_and_forgotten_rules_come_the_same_way(store: JournalStore, journal: RunJournal) -> None:
    keeper = JournalKeeper(journal)
    assert keeper.stop_requested() is None
    store.post("r", "forget", {"rule_id": "r1"})
    store.post("r", "stop", {"reason": "enough"})
    assert keeper.stop_requested() == "enough"
    assert keeper.forgotten == {"r1"}
