from __future__ import annotations

import pytest

from prudent.errors import CallRefused
from prudent.tools.checking import Checker, Problem
from prudent.tools.refusal import Refusal, cut, example_arguments, nearest
from prudent.types import JSON, JSONObject

SCHEMA: JSONObject = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "the city's name"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
        "unit": {"enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def refuse(arguments: JSONObject, **options: object) -> CallRefused:
    refusal = Refusal("weather", SCHEMA, **options)  # pyright: ignore[reportArgumentType] - options of several types
    return refusal.of(Checker(SCHEMA).problems(arguments))


def test_it_says_what_where_what_came_what_is_allowed_and_how() -> None:
    refused = refuse({"city": "Oslo", "days": 9})
    assert refused.kind == "invalid_arguments"
    assert refused.reason == "days is not right (received 9); allowed is a whole number from 1 to 7"
    assert refused.fix == 'correct this and call weather again, for example with {"city": "…"}'


def test_missing_and_unknown_parameters() -> None:
    refused = refuse({"citty": "Oslo", "unit": "kelvin"})
    assert refused.reason == (
        "city is missing; due is a string (the city's name); "
        'citty is unknown (received "Oslo"); the parameters of weather are: city, unit, days; '
        'unit is not right (received "kelvin"); allowed is one of "celsius", "fahrenheit"'
    )


def test_a_given_example_is_shown_as_it_is() -> None:
    assert refuse({}, examples=[{"days": 2, "city": "大阪"}]).fix.endswith('{"days": 2, "city": "大阪"}')


def test_an_example_that_cannot_be_made_up_is_left_out() -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"id": {"type": "string", "pattern": "^[0-9]{4}$"}},
        "required": ["id"],
    }
    assert Refusal("look_up", schema).of([Problem("missing", ("id",))]).fix == "correct this and call look_up again"


def test_secrets_are_not_repeated() -> None:
    leaks: list[JSONObject] = [{"city": ["sk-1"]}, {"city": "Oslo", "cyti": "sk-1"}]
    for arguments in leaks:
        assert "sk-1" not in refuse(arguments, secret=["city"]).reason
        assert "sk-1" in refuse(arguments).reason
    told = Problem("value", ("city",), "sk-1", note="sk-1 has no checksum")
    assert "sk-1" not in Refusal("weather", SCHEMA, secret=["city"]).of([told]).reason


@pytest.mark.parametrize(
    "arguments",
    [
        {"x" * 40_000: "y" * 40_000},
        {"city": ["y" * 40_000] * 20},
        {f"unknown{index}": "z" * 300 for index in range(100)},
    ],
)
def test_it_stays_short(arguments: JSONObject) -> None:
    refused = refuse(arguments, examples=[{"city": "x" * 5000}])
    assert len(refused.reason) + len(refused.fix) < 1500


def test_more_than_five_problems_are_counted() -> None:
    assert refuse({"city": "Oslo", **{f"p{index}": 1 for index in range(9)}}).reason.endswith("; and 4 more")


def test_an_example_is_added_to_what_could_not_be_read() -> None:
    refused = Refusal("weather", SCHEMA).with_example(CallRefused("invalid_json", "cut off", fix="send it again"))
    assert (refused.kind, refused.reason) == ("invalid_json", "cut off")
    assert refused.fix == 'send it again; then call weather again, for example with {"city": "…"}'


@pytest.mark.parametrize(
    ("node", "example"),
    [
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "number", "exclusiveMinimum": 0}, 1),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "string", "format": "date"}, "2031-05-04"),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"enum": ["b", "a"]}, "b"),
        ({"const": 7}, 7),
        ({"type": "string", "examples": ["Oslo"]}, "Oslo"),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, {"a": 1}),
    ],
)
def test_examples_are_made_up_from_the_schema(node: JSONObject, example: JSON) -> None:
    schema: JSONObject = {"type": "object", "properties": {"v": node}, "required": ["v"]}
    assert example_arguments(schema) == {"v": example}
    assert Checker(schema).problems(example_arguments(schema)) == []


def test_a_schema_without_end_has_an_example_too() -> None:
    schema: JSONObject = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    assert "next" in example_arguments(schema)


def test_nearest_comes_first() -> None:
    assert nearest("addition", ["weather", "add", "stocks"])[0] == "add"
    assert nearest("x" * 100_000, ["a", "x"])[0] == "x"


def test_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
