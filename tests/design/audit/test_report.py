"""The whole audit: its totals, its JSON, and that nothing that a journal can hold brings it down."""

from __future__ import annotations

import json
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.audit.kit import call, facts, spec
from tests.design.audit.test_python_source import NODES, SPECS

from prudent.cli.audit_text import audit_lines
from prudent.design.audit.facts import Call, Facts, RunFacts, ToolBlock
from prudent.design.audit.page import audit_page
from prudent.design.audit.report import audit
from prudent.errors import ErrorKind
from prudent.events import CallStatus


def test_totals_tell_what_was_paid_for_nothing():
    found = audit(facts([[call("used"), call("used", 2)]] * 60, spec("used"), spec("never")))
    assert (found.totals.runs, found.totals.task_calls, found.totals.model_calls) == (60, 120, 180)
    assert found.totals.unused_tokens == found.unused[0].paid
    assert found.totals.definition_tokens == sum(use.paid for use in found.uses)
    assert found.tokens_saved_a_call == found.unused[0].tokens


def test_an_embedder_finds_twins_by_meaning():
    pair = spec("weather", "Tells if it rains.", place=""), spec("weather_report", "Says what is above.", place="")
    found = facts([[call("weather")]], *pair)
    assert audit(found).twins == ()
    (twins,) = audit(found, embed=lambda texts: [[1.0, 0.0] for _ in texts]).twins
    assert "meaning" in twins.likeness.by


def test_the_json_is_json_and_whole():
    text = json.dumps(audit(facts([[call("used")]], spec("used"), spec("never"))).as_json(), allow_nan=False)
    assert {"tools", "long_tail", "never_called", "corrections", "twins", "sequences", "proposals", "notes"} <= set(
        json.loads(text)
    )


TOOLS = st.sampled_from(["a", "b", "get_x", "fetch_x", "", "工具"]) | st.text(max_size=5)
CALLS = st.builds(
    Call,
    TOOLS,
    st.integers(1, 6),
    st.dictionaries(st.text(max_size=4), NODES, max_size=3),
    st.sampled_from(get_args(CallStatus)),
    st.none() | st.sampled_from(get_args(ErrorKind)),
    st.text(max_size=30) | NODES.map(lambda value: json.dumps(value)),
)


@st.composite
def any_facts(draw: st.DrawFn) -> Facts:
    blocks = draw(st.lists(st.builds(ToolBlock, st.lists(SPECS, max_size=4).map(tuple), st.integers(0, 9)), max_size=3))
    places = st.lists(st.integers(0, len(blocks) - 1), max_size=2).map(tuple) if blocks else st.just(())
    some = draw(st.lists(CALLS, min_size=1, max_size=5))
    calls = st.lists(st.sampled_from(some) | CALLS, max_size=8).map(tuple)
    runs = st.lists(st.builds(RunFacts, st.text(max_size=4), calls, places, st.text(max_size=4)), max_size=12)
    return Facts(tuple(draw(runs)), tuple(blocks), draw(st.dictionaries(TOOLS, st.text(max_size=5), max_size=3)))


@settings(max_examples=60)
@given(any_facts())
def test_whatever_was_recorded_it_is_audited(found: Facts):
    result = audit(found)
    json.dumps(result.as_json())
    assert audit_page(result).startswith("<!doctype html>")
    assert [*audit_lines(result)]
    assert sum(use.calls for use in result.uses) + sum(row.calls for row in result.unknown) == len(found.calls)
