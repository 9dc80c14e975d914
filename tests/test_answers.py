"""Which decision answers which question, and the rule that an `always` makes."""

from __future__ import annotations

from typing import Any

import pytest

from prudent.answers import answers, standing_rule, with_rule
from prudent.errors import ConfigurationError
from prudent.events import ApprovalAsked, ApprovalDecided, ApprovalKind, Decision
from prudent.standing import StandingRule


def question(kind: ApprovalKind = "call", **changes: Any) -> ApprovalAsked:
    values: dict[str, Any] = {
        "tool_name": "delete",
        "arguments": {"path": "/scratch/x", "force": True},
        "preview": "",
        **changes,
    }
    return ApprovalAsked(at=5.0, call_id="c", kind=kind, binding="b", **values)


def decided(decision: Decision = "always", **changes: Any) -> ApprovalDecided:
    values: dict[str, Any] = {"call_id": "c", "decided_by": "ann", **changes}
    return ApprovalDecided(decision=decision, **values)


@pytest.mark.parametrize(
    ("kind", "decision", "fits"),
    [
        ("call", "approve", True),
        ("call", "always", True),
        ("call", "happened", False),
        ("plan", "edit", True),
        ("plan", "skip", False),
        ("unknown_outcome", "approve", False),
        ("unknown_outcome", "retry", True),
    ],
)
def test_an_outcome_takes_its_own_answers_and_nothing_else_does(kind: ApprovalKind, decision: Decision, *, fits: bool) -> None:
    assert answers(question(kind), decided(decision)) is fits


def test_a_decision_is_for_the_question_that_was_seen() -> None:
    assert answers(question(), decided(asked_at=5.0))
    assert not answers(question(), decided(asked_at=4.0))
    assert not answers(question(), decided(call_id="other"))


def test_by_default_the_rule_is_exactly_the_call() -> None:
    rule = standing_rule(question())
    assert (rule.tool_name, rule.globs, rule.exact) == ("delete", {"path": "/scratch/x", "force": "true"}, True)
    assert rule.rule_id != standing_rule(question()).rule_id


def test_named_arguments_make_a_wider_rule() -> None:
    rule = standing_rule(question(), {"path": "/scratch/*"})
    assert (rule.globs, rule.exact) == ({"path": "/scratch/*"}, False)


@pytest.mark.parametrize(
    ("about", "globs", "reason"),
    [
        (question("plan"), None, "a plan is answered each time"),
        (question("mode"), None, "another mode is answered each time"),
        (question("unknown_outcome"), None, "an unknown outcome is answered each time"),
        (question(each_time=True), None, "asks every time"),
        (question(arguments={"key": "[secret]"}), None, "key of this call cannot stand in a rule"),
        (question(arguments={"key": "[secret]"}), {"key": "a*"}, "key cannot stand in a rule"),
        (question(arguments={"text": "x" * 5000}), None, "text of this call cannot stand in a rule"),
        (question(), {"path": "x" * 5000}, "path cannot stand in a rule"),
        (question(), {"pth": "*"}, "no argument 'pth'; did you mean 'path'?"),
        (question(), {"where": "*"}, "no argument 'where' (it has: path, force)"),
        (question(), {"path": "/system/*"}, "does not cover this call"),
        (question(), {}, "name the arguments that matter"),
    ],
)
def test_what_no_rule_can_answer_is_said(about: ApprovalAsked, globs: dict[str, str] | None, reason: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        standing_rule(about, globs)
    assert reason in str(error.value)


def test_a_secret_or_long_argument_may_be_left_free() -> None:
    about = question(arguments={"user": "ann", "key": "[secret]", "text": "x" * 5000})
    assert standing_rule(about, {"user": "ann", "key": "*", "text": "x*"}).covers("delete", about.arguments)


def test_an_always_without_a_rule_is_for_exactly_this_call() -> None:
    rule = with_rule(question(), decided()).rule
    assert rule
    assert rule.covers("delete", {"path": "/scratch/x", "force": True})
    assert not rule.covers("delete", {"path": "/scratch/y", "force": True})


def test_a_rule_keeps_its_id_and_is_checked_against_the_call() -> None:
    chosen = StandingRule("r1", "delete", {"path": "/scratch/*"})
    assert with_rule(question(), decided(rule=chosen)).rule == chosen
    foreign = StandingRule("r1", "drop_all", {"path": "/scratch/*"})
    assert with_rule(question(), decided(rule=foreign)).rule == chosen, "a rule is about the tool that was asked about"
    wrong = StandingRule("r1", "delete", {"path": "/system/*"})
    assert with_rule(question(), decided(rule=wrong)).rule is None
    stale = StandingRule("r1", "delete", {"path": "/system/x"}, exact=True)
    made = with_rule(question(), decided(rule=stale)).rule
    assert made
    assert (made.rule_id, made.globs["path"]) == ("r1", "/scratch/x")


def test_no_other_decision_and_no_other_question_makes_a_rule() -> None:
    rule = StandingRule("r1", "delete", {"path": "/scratch/*"})
    assert with_rule(question(), decided("approve", rule=rule)).rule is None
    assert with_rule(question("plan"), decided(rule=rule)).rule is None
    assert with_rule(question(each_time=True), decided(rule=rule)).rule is None
