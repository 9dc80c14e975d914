"""The report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from prudent.toolkits.report.content import Cell, Chart, Figure, Section, numbered_figures
from prudent.toolkits.report.wording import clean, one_line, words_for, written

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def to_markdown(title: str, sections: Sequence[Section]) -> str:
    """Write a report; charts become tables of their numbers."""
    return "\n\n".join(part for part in _parts(title, sections) if part) + "\n"


def _parts(title: str, sections: Sequence[Section]) -> Iterator[str]:
    words = words_for(title)
    figures = numbered_figures(sections)
    yield f"# {_without_tags(one_line(title))}"
    for at, section in enumerate(sections):
        yield f"## {_without_tags(one_line(section.heading))}"
        yield _without_tags(clean(section.text).strip())
        yield "\n".join(f"- {_figure(figure)} [{number}]" for place, number, figure in figures if place == at)
        if section.table:
            yield _table(section.table.columns, section.table.rows)
        if section.chart:
            yield _chart(section.chart, words.label, words.value)
    if figures:
        yield f"## {words.sources}"
        rows: list[list[Cell]] = [[number, one.label, one.value, one.source_call] for _, number, one in figures]
        yield _table([words.number, words.figure, words.value, words.source], rows)


def _without_tags(text: str) -> str:
    """Keep HTML in a text from being obeyed where the Markdown is shown; code is shown as it is anyway."""
    pieces = _CODE.split(text)
    return "".join(piece if number % 2 else _TAG.sub("&lt;", piece) for number, piece in enumerate(pieces))


def _figure(figure: Figure) -> str:
    return f"{_without_tags(one_line(figure.label))}: **{_without_tags(one_line(figure.value))}**"


def _chart(chart: Chart, label: str, value: str) -> str:
    heading = f"{value} ({chart.unit})" if chart.unit else value
    return _table([label, heading], [[name, number] for name, number in zip(chart.labels, chart.values, strict=True)])


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [_row(columns), "|" + "---|" * len(columns), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(_escaped(one_line(written(cell))) for cell in cells) + " |"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
