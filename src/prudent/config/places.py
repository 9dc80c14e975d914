"""Where a setting stands in a TOML file, so that an error can name the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import cast

Place = tuple[str | int, ...]
"""Keys and list positions from the top: `("policy", 0, "answer")`."""

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_TABLE = re.compile(r"\s*\[(?!\[)(.+?)\]\s*(?:#.*)?$")
_TABLE_IN_LIST = re.compile(r"\s*\[\[(.+?)\]\]\s*(?:#.*)?$")
_TRIPLE = re.compile(r'"""|\'\'\'')


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Tell on which line, from 1, a setting stands, or the nearest thing above it; None when nothing of it is there."""
    lines = _lines_by_place(text)
    for length in range(len(place), 0, -1):
        line = lines.get(tuple(place[:length]))
        if line:
            return line
    return None


def _lines_by_place(text: str) -> dict[Place, int]:
    lines: dict[Place, int] = {}
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in _statements(text):
        if match := _TABLE_IN_LIST.match(line):
            keys = _keys(match[1])
            table = (*keys, counts.get(keys, 0))
            counts[keys] = counts.get(keys, 0) + 1
            lines.setdefault(keys, number)
            lines[table] = number
        elif match := _TABLE.match(line):
            table = _inside_list(_keys(match[1]), counts)
            lines[table] = number
        elif match := _KEY.match(line):
            lines[(*table, *_keys(match[1]))] = number
    return lines


def _inside_list(keys: Place, counts: dict[Place, int]) -> Place:
    """Name the element that a table such as `[policy.arguments]` belongs to: the latest `[[policy]]`."""
    for length in range(1, len(keys)):
        head = keys[:length]
        if head in counts:
            return (*head, counts[head] - 1, *keys[length:])
    return keys


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines that begin outside a text of several lines, numbered from 1."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not fence:
            yield number, line
        for mark in _TRIPLE.findall(line):
            if not fence:
                fence = mark
            elif mark == fence:
                fence = ""


def _keys(written: str) -> Place:
    """Read a dotted key as TOML does."""
    try:
        node: object = tomllib.loads(f"{written} = 0")
    except tomllib.TOMLDecodeError:
        return (written,)
    keys: list[str] = []
    while isinstance(node, dict):
        key, node = next(iter(cast("dict[str, object]", node).items()))
        keys.append(key)
    return tuple(keys)
