"""Mending sources: what is mechanical is written, everything else stays as it was."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prudent.design.lint.judge import Choice, judge
from prudent.design.mending import mend_source
from prudent.design.mending_json import mend_json
from prudent.design.reading import read_function, read_json, read_tool
from prudent.design.sheet import Definition
from prudent.tools.definition import Tool

SOURCE = '''\
from typing import Annotated, Literal
from pydantic import Field
from prudent import tool

#   a comment that   stays
@tool
def weather(city: str, unit: Literal["c", "f"] = "c", days: Annotated[int, Field(ge=1, le=7)] = 3) -> str:
    """Get the forecast of a city.   # odd spacing stays

    Args:
        city: The city's name.
        unit: Of the temperature.
        days: How many days to look
            ahead.

    Returns:
        unit: something else.
    """
    return f"{city} {unit} {days}"  # kept


@tool(
    effect="read",  # it only looks
    when="下单前查询库存。"  # last
)
def stock(量: Annotated[int, Field(description="需要的件数。", ge=1, le=99)] = 1, level: Literal["l", "m", "h"] = "m") -> str:
    """查询仓库中某个商品的库存数量。

    Args:
        level: 查询的优先级。"""
    return level


@tool(effect="read", examples=[{"unit": "f"}])
async def degrees(unit: Literal["c", "f"]) -> str:
    """Say the unit.

    Args:
        unit: Of the temperature; 'c' for celsius, 'f' for fahrenheit.
    """
    return unit
'''


def load(text: str, folder: Path, name: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def definitions(module: ModuleType) -> list[Definition]:
    return [read_tool(value) for value in vars(module).values() if isinstance(value, Tool)]


def test_spellings_defaults_and_ranges_are_written_and_nothing_else(tmp_path: Path):
    mended = mend_source(SOURCE, definitions(load(SOURCE, tmp_path, "before")), Choice())
    changed = [(old, new) for old, new in zip(SOURCE.splitlines(), mended.splitlines(), strict=False) if old != new]
    assert changed[:3] == [
        ("@tool", '@tool(enum_values={"celsius": "c", "fahrenheit": "f"})'),
        ("        unit: Of the temperature.", "        unit: Of the temperature; celsius when left out."),
        ("            ahead.", "            ahead; 1 to 7; 3 when left out."),
    ]
    assert (
        '    effect="read",  # it only looks\n    when="下单前查询库存。",  # last\n'
        '    enum_values={"low": "l", "medium": "m", "high": "h"},\n)\n'
    ) in mended
    assert 'description="需要的件数；1 到 99；不填时为 1。"' in mended
    assert '        level: 查询的优先级；不填时为 medium。"""' in mended
    assert "        unit: something else.\n" in mended
    assert mended.endswith(SOURCE[SOURCE.index("async def degrees") :])


def test_the_mended_file_works_and_needs_no_further_mending(tmp_path: Path):
    mended = mend_source(SOURCE, definitions(load(SOURCE, tmp_path, "first")), Choice())
    again = definitions(load(mended, tmp_path, "second"))
    assert mend_source(mended, again, Choice()) == mended
    found = {finding.code for finding in judge("", again).all_findings}
    assert not found & {"E301", "P208"}


def test_only_chosen_rules_are_mended(tmp_path: Path):
    found = definitions(load(SOURCE, tmp_path, "chosen"))
    assert "enum_values" not in mend_source(SOURCE, found, Choice(select=("parameters",)))
    assert "left out" not in mend_source(SOURCE, found, Choice(ignore=("P208",)))


def test_a_plain_function_gets_words_and_no_decorator(tmp_path: Path):
    source = SOURCE.replace("@tool\n", "")
    module = load(source, tmp_path, "plain")
    mended = mend_source(source, [read_function(module.weather)], Choice())
    assert "c when left out" in mended
    assert "celsius when" not in mended


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_and_tabs_stay(ending: str, tmp_path: Path):
    source = SOURCE.replace("    ", "\t").replace("\n", ending)
    (tmp_path / "ends.py").write_bytes(source.encode())
    spec = importlib.util.spec_from_file_location("ends", tmp_path / "ends.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    mended = mend_source(source, definitions(module), Choice())
    assert mended != source
    assert mended.count("\n") == mended.count(ending)
    ast.parse(mended)


def test_a_file_that_cannot_be_read_stays(tmp_path: Path):
    found = definitions(load(SOURCE, tmp_path, "whole"))
    assert mend_source("def broken(:", found, Choice()) == "def broken(:"


def test_json_gets_types_meanings_defaults_and_an_honest_required():
    document: Any = {
        "tools": [
            {
                "name": "a",
                "description": "…",
                "inputSchema": {
                    "type": "dict",
                    "properties": {
                        "unit": {"type": "String", "enum": ["c", "f"], "description": "Of the temperature.", "default": "c"},
                        "days": {"type": "array", "items": {"type": "float"}, "description": "Day by day."},
                    },
                    "required": ["unit", "gone"],
                },
            }
        ]
    }
    before = json.dumps(document)
    mended: Any = mend_json(document, read_json(document), Choice())
    assert json.dumps(document) == before
    schema = mended["tools"][0]["inputSchema"]
    assert schema == {
        "type": "object",
        "properties": {
            "unit": {
                "type": "string",
                "enum": ["c", "f"],
                "description": "Of the temperature; c: celsius; f: fahrenheit.",
                "default": "c",
            },
            "days": {"type": "array", "items": {"type": "number"}, "description": "Day by day."},
        },
        "required": ["unit"],
    }
