"""`prudent approvals` and `approve`: what waits, who was first, and the rules that `--always` leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Command

MORE = """
EIGHT = [call("delete", id=8)]
again = Agent(playing([call("delete", id=7)], EIGHT, "Done."), name="again", tools=[delete], planning="off")
from dataclasses import replace
EACH = [replace(delete, confirm="always")]
careful = Agent(playing([call("delete", id=7)], "Done."), name="careful", tools=EACH, planning="off")
KEY = [replace(delete, secret=("id",))]
secretive = Agent(playing([call("delete", id=7)], "Done."), name="secretive", tools=KEY, planning="off")
planner = Agent(
    playing([PLAN, call("search", query="x")], "Done."), name="planner", tools=[search], approve_plan=True
)
clerk = Agent(playing([call("delete", id=7)], "Gone."), name="clerk", tools=[delete], planning="off")
chief = Agent(playing([call("ask_clerk", task="delete 7")], "Done."), name="chief", tools=[clerk], planning="off")
"""


@pytest.fixture(autouse=True)
def _more_agents(project: Path) -> None:
    (project / "agents.py").write_text((project / "agents.py").read_text() + MORE)


def park(here: Command, agent: str = "deleter") -> dict[str, Any]:
    """Run an agent until it waits, and give what waits."""
    done = here("run", "Delete 7.", "--agent", f"agents.py:{agent}", "--json")
    assert done.status == 4
    [pending] = json.loads(done.out)["pending"]
    return {**pending, "run_id": json.loads(done.out)["run_id"]}


def rules(here: Command) -> list[dict[str, Any]]:
    return json.loads(here("approvals", "--rules", "--json").out)


def test_always_shows_its_rule_and_later_runs_need_not_ask(project: Path, here: Command, prudent: Command):
    waiting = park(here)
    noted = here("approve", "last", waiting["call_id"], "--always")
    assert noted.status == 0
    first, second, third = noted.out.splitlines()
    assert first.startswith("from now on `delete` runs unasked when id is 7, with no other argument (rule ")
    assert second == f"noted: always delete ({waiting['call_id']})"
    assert third == f"next: prudent resume {waiting['run_id']}"
    assert here("resume", "last").status == 0
    assert prudent("run", "Delete 7.", "--agent", "agents.py:deleter").status == 0
    assert (project / "ledger.txt").read_text() == "delete 7\ndelete 7\n"
    assert park(here, "clerk")["arguments"] == {"id": 7}, "a rule is one agent's"


def test_named_arguments_make_a_pattern_that_counts_in_the_same_run(project: Path, here: Command):
    waiting = park(here, "again")
    assert here("approve", "last", waiting["call_id"], "--always", "--where", "id=[78]").status == 0
    assert here("resume", "last").status == 0
    assert (project / "ledger.txt").read_text() == "delete 7\ndelete 8\n"
    shown = here("show", "last").out
    assert "`delete` runs unasked when id is [78]" in shown


def test_rules_are_listed_and_forgotten(project: Path, here: Command, prudent: Command):
    waiting = park(here)
    assert here("approvals", "--rules").out == "no standing rules: whatever asks by default, asks\n"
    here("approve", "last", waiting["call_id"], "--always")
    here("resume", "last")
    [rule] = rules(here)
    assert (rule["agent"], rule["tool_name"], rule["arguments"], rule["exact"]) == ("deleter", "delete", {"id": "7"}, True)
    listed = here("approvals", "--rules").out
    assert f"rule {rule['rule_id']}  agent deleter" in listed
    assert "`delete` runs unasked when id is 7, with no other argument" in listed
    assert f"end it: prudent approvals --forget {rule['rule_id']}" in listed
    forgotten = here("approvals", "--forget", rule["rule_id"][:4])
    assert forgotten.out == (
        "forgotten, so such calls of deleter ask again: `delete` runs unasked when id is 7, with no other argument\n"
    )
    assert rules(here) == []
    park(prudent)
    unknown = here("approvals", "--forget", rule["rule_id"])
    assert (unknown.status, unknown.out) == (2, "")
    assert "see prudent approvals --rules" in unknown.err


@pytest.mark.parametrize(
    ("agent", "options", "reason"),
    [
        ("deleter", ["--where", "id=7"], "--where goes with --always only"),
        ("deleter", ["--always", "--where", "idd=7"], "has no argument 'idd'; did you mean 'id'?"),
        ("deleter", ["--always", "--where", "id=8"], "does not cover this call"),
        ("deleter", ["--always", "--where", "id"], "write name=GLOB"),
        ("deleter", ["--always", "--reject", "no"], "exclude each other"),
        ("careful", ["--always"], "asks every time"),
        ("secretive", ["--always"], "id of this call cannot stand in a rule"),
        ("secretive", ["--always", "--where", "id=7"], "id cannot stand in a rule"),
        ("planner", ["--always"], "a plan is answered each time"),
    ],
)
def test_what_no_rule_can_be_made_of(agent: str, options: list[str], reason: str, project: Path, here: Command):
    waiting = park(here, agent)
    refused = here("approve", "last", waiting["call_id"], *options)
    assert (refused.status, refused.out) == (2, "")
    assert reason in refused.err
    assert rules(here) == []
    assert json.loads(here("approvals", "--json").out)[0]["noted"] is None


def test_the_first_decision_counts_and_the_second_is_told(project: Path, here: Command):
    waiting = park(here)
    assert here("approve", "last", waiting["call_id"], "--reject", "still in use").status == 0
    second = here("approve", "last", waiting["call_id"])
    assert (second.status, second.out) == (2, "")
    assert f"delete ({waiting['call_id']}) was decided already: reject by " in second.err
    assert "(still in use)" in second.err
    listed = here("approvals").out
    assert "noted: reject by " in listed
    assert "prudent approve" not in listed
    here("resume", "last")
    assert not (project / "ledger.txt").exists()
    third = here("approve", "last", waiting["call_id"])
    assert (third.status, "was decided already: reject by" in third.err) == (2, True)


def test_a_sub_agents_question_is_listed_once_and_decided_once(project: Path, here: Command):
    waiting = park(here, "chief")
    [listed] = json.loads(here("approvals", "--json").out)
    assert (listed["run_id"], listed["call_id"]) == (waiting["run_id"], waiting["call_id"])
    sub_run = f"{waiting['run_id']}.{waiting['call_id']}"
    below = here("approve", sub_run, "call", "--always")
    assert below.out.splitlines()[-1] == f"next: prudent resume {waiting['run_id']}"
    above = here("approve", "last", waiting["call_id"], "--reject", "no")
    assert (above.status, "was decided already: always by" in above.err) == (2, True)
    assert here("resume", "last").status == 0
    assert (project / "ledger.txt").read_text() == "delete 7\n"
    assert [rule["agent"] for rule in rules(here)] == ["clerk"]


def test_what_waits_says_how_to_answer(project: Path, here: Command):
    run_id = park(here)["run_id"]
    listed = here("approvals").out
    for option in ("", " --always", ' --reject "REASON"'):
        assert f"prudent approve {run_id} call_1_0{option}\n" in listed
    here("approve", "last", "call_1_0")
    here("resume", "last")
    park(here, "careful")
    assert "--always" not in here("approvals").out
