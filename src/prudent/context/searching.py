"""Searching a kept text for a model's pattern, within bounds: no pattern can hang the run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from prudent.context.cutting import shorten
from prudent.errors import ToolError

MAX_HITS = 12
MAX_COUNTED = 1000
MAX_SECONDS = 1.0
MAX_PATTERN_CHARS = 500
CONTEXT_CHARS = 90

Find = Callable[[int], "tuple[int, int] | None"]
"""Gives the first hit from a place on."""

_SIGNS = re.compile(r"[\\^$.|?*+()\[\]{}]")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds the pattern."""

    line: int
    start: int
    """Where the line begins, or near the hit where the line is long: a place to read on from."""

    snippet: str


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found."""

    shown: tuple[Hit, ...]
    count: int
    """Lines with a hit, counted up to a bound."""

    is_plain: bool
    """Whether the pattern was taken as plain text."""


def search(text: str, pattern: str) -> Hits:
    """Find the lines that hold a pattern: as plain text if it occurs so, else as a regular expression; case is ignored.

    Raises ToolError for a pattern that is empty, no regular expression, or takes too long.
    """
    if not pattern.strip() or len(pattern) > MAX_PATTERN_CHARS:
        raise ToolError(f"pattern must have 1 to {MAX_PATTERN_CHARS} characters", fix="give a word or a short expression")
    plain = _plain_finder(text, pattern)
    if plain(0) or not _SIGNS.search(pattern):
        return _collect(text, plain, is_plain=True)
    try:
        return _collect(text, _expression_finder(text, pattern), is_plain=False)
    except TimeoutError:
        reason = f"the pattern took more than {MAX_SECONDS:g} s and was given up"
        raise ToolError(reason, fix="search for plain text, or for an expression without nested repetition") from None


def _plain_finder(text: str, pattern: str) -> Find:
    lowered, wanted = text.lower(), pattern.lower()
    if len(lowered) != len(text):
        lowered, wanted = text, pattern

    def find(at: int) -> tuple[int, int] | None:
        place = lowered.find(wanted, at)
        return None if place < 0 else (place, place + len(wanted))

    return find


def _expression_finder(text: str, pattern: str) -> Find:
    # regex takes 0.04 s to import, and only a search needs it
    import regex

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        message = shorten(str(error), 120)
        raise ToolError(
            f"pattern is no regular expression: {message}", fix="escape its signs, or search for plain text"
        ) from None
    until = time.monotonic() + MAX_SECONDS

    def find(at: int) -> tuple[int, int] | None:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        found = compiled.search(text, at, timeout=left)
        return found.span() if found else None

    return find


def _collect(text: str, find: Find, *, is_plain: bool) -> Hits:
    """Go from line to line that holds a hit; the first ones are described, the others counted."""
    hits: list[Hit] = []
    count = line = at = 0
    line_start = 0
    while at <= len(text) and count < MAX_COUNTED and (span := find(at)):
        count += 1
        begins = text.rfind("\n", 0, span[0]) + 1
        line += text.count("\n", line_start, begins)
        line_start = begins
        ends = text.find("\n", span[0])
        ends = len(text) if ends < 0 else ends
        if len(hits) < MAX_HITS:
            hits.append(_hit(text, line + 1, (begins, ends), span))
        at = max(ends, span[1] - 1) + 1
    return Hits(tuple(hits), count, is_plain)


def _hit(text: str, number: int, line: tuple[int, int], span: tuple[int, int]) -> Hit:
    begins, ends = line
    start = begins if span[0] - begins <= CONTEXT_CHARS else span[0] - CONTEXT_CHARS
    stop = min(ends, max(span[1], span[0] + 1) + CONTEXT_CHARS, start + 3 * CONTEXT_CHARS)
    snippet = shorten(text[start:stop], 3 * CONTEXT_CHARS)
    return Hit(number, start, f"{'…' if start > begins else ''}{snippet}{'…' if stop < ends else ''}")
