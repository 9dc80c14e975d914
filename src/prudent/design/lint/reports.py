"""Verdicts for programs and pages: JSON, SARIF and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prudent.design.lint.judge import FAMILIES, RULES, ToolVerdict, Verdict
from prudent.design.lint.rule import Finding, Rule
from prudent.types import JSON, JSONObject

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "docs/lint"
"""Where each rule's page is, in the source of Prudent."""


def as_json(verdicts: Sequence[Verdict]) -> JSONObject:
    """Give everything as one JSON object."""
    findings = [finding for verdict in verdicts for finding in verdict.all_findings]
    return {
        "score": average(verdicts),
        "errors": _count(findings, "error"),
        "warnings": _count(findings, "warning"),
        "notes": _count(findings, "note"),
        "sets": [_set_json(verdict) for verdict in verdicts],
    }


def as_sarif(verdicts: Sequence[Verdict], version: str) -> JSONObject:
    """Give the findings in the form that code hosts and editors read (SARIF 2.1.0)."""
    results: list[JSON] = [_sarif_result(verdict, finding) for verdict in verdicts for finding in verdict.all_findings]
    driver: JSONObject = {
        "name": "prudent lint",
        "version": version,
        "informationUri": "https://pypi.org/project/prudent/",
        "rules": [_sarif_rule(rule) for rule in RULES.values()],
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def as_markdown(verdicts: Sequence[Verdict]) -> str:
    """Give a page with a table of scores, and the findings under each tool."""
    lines: list[str] = []
    for verdict in verdicts:
        lines += [f"# {_cell(verdict.title)}: {verdict.score} of 100", ""]
        lines += ["| tool | score | tokens (estimated) | errors | warnings | notes |", "|---|---:|---:|---:|---:|---:|"]
        lines += [_row(tool) for tool in verdict.tools]
        lines += [f"| **all** | **{verdict.score}** | **{verdict.tokens:,}** | | | |", ""]
        if verdict.findings:
            lines += ["## The set", "", *map(_item, verdict.findings), ""]
        for tool in verdict.tools:
            if tool.findings:
                lines += [f"## `{_cell(tool.name)}`", "", *map(_item, tool.findings), ""]
    return "\n".join(lines)


def average(verdicts: Sequence[Verdict]) -> int:
    """Give the score of several sets, each weighed by its tools."""
    count = sum(len(verdict.tools) for verdict in verdicts)
    return round(sum(verdict.score * len(verdict.tools) for verdict in verdicts) / count) if count else 100


def _set_json(verdict: Verdict) -> JSONObject:
    return {
        "source": verdict.title,
        "score": verdict.score,
        "tokens_estimated": verdict.tokens,
        "findings": [_finding_json(finding) for finding in verdict.findings],
        "tools": [
            {
                "name": tool.name,
                "score": tool.score,
                "tokens_estimated": tool.tokens,
                "findings": [_finding_json(finding) for finding in tool.findings],
            }
            for tool in verdict.tools
        ],
    }


def _finding_json(finding: Finding) -> JSONObject:
    return {
        "code": finding.code,
        "family": FAMILIES[finding.code[0]],
        "level": finding.level,
        "tool": finding.tool,
        "place": finding.place,
        "reason": finding.reason,
        "rewrite": finding.rewrite,
        "file": finding.source.file,
        "line": finding.source.line or None,
        "fixable": finding.fix,
    }


def _sarif_rule(rule: Rule) -> JSONObject:
    return {
        "id": rule.code,
        "name": type(rule).__name__,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": (type(rule).__doc__ or rule.title).split("\n")[0]},
        "help": {"text": f"{PAGES}/{rule.code}.md"},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"family": FAMILIES[rule.code[0]]},
    }


def _sarif_result(verdict: Verdict, finding: Finding) -> JSONObject:
    file = finding.source.file or verdict.title
    path = Path(file)
    uri = path.relative_to(Path.cwd()).as_posix() if path.is_absolute() and path.is_relative_to(Path.cwd()) else path.as_posix()
    place = f"{finding.tool}.{finding.place}" if finding.tool else finding.place
    location: JSONObject = {
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, finding.source.line)}},
        "logicalLocations": [{"fullyQualifiedName": place, "kind": "member"}],
    }
    return {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": f"{place}: {finding.reason}. Rewrite: {finding.rewrite}"},
        "locations": [location],
    }


def _row(tool: ToolVerdict) -> str:
    counts = " | ".join(str(_count(tool.findings, level) or "") for level in ("error", "warning", "note"))
    return f"| `{_cell(tool.name)}` | {tool.score} | {tool.tokens:,} | {counts} |"


def _item(finding: Finding) -> str:
    head = f"- **{finding.code}** {finding.level}, `{_cell(finding.place)}`: {_cell(finding.reason)}  "
    return f"{head}\n  → {_cell(finding.rewrite)}"


def _cell(text: str) -> str:
    """Keep a text on its line and in its cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


def _count(findings: Sequence[Finding], level: str) -> int:
    return sum(finding.level == level for finding in findings)
