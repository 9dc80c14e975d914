from __future__ import annotations

import pytest

from prudent.tools.nodes import admits, follow, is_closed, kind_of, kinds, look_up
from prudent.types import JSON, JSONObject

ROOT: JSONObject = {
    "$defs": {
        "A": {"type": "integer"},
        "a/b": {"type": "null"},
        "loop": {"$ref": "#/$defs/loop"},
        "list": [{"type": "boolean"}],
    },
}


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("#/$defs/A", {"type": "integer"}),
        ("#/$defs/a~1b", {"type": "null"}),
        ("#/$defs/list/0", {"type": "boolean"}),
        ("#/$defs/missing", True),
        ("https://example.org/schema#/A", True),
        ("#", ROOT),
    ],
)
def test_look_up(reference: str, expected: JSON) -> None:
    assert look_up(ROOT, reference) == expected


def test_what_stands_beside_a_reference_wins() -> None:
    assert follow(ROOT, {"$ref": "#/$defs/A", "description": "d"}) == {"type": "integer", "description": "d"}


def test_a_reference_to_itself_ends() -> None:
    assert follow(ROOT, {"$ref": "#/$defs/loop"}) == {}
    assert kinds({}, {"anyOf": [{"$ref": "#"}]}) == frozenset()


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["integer", "null"]}, {"integer", "null"}),
        ({"type": "dict"}, {"object"}),
        ({"type": "float"}, {"number"}),
        ({"type": "any"}, set[str]()),
        ({"enum": ["a", 1, True]}, {"string", "integer", "boolean"}),
        ({"const": None}, {"null"}),
        ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}, {"string", "integer"}),
        ({"oneOf": [{"type": "string"}, {}]}, set[str]()),
        ({"allOf": [{"description": "d"}, {"type": "array"}]}, {"array"}),
        ({"properties": {}}, {"object"}),
        ({}, set[str]()),
    ],
)
def test_kinds(node: JSONObject, expected: set[str]) -> None:
    assert kinds(ROOT, node) == expected


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "null"), (True, "boolean"), (1, "integer"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_kind_of(value: JSON, kind: str) -> None:
    assert kind_of(value) == kind


def test_a_whole_number_is_a_number_but_not_the_other_way() -> None:
    assert admits(frozenset({"number"}), "integer")
    assert not admits(frozenset({"integer"}), "number")
    assert admits(frozenset(), "boolean")


def test_closed_objects() -> None:
    assert is_closed({"properties": {"a": {}}})
    assert is_closed({"additionalProperties": False})
    assert not is_closed({"properties": {"a": {}}, "additionalProperties": True})
    assert not is_closed({"properties": {"a": {}}, "patternProperties": {}})
    assert not is_closed({"type": "object"})
