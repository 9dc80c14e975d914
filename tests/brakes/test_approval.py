from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from prudent.brakes.approval import ApprovalBrake, Rule, bind, preview_text
from prudent.errors import CallRefused, ConfigurationError, ToolError
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.ports import Ask, Candidate
from prudent.standing import StandingRule
from prudent.state import RunState
from prudent.tools.definition import Confirm, Effect, Tool
from prudent.types import JSON, JSONMapping


def make(effect: Effect | None = None, *, idempotent: bool = False, confirm: Confirm = "policy") -> Tool:
    return Tool("t", print, "t", {}, effect=effect, idempotent=idempotent, confirm=confirm)


def candidate(tool: Tool, **arguments: JSON) -> Candidate:
    return Candidate(tool, "c", arguments, 1, 0)


def asked(tool: Tool, arguments: dict[str, JSON]) -> ApprovalAsked:
    preview = preview_text(tool, arguments)
    binding = bind(tool, arguments, preview)
    return ApprovalAsked(call_id="c", kind="call", tool_name="t", arguments=arguments, preview=preview, binding=binding)


def decided(decision: str, **more: object) -> ApprovalDecided:
    return ApprovalDecided(call_id="c", decision=decision, decided_by="ann", **more)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("tool", "asks"),
    [
        (make("read"), False),
        (make("destructive"), True),
        (make("destructive", idempotent=True), True),
        (make("write"), True),
        (make("write", idempotent=True), False),
        (make(None), False),
        (make("write", confirm="never"), False),
        (make("read", confirm="always"), True),
    ],
)
def test_who_asks_by_default(tool: Tool, *, asks: bool) -> None:
    assert isinstance(ApprovalBrake().before_call(candidate(tool), RunState()), Ask) is asks


def test_the_first_rule_that_matches_counts() -> None:
    brake = ApprovalBrake([Rule("allow", tool="t", arguments={"path": "/data/*"}), Rule("deny", effect="destructive")])
    tool = make("destructive")
    assert brake.before_call(candidate(tool, path="/data/x"), RunState()) is None
    refusal = brake.before_call(candidate(tool, path="/etc/x"), RunState())
    assert isinstance(refusal, CallRefused)
    assert refusal.kind == "not_allowed"
    assert brake.before_call(candidate(make("read"), path="/etc/x"), RunState()) is None


@pytest.mark.parametrize(("answer", "remedy"), [("model", 'confirm="model"'), ("maybe", "use ask, allow, deny")])
def test_a_policy_that_could_never_be_followed_is_refused(answer: Any, remedy: str) -> None:
    with pytest.raises(ConfigurationError, match=remedy):
        Rule(answer)


def test_a_decision_covers_exactly_the_call_it_was_given_for() -> None:
    tool, brake = make("destructive"), ApprovalBrake()
    question = asked(tool, {"id": 7})
    approved = replace(candidate(tool, id=7), question=question, decision=decided("approve"))
    assert brake.before_call(approved, RunState()) is None
    other = replace(candidate(tool, id=8), question=question, decision=decided("approve"))
    assert isinstance(brake.before_call(other, RunState()), Ask)


def test_drift_of_the_previewed_state_asks_again() -> None:
    state = ["old"]

    def diff(arguments: JSONMapping) -> str:
        return f"diff of {len(arguments)} against {state[0]}"

    tool = replace(make("write"), preview=diff)
    question = asked(tool, {})
    state[0] = "new"
    approved = replace(candidate(tool), question=question, decision=decided("approve"))
    verdict = ApprovalBrake().before_call(approved, RunState())
    assert isinstance(verdict, Ask)
    assert "new" in verdict.preview


def test_edited_arguments_are_covered_and_nothing_else() -> None:
    tool = make("destructive")
    question = asked(tool, {"id": 9})
    edit = decided("edit", arguments={"id": 10})
    assert ApprovalBrake().before_call(replace(candidate(tool, id=10), question=question, decision=edit), RunState()) is None
    assert ApprovalBrake().before_call(replace(candidate(tool, id=9), question=question, decision=edit), RunState())


def test_a_rejection_reaches_the_model_with_its_reason() -> None:
    tool = make("destructive")
    rejected = replace(candidate(tool), question=asked(tool, {}), decision=decided("reject", reason="still in use"))
    verdict = ApprovalBrake().before_call(rejected, RunState())
    assert isinstance(verdict, CallRefused)
    assert verdict.kind == "rejected"
    assert "still in use" in verdict.reason


def test_a_failing_preview_refuses_the_call() -> None:
    def broken(arguments: JSONMapping) -> str:
        raise KeyError(str(arguments))

    def telling(arguments: JSONMapping) -> str:
        raise ToolError("no such record", fix="list them first")

    for preview, text in ((broken, "KeyError"), (telling, "no such record")):
        verdict = ApprovalBrake().before_call(candidate(replace(make("write"), preview=preview)), RunState())
        assert isinstance(verdict, CallRefused)
        assert text in verdict.reason


def test_the_call_itself_is_the_preview_without_its_secrets() -> None:
    tool = replace(make("write"), secret=("key",))
    text = preview_text(tool, {"to": "安娜", "key": "hunter2hunter2"})
    assert "安娜" in text
    assert "hunter2" not in text


STANDING = StandingRule("r1", "t", {"path": "/scratch/*"})


def test_what_was_allowed_once_for_all_is_not_asked_about() -> None:
    tool, brake = make("destructive"), ApprovalBrake(standing=[STANDING])
    assert brake.before_call(candidate(tool, path="/scratch/x"), RunState()) is None
    verdict = brake.before_call(candidate(tool, path="/etc/x"), RunState())
    assert isinstance(verdict, Ask)
    assert not verdict.each_time
    other = replace(tool, name="other")
    assert isinstance(brake.before_call(candidate(other, path="/scratch/x"), RunState()), Ask)


def test_a_rule_made_in_this_run_counts_at_once() -> None:
    state = RunState(standing=[STANDING])
    assert ApprovalBrake().before_call(candidate(make("write"), path="/scratch/x"), state) is None


def test_a_rule_that_was_taken_back_counts_no_more() -> None:
    forgotten: set[str] = set()
    brake = ApprovalBrake(standing=[STANDING], forgotten=forgotten)
    call = candidate(make("destructive"), path="/scratch/x")
    assert brake.before_call(call, RunState()) is None
    forgotten.add("r1")
    assert isinstance(brake.before_call(call, RunState()), Ask)
    assert isinstance(brake.before_call(call, RunState(standing=[STANDING])), Ask)


@pytest.mark.parametrize("brake", [ApprovalBrake([Rule("ask")], [STANDING]), ApprovalBrake(standing=[STANDING])])
def test_a_policy_and_the_tools_author_are_stronger(brake: ApprovalBrake) -> None:
    verdict = brake.before_call(candidate(make("destructive", confirm="always"), path="/scratch/x"), RunState())
    assert isinstance(verdict, Ask)
    assert verdict.each_time


def test_a_standing_rule_opens_nothing_that_the_policy_denies_or_a_person_rejected() -> None:
    denied = ApprovalBrake([Rule("deny", tool="t")], [STANDING])
    tool = make("destructive")
    assert isinstance(denied.before_call(candidate(tool, path="/scratch/x"), RunState()), CallRefused)
    rejected = replace(
        candidate(tool, path="/scratch/x"), question=asked(tool, {"path": "/scratch/x"}), decision=decided("reject")
    )
    assert isinstance(ApprovalBrake(standing=[STANDING]).before_call(rejected, RunState()), CallRefused)


def test_a_call_that_its_model_confirms_is_no_matter_of_standing_rules() -> None:
    verdict = ApprovalBrake(standing=[STANDING]).before_call(
        candidate(make("write", confirm="model"), path="/scratch/x"), RunState()
    )
    assert isinstance(verdict, CallRefused)
