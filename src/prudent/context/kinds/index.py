"""An index of many entries: the first ones, those with the words of the task, the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prudent.context.cutting import Draft, Lines
from prudent.context.relevance import score_parts

MAX_RELEVANT = 8
PLACE_CHARS = 30
"""Room for the number of an entry and its place in the text."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What an index is made of."""

    starts: Sequence[int]
    """Where each entry stands in the kept text."""

    line: Callable[[int], str]
    """Writes the entry at a position on one line; called only for those that are looked at."""

    def __len__(self) -> int:
        return len(self.starts)


def write_index(text: str, entries: Entries, summary: Sequence[str], limit: int, terms: Sequence[str]) -> Draft:
    """Put numbered lines under a summary, as many as fit."""
    out = Lines(limit)
    for line in summary:
        out.add(line[: max(out.room, 0)])
    if not entries:
        return Draft(out.text())
    lines = _fitting(entries, out.room)
    if len(lines) == len(entries):
        _add_all(out, lines)
        return Draft(out.text(), f"details of {len(entries):,} entries", entries.starts[0])
    scores = score_parts(text, terms, entries.starts)
    last = f"last: {_numbered(entries, len(entries) - 1)}"
    reserve = min(len(last) + 1, out.room // 4)
    first = _fitting(entries, (out.room - reserve) // 2) if scores else _fitting(entries, out.room - reserve)
    _add_all(out, first)
    _add_relevant(
        out, entries, {part: score for part, score in scores.items() if len(first) <= part < len(entries) - 1}, reserve
    )
    out.add(last[: max(out.room, 0)])
    return Draft(out.text(), f"{len(entries) - len(first):,} of {len(entries):,} entries", entries.starts[len(first)])


def _numbered(entries: Entries, position: int) -> str:
    return f"{position + 1} | {entries.line(position)}"


def _fitting(entries: Entries, room: int) -> list[str]:
    """Write the first entries, as many as fit."""
    lines: list[str] = []
    for position in range(len(entries)):
        line = _numbered(entries, position)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines


def _add_all(out: Lines, lines: Sequence[str]) -> None:
    for line in lines:
        out.add(line)


def _add_relevant(out: Lines, entries: Entries, scores: dict[int, float], reserve: int) -> None:
    best = sorted(scores, key=lambda part: (-scores[part], part))[:MAX_RELEVANT]
    if not best:
        return
    out.add("with words of the task:")
    for part in sorted(best):
        line = f"{_numbered(entries, part)} (at start={entries.starts[part]})"
        if len(line) + reserve <= out.room:
            out.add(line)
