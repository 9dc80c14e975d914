"""Long lists of records: how many, what they hold, then an index of them, one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prudent.context.cutting import Draft, shorten
from prudent.context.json_text import Part, encode
from prudent.context.kinds.index import Entries, write_index
from prudent.context.kinds.prose import LONG_TEXT_CHARS, POINTER_CHARS, pointer, shorten_texts
from prudent.context.relevance import best_places
from prudent.types import JSON

MAX_COLUMNS = 10
MAX_LIST_COLUMNS = 60
CELL_CHARS = 60
LONG_CELL_CHARS = 160
MAX_CELL_CHARS = 600
SUMMARY_CHARS = 250
"""What the lines above the records usually take."""

MAX_PROFILED = 5000
"""Ranges and what is the same everywhere are worked out over at most so many records; of more nothing is said."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its cells by column name, and where it stands in the kept text."""

    cells: dict[str, JSON]
    start: int


@dataclass(frozen=True, slots=True)
class Column:
    """One field of the records."""

    name: str
    present: int
    kind: str
    """`number`, `text`, `true/false`, `list`, `object`, `mixed` or `null`."""

    span: str = ""
    """Smallest and largest value of a numeric column."""

    constant: tuple[JSON, ...] = ()
    """The value that all records have, as the only item; empty when they differ."""

    typical_chars: int = 0


def shorten_list(text: str, items: Sequence[Part], limit: int, terms: Sequence[str], what: str = "") -> Draft:
    """Show a long list as an index. `items` are its parts in `text`; `what` names it."""
    texts = [item.value for item in items if isinstance(item.value, str)]
    if len(texts) * 5 >= len(items) * 4 and sum(map(len, texts)) > LONG_TEXT_CHARS * len(texts):
        return shorten_texts(text, items, limit, terms)
    rows = rows_of(items)
    if rows:
        return shorten_rows(text, rows, limit, terms, what or f"{len(rows):,} records")
    if all(isinstance(item.value, int | float) for item in items):
        return _shorten_numbers(text, items, limit, what)
    entries = Entries([item.start for item in items], lambda position: _cell(items[position].value, LONG_CELL_CHARS))
    return write_index(text, entries, [what or f"{len(items):,} items"], limit, terms)


def _shorten_numbers(text: str, items: Sequence[Part], limit: int, what: str) -> Draft:
    numbers = [item.value for item in items if isinstance(item.value, int | float)]
    head = f"{what or f'{len(items):,} numbers'}, from {min(numbers)} to {max(numbers)}"
    first = items[0].start
    place = max(text.rfind(",", first, first + limit - len(head) - 2), first)
    shown = " ".join(text[first:place].split())
    left = sum(item.start >= place for item in items)
    return Draft(f"{head}\n{shown}", f"{left:,} of {len(items):,} numbers", place + 1)


def rows_of(items: Sequence[Part]) -> list[Row] | None:
    """Read items as records: objects, or lists of one length; None when they are neither."""
    objects = [item.value for item in items if isinstance(item.value, dict)]
    if len(objects) == len(items):
        return [Row(value, item.start) for value, item in zip(objects, items, strict=True)]
    lists = [item.value for item in items if isinstance(item.value, list)]
    widths = {len(each) for each in lists}
    if len(lists) != len(items) or len(widths) != 1 or not 1 < max(widths) <= MAX_LIST_COLUMNS:
        return None
    names = _header(lists)
    starts = [item.start for item in items]
    if names:
        lists, starts = lists[1:], starts[1:]
    else:
        names = [f"column {number}" for number in range(1, max(widths) + 1)]
    return [Row(dict(zip(names, each, strict=True)), start) for each, start in zip(lists, starts, strict=True)]


def _header(lists: Sequence[list[JSON]]) -> list[str]:
    """Give the column names where the first row holds them."""
    names = [name for name in lists[0] if isinstance(name, str) and name]
    rest_differs = any(not isinstance(value, str) for row in lists[1:50] for value in row)
    return names if len(set(names)) == len(lists[0]) and rest_differs else []


def shorten_rows(
    text: str, rows: Sequence[Row], limit: int, terms: Sequence[str], what: str, columns: Sequence[Column] | None = None
) -> Draft:
    """Show records as a compact table under what is known of all of them (`columns`, else it is worked out)."""
    columns = columns or profile(rows)
    shown = choose(columns, terms)
    holds_texts = any(column.typical_chars > LONG_TEXT_CHARS for column in shown)
    places = best_places(text, terms) if holds_texts and limit > 2 * POINTER_CHARS else []
    room = limit - POINTER_CHARS if places else limit
    narrow = CELL_CHARS // 2 * (len(shown) - 1)
    widest = min(max((room - SUMMARY_CHARS) // len(rows) - narrow, CELL_CHARS), MAX_CELL_CHARS)
    entries = Entries([row.start for row in rows], lambda position: _line(rows[position], shown, widest))
    draft = write_index(text, entries, _summary(columns, shown, limit, what), room, terms)
    return replace(draft, body=f"{draft.body}\n{pointer(text, places[0])}") if places else draft


def _summary(columns: Sequence[Column], shown: Sequence[Column], limit: int, what: str) -> list[str]:
    described = ", ".join(f"{column.name} {column.kind} {column.span}".rstrip() for column in columns)
    lines = [f"{what}; fields: {shorten(described, limit // 4)}"]
    constant: JSON = {column.name: column.constant[0] for column in columns if column.constant and column not in shown}
    if constant:
        lines.append(f"the same in all: {shorten(encode(constant), limit // 5)}")
    hidden = [column.name for column in columns if column not in shown and not column.constant]
    if hidden:
        lines.append(f"fields not shown here: {shorten(', '.join(hidden), limit // 8)}")
    return [*lines, " | ".join(["#", *(shorten(column.name, CELL_CHARS) for column in shown)])]


def profile(rows: Sequence[Row]) -> list[Column]:
    """Work out what the records hold, in the order of first appearance."""
    values: dict[str, list[JSON]] = {}
    for row in rows[:MAX_PROFILED]:
        for name, value in row.cells.items():
            values.setdefault(name, []).append(value)
    return [_column(name, each, len(rows)) for name, each in values.items()]


def _column(name: str, values: list[JSON], rows: int) -> Column:
    kinds = Counter(map(_kind, values))
    named = [kind for kind in kinds if kind != "null"]
    kind = named[0] if len(named) == 1 else "mixed" if named else "null"
    numbers = [value for value in values if isinstance(value, int | float)] if kind == "number" and rows <= MAX_PROFILED else []
    first = values[0]
    same = len(values) == rows > 1 and all(value == first and type(value) is type(first) for value in values)
    lengths = sorted(len(value) for value in values[:50] if isinstance(value, str))
    return Column(
        name,
        len(values),
        kind,
        f"{min(numbers)}…{max(numbers)}" if numbers else "",
        (first,) if same else (),
        lengths[len(lengths) // 2] if lengths else 0,
    )


def _kind(value: JSON) -> str:
    if isinstance(value, bool):
        return "true/false"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "null" if value is None else "list" if isinstance(value, list) else "object"


def choose(columns: Sequence[Column], terms: Sequence[str]) -> list[Column]:
    """Choose the fields to show: those that differ, named in the task first, then mostly there, then short. Order stays."""
    varying = [column for column in columns if not column.constant] or list(columns)
    most = max((column.present for column in varying), default=0)

    def rank(column: Column) -> tuple[bool, bool, bool, bool]:
        named = any(term in column.name.lower() for term in terms)
        is_long = column.typical_chars > LONG_TEXT_CHARS
        return not named, column.present * 2 < most, column.kind in ("object", "list", "null"), is_long

    chosen = sorted(varying, key=rank)[:MAX_COLUMNS]
    return [column for column in varying if column in chosen]


def _line(row: Row, columns: Sequence[Column], widest: int) -> str:
    """Write a record's cells; a field of long texts gets the most room."""
    is_narrow = len(columns) > 2
    widths = (CELL_CHARS if is_narrow and column.typical_chars <= CELL_CHARS else widest for column in columns)
    return " | ".join(_cell(row.cells.get(column.name, ""), width) for column, width in zip(columns, widths, strict=True))


def _cell(value: JSON, limit: int) -> str:
    return shorten(value if isinstance(value, str) else encode(value), limit)
