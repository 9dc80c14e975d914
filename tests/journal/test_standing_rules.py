"""Standing rules: written with the decision that made them, read by agent, ended for good."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prudent.errors import JournalError
from prudent.events import ApprovalAsked, ApprovalDecided, CallPrepared, RunEnded, RunStarted
from prudent.journal.decisions import forget_rule
from prudent.journal.redact import Redactor
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.standing import StandingRule, exact_globs
from prudent.types import JSONObject

Start = Callable[..., RunStarted]
RULE = StandingRule("r1", "delete", {"path": "/scratch/*"})


def answer(journal: RunJournal, rule: StandingRule = RULE, *, sub_call: str = "", secret: tuple[str, ...] = ()) -> None:
    arguments: JSONObject = {"path": "/scratch/x", "password": "open-sesame"}
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="delete", arguments=arguments, secret=secret))
    journal.append(
        ApprovalAsked(
            call_id="c", kind="call", tool_name="delete", arguments=arguments, preview="", binding="b", sub_call=sub_call
        )
    )
    journal.append(ApprovalDecided(at=7.0, call_id="c", decision="always", decided_by="ann", rule=rule))


def test_a_rule_is_kept_with_its_decision(store: JournalStore, path: Path, start: Start) -> None:
    answer(store.begin(start()))
    with JournalStore(path) as other:
        (row,) = other.standing_rules()
    assert (row.rule, row.agent, row.decided_by, row.created_at) == (RULE, "clerk", "ann", 7.0)
    assert (row.run_id, row.call_id, json.loads(row.arguments)) == ("run-1", "c", {"path": "/scratch/*"})


def test_the_event_holds_it_too(store: JournalStore, start: Start) -> None:
    answer(store.begin(start()))
    assert [event.rule for event in store.read("run-1") if isinstance(event, ApprovalDecided)] == [RULE]


def test_a_transaction_that_fails_leaves_neither(store: JournalStore, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = store.begin(start())

    def fail(*_: Any) -> None:
        raise RuntimeError("cut")

    monkeypatch.setattr(journal, "_follow_up", fail)
    with pytest.raises(RuntimeError):
        journal.append(ApprovalDecided(call_id="c", decision="always", decided_by="ann", rule=RULE))
    assert store.standing_rules() == []
    assert not [event for event in store.read("run-1") if isinstance(event, ApprovalDecided)]


def test_rules_are_by_agent_and_the_newest_come_first(store: JournalStore, start: Start) -> None:
    for number in range(3):
        rule = StandingRule(f"r{number}", "delete", {"path": f"/{number}"})
        answer(store.begin(start(f"run-{number}")), rule)
    assert [row.rule_id for row in store.standing_rules("clerk")] == ["r2", "r1", "r0"]
    assert [row.rule_id for row in store.standing_rules(limit=1)] == ["r2"]
    assert store.standing_rules("cook") == []


def test_a_rule_about_a_sub_agents_call_is_not_its_parents(store: JournalStore, start: Start) -> None:
    answer(store.begin(start()), sub_call="run-1.c/c9")
    assert store.standing_rules() == []


def test_a_forgotten_rule_is_gone_and_stays_on_record(store: JournalStore, start: Start) -> None:
    answer(store.begin(start()))
    assert forget_rule(store, "r", 9.0).rule == RULE
    assert store.standing_rules() == []
    assert store.database.query("SELECT rule_id, forgotten_at FROM standing_rules") == [("r1", 9.0)]


@pytest.mark.parametrize(("prefix", "reason"), [("x", "no standing rule 'x'"), ("", "no standing rule"), ("r", "several")])
def test_which_rule_to_forget_has_to_be_plain(store: JournalStore, start: Start, prefix: str, reason: str) -> None:
    for name in ("r1", "r2"):
        answer(store.begin(start(name)), StandingRule(name, "delete", {}))
    with pytest.raises(JournalError, match=reason):
        forget_rule(store, prefix, 9.0)
    assert len(store.standing_rules()) == 2


def test_runs_of_the_agent_that_go_on_learn_of_it(store: JournalStore, start: Start) -> None:
    answering, running = store.begin(start()), store.begin(start("run-2"))
    foreign = store.begin(RunStarted(run_id="run-3", agent="cook", task="x", model="m"))
    ended = store.begin(start("run-4"))
    ended.append(RunEnded(status="completed"))
    answer(answering)
    forget_rule(store, "r1", 9.0)
    for journal in (answering, running):
        assert [(note.kind, note.data) for note in journal.take()] == [("forget", {"rule_id": "r1"})]
    assert foreign.take() == []
    assert store.database.query("SELECT COUNT(*) FROM inbox WHERE run_id='run-4'") == [(0,)]


def test_a_secret_never_gets_into_a_rule(path: Path, start: Start) -> None:
    key = "ghp_" + "a1B2" * 9
    with JournalStore(path, redactor=Redactor(["known-to-be-secret"])) as store:
        for number, glob in enumerate(("known-to-be-secret", f"*{key}*")):
            answer(store.begin(start(f"run-{number}")), StandingRule(f"r{number}", "delete", {"path": glob}))
        by_name = StandingRule("r9", "delete", exact_globs({"path": "/scratch/x", "password": "open-sesame"}), exact=True)
        answer(store.begin(start("run-9")), by_name, secret=("password",))
        assert store.standing_rules() == []
        written = str(store.database.query("SELECT data FROM events WHERE kind='ApprovalDecided'"))
    assert "open-sesame" not in written
    assert "known-to-be-secret" not in written
    assert key not in written
