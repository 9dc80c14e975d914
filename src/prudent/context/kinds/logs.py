"""Logs and the output of programs: head, tail, and between them the lines that matter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prudent.context.cutting import Draft, Lines, characters_left, shorten
from prudent.context.relevance import parts_with, score_parts

SAMPLE_LINES = 200
MAX_LINES = 30_000
"""More lines are not looked at one by one; head and tail are shown all the same."""

MAX_SHAPED_CHARS = 400_000
"""Lines are compared with each other up to here."""

MAX_LINE_CHARS = 240
MAX_NOTABLE = 12

_STAMP = re.compile(
    r"\W{0,2}(?:\d{4}-\d\d-\d\d|\d{1,2}[/.]\w{2,3}[/.]\d{2,4}|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|\d{10,13}\b)"
    r"|.{0,60}\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
)
_ERROR_WORDS = (
    *("error", "fatal", "critical", "exception", "traceback", "panic", "failed", "failure", "denied", "refused"),
    *("timed out", "timeout", "killed", "abort", "错误", "失败", "异常"),
)
_FAILURE = re.compile(
    r"^(?:E  |FAILED|ERROR|Traceback \(|npm ERR!|error(?:\[|:)|fatal:|panic:|make: \*\*\*|\w+(?:Error|Exception):)",
    re.MULTILINE,
)
_VARIABLE = re.compile(r"\d[\w.:/-]*")


def looks_like_log(text: str) -> bool:
    """Whether most lines carry a time or a level, or the end reads like that of a failed program."""
    lines = [line for line in text[:40_000].splitlines()[:SAMPLE_LINES] if line.strip()]
    if len(lines) < 10:
        return False
    stamped = sum(bool(_STAMP.match(line)) for line in lines)
    return stamped * 2 > len(lines) or len(_FAILURE.findall(text[-4000:])) >= 2


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    start: int
    end: int


def shorten_log(text: str, limit: int, terms: Sequence[str]) -> Draft:
    """Show head and tail, and between them errors, lines unlike the rest, and lines with the task's words."""
    lines = list(_lines_of(text))
    head = _fitting(text, lines, limit * 3 // 10)
    tail = _fitting(text, lines[::-1][: len(lines) - len(head)], limit * 3 // 10)[::-1]
    between = lines[len(head) : len(lines) - len(tail)]
    out = Lines(limit)
    _add_all(out, text, head)
    reserve = sum(min(line.end - line.start, MAX_LINE_CHARS) + 1 for line in tail) + 60
    _add_notable(out, text, between, terms, reserve)
    if tail:
        out.add(f"… line {tail[0].number:,} to the end:")
    _add_all(out, text, tail)
    left = between[-1].end - between[0].start if between else 0
    next_start = between[0].start if between else 0
    return Draft(out.text(), characters_left(left, len(text)) or f"parts of {len(text):,} characters", next_start)


def _lines_of(text: str) -> Iterator[_Line]:
    start = number = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        yield _Line(number, start, end)
        start = end + 1


def _fitting(text: str, lines: Sequence[_Line], room: int) -> list[_Line]:
    """Take lines while they fit; one at least, since it is cut when it is shown."""
    taken: list[_Line] = []
    for line in lines:
        room -= min(line.end - line.start, MAX_LINE_CHARS) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def _add_all(out: Lines, text: str, lines: Sequence[_Line]) -> None:
    for line in lines:
        out.add(_shown(text, line))


def _shown(text: str, line: _Line) -> str:
    size = line.end - line.start
    return text[line.start : line.end] if size <= MAX_LINE_CHARS else shorten(text[line.start : line.end], MAX_LINE_CHARS)


def _add_notable(out: Lines, text: str, lines: Sequence[_Line], terms: Sequence[str], reserve: int) -> None:
    notable = _notable(text, lines[:MAX_LINES], terms)
    if not lines:
        return
    counted = f", {len(notable):,} of them with errors or unlike the rest" if notable else ""
    if out.room <= reserve or not out.add(f"… {len(lines):,} lines between{counted}"):
        return
    room = out.room - reserve
    chosen: list[tuple[int, str]] = []
    for line in notable[:MAX_NOTABLE]:
        entry = f"line {line.number:,} at start={line.start}: {_shown(text, line)}"
        if len(entry) + 1 <= room:
            room -= len(entry) + 1
            chosen.append((line.number, entry))
    for _, entry in sorted(chosen):
        out.add(entry)


def _notable(text: str, lines: Sequence[_Line], terms: Sequence[str]) -> list[_Line]:
    """Order the lines that deserve to be seen: the task's words and errors first, then what stands out among many alike."""
    if not lines:
        return []
    block = text[lines[0].start : lines[-1].end]
    starts = [line.start - lines[0].start for line in lines]
    scores = score_parts(block, terms, starts)
    shapes = _VARIABLE.sub("#", block[:MAX_SHAPED_CHARS]).split("\n")[: len(lines)]
    often = Counter(shapes)
    rare = [part for part, shape in enumerate(shapes) if often[shape] * 50 < len(shapes) and shape.strip()]
    errors = set[int]().union(*parts_with(block, _ERROR_WORDS, starts).values())
    if len(often) * 4 < len(shapes):
        errors.update(part for part in rare if _names_error(shapes[part]))
        for part in rare:
            scores[part] = scores.get(part, 0.0) + 1
    for part in errors:
        scores[part] = scores.get(part, 0.0) + 2
    return [lines[part] for part in sorted(scores, key=lambda part: (-scores[part], part))]


def _names_error(line: str) -> bool:
    lowered = line.lower()
    return any(word in lowered for word in _ERROR_WORDS)
