"""Laying out what a small model reads: prose in one line, a table row by row with each cell beside its heading."""

from __future__ import annotations

import re
from itertools import groupby

_RULE = re.compile(r"^[|\s:\-]+$")
_POINTS = ("- ", "* ", "• ")
_FEWEST_CELLS = 2


def tidy(text: str) -> str:
    """Join the lines of prose, keep the points of lists, and say each row of a table with its headings.

    A small model cannot tell which column a cell stands in: it takes the wrong number from a row of two.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    pieces: list[str] = []
    for is_table, group in groupby((line for line in lines if line), key=lambda line: line.startswith("|")):
        if is_table:
            pieces += ["\n" + row for row in _rows(list(group))]
        else:
            pieces += [("\n" if line.startswith(_POINTS) else " ") + line for line in group]
    return "".join(pieces).strip()


def _rows(lines: list[str]) -> list[str]:
    """Write the rows of a table as `first cell: heading cell; heading cell`, when it has headings for them."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not _RULE.match(line)]
    if len(rows) == 1 or len(rows[0]) < _FEWEST_CELLS or any(len(row) != len(rows[0]) for row in rows):
        return [line for line in lines if not _RULE.match(line)]
    headings = rows[0][1:]
    told = [(row[0], [f"{heading} {cell}" for heading, cell in zip(headings, row[1:], strict=True)]) for row in rows[1:]]
    return [f"{name}: {'; '.join(cells)}" for name, cells in told]
