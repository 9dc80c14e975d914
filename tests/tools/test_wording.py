from __future__ import annotations

import pytest

from prudent.tools.wording import in_words, quote
from prudent.types import JSONObject


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, "a whole number from 1 to 5"),
        ({"type": "number", "minimum": 0}, "a number of at least 0"),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "a number above 0, below 1"),
        ({"type": "integer", "multipleOf": 5}, "a whole number divisible by 5"),
        ({"type": "string"}, "a string"),
        ({"type": "string", "maxLength": 3}, "a string of at most 3 characters"),
        ({"type": "string", "minLength": 2, "maxLength": 2}, "a string of exactly 2 characters"),
        ({"type": "string", "pattern": "^a"}, 'a string matching "^a"'),
        ({"type": "string", "format": "date"}, "a date YYYY-MM-DD"),
        ({"enum": ["low", "high"]}, 'one of "low", "high"'),
        ({"const": 3}, "3"),
        ({"type": "boolean"}, "true or false"),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
            "a list of 1 to 3 items, each a whole number",
        ),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]},
            "an object with a, b (optional)",
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "a whole number or null"),
        ({"type": ["string", "null"]}, "null or a string"),
        ({}, "any value"),
        ({"enum": []}, "nothing"),
    ],
)
def test_in_words(node: JSONObject, words: str) -> None:
    assert in_words({}, node) == words


def test_long_lists_and_deep_schemas_are_cut() -> None:
    assert in_words({}, {"enum": list(range(50))}).endswith("18, 19 and 30 more")
    root: JSONObject = {"$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}}
    assert in_words(root, {"$ref": "#/$defs/L"}) == "a list, each a list, each a list, each a list, each a value"


def test_quoting_is_cut_and_keeps_chinese() -> None:
    assert quote("天气") == '"天气"'
    assert quote("x" * 300) == '"' + "x" * 199 + "… (302 characters)"
