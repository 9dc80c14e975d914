"""Definitions from JSON in all its forms, and from Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.design.lint.judge import Choice, judge
from prudent.design.lint.reports import as_json, as_markdown, as_sarif
from prudent.design.mending_json import mend_json
from prudent.design.reading import read_definition, read_function, read_json, read_json_file, read_tool
from prudent.errors import ConfigurationError
from prudent.tools.definition import tool

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FORMS: list[tuple[str, Any]] = [
    ("openai", {"type": "function", "function": {"name": "weather", "description": "It.", "parameters": SCHEMA}}),
    ("openai", {"type": "function", "name": "weather", "description": "It.", "parameters": SCHEMA}),
    ("anthropic", {"name": "weather", "description": "It.", "input_schema": SCHEMA}),
    ("mcp", {"name": "weather", "description": "It.", "inputSchema": SCHEMA}),
]
WRAPPERS: list[Callable[[Any], Any]] = [
    lambda one: one,
    lambda one: [one],
    lambda one: {"tools": [one]},
    lambda one: {"server": "x", "tools": [one]},
    lambda one: {"jsonrpc": "2.0", "id": 1, "result": {"tools": [one]}},
    lambda one: [{"functionDeclarations": [one]}],
]


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize(("form", "value"), FORMS)
def test_every_form_is_read_wherever_it_stands(form: str, value: Any, wrap: Any):
    (found,) = read_json(wrap(value))
    assert (found.name, found.description, found.schema, found.form, found.broken) == ("weather", "It.", SCHEMA, form, "")


def test_lines_and_pointers_lead_to_the_definition(tmp_path: Path):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": [FORMS[2][1], {**FORMS[3][1], "name": "other"}]}, indent=1), encoding="utf-8")
    first, second = read_json_file(path)
    assert '"name": "weather"' in path.read_text().splitlines()[first.source.line - 1]
    assert '"name": "other"' in path.read_text().splitlines()[second.source.line - 1]
    assert second.source.pointer == ("tools", 1)


def test_json_lines_are_read(tmp_path: Path):
    path = tmp_path / "tools.jsonl"
    path.write_text("\n".join(json.dumps(value) for _, value in FORMS), encoding="utf-8")
    assert len(read_json_file(path)) == 4


@pytest.mark.parametrize("text", ["", "{", "not json\nat all", "[" * 100_000, "3", "[]", "\x00"])
def test_what_is_no_json_is_told_in_a_sentence(text: str, tmp_path: Path):
    path = tmp_path / "tools.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"tools\.json"):
        read_json_file(path)


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.json", "binary.json"):
        with pytest.raises(ConfigurationError, match=name):
            read_json_file(tmp_path / name)


def test_hints_of_a_server_are_its_effect():
    assert read_definition({"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": True}}).effect == "read"
    assert read_definition({"name": "a", "inputSchema": {}, "annotations": {"destructiveHint": False}}).effect == "write"
    assert read_definition({"name": "a", "inputSchema": {}, "annotations": {}}).effect is None


def plain(city: str) -> str:
    """Get the weather of a city.

    Args:
        city: its name.
    """
    return city


def untyped(city):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]  # what lint has to cope with
    """Get the weather of a city."""
    return city  # pyright: ignore[reportUnknownVariableType]


def test_functions_and_tools_are_read_with_their_lines():
    found = read_function(plain)
    assert (found.name, found.form, found.broken) == ("plain", "function", "")
    assert Path(__file__).read_text(encoding="utf-8").splitlines()[found.source.line - 1].startswith("def plain")
    assert read_function(untyped).broken.startswith("it cannot become a tool: parameter 'city'")  # pyright: ignore[reportUnknownArgumentType]
    made = read_tool(tool(plain, not_when="For a week use `forecast`.", effect="write"))
    assert "forecast" in made.description
    assert made.runs_in_thread


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)
KEYWORDS = st.sampled_from(
    [
        *(
            "type",
            "description",
            "properties",
            "required",
            "enum",
            "items",
            "anyOf",
            "oneOf",
            "allOf",
            "$ref",
            "$defs",
            "default",
        ),
        *(
            "additionalProperties",
            "minimum",
            "maximum",
            "const",
            "not",
            "format",
            "pattern",
            "nullable",
            "unit",
            "limit",
            "date",
        ),
    ]
)
SCHEMAS = st.recursive(
    JSON_VALUES | st.sampled_from(["string", "dict", "object", "array", "#/$defs/a", "#", 5, ["string", "null"]]),
    lambda inner: st.dictionaries(KEYWORDS, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=25,
)
KEYS = st.sampled_from(
    ["name", "description", "parameters", "inputSchema", "function", "tools", "annotations", "examples", "x"]
)


@settings(max_examples=300)
@given(st.dictionaries(KEYS, SCHEMAS, max_size=6))
def test_no_object_whatever_crashes_reading_judging_or_mending(value: dict[str, Any]):
    found = read_json(value)
    verdict = judge("any", found)
    assert all(0 <= one.score <= 100 for one in verdict.tools)
    as_json([verdict])
    as_sarif([verdict], "0")
    as_markdown([verdict])
    mend_json(value, found, Choice())


@given(SCHEMAS)
def test_no_schema_whatever_crashes(schema: Any):
    found = read_definition({"name": "a", "description": "Does it.", "parameters": schema})
    assert 0 <= judge("any", [found]).score <= 100


def test_a_schema_that_refers_to_itself_or_is_very_deep_is_bounded():
    loop: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#"}, "other": {"$ref": "#/properties/other"}}}
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(400):
        deep = {"type": "object", "properties": {"a": deep}}
    wide: dict[str, Any] = {
        "type": "object",
        "properties": {f"p{index}": {"type": "object", "properties": {"q": {}}} for index in range(3000)},
    }
    for schema in (loop, deep, wide):
        assert 0 <= judge("any", [read_definition({"name": "a", "description": "", "parameters": schema})]).score <= 100
