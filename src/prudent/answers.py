"""What may answer a question, and the standing rule that an `always` makes of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace

from prudent.errors import ConfigurationError
from prudent.events import ApprovalAsked, ApprovalDecided, Decision
from prudent.nearest import nearest
from prudent.standing import StandingRule, argument_text, exact_globs, holds_hidden, unfit_for_rule

OUTCOME_DECISIONS: frozenset[Decision] = frozenset({"happened", "retry", "skip"})
"""The answers to an unknown outcome; no other question takes them, and it takes no other."""


def answers(question: ApprovalAsked, decision: ApprovalDecided) -> bool:
    """Whether a decision is about this very question, and of a kind that can answer it.

    Somebody who decided about an earlier question about the same call has seen something else (the preview has changed).
    """
    about = decision.call_id == question.call_id and decision.asked_at in (None, question.at)
    return about and (decision.decision in OUTCOME_DECISIONS) is (question.kind == "unknown_outcome")


def standing_rule(question: ApprovalAsked, globs: Mapping[str, str] | None = None) -> StandingRule:
    """Make the rule by which calls like the one at hand run unasked.

    Args:
        question: What was asked about the call.
        globs: Patterns of the arguments that matter, the others are free; by default exactly the call's own arguments.

    Raises:
        ConfigurationError: No rule may answer this question, or this one does not cover its call.
    """
    tool = question.tool_name
    if question.kind != "call":
        raise ConfigurationError(f"always is for calls: a question about {_WHAT[question.kind]} is answered each time")
    if question.each_time:
        raise ConfigurationError(f"{tool} asks every time (its author or the agent's policy wants it so): approve this call")
    if globs is not None:
        return _chosen(question, globs)
    exact = exact_globs(question.arguments)
    if unfit := unfit_for_rule(exact):
        raise ConfigurationError(
            f"{' and '.join(unfit)} of this call cannot stand in a rule (secret, or too long): "
            "say which arguments matter, as name=GLOB"
        )
    return StandingRule(_new_id(), tool, exact, exact=True)


def with_rule(question: ApprovalAsked, decision: ApprovalDecided) -> ApprovalDecided:
    """Give the decision with the rule that it makes: exactly this call where an `always` names none.

    One that cannot stand, since it may not or does not cover the call at hand, is left out: the call alone is approved.
    """
    if decision.decision != "always":
        return replace(decision, rule=None) if decision.rule else decision
    rule = decision.rule
    try:
        made = standing_rule(question, rule.globs if rule and not rule.exact else None)
    except ConfigurationError:
        return replace(decision, rule=None)
    return replace(decision, rule=replace(made, rule_id=rule.rule_id) if rule else made)


_WHAT = {"plan": "a plan", "mode": "another mode", "unknown_outcome": "an unknown outcome"}


def _chosen(question: ApprovalAsked, globs: Mapping[str, str]) -> StandingRule:
    if not globs:
        raise ConfigurationError("name the arguments that matter, as name=GLOB (GLOB may be * for any value)")
    for name in globs:
        if name not in question.arguments:
            meant = nearest(name, question.arguments) or f" (it has: {', '.join(question.arguments) or 'none'})"
            raise ConfigurationError(f"this call of {question.tool_name} has no argument {name!r}{meant}")
    secret = [name for name, glob in globs.items() if glob != "*" and holds_hidden(argument_text(question.arguments[name]))]
    if unfit := [*secret, *unfit_for_rule(globs)]:
        raise ConfigurationError(f"{' and '.join(unfit)} cannot stand in a rule (secret, or too long), but as *, any value")
    rule = StandingRule(_new_id(), question.tool_name, dict(globs))
    if not rule.covers(question.tool_name, question.arguments):
        raise ConfigurationError(f"that does not cover this call: it would not let it run ({rule.words})")
    return rule


def _new_id() -> str:
    return secrets.token_hex(4)
