"""Each rule has its page, and what the page calls bad and good is what the rule finds and does not find."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from prudent.design.lint.judge import FAMILIES, RULES, judge
from prudent.design.reading import read_json, read_tool
from prudent.design.sheet import Definition
from prudent.tools.definition import Tool

PAGES = Path(__file__).parents[3] / "docs" / "lint"
_BLOCK = re.compile(r"## (Bad|Good)\n\n```(json|python)\n(.*?)\n```", re.DOTALL)


def blocks(code: str) -> dict[str, tuple[str, str]]:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return {title: (language, body) for title, language, body in _BLOCK.findall(text)}


def definitions(language: str, body: str, folder: Path, name: str) -> list[Definition]:
    if language == "json":
        return read_json(json.loads(body))
    path = folder / f"{name}.py"
    path.write_text(body, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [read_tool(value) for value in vars(module).values() if isinstance(value, Tool)]


def codes(found: list[Definition]) -> set[str]:
    return {finding.code for finding in judge("", found).all_findings}


@pytest.mark.parametrize("code", RULES)
def test_each_rule_has_its_page_and_keeps_its_word(code: str, tmp_path: Path):
    found = blocks(code)
    assert code in codes(definitions(*found["Bad"], tmp_path, f"bad_{code}"))
    assert code not in codes(definitions(*found["Good"], tmp_path, f"good_{code}"))


@pytest.mark.parametrize("code", RULES)
def test_each_page_says_what_and_why(code: str):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {RULES[code].title}\n")
    assert f"Family {FAMILIES[code[0]]}, {RULES[code].level}." in text
    assert "## Why" in text


def test_each_page_has_its_rule_and_stands_in_the_index():
    pages = {page.stem for page in PAGES.glob("*.md")} - {"index"}
    assert pages == set(RULES)
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"[{code}]({code}.md)" in index for code in RULES)
