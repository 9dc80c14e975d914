"""Verdicts as JSON, SARIF and Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from prudent.design.lint.judge import RULES, judge
from prudent.design.lint.reports import as_json, as_markdown, as_sarif, average
from prudent.design.reading import read_json_file

TOOLS: list[dict[str, Any]] = [
    {"name": "a|b", "description": "", "parameters": {"type": "object", "properties": {}}},
    {"name": "get_weather", "description": "Gets `x` <b>|\n|", "parameters": {"type": "float"}},
]


def verdicts(folder: Path):
    path = folder / "tools.json"
    path.write_text(json.dumps(TOOLS, indent=1), encoding="utf-8")
    return [judge(str(path), read_json_file(path))]


def test_json_has_every_finding_with_its_place(tmp_path: Path):
    told = json.loads(json.dumps(as_json(verdicts(tmp_path))))
    (one,) = told["sets"]
    findings = [finding for tool in one["tools"] for finding in tool["findings"]]
    assert told["errors"] + told["warnings"] + told["notes"] == len(findings) + len(one["findings"])
    missing = next(finding for finding in findings if finding["code"] == "D101")
    assert (missing["family"], missing["level"], missing["tool"], missing["line"]) == ("description", "error", "a|b", 3)
    assert missing["file"].endswith("tools.json")


def test_sarif_names_each_rule_and_points_into_files(tmp_path: Path):
    told = json.loads(json.dumps(as_sarif(verdicts(tmp_path), "1.2")))
    (run,) = told["runs"]
    assert told["version"] == "2.1.0"
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == set(RULES)
    for result in run["results"]:
        assert result["ruleId"] in RULES
        assert result["level"] in ("error", "warning", "note")
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1


def test_markdown_keeps_tables_and_tags_whole(tmp_path: Path):
    text = as_markdown(verdicts(tmp_path))
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert all(line.replace("\\|", "").count("|") == 7 for line in rows)
    assert "<b>" not in text


def test_the_average_weighs_sets_by_their_tools():
    assert average([]) == 100
