"""Counting: shares where a tool was mounted, failures by kind, what is held back, what is paid for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.facts import Call, Facts, RunFacts, ToolBlock, definition_tokens
from prudent.design.audit.usage import tool_uses, unknown_names, wilson_upper


def test_shares_failures_and_the_long_tail():
    runs = [[call("often") for _ in range(10)] for _ in range(14)] + [[call("rare")], [failed("often")]]
    often, rare, never = tool_uses(facts(runs, spec("often"), spec("rare"), spec("never")))
    assert (often.calls, rare.calls, never.calls) == (141, 1, 0)
    assert often.share == pytest.approx(141 / 142)
    assert (often.failures, often.failed, often.failure_rate) == ({"tool_error": 1}, 1, pytest.approx(1 / 141))
    assert [use.is_long_tail for use in (often, rare, never)] == [False, True, False]
    assert [use.is_unused for use in (often, rare, never)] == [False, False, True]
    assert rare.run_ids == ("run-14",)
    assert rare.is_firm


def test_a_tool_is_judged_by_the_runs_that_had_it():
    """It came late: one of two calls is no long tail, whatever went before."""
    old, new = spec("old"), spec("new")
    runs = [RunFacts(f"a{at}", (call("old"),) * 100, (0,)) for at in range(5)]
    runs.append(RunFacts("b", (call("old"), call("new")), (1,)))
    uses = {use.name: use for use in tool_uses(Facts(tuple(runs), (ToolBlock((old,), 500), ToolBlock((old, new), 3))))}
    assert (uses["new"].chances, uses["new"].is_long_tail, uses["new"].is_firm) == (2, False, False)
    assert (uses["old"].chances, uses["new"].carried, uses["old"].carried) == (502, 3, 503)


def test_what_a_brake_or_a_person_held_back_is_no_failure():
    calls = [Call("delete", 1, {}, "rejected", "rejected"), Call("delete", 2, {}, "refused", "plan_first"), call("delete", 3)]
    (use,) = tool_uses(facts([calls], spec("delete")))
    assert (use.calls, use.held_back, use.failed, use.failure_rate) == (3, 2, 0, 0.0)


def test_definitions_are_paid_for_in_each_model_call():
    unused = spec("unused", "Does something that nobody ever asked for.", path={"type": "string", "description": "Where."})
    (use,) = (use for use in tool_uses(facts([[call("used")]] * 7, spec("used"), unused)) if use.is_unused)
    assert use.carried == 14
    assert use.paid == 14 * definition_tokens(unused) > 14 * 15


def test_names_that_no_tool_has_are_apart_and_say_what_was_called_then():
    wrong = Call("serch", 1, {"q": "x"}, "refused", "unknown_tool")
    found = facts([[wrong, call("search", 2)], [wrong, call("search", 2)], [wrong]], spec("search"))
    assert [use.name for use in tool_uses(found)] == ["search"]
    (row,) = unknown_names(found)
    assert (row.name, row.calls, row.instead) == ("serch", 3, {"search": 2})


def test_the_interval_is_that_of_the_textbook():
    assert wilson_upper(0, 100) == pytest.approx(0.037, abs=0.0005)
    assert wilson_upper(10, 100) == pytest.approx(0.1744, abs=0.0005)
    assert wilson_upper(0, 0) == 1.0


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_lies_above_the_share(hits: int, more: int):
    tries = hits + more
    assert (hits / tries if tries else 0) <= wilson_upper(hits, tries) + 1e-12 <= 1.0 + 1e-11
