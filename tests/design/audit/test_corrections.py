"""Corrections: after an error, with the same question, both at once; and what is none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.corrections import find_corrections
from prudent.design.audit.facts import Call

WEATHER = spec("get_weather", "Get the current weather of a city.", city="")
TWIN = spec("fetch_weather", "Fetch the current weather for a given city.", location="")
ORDER = spec("get_order", "Look an order up.", order="")
CANCEL = spec("cancel_order", "Cancel an order for good.", order="")
ALL = (WEATHER, TWIN, ORDER, CANCEL)


def found(*calls: Call) -> list[tuple[str, str, dict[str, int]]]:
    return [(row.first, row.then, dict(row.causes)) for row in find_corrections(facts([calls], *ALL))]


def test_another_tool_after_an_error_is_a_correction():
    assert found(failed("get_weather", 1, city="Bern"), call("get_order", 2, order="7")) == [
        ("get_weather", "get_order", {"after an error": 1})
    ]


def test_the_same_question_to_an_alike_tool_is_one_where_the_result_was_of_no_use():
    there = call("get_weather", 1, city="Bern"), call("fetch_weather", 2, location="Bern")
    assert found(*there) == [("get_weather", "fetch_weather", {"same question": 1})]


def test_both_asked_at_once_are_noted():
    assert found(call("get_weather", 1, city="Bern"), call("fetch_weather", 1, location="Bern")) == [
        ("get_weather", "fetch_weather", {"both at once": 1})
    ]


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(
            [call("get_order", 1, order="A-77"), call("cancel_order", 2, order="A-77")], id="the next step of the work"
        ),
        pytest.param([call("get_weather", 1, city="Bern"), call("fetch_weather", 2, location="Oslo")], id="another question"),
        pytest.param([failed("get_weather", 1, city="x"), call("get_weather", 2, city="y")], id="the same tool again"),
        pytest.param(
            [Call("get_weather", 1, {}, "refused", "plan_first"), call("fetch_weather", 2, location="x")],
            id="a brake held it back",
        ),
        pytest.param(
            [Call("get_weather", 1, {}, "refused", "prerequisite"), call("get_order", 2, order="x")],
            id="what it was told to do",
        ),
        pytest.param([failed("get_weather", 1, city="Bern")], id="nothing followed"),
        pytest.param(
            [failed("get_weather", 1, city="Bern"), call("get_order", 1, order="7"), call("cancel_order", 2, order="7")],
            id="one of several failed, and the next asks something else",
        ),
        pytest.param(
            [Call("get_weather", 1, {"city": "Bern"}, shown="station 4711"), call("fetch_weather", 2, location="Bern 4711")],
            id="it uses the result",
        ),
    ],
)
def test_no_correction(calls: Sequence[Call]):
    assert found(*calls) == []


def test_they_are_counted_with_runs_and_parameters_that_got_the_same():
    runs = [[failed("get_weather", 1, city=city), call("fetch_weather", 2, location=city)] for city in ("Bern", "Oslo", "Lima")]
    (row,) = find_corrections(facts(runs, *ALL))
    assert (row.count, row.directed, row.same_question) == (3, 3, 3)
    assert row.renames == {("city", "location"): 3}
    assert row.run_ids == ("run-2", "run-1", "run-0")


def test_a_shared_default_is_no_shared_question():
    limited = spec("list_orders", "List the current weather.", who="", limit={"type": "integer", "default": 10})
    other = spec("list_weather", "List the current weather.", what="", limit={"type": "integer", "default": 10})
    calls = [call("list_orders", 1, who="Ann", limit=10), call("list_weather", 2, what="rain", limit=10)]
    assert find_corrections(facts([calls], limited, other)) == []
