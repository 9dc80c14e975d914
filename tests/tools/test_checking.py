from __future__ import annotations

import time

import pytest

from prudent.errors import CallRefused
from prudent.tools.checking import Checker, item_nodes
from prudent.types import JSON, JSONObject


def places(node: JSONObject, value: JSON) -> list[str]:
    schema: JSONObject = {"type": "object", "properties": {"v": node}}
    return [f"{p.kind} {'/'.join(map(str, p.path))}" for p in Checker(schema).problems({"v": value})]


KEYWORDS: list[tuple[JSONObject, list[JSON], list[JSON]]] = [
    ({"type": "integer"}, [0, -3, 10**30], [True, 1.5, "1", None, [], {}]),
    ({"type": "number"}, [0, 1.5], [False, "1.5", None]),
    ({"type": "string"}, ["", "天"], [1, None, True]),
    ({"type": "boolean"}, [True, False], [0, 1, "true"]),
    ({"type": "null"}, [None], [0, "", False]),
    ({"type": ["integer", "null"]}, [1, None], ["", 1.5]),
    ({"type": "integer", "minimum": 1, "maximum": 5}, [1, 5], [0, 6]),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.5], [0, 1, 1.0]),
    ({"type": "integer", "multipleOf": 5}, [0, 10, -5], [3]),
    ({"type": "number", "multipleOf": 0.1}, [0.3, 1], [0.25]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "天气好"], ["a", "abcd"]),
    ({"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["abd", ""]),
    ({"type": "string", "format": "date"}, ["2031-05-04"], ["1712345678", "tomorrow"]),
    ({"type": "string", "format": "date-time"}, ["2031-05-04T10:00:00Z"], ["1712345678"]),
    ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", True, 2]),
    ({"const": 1}, [1], [True, 2, "1"]),
    ({"const": True}, [True], [1]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3], ["a"]]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, [[1, "a"], [1]], [["a", 1]]),
    ({"type": "array", "items": [{"type": "integer"}]}, [[1, "x"]], [["x"]]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, [{}, {"a": 1}], [{"a": "b"}]),
    ({"type": "object", "additionalProperties": False}, [{}], [{"a": 1}]),
    ({"type": "object", "propertyNames": {"enum": ["a", "b"]}}, [{"a": 1}], [{"c": 1}]),
    ({"type": "object", "minProperties": 1}, [{"a": 1}], [{}]),
    ({"anyOf": [{"type": "integer", "minimum": 5}, {"type": "string"}]}, [5, "a"], [4, None]),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, [1, 1.5], ["a"]),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, [3], [2, "a"]),
    ({}, [1, None, {"a": [1]}], []),
]


@pytest.mark.parametrize(("node", "right", "wrong"), KEYWORDS)
def test_keywords(node: JSONObject, right: list[JSON], wrong: list[JSON]) -> None:
    assert {repr(value): places(node, value) for value in right} == {repr(value): [] for value in right}
    assert [value for value in wrong if not places(node, value)] == []


def test_false_admits_nothing_and_true_anything() -> None:
    assert places({"type": "array", "items": False}, [1]) == ["value v/0"]
    assert places({"type": "array", "items": True}, [1]) == []


def test_places_and_kinds_of_problems() -> None:
    item: JSONObject = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["name", "count"],
    }
    found = places({"type": "array", "items": item}, [{"name": "a", "count": 1}, {"nam": "b", "count": "x"}])
    assert found == ["missing v/1/name", "unknown v/1/nam", "value v/1/count"]


def test_the_alternative_that_is_meant_explains_itself() -> None:
    cat: JSONObject = {
        "type": "object",
        "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
        "required": ["kind"],
    }
    dog: JSONObject = {
        "type": "object",
        "properties": {"kind": {"const": "dog"}, "age": {"type": "integer"}},
        "required": ["kind"],
    }
    assert places({"oneOf": [cat, dog]}, {"kind": "dog", "age": "old"}) == ["value v/age"]
    assert places({"oneOf": [cat, dog]}, {"kind": "cow"}) == ["value v"]
    assert places({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}, [1, "a"]) == ["value v/1"]


def test_a_pattern_of_another_dialect_is_left_to_the_tool() -> None:
    assert places({"type": "string", "pattern": "(?<year>"}, "x") == []
    assert places({"type": "string", "pattern": "^(?!a).*$"}, "abc") == []


def test_a_pattern_cannot_explode() -> None:
    start = time.perf_counter()
    assert places({"type": "string", "pattern": "^(a+)+$"}, "a" * 5000 + "b") == ["value v"]
    assert time.perf_counter() - start < 2


def test_alternatives_inside_alternatives_take_linear_time() -> None:
    branch: JSONObject = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}, "additionalProperties": False}
    root: JSONObject = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/N"}},
        "$defs": {"N": {"anyOf": [branch, {**branch, "required": ["end"]}, {"type": "integer"}]}},
    }
    value: JSON = "wrong"
    for _ in range(40):
        value = {"next": value}
    start = time.perf_counter()
    assert Checker(root).problems({"v": value})
    assert time.perf_counter() - start < 2


def test_too_many_values_are_refused() -> None:
    schema: JSONObject = {"type": "object", "properties": {"v": {"type": "array", "items": {"type": "integer"}}}}
    with pytest.raises(CallRefused, match="too many values"):
        Checker(schema).problems({"v": list(range(250_000))})


def test_at_most_twenty_problems_are_listed() -> None:
    many: list[JSON] = ["a"] * 500
    assert len(places({"type": "array", "items": {"type": "integer"}}, many)) == 20


def test_item_nodes() -> None:
    assert item_nodes({"prefixItems": [{"type": "null"}], "items": {"type": "string"}}, 3) == [
        {"type": "null"},
        {"type": "string"},
        {"type": "string"},
    ]
    assert item_nodes({}, 2) == [{}, {}]
