from __future__ import annotations

import time

import pytest

from prudent.errors import CallRefused
from prudent.tools.decoding import read_object
from prudent.tools.fitting import Fitter, written
from prudent.types import JSON, JSONObject

ITEM: JSONObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}},
    "required": ["name"],
}


def fit(node: JSONObject, text: str) -> tuple[JSON, list[str]]:
    fitter = Fitter({"type": "object", "properties": {"v": node}}, "everywhere")
    fitted = fitter.fit(read_object(f'{{"v": {text}}}')[0])
    return fitted["v"], fitter.repairs


@pytest.mark.parametrize(
    ("node", "text", "value"),
    [
        ({"type": "integer"}, '"3"', 3),
        ({"type": "integer"}, '" -12 "', -12),
        ({"type": "integer"}, "3.0", 3),
        ({"type": "integer"}, '"3.0"', 3),
        ({"type": "integer"}, '"1e3"', 1000),
        ({"type": "number"}, '"3.5"', 3.5),
        ({"type": "boolean"}, '"true"', True),
        ({"type": "boolean"}, '"False"', False),
        ({"type": ["integer", "null"]}, '"null"', None),
        ({"type": "string"}, "12", "12"),
        ({"type": "string"}, "3.10", "3.10"),
        ({"type": "string"}, "1e5", "1e5"),
        ({"enum": ["1", "2"]}, "1", "1"),
        ({"enum": [1, 2]}, '"2"', 2),
        ({"type": "array", "items": {"type": "integer"}}, '"[1, \\"2\\"]"', [1, 2]),
        ({"type": "array", "items": {"type": "string"}}, '"[\\"a.png\\",]"', ["a.png"]),
        (ITEM, '"{\\"name\\": \\"cup\\"}"', {"name": "cup", "count": 1}),
        ({"anyOf": [ITEM, {"type": "null"}]}, '"{\\"name\\": 7}"', {"name": "7", "count": 1}),
        ({"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "null"}]}, '["1.5"]', [1.5]),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, '"3"', 3),
    ],
)
def test_lossless_repairs_are_made_and_noted(node: JSONObject, text: str, value: JSON) -> None:
    fitted, repairs = fit(node, text)
    assert (fitted, type(fitted)) == (value, type(value))
    assert repairs
    assert all(repair.startswith("v") for repair in repairs)


@pytest.mark.parametrize(
    ("node", "text", "value"),
    [
        ({"type": "integer"}, "3.7", 3.7),
        ({"type": "integer"}, '"3.7"', "3.7"),
        ({"type": "integer"}, '"three"', "three"),
        ({"type": "integer"}, '"0x10"', "0x10"),
        ({"type": "integer"}, '"1_000"', "1_000"),
        ({"type": "integer"}, '"٣"', "٣"),
        ({"type": "integer"}, "true", True),
        ({"type": "integer"}, '""', ""),
        ({"type": "number"}, '"NaN"', "NaN"),
        ({"type": "number"}, '"inf"', "inf"),
        ({"type": "number"}, '"1e999"', "1e999"),
        ({"type": "number"}, '"' + "9" * 500 + '"', "9" * 500),
        ({"type": "boolean"}, '"yes"', "yes"),
        ({"type": "boolean"}, "1", 1),
        ({"type": "string"}, "true", True),
        ({"type": "string"}, "null", None),
        ({"type": "string"}, '["a"]', ["a"]),
        ({"type": "array"}, '"a, b"', "a, b"),
        ({"type": "array"}, '"{}"', "{}"),
        ({"type": "object"}, '"[1]"', "[1]"),
        ({"type": "array"}, '"[1, 2"', "[1, 2"),
        ({"type": ["string", "array"]}, '"[1]"', "[1]"),
        ({}, '"[1]"', "[1]"),
        ({}, "3.0", 3.0),
    ],
)
def test_what_would_be_a_guess_is_left_alone(node: JSONObject, text: str, value: JSON) -> None:
    fitted, repairs = fit(node, text)
    assert (fitted, type(fitted)) == (value, type(value))
    assert repairs == []


def test_equal_numbers_are_made_to_look_equal() -> None:
    assert fit({"type": "number"}, "60.0") == (60, [])
    assert type(fit({"type": "number"}, "60.0")[0]) is int
    assert fit({"type": "number"}, "1e300") == (1e300, [])


def test_keys_come_in_the_schemas_order_and_defaults_are_filled_in() -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "array", "default": []}, "c": ITEM},
    }
    arguments: JSONObject = {"z": 1, "c": {"name": "x"}, "a": 1}
    everywhere = Fitter(schema, "everywhere").fit(arguments)
    assert list(everywhere) == ["a", "b", "c", "z"]
    assert everywhere["c"] == {"name": "x", "count": 1}
    assert Fitter(schema, "parameters").fit(arguments) == {"a": 1, "b": [], "c": {"name": "x"}, "z": 1}
    assert Fitter(schema, "none").fit(arguments) == arguments
    filled = everywhere["b"]
    assert isinstance(filled, list)
    filled.append(1)
    assert Fitter(schema, "everywhere").fit(arguments)["b"] == []


def test_the_arguments_that_came_are_not_changed() -> None:
    arguments: JSONObject = {"v": [{"name": "a", "count": "2"}]}
    schema: JSONObject = {"type": "object", "properties": {"v": {"type": "array", "items": ITEM}}}
    assert Fitter(schema, "everywhere").fit(arguments) == {"v": [{"name": "a", "count": 2}]}
    assert arguments == {"v": [{"name": "a", "count": "2"}]}


def test_an_alternative_that_fits_as_it_is_comes_first() -> None:
    node: JSONObject = {
        "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "string"}}]
    }
    assert fit(node, '["1"]') == (["1"], [])
    assert fit(node, "[1.0]")[0] == [1]


def test_repairs_say_where_and_are_not_endless() -> None:
    schema: JSONObject = {"type": "object", "properties": {"v": {"type": "array", "items": ITEM}}}
    fitter = Fitter(schema, "everywhere")
    items: list[JSON] = [{"name": "a", "count": "2"}] * 50
    fitter.fit({"v": items})
    assert fitter.repairs[0] == "v[0].count: string read as a number"
    assert len(fitter.repairs) == 20


def test_too_deep_is_refused() -> None:
    deep: JSON = 1
    for _ in range(100):
        deep = {"n": deep}
    recursive: JSONObject = {"type": "object", "properties": {"n": {"$ref": "#"}}}
    for schema in ({"type": "object"}, recursive):
        with pytest.raises(CallRefused, match="nested deeper"):
            Fitter(schema, "everywhere").fit({"n": deep})


def test_attempts_inside_attempts_do_not_multiply() -> None:
    branch: JSONObject = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    root: JSONObject = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/N"}},
        "$defs": {"N": {"anyOf": [{**branch, "required": ["x"]}, {**branch, "required": ["y"]}, {"type": "integer"}]}},
    }
    value: JSON = "3"
    for _ in range(50):
        value = {"next": value}
    start = time.process_time()
    Fitter(root, "everywhere").fit({"v": value})
    assert time.process_time() - start < 2


def test_written() -> None:
    assert written(("order", "items", 1, "count")) == "order.items[1].count"
    assert written(()) == ""
