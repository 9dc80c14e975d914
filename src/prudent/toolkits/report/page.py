"""The report as one HTML page that stands alone: no script, nothing to load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from prudent.toolkits.report.charts import to_svg
from prudent.toolkits.report.content import Cell, Chart, Figure, Section, numbered_figures
from prudent.toolkits.report.wording import Words, clean, one_line, words_for, written

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1d2733; --soft: #5b6875; --line: #d8dee5; --back: #ffffff; --tint: #f4f6f9; --accent: #2563a8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ef; --soft: #9aa7b4; --line: #35404c; --back: #171c22; --tint: #1f262e; --accent: #7fb2e8 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--ink); line-height: 1.6;
  font: 16px/1.6 system-ui, "Segoe UI", Roboto, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 2rem; padding-bottom: 1rem; border-bottom: 3px solid var(--accent) }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem }
.scroll { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .925rem }
th, td { text-align: left; padding: .45rem .75rem; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere }
th { background: var(--tint); font-weight: 600 }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
figure { margin: 1.25rem 0; padding: 1rem; background: var(--tint); border-radius: 8px }
svg { display: block; width: 100%; height: auto; font-size: 13px }
svg text { fill: var(--ink) }
svg text.value { fill: var(--soft) }
svg .axis { stroke: var(--soft) }
svg .grid { stroke: var(--line) }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .75rem; margin: 1rem 0 }
dl div { background: var(--tint); border-radius: 8px; padding: .75rem 1rem }
dt { color: var(--soft); font-size: .875rem }
dd { margin: 0; font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere }
sup a, a { color: var(--accent) }
sup { font-size: .7em; font-weight: 400 }
pre { overflow-x: auto; background: var(--tint); padding: .75rem 1rem; border-radius: 8px }
.sources { margin-top: 3rem; font-size: .925rem }
@media print { main { max-width: none; padding: 0 } h2, figure, dl div { break-inside: avoid; break-after: avoid } }
"""


def to_page(title: str, sections: Sequence[Section]) -> str:
    """Write a report; whatever the model gave is escaped."""
    words = words_for(title)
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in _parts(title, sections, words) if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _parts(title: str, sections: Sequence[Section], words: Words) -> Iterator[str]:
    figures = numbered_figures(sections)
    yield f"<h1>{_text(title)}</h1>"
    for at, section in enumerate(sections):
        yield f"<section>\n<h2>{_text(section.heading)}</h2>"
        yield _markdown(clean(section.text))
        yield _figures([(number, figure) for place, number, figure in figures if place == at])
        if section.table:
            yield _table(section.table.columns, section.table.rows)
        if section.chart:
            yield _chart(section.chart, section.heading)
        yield "</section>"
    if figures:
        yield f'<section class="sources">\n<h2>{words.sources}</h2>'
        yield _sources(words, figures)
        yield "</section>"


@cache
def _renderer() -> MarkdownIt:
    # Raw HTML is shown, not obeyed; pictures would have to be loaded from elsewhere.
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image"])


def _markdown(text: str) -> str:
    tokens = _renderer().parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    return str(_renderer().renderer.render(tokens, _renderer().options, {})).strip()


def _figures(figures: Sequence[tuple[int, Figure]]) -> str:
    shown = "".join(
        f"<div><dt>{_text(figure.label)}</dt><dd>{_text(figure.value)}"
        f'<sup><a href="#source-{number}">{number}</a></sup></dd></div>\n'
        for number, figure in figures
    )
    return f"<dl>\n{shown}</dl>" if shown else ""


def _sources(words: Words, figures: Sequence[tuple[int, int, Figure]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in (words.number, words.figure, words.value, words.source))
    rows = "".join(
        f'<tr id="source-{number}"><td>{number}</td><td>{_text(one.label)}</td><td>{_text(one.value)}</td>'
        f"<td>{_text(one.source_call)}</td></tr>\n"
        for _, number, one in figures
    )
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    head = "".join(f"<th>{_text(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>'


def _cell(cell: Cell) -> str:
    style = ' class="number"' if isinstance(cell, int | float) else ""
    return f"<td{style}>{_text(written(cell))}</td>"


def _chart(chart: Chart, title: str) -> str:
    return f"<figure>{to_svg(chart, title)}</figure>"


def _text(text: str) -> str:
    return escape(one_line(text))
