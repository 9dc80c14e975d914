"""Judging sets of tools by the rules that were chosen: findings and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prudent.design.lint import (
    cost,
    defaults,
    description,
    effects,
    enums,
    names,
    parameters,
    results,
    schema,
    schema_nodes,
    toolset,
    values,
)
from prudent.design.lint.rule import LEVELS, Finding, Hit, Level, Rule, SetRule, Toolset
from prudent.design.sheet import Definition, Source
from prudent.design.twins import Embed
from prudent.errors import ConfigurationError
from prudent.nearest import nearest

FAMILIES: Mapping[str, str] = {
    "D": "description",
    "P": "parameters",
    "E": "enums",
    "R": "results",
    "N": "names",
    "T": "set",
    "C": "cost",
    "S": "schema",
    "X": "effects",
}
"""The families of rules by the letter that their codes begin with."""

RULES: Mapping[str, Rule] = {
    rule.code: rule()
    for module in (
        description,
        parameters,
        values,
        defaults,
        enums,
        results,
        names,
        toolset,
        cost,
        schema,
        schema_nodes,
        effects,
    )
    for rule in module.RULES
}
"""Every rule by its code."""

_MOST_SHARES = 4
"""So many findings of one rule count against a tool: the first in full, the others by half."""

_MOST_SET_POINTS = 30.0


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rules apply, and where."""

    select: tuple[str, ...] = ()
    """Codes, beginnings of codes, or names of families; all rules when empty."""

    ignore: tuple[str, ...] = ()
    tool_ignores: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """What is ignored for single tools, by name."""

    def check(self) -> None:
        """Raise ConfigurationError for what stands for no rule."""
        for word in (*self.select, *self.ignore, *(word for words in self.tool_ignores.values() for word in words)):
            if not any(_covers(word, code) for code in RULES):
                known = [*RULES, *FAMILIES, *FAMILIES.values()]
                raise ConfigurationError(
                    f"there is no rule {word!r}{nearest(word, known)}; families: {', '.join(FAMILIES.values())}"
                )

    def applies(self, code: str, tool: str) -> bool:
        """Whether a rule applies to a tool."""
        if self.select and not any(_covers(word, code) for word in self.select):
            return False
        ignored = (*self.ignore, *self.tool_ignores.get(tool, ()))
        return not any(_covers(word, code) for word in ignored)


@dataclass(frozen=True, slots=True)
class ToolVerdict:
    """What was found about one tool."""

    name: str
    score: int
    """0 to 100."""

    tokens: int
    """What the definition costs in every model call, estimated."""

    source: Source
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about a set of tools."""

    title: str
    """Where the set comes from."""

    score: int
    """0 to 100: the tools' average, less what is wrong with the set."""

    tools: tuple[ToolVerdict, ...]
    findings: tuple[Finding, ...]
    """About the set itself."""

    @property
    def tokens(self) -> int:
        """What all definitions together cost in every model call, estimated."""
        return sum(tool.tokens for tool in self.tools)

    @property
    def all_findings(self) -> list[Finding]:
        """Those about the set, and those about each tool."""
        return [*self.findings, *(finding for tool in self.tools for finding in tool.findings)]


def judge(title: str, definitions: Sequence[Definition], choice: Choice | None = None, embed: Embed | None = None) -> Verdict:
    """Judge the tools that a model would see together.

    Args:
        title: where they come from.
        definitions: the tools.
        choice: which rules apply; all when left out.
        embed: turns texts into vectors, so that twins are found by meaning as well.
    """
    choice = choice or Choice()
    tools = Toolset(definitions, embed)
    sources = {definition.name: definition.source for definition in definitions}
    about_set = _set_findings(tools, choice, sources)
    by_tool: dict[str, list[Finding]] = {}
    for finding in about_set:
        by_tool.setdefault(finding.tool, []).append(finding)
    verdicts: list[ToolVerdict] = []
    for definition in definitions:
        findings = [*_findings(definition, tools, choice), *by_tool.pop(definition.name, ())]
        findings.sort(key=_gravity)
        verdicts.append(ToolVerdict(definition.name, _score(findings), definition.tokens, definition.source, tuple(findings)))
    own = tuple(sorted(by_tool.pop("", ()), key=_gravity))
    average = sum(verdict.score for verdict in verdicts) / len(verdicts) if verdicts else 100.0
    less = min(_MOST_SET_POINTS, sum(finding.points for finding in own))
    return Verdict(title, round(max(0.0, average - less)), tuple(verdicts), own)


def worst(findings: Iterable[Finding]) -> Level | None:
    """Give the gravest level among findings, None when there are none."""
    found = {finding.level for finding in findings}
    return next((level for level in LEVELS if level in found), None)


def _findings(definition: Definition, tools: Toolset, choice: Choice) -> Iterator[Finding]:
    for code, rule in RULES.items():
        if choice.applies(code, definition.name):
            for hit in rule.check(definition, tools):
                yield _finding(rule, hit, definition.name, definition.source)


def _set_findings(tools: Toolset, choice: Choice, sources: Mapping[str, Source]) -> list[Finding]:
    found: list[Finding] = []
    for code, rule in RULES.items():
        if not isinstance(rule, SetRule) or not choice.applies(code, ""):
            continue
        for hit in rule.check_set(tools):
            if choice.applies(code, hit.tool):
                found.append(_finding(rule, hit, hit.tool, sources.get(hit.tool, Source())))
    return found


def _finding(rule: Rule, hit: Hit, tool: str, source: Source) -> Finding:
    level = hit.level or rule.level
    points = rule.points if level == rule.level else _points_at(level, rule.points)
    return Finding(rule.code, level, tool, hit.place, hit.reason, hit.rewrite, points, source, hit.fix)


def _points_at(level: Level, points: float) -> float:
    return min(points, 1.0) if level == "note" else points


def _score(findings: Iterable[Finding]) -> int:
    """Take each rule's points off 100; what is found again and again counts for less."""
    counts: Counter[str] = Counter()
    lost = 0.0
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] <= _MOST_SHARES:
            lost += finding.points * (1.0 if counts[finding.code] == 1 else 0.5)
    return round(max(0.0, 100.0 - lost))


def _gravity(finding: Finding) -> tuple[int, str]:
    return LEVELS.index(finding.level), finding.code


def _covers(word: str, code: str) -> bool:
    return bool(word) and (code.startswith(word.upper()) or FAMILIES[code[0]] == word.lower())
