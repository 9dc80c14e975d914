"""Tables as text (CSV and the like): shape, columns with their types, and the first rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from prudent.context.cutting import Draft
from prudent.context.kinds.records import Row, profile, shorten_rows
from prudent.types import JSON

SAMPLE_LINES = 60
MIN_ROWS = 10
MAX_TABLE_CHARS = 3_000_000
MAX_ROWS = 60_000
"""A longer table is shown as a text: reading it would take a good part of a second."""
MAX_FIELD_CHARS = 100_000

_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,2})?")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in a text: the names of its columns, its rows, and where each begins."""

    names: list[str]
    rows: list[list[str]]
    starts: list[int]


def read_table(text: str) -> Grid | None:
    """Read a text as a table with a header; None when it does not look like one."""
    if len(text) > MAX_TABLE_CHARS:
        return None
    separator = _separator(text[:20_000].splitlines()[:SAMPLE_LINES])
    if not separator:
        return None
    lines = text.splitlines(keepends=True)
    offsets = [0, *accumulate(map(len, lines))]
    reader = csv.reader(lines, delimiter=separator)
    rows: list[list[str]] = []
    starts: list[int] = []
    before = 0
    try:
        for row in reader:
            if row:
                rows.append(row)
                starts.append(offsets[before])
            if len(rows) > MAX_ROWS:
                return None
            before = reader.line_num
    except csv.Error:
        return None
    width = len(rows[0])
    if len(rows) <= MIN_ROWS or sum(len(row) == width for row in rows) * 10 < len(rows) * 9:
        return None
    return Grid(_distinct(rows[0]), rows[1:], starts[1:])


def _separator(lines: Sequence[str]) -> str:
    """Find the sign that parts every line into the same number of at least two cells."""
    full = [line for line in lines[:-1] if line.strip()]
    if len(full) < MIN_ROWS:
        return ""
    for sign in "\t;|,":
        widths = Counter(len(row) for row in csv.reader(full, delimiter=sign))
        width, times = widths.most_common(1)[0]
        if width > 1 and times * 10 >= sum(widths.values()) * 9:
            return sign
    return ""


def _distinct(names: Sequence[str]) -> list[str]:
    """Name every column, each differently."""
    given: list[str] = []
    for number, name in enumerate(names, 1):
        plain = name.strip() or f"column {number}"
        given.append(plain if plain not in given else f"{plain} ({number})")
    return given


def shorten_table(text: str, grid: Grid, limit: int, terms: Sequence[str]) -> Draft:
    """Show a table's shape, columns and first rows."""
    rows = [Row(dict(zip(grid.names, row, strict=False)), start) for row, start in zip(grid.rows, grid.starts, strict=True)]
    read = [Row({name: _value(cell) for name, cell in zip(grid.names, row, strict=False)}, 0) for row in grid.rows]
    # numbers are read to tell types and ranges; what is shown stays to the letter: 48.60 is not 48.6
    kinds = {column.name: column for column in profile(read)}
    columns = [replace(each, kind=kinds[each.name].kind, span=kinds[each.name].span) for each in profile(rows)]
    what = f"table of {len(rows):,} rows × {len(grid.names)} columns"
    return shorten_rows(text, rows, limit, terms, what, columns)


def _value(cell: str) -> JSON:
    """Read what is plainly a number as one; a code with leading zeros stays a text."""
    if not _NUMBER.fullmatch(cell) or (len(cell) > 1 and cell[0] == "0" and cell[1] != "."):
        return cell or None
    return int(cell) if cell.lstrip("+-").isdigit() else float(cell)
