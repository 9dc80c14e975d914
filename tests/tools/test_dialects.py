"""Definitions that some provider refuses, and what becomes of them on the wire."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.messages import ToolSpec
from prudent.models.facts import PROVIDERS
from prudent.models.providers_facts import WIRES
from prudent.tools.acceptance import accept
from prudent.tools.defects import find_defects
from prudent.tools.dialects import DIALECTS, Dialect, dialect_for, is_wire_name, strictest, wire_names
from prudent.tools.mending import mend
from prudent.types import JSON, JSONObject

_FILE = Path(__file__).with_name("strict_schema.py")
_SPEC = importlib.util.spec_from_file_location("strict_schema", _FILE)
assert _SPEC
assert _SPEC.loader
_CHECKER: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_CHECKER)

ALL = {**{dialect.name: dialect for dialect in DIALECTS.values()}, "strictest": strictest()}
SHARED = Path(__file__).parents[2] / "../shared"
OPENAI = DIALECTS["openai"]
GEMINI = DIALECTS["gemini"]


def complaints(spec: ToolSpec, dialect: Dialect, name: str = "") -> list[str]:
    return _CHECKER.complaints(name or spec.name, spec.parameters, dialect.name)


def parameters(**properties: JSON) -> JSONObject:
    return {"type": "object", "properties": properties}


def mended(schema: JSONObject, dialect: Dialect) -> JSONObject:
    return mend(ToolSpec("t", "", schema), dialect).spec.parameters


def test_every_provider_has_a_row() -> None:
    assert set(PROVIDERS) <= set(DIALECTS)
    assert {wire.name for wire in WIRES.values()} - {"gateway"} <= set(DIALECTS)


@pytest.mark.parametrize(
    ("provider", "model", "name"),
    [
        ("openai", "gpt-4.1", "common"),
        ("openrouter", "google/gemini-2.5-flash", "gemini"),
        ("openrouter", "anthropic/claude-sonnet-4.5", "anthropic"),
        ("openrouter", "moonshotai/kimi-k2", "moonshot"),
        ("google", "gemini-2.5-flash", "google"),
        ("nobody", "x", "common"),
        ("openai-compatible", "gemini-2.0-flash", "gemini"),
    ],
)
def test_a_model_that_is_resold_keeps_its_own_ways(provider: str, model: str, name: str) -> None:
    assert dialect_for(provider, model).name == name


def test_what_is_right_stays_the_same_object() -> None:
    spec = ToolSpec("t", "", parameters(city={"type": "string", "default": "Oslo"}))
    for dialect in (OPENAI, DIALECTS["anthropic"], DIALECTS["moonshot"], DIALECTS["ollama"]):
        assert mend(spec, dialect).spec is spec


BAD: dict[str, tuple[JSONObject, str]] = {
    "dict": ({"type": "dict", "properties": {"a": {"type": "float"}}}, "root-type"),
    "any": (parameters(a={"type": "any"}), "unknown-type"),
    "no items": (parameters(a={"type": "array"}), "no-items"),
    "default": (parameters(a={"type": "integer", "default": "None"}), "default"),
    "default beside enum": (parameters(a={"type": "string", "enum": ["x"], "default": "y"}), "default"),
    "required": ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]}, "required"),
    "required alone": ({"type": "object", "required": ["a"]}, "required"),
    "optional": (parameters(a={"type": "string", "optional": True}), "keyword"),
    "root union": (
        {"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]},
        "root-alternatives",
    ),
    "enum type": (parameters(a={"type": "string", "enum": [1, 2]}), "enum-type"),
    "empty enum": (parameters(a={"type": "string", "enum": []}), "enum-empty"),
    "no reference": (parameters(a={"$ref": "#/$defs/Gone"}), "reference"),
    "no schema": (parameters(a=True), "not-a-schema"),
}


@pytest.mark.parametrize(("schema", "code"), BAD.values(), ids=BAD)
def test_what_everybody_refuses_is_found_and_mended(schema: JSONObject, code: str) -> None:
    assert code in [defect.code for defect in find_defects(schema, OPENAI)]
    for dialect in ALL.values():
        assert complaints(mend(ToolSpec("t", "", schema), dialect).spec, dialect) == []


def test_other_words_for_types_are_understood() -> None:
    schema: JSONObject = {
        "type": "dict",
        "properties": {
            "a": {"type": "float"},
            "b": {"type": "ArrayList", "items": {"type": "String"}},
            "c": {"type": "HashMap"},
            "d": {"type": "any", "description": "whatever"},
        },
        "required": ["a"],
    }
    assert mended(schema, OPENAI) == {
        "type": "object",
        "properties": {
            "a": {"type": "number"},
            "b": {"type": "array", "items": {"type": "string"}},
            "c": {"type": "object"},
            "d": {"description": "whatever"},
        },
        "required": ["a"],
    }


def test_references_are_written_out_and_a_circle_ends() -> None:
    schema = parameters(tree={"$ref": "#/$defs/Node", "description": "the tree"})
    schema["$defs"] = {"Node": {**parameters(kids={"type": "array", "items": {"$ref": "#/$defs/Node"}}), "title": "Node"}}
    written = mended(schema, DIALECTS["vllm"])
    assert "$ref" not in json.dumps(written)
    assert written["properties"] == {
        "tree": {
            "type": "object",
            "title": "Node",
            "description": "the tree",
            "properties": {"kids": {"type": "array", "items": {"type": "object"}}},
        }
    }


def test_null_is_left_out_where_it_is_no_type_and_comes_back() -> None:
    schema = parameters(
        a={"anyOf": [{"type": "string"}, {"type": "null"}], "description": "the a"}, b={"type": ["integer", "null"]}
    )
    schema["required"] = ["a", "b"]
    done = mend(ToolSpec("t", "", schema), GEMINI)
    assert done.spec.parameters == parameters(a={"type": "string", "description": "the a"}, b={"type": "integer"})
    assert done.reading.back({"a": "x"}) == {"a": "x", "b": None}
    assert done.reading.forth({"a": "x", "b": None}) == {"a": "x"}


def test_an_open_object_is_written_as_text_where_it_has_to_be() -> None:
    done = mend(ToolSpec("t", "", parameters(filter={"type": "object", "description": "What to keep."})), GEMINI)
    assert done.spec.parameters["properties"] == {
        "filter": {"type": "string", "description": "What to keep. Written as the text of a JSON object."}
    }
    assert done.reading.back({"filter": '{"a": 1}'}) == {"filter": {"a": 1}}
    assert done.reading.back({"filter": "no object"}) == {"filter": "no object"}
    assert done.reading.forth({"filter": {"a": 1}}) == {"filter": '{"a":1}'}


def test_numbers_of_an_enumeration_come_back_as_numbers() -> None:
    done = mend(ToolSpec("t", "", parameters(size={"type": "integer", "enum": [1, 2, 2]})), GEMINI)
    assert done.spec.parameters["properties"] == {"size": {"type": "string", "enum": ["1", "2"]}}
    assert done.reading.back({"size": "2"}) == {"size": 2}
    assert done.reading.forth({"size": 2}) == {"size": "2"}


def test_names_of_parameters_come_back() -> None:
    named: dict[str, JSON] = {"filter[id]": {"type": "string"}, "filter_id": {"type": "string"}, "$top": {"type": "integer"}}
    schema = parameters(**named)
    schema["required"] = ["filter[id]"]
    done = mend(ToolSpec("t", "", schema), DIALECTS["anthropic"])
    assert list(done.spec.parameters["properties"]) == ["filter_id_2", "filter_id", "top"]  # pyright: ignore[reportArgumentType] # JSON
    assert done.spec.parameters["required"] == ["filter_id_2"]
    assert done.reading.back({"filter_id_2": "a", "filter_id": "b", "top": 3}) == {
        "filter[id]": "a",
        "filter_id": "b",
        "$top": 3,
    }


def test_nothing_to_say_is_a_filler_where_it_has_to_be() -> None:
    done = mend(ToolSpec("t", "", parameters()), GEMINI)
    assert complaints(done.spec, GEMINI) == []
    assert done.reading.back({"no_arguments": True}) == {}


def test_alternatives_at_the_root_become_one_object() -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"type": "integer"}}}],
        "required": [],
    }
    assert mended(schema, OPENAI) == parameters(a={"type": "string"}, b={"type": "integer"})


def test_a_type_goes_into_the_alternatives() -> None:
    schema = parameters(a={"type": "string", "anyOf": [{"pattern": "^a$"}, {"pattern": "^b$"}], "description": "d"})
    assert mended(schema, DIALECTS["moonshot"]) == parameters(
        a={"anyOf": [{"pattern": "^a$", "type": "string"}, {"pattern": "^b$", "type": "string"}], "description": "d"}
    )


def test_what_a_grammar_cannot_hold_is_said_in_words() -> None:
    schema = parameters(a={"type": "string", "pattern": "^\\d+$", "maxLength": 65536, "description": "A number."})
    assert mended(schema, DIALECTS["llamacpp"]) == parameters(a={"type": "string", "description": "A number. Pattern: ^\\d+$."})


def test_names_of_tools_are_unique_and_stable() -> None:
    long = "get_" + "very_" * 20 + "long"
    names = ["a.b", "a_b", "a b", "21st", long, long + "2", "天气", "-x", "ok"]
    wire = wire_names(names)
    assert all(map(is_wire_name, wire.values()))
    assert len(set(wire.values())) == len(names)
    assert (wire["a_b"], wire["ok"], wire["21st"]) == ("a_b", "ok", "t_21st")
    assert wire == wire_names(names)
    assert wire_names(["math.sum"]) == {"math.sum": "math_sum"}


_SCALARS = st.sampled_from(
    ["string", "integer", "number", "boolean", "null", "dict", "any", "float", "Array", "object", "array"]
)
_LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": _SCALARS | st.lists(_SCALARS, min_size=1, max_size=2),
        "enum": st.lists(st.integers(0, 3) | st.sampled_from(["a", "", "b"]) | st.none(), max_size=3),
        "default": st.none() | st.integers() | st.text(max_size=2),
        "const": st.integers(0, 2),
        "description": st.text(max_size=3),
        "$ref": st.sampled_from(["#/$defs/A", "#/$defs/B", "#/nowhere"]),
        "optional": st.booleans(),
        "pattern": st.sampled_from(["^a$", "\\d", "(?=a)"]),
        "maxLength": st.sampled_from([3, 70_000]),
    },
)


def _wider(nodes: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(["a", "b", "c d", "$x"]), nodes | st.booleans(), max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string"]),
            "properties": named,
            "required": st.lists(st.sampled_from(["a", "b", "z"]), max_size=2),
            "items": nodes | st.lists(nodes, max_size=2),
            "anyOf": st.lists(nodes, max_size=3),
            "oneOf": st.lists(nodes, min_size=1, max_size=2),
            "allOf": st.lists(nodes, max_size=2),
            "additionalProperties": nodes | st.booleans(),
            "prefixItems": st.lists(nodes, max_size=2),
        },
    )


_NODES = st.recursive(_LEAVES, _wider, max_leaves=8)


@settings(max_examples=60)
@given(
    root=_wider(_NODES),
    definitions=st.fixed_dictionaries({"A": _NODES, "B": _NODES}),
    name=st.sampled_from(sorted(ALL)),
)
def test_whatever_comes_becomes_acceptable(root: JSONObject, definitions: JSONObject, name: str) -> None:
    done = mend(ToolSpec("t", "", {**root, "$defs": definitions}), ALL[name])
    assert complaints(done.spec, ALL[name]) == []
    assert list(find_defects(done.spec.parameters, ALL[name])) == []
    assert mend(done.spec, ALL[name]).spec is done.spec


@pytest.mark.shared
@pytest.mark.parametrize("name", sorted(ALL))
def test_every_published_definition_becomes_acceptable(name: str) -> None:
    if not SHARED.exists():
        pytest.skip("the folder ../shared is not here")
    dialect = ALL[name]
    specs = list(_published())
    wire = wire_names([spec.name for spec in specs])
    refused = [spec.name for spec in specs if complaints(spec, dialect, wire[spec.name])]
    assert len(specs) > 3500
    assert len(refused) > 3000, "the checker would find something"
    for spec in specs:
        done = mend(spec, dialect)
        assert complaints(done.spec, dialect, wire[spec.name]) == [], spec.name
        accepted = accept(spec.parameters, None, {})
        assert isinstance(done.reading.back(done.reading.forth(accepted.arguments)), dict)


def _published() -> Any:
    for file in sorted((SHARED / "mcp_tools").glob("*.json")):
        for tool in json.loads(file.read_text())["tools"]:
            yield ToolSpec(tool["name"], tool.get("description", ""), tool["inputSchema"])
    for tool in json.loads((SHARED / "bfcl_tools.json").read_text()):
        yield ToolSpec(tool["name"], tool["description"], tool["parameters"])
