"""What a report is made of, as the model gives it, and what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from prudent.errors import ToolError

MAX_SECTIONS = 30
MAX_TEXT_CHARS = 20_000
MAX_COLUMNS = 20
MAX_ROWS = 500
MAX_CELL_CHARS = 500
MAX_FIGURES = 50
MAX_POINTS = {"bar": 40, "line": 400, "pie": 10}
_MAX_NUMBER = 10**15

Cell: TypeAlias = str | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows, each as long as columns; at most 500."""

    columns: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of values, each with its own of labels."""

    kind: Annotated[
        Literal["bar", "line", "pie"],
        Field(description="bar: to compare; line: over time; pie: shares, at most 10."),
    ]
    labels: list[str]
    values: list[float]
    unit: Annotated[str, Field(description='Such as "EUR" or "%".')] = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its label, and the call that gave it."""

    value: Annotated[str, Field(description='Such as "246.81 EUR".')]
    label: str
    source_call: Annotated[str, Field(description='Such as "calculator: 1299 * 19%".')]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with at least one of text, table, chart, figures."""

    heading: str
    text: Annotated[str, Field(description="Markdown.")] = ""
    table: Table | None = None
    chart: Chart | None = None
    figures: list[Figure] = field(default_factory=list[Figure])


def check(title: str, sections: Sequence[Section]) -> None:
    """Refuse content that makes no report.

    Raises:
        ToolError: naming the section and what to do.
    """
    if not title.strip() or len(title) > 200:
        raise ToolError(f"the title has {len(title.strip())} characters", fix="Give a title of 1 to 200 characters.")
    if not 1 <= len(sections) <= MAX_SECTIONS:
        raise ToolError(f"the report has {len(sections)} sections", fix=f"Give 1 to {MAX_SECTIONS} sections.")
    for number, section in enumerate(sections, start=1):
        for problem, fix in _problems(section):
            raise ToolError(f"section {number} ({section.heading[:60]!r}): {problem}", fix=fix)


def numbered_figures(sections: Sequence[Section]) -> list[tuple[int, int, Figure]]:
    """Give section index, number from 1 on, and figure, in order: the numbers of the list of sources."""
    flat = [(at, figure) for at, section in enumerate(sections) for figure in section.figures]
    return [(at, number, figure) for number, (at, figure) in enumerate(flat, start=1)]


def _problems(section: Section) -> Iterator[tuple[str, str]]:
    if not section.heading.strip() or len(section.heading) > 200:
        yield "the heading is empty or too long", "Give a heading of 1 to 200 characters."
    if len(section.text) > MAX_TEXT_CHARS:
        yield f"the text has {len(section.text):,} characters", f"Give at most {MAX_TEXT_CHARS:,}; split the section."
    if section.table:
        yield from _table_problems(section.table)
    if section.chart:
        yield from _chart_problems(section.chart)
    if len(section.figures) > MAX_FIGURES:
        yield f"{len(section.figures)} figures", f"Give at most {MAX_FIGURES}; put the others into a table."
    for figure in section.figures:
        yield from _figure_problems(figure)
    if not (section.text.strip() or section.table or section.chart or section.figures):
        yield "it is empty", "Give it a text, a table, a chart or figures, or leave it out."


def _table_problems(table: Table) -> Iterator[tuple[str, str]]:
    width = len(table.columns)
    if not 1 <= width <= MAX_COLUMNS:
        yield f"the table has {width} columns", f"Give 1 to {MAX_COLUMNS} columns."
    if len(table.rows) > MAX_ROWS:
        yield f"the table has {len(table.rows):,} rows", f"Give at most {MAX_ROWS}: the largest, or sums by group."
    for number, row in enumerate(table.rows, start=1):
        if len(row) != width:
            yield (
                f"row {number} of the table has {len(row)} cells for {width} columns",
                f"Give each row {width} cells; null for one that is empty.",
            )
        for cell in row:
            if isinstance(cell, str) and len(cell) > MAX_CELL_CHARS:
                yield f"a cell in row {number} has {len(cell):,} characters", f"Give at most {MAX_CELL_CHARS}."
            if isinstance(cell, float | int) and not _is_number(cell):
                yield (
                    f"row {number} of the table holds {cell}, which is no usable number",
                    "Give null, or say in words what is missing.",
                )


def _chart_problems(chart: Chart) -> Iterator[tuple[str, str]]:
    count, most = len(chart.values), MAX_POINTS[chart.kind]
    if len(chart.labels) != count:
        yield f"the chart has {len(chart.labels)} labels for {count} values", "Give each value one label."
    if not 1 <= count <= most:
        yield f"the {chart.kind} chart has {count} values", f"Give 1 to {most}; join the smallest."
    for value in chart.values:
        if not _is_number(value):
            yield f"the chart holds {value}, which is no usable number", "Leave out the values that are missing."
    if chart.kind == "pie" and (min(chart.values, default=0) < 0 or not sum(chart.values)):
        yield "a pie chart shows shares of a whole: its values must be 0 or more, and not all 0", "Use a bar chart."


def _figure_problems(figure: Figure) -> Iterator[tuple[str, str]]:
    if not (figure.value.strip() and figure.label.strip() and figure.source_call.strip()):
        yield "a figure has no value, label or source_call", "Name what the figure is and the call that it came from."
    if figure.value.strip().lower() in {"nan", "inf", "-inf", "null", "none"}:
        yield f"the figure {figure.label[:60]!r} is {figure.value}, which is no number", "Leave it out, or say what is missing."
    if max(len(figure.value), len(figure.label), len(figure.source_call)) > MAX_CELL_CHARS:
        yield f"the figure {figure.label[:60]!r} is too long", f"Give at most {MAX_CELL_CHARS} characters each."


def _is_number(value: float) -> bool:
    return math.isfinite(value) and abs(value) < _MAX_NUMBER
