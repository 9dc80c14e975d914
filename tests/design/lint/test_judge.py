"""Scores, choices and levels; both languages; and the bundled toolkits hold themselves to the rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from prudent.design.lint.judge import FAMILIES, RULES, Choice, judge, worst
from prudent.design.reading import read_definition, read_json_file, read_tool
from prudent.design.sheet import Definition
from prudent.errors import ConfigurationError
from prudent.toolkits import TOOLKITS, find_toolkit

SHARED = Path(__file__).parents[4] / "shared"


def definition(description: str = "Gets the weather. Use it when it is asked for.", **properties: Any) -> Definition:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return read_definition({"name": "get_weather", "description": description, "parameters": schema})


def codes(*found: Definition, choice: Choice | None = None) -> list[str]:
    return [finding.code for finding in judge("", found, choice).all_findings]


def test_every_family_has_rules_and_every_code_its_family():
    assert {code[0] for code in RULES} == set(FAMILIES)
    assert all(rule.code == code for code, rule in RULES.items())


def test_nothing_wrong_is_a_hundred_and_no_description_is_far_below():
    city = {"type": "string", "description": "Its name, such as Oslo; the user's own city when left out."}
    assert judge("", [definition(city=city)]).score == 100
    assert judge("", [definition("", city={"type": "float"})]).score < 65


def test_the_same_again_counts_for_less_and_never_below_zero():
    many: dict[str, Any] = {f"p{index}": {"type": "string"} for index in range(30)}
    one = judge("", [definition(p0={"type": "string"})]).score
    assert 0 <= judge("", [definition(**many)]).score < one
    assert judge("", [read_definition({"parameters": 3})]).score >= 0


def test_rules_are_chosen_by_code_beginning_and_family():
    found = definition("It rains.", p={"type": "float"})
    assert set(codes(found)) >= {"D102", "P201", "S807"}
    assert set(codes(found, choice=Choice(select=("schema",)))) == {"S807"}
    assert set(codes(found, choice=Choice(select=("S8", "P201")))) == {"S807", "P201"}
    assert "P201" not in codes(found, choice=Choice(ignore=("P2",)))
    assert "P201" not in codes(found, choice=Choice(tool_ignores={"get_weather": ["parameters"]}))
    with pytest.raises(ConfigurationError, match="did you mean 'schema'"):
        Choice(select=("schemas",)).check()


def test_the_worst_level_is_told():
    assert worst(judge("", [definition("")]).all_findings) == "error"
    assert worst([]) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("查询城市的天气。", "D102"),
        ("根据城市名称查询当天的天气，返回气温（摄氏度）和天气状况。", "D104"),
        ("根据城市名称查询当天的天气，返回气温和天气状况。当用户询问天气时使用。", None),
    ],
)
def test_chinese_descriptions_are_judged_by_their_characters(text: str, expected: str | None):
    found = [code for code in codes(definition(text)) if code.startswith("D")]
    assert (expected in found) if expected else not found


def test_what_is_proposed_is_in_the_definitions_language():
    when = {"type": "string", "description": "出发的日期"}
    findings = judge("", [definition("查询两个城市之间的火车车次和票价信息。", date=when)]).all_findings
    rewrites = {finding.code: finding.rewrite for finding in findings}
    assert "格式为 YYYY-MM-DD" in rewrites["P203"]
    assert "时使用" in rewrites["D104"]


def test_a_neighbour_is_named():
    one = read_definition({"name": "read_file", "description": "Reads the contents of a file as text.", "parameters": {}})
    other = read_definition({"name": "read_text_file", "description": "Reads contents of a text file.", "parameters": {}})
    findings = [finding for finding in judge("", [one, other]).all_findings if finding.code == "D105"]
    assert {finding.tool for finding in findings} == {"read_file", "read_text_file"}
    assert "`read_text_file`" in next(finding.rewrite for finding in findings if finding.tool == "read_file")


@pytest.mark.parametrize("name", TOOLKITS)
def test_bundled_toolkits_score_90_or_more(name: str, tmp_path: Path):
    options: dict[str, Any] = {} if name == "calculator" else {"folder": tmp_path}
    try:
        tools = find_toolkit(name)(**options)
    except TypeError:
        pytest.skip(f"{name} takes other options")
    verdict = judge(name, [read_tool(tool) for tool in tools])
    assert verdict.score >= 90, [(tool.name, tool.findings) for tool in verdict.tools if tool.score < 90]
    assert min(tool.score for tool in verdict.tools) >= 90


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the folder ../shared")
def test_thousands_of_real_definitions_are_judged_in_seconds():
    started = time.process_time()
    files = [*sorted((SHARED / "mcp_tools").glob("*.json")), SHARED / "bfcl_tools.json"]
    verdicts = [judge(file.name, read_json_file(file)) for file in files]
    assert sum(len(verdict.tools) for verdict in verdicts) > 3500
    assert time.process_time() - started < 10
