"""Tables of plain text that stay straight with Chinese in them."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

from rich.cells import cell_len, set_cell_size

GAP = 2


def table_lines(rows: Sequence[Sequence[str]], *, right: Collection[int] = (), width: int | None = None) -> list[str]:
    """Lay rows out in columns as wide as their widest cell; only the last column is cut, where the terminal ends.

    Args:
        rows: The first is the head.
        right: Columns that are aligned to the right.
        width: Cells of a whole line; None takes the terminal's.
    """
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = (width or shutil.get_terminal_size((120, 24)).columns) - sum(widths[:-1]) - GAP * (len(widths) - 1)
    widths[-1] = max(10, min(widths[-1], left))
    return [_line(row, widths, right) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    cells = [_cell(text, widths[column], to_the_right=column in right) for column, text in enumerate(row)]
    return (" " * GAP).join(cells).rstrip()


def _cell(text: str, width: int, *, to_the_right: bool) -> str:
    space = width - cell_len(text)
    if space < 0:
        return set_cell_size(text, width - 1) + "…"
    return " " * space + text if to_the_right else text + " " * space
