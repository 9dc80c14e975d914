from __future__ import annotations

import json

from prudent.tools.checking import Checker
from prudent.tools.inlining import wire_schema
from prudent.types import JSON, JSONObject


def test_references_are_written_out_and_titles_go() -> None:
    schema: JSONObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Arguments",
        "type": "object",
        "$defs": {"Item": {"title": "Item", "type": "object", "properties": {"title": {"title": "Title", "type": "string"}}}},
        "properties": {
            "first": {"$ref": "#/$defs/Item", "description": "the first"},
            "all": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
    }
    item: JSONObject = {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False}
    assert wire_schema(schema) == {
        "type": "object",
        "properties": {"first": {**item, "description": "the first"}, "all": {"type": "array", "items": item}},
        "additionalProperties": False,
    }


def test_a_type_that_contains_itself_keeps_its_definition() -> None:
    node: JSONObject = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["name"],
    }
    written = wire_schema({"type": "object", "properties": {"tree": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})
    assert written["$defs"] == {"Node": {**node, "additionalProperties": False}}
    tree: JSON = {"tree": {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}]}}
    assert Checker(written).problems(tree) == []
    wrong: JSON = {"tree": {"name": "a", "kids": [{"name": "b", "kids": [{"name": 3}]}]}}
    assert [problem.path for problem in Checker(written).problems(wrong)] == [("tree", "kids", 0, "kids", 0, "name")]


def test_two_types_that_contain_each_other() -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/definitions/B"}}},
            "B": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}, "n": {"type": "integer"}}},
        },
    }
    written = wire_schema(schema)
    assert Checker(written).problems({"a": {"b": {"a": {"b": {"n": 1}}}}}) == []
    assert len(Checker(written).problems({"a": {"b": {"a": {"b": {"n": "x"}}}}})) == 1


def test_what_would_grow_beyond_measure_keeps_its_references() -> None:
    definitions: JSONObject = {
        f"L{level}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/L{level + 1}"} for name in "abcd"},
        }
        for level in range(9)
    }
    definitions["L9"] = {"type": "integer"}
    written = wire_schema({"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": definitions})
    assert len(json.dumps(written)) < 5_000
    assert Checker(written).problems({"x": {"a": {"d": {}}}}) == []
    assert [problem.kind for problem in Checker(written).problems({"x": {"a": {"e": {}}}})] == ["unknown"]


def test_objects_are_closed_unless_they_say_otherwise() -> None:
    written = wire_schema(
        {
            "type": "object",
            "properties": {
                "free": {"type": "object"},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}},
                "open": {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
                "listed": {"type": "object", "properties": {"a": {}}},
            },
        }
    )
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert properties["free"] == {"type": "object"}
    assert properties["map"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert properties["open"] == {"type": "object", "properties": {"a": {}}, "additionalProperties": True}
    assert properties["listed"] == {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    assert written["additionalProperties"] is False


def test_the_order_does_not_depend_on_how_it_was_written() -> None:
    one = wire_schema(
        {"properties": {"a": {"minimum": 1, "type": "integer", "default": 2, "description": "d"}}, "type": "object"}
    )
    two = wire_schema(
        {"type": "object", "properties": {"a": {"description": "d", "default": 2, "type": "integer", "minimum": 1}}}
    )
    assert json.dumps(one) == json.dumps(two)
    assert json.dumps(one).index("type") < json.dumps(one).index("description") < json.dumps(one).index("default")


def test_a_lone_all_of_is_merged_and_a_default_that_json_cannot_say_goes() -> None:
    written = wire_schema(
        {
            "type": "object",
            "properties": {"a": {"allOf": [{"$ref": "#/$defs/N"}], "description": "d", "default": float("inf")}},
            "$defs": {"N": {"type": "number", "description": "general"}},
        }
    )
    assert written["properties"] == {"a": {"type": "number", "description": "d"}}


def test_a_schema_without_anything_is_an_object_without_properties() -> None:
    assert wire_schema({}) == {"type": "object", "properties": {}}
