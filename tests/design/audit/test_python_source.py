"""Definitions as Python: what is pasted makes the same definition again; whatever comes, it is Python."""

from __future__ import annotations

import runpy
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.design.audit.kit import spec

from prudent.design.audit.merge import merge
from prudent.design.audit.python_source import python_source
from prudent.messages import ToolSpec
from prudent.tools.definition import Tool
from prudent.tools.nodes import as_object
from prudent.types import JSON

RICH = spec(
    "list_orders",
    "List orders, newest first.",
    ["customer", "status"],
    customer={"type": "string", "description": 'Such as "C-77"; see C:\\orders.'},
    status={"enum": ["open", "closed"], "type": "string"},
    limit={"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
    tags={"type": "array", "items": {"type": "string"}},
    exact={"type": "boolean", "default": False},
)


def made(source: str, folder: Path) -> Tool:
    """Run the source as a module and give the tool it defines."""
    path = folder / "pasted.py"
    path.write_text(source, encoding="utf-8")
    (found,) = (value for value in runpy.run_path(str(path)).values() if isinstance(value, Tool))
    return found


def test_what_is_pasted_makes_the_definition_again(tmp_path: Path):
    tool = made(python_source(RICH, effect="read", body="todo"), tmp_path)
    again = tool.describe(())
    assert (again.name, again.description, tool.effect) == (RICH.name, RICH.description, "read")
    assert again.parameters["required"] == ["customer", "status"]
    properties = as_object(again.parameters["properties"])
    assert [*properties] == ["customer", "status", "limit", "tags", "exact"]
    for name in ("customer", "status", "limit", "exact"):
        assert properties[name] == as_object(RICH.parameters["properties"])[name]


def test_it_reads_as_somebody_would_write_it():
    assert python_source(spec("add", "Add two numbers.", ["a"], a={"type": "number", "description": "The first."})) == (
        "from prudent import tool\n\n\n@tool\ndef add(a: float) -> str:\n"
        '    """Add two numbers.\n\n    Args:\n        a: The first.\n    """\n'
        '    raise NotImplementedError("it has to be written")\n'
    )


def test_names_that_are_no_python_are_made_so(tmp_path: Path):
    tool = made(
        python_source(spec("web-search", "Search.", ["class", "from"], **{"class": "", "from": "", "a b": ""})), tmp_path
    )
    assert tool.name == "web-search"
    assert [*as_object(tool.parameters["properties"])] == ["class_", "from_", "a_b"]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYWORDS = st.sampled_from(["type", "enum", "items", "anyOf", "default", "description", "minimum", "maxLength", "properties"])
NODES: st.SearchStrategy[JSON] = st.recursive(
    LEAVES | st.sampled_from(["string", "integer", "array", "object", "null", "any"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=12,
)


def _spec(name: str, text: str, properties: dict[str, JSON], required: list[str]) -> ToolSpec:
    return ToolSpec(name, text, {"type": "object", "properties": properties, "required": [*required]})


SPECS = st.builds(
    _spec,
    st.text(max_size=12),
    st.text(max_size=60),
    st.dictionaries(st.text(max_size=6), NODES, max_size=4),
    st.lists(st.text(max_size=6), max_size=3),
)


@given(SPECS)
def test_whatever_the_definition_it_is_python(found: ToolSpec):
    compile(python_source(found), "pasted.py", "exec")


@given(st.lists(SPECS, min_size=2, max_size=3))
def test_whatever_is_merged_it_is_python(found: list[ToolSpec]):
    merged = merge(found)
    compile(python_source(merged.spec), "pasted.py", "exec")
    known = as_object(merged.spec.parameters["properties"])
    for own in merged.names.values():
        assert set(own.values()) <= set(known)
        assert len(set(own.values())) == len(own)
