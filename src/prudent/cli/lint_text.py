"""Verdicts to be read in a terminal: each tool with its score, what is wrong, and what to write instead."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from prudent.cli.narration import Line, Style, line
from prudent.cli.terminals import is_lively
from prudent.cli.text import count, one_line, visible
from prudent.design.lint.judge import RULES, ToolVerdict, Verdict
from prudent.design.lint.reports import average
from prudent.design.lint.rule import Finding, Level

_STYLES: dict[Level, Style] = {"error": "bad", "warning": "warn", "note": "dim"}
_MOST_OF_ONE = 5
"""Findings of one rule that are shown for one tool; the others are counted."""

_BAR = 10


def write_lines(lines: Iterable[Line]) -> None:
    """Write to standard output, in colours where the terminal has them."""
    if is_lively(sys.stdout):
        from rich.console import Console  # slow to import, and needed only in a terminal

        from prudent.cli.live import as_text

        console = Console(file=sys.stdout, highlight=False, emoji=False)
        for text in lines:
            console.print(as_text(text))
        return
    for text in lines:
        sys.stdout.write(text.text + "\n")


def verdict_lines(verdicts: Sequence[Verdict], *, fixable: str = "") -> Iterator[Line]:
    """Give all lines: each set with its tools, the worst last, and a sum."""
    width = min(110, max(60, shutil.get_terminal_size((100, 24)).columns))
    for verdict in verdicts:
        yield line(("strong", visible(verdict.title)))
        for tool in sorted(verdict.tools, key=lambda tool: -tool.score):
            yield from _tool_lines(tool, width)
        if verdict.findings:
            yield line("")
            yield line(("name", "  the tools together"))
            yield from _finding_lines(verdict.findings, width)
        yield line("")
        yield line(
            ("strong", f"  score {verdict.score}"),
            ("dim", f" of 100, {count(len(verdict.tools), 'tool')}, "),
            ("dim", f"about {verdict.tokens:,} tokens in every model call (estimated)"),
        )
        yield line("")
    yield from _sum_lines(verdicts, fixable)


def _tool_lines(tool: ToolVerdict, width: int) -> Iterator[Line]:
    full = round(tool.score / 100 * _BAR)
    style: Style = "good" if tool.score >= 90 else "warn" if tool.score >= 60 else "bad"
    yield line("")
    yield line(
        (style, f"  {tool.score:>3} {'█' * full}{'░' * (_BAR - full)}  "),
        ("name", one_line(tool.name, 80)),
        ("dim", f"  about {tool.tokens:,} tokens"),
    )
    yield from _finding_lines(tool.findings, width)


def _finding_lines(findings: Sequence[Finding], width: int) -> Iterator[Line]:
    shown: Counter[str] = Counter()
    counts = Counter(finding.code for finding in findings)
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] > _MOST_OF_ONE:
            continue
        yield from _wrapped(finding, width)
        left = counts[finding.code] - _MOST_OF_ONE
        if shown[finding.code] == _MOST_OF_ONE and left > 0:
            yield line(("dim", f"      {finding.code} and {left} more: {RULES[finding.code].title} (--format json has all)"))


def _wrapped(finding: Finding, width: int) -> Iterator[Line]:
    head = f"      {finding.code} {finding.level:<7} "
    text = one_line(f"{finding.place}: {finding.reason}", 600)
    first, *rest = textwrap.wrap(text, width - len(head)) or [""]
    yield line((_STYLES[finding.level], head), first)
    yield from (line(" " * len(head) + part) for part in rest)
    for index, part in enumerate(textwrap.wrap(one_line(finding.rewrite, 900), width - len(head) - 2)):
        yield line(("good", " " * len(head) + ("→ " if index == 0 else "  ") + part))


def _sum_lines(verdicts: Sequence[Verdict], fixable: str) -> Iterator[Line]:
    findings = [finding for verdict in verdicts for finding in verdict.all_findings]
    counts = Counter(finding.level for finding in findings)
    tools = sum(len(verdict.tools) for verdict in verdicts)
    parts = [count(counts[level], level) for level in ("error", "warning", "note")]
    yield line(("strong", f"{count(tools, 'tool')}, score {average(verdicts)}"), f": {', '.join(parts)}")
    mendable = sum(finding.fix for finding in findings)
    if mendable and fixable:
        yield line(("dim", f"{count(mendable, 'finding')} can be mended by {fixable}"))
