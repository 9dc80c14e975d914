"""Charts as SVG, drawn by hand: they need no script and no file beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from html import escape

from prudent.toolkits.report.content import Chart
from prudent.toolkits.report.wording import grouped, one_line

_COLOURS = ("#2563a8", "#d9822b", "#3a8f5c", "#b5485d", "#6f5aa8", "#8a6d3b", "#2a9d9d", "#c75fa5", "#7a8793", "#a3a02c")
_WIDTH = 680
_LABEL_WIDTH = 24
"""Of a label, in narrow characters; a wide one counts two."""


def to_svg(chart: Chart, title: str) -> str:
    """Draw a chart that has been checked."""
    height, body = _DRAWERS[chart.kind](chart)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(one_line(title))}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(body)}</svg>'
    )


def _bars(chart: Chart) -> tuple[int, Iterator[str]]:
    low, high = min(0.0, *chart.values), max(0.0, *chart.values)
    left, right, step = 200, _WIDTH - 120, 30
    scale = (right - left) / ((high - low) or 1)
    zero = left - low * scale

    def draw() -> Iterator[str]:
        for number, (label, value) in enumerate(zip(chart.labels, chart.values, strict=True)):
            top = 8 + number * step
            start, end = sorted((zero, zero + value * scale))
            yield _text(left - 10, top + 15, _short(label), "end", label)
            yield _element("rect", x=start, y=top, width=max(end - start, 1.0), height=20, rx=2, fill=_COLOURS[0])
            yield _text(end + 6, top + 15, _amount(value, chart.unit), "start", css="value")
        yield _element("line", x1=zero, y1=2, x2=zero, y2=8 + len(chart.values) * step, css="axis")

    return 12 + len(chart.values) * step, draw()


def _lines(chart: Chart) -> tuple[int, Iterator[str]]:
    ticks = _ticks(min(chart.values), max(chart.values))
    left, right, top, bottom = 90, _WIDTH - 24, 26, 266
    count = len(chart.values)

    def across(number: int) -> float:
        return (left + right) / 2 if count == 1 else left + number * (right - left) / (count - 1)

    def up(value: float) -> float:
        return bottom - (value - ticks[0]) / (ticks[-1] - ticks[0]) * (bottom - top)

    def draw() -> Iterator[str]:
        if chart.unit:
            yield _text(left, 14, _short(chart.unit), "start", css="value")
        for tick in ticks:
            yield _element("line", x1=left, y1=up(tick), x2=right, y2=up(tick), css="grid")
            yield _text(left - 8, up(tick) + 4, grouped(tick), "end", css="value")
        points = [(across(number), up(value)) for number, value in enumerate(chart.values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{_COLOURS[0]}" stroke-width="2"/>'
        every = math.ceil(count / 7)
        for number, (x, y) in enumerate(points):
            name = f"{chart.labels[number]}: {_amount(chart.values[number], chart.unit)}"
            if count <= 60:
                yield _element("circle", cx=x, cy=y, r=3, fill=_COLOURS[0], title=name)
            if number % every == 0:
                yield _text(x, bottom + 20, _short(chart.labels[number], 12), "middle", chart.labels[number])

    return 296, draw()


def _pie(chart: Chart) -> tuple[int, Iterator[str]]:
    total = sum(chart.values)
    height = max(230, 30 + 26 * len(chart.values))
    x, y, radius, ring = 125, height / 2, 78, 44
    round_ = 2 * math.pi * radius

    def draw() -> Iterator[str]:
        before = 0.0
        for number, (label, value) in enumerate(zip(chart.labels, chart.values, strict=True)):
            share, colour = value / total, _COLOURS[number]
            # A slice is a piece of a circle's thick outline: it also draws a whole circle, which arcs cannot.
            yield (
                f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{colour}" stroke-width="{ring}" '
                f'stroke-dasharray="{share * round_:.2f} {round_:.2f}" transform="rotate({before * 360 - 90:.2f} {x} {y})">'
                f"<title>{escape(one_line(label))}</title></circle>"
            )
            before += share
            top = (height - 26 * len(chart.values)) / 2 + 26 * number
            yield _element("rect", x=270, y=top + 4, width=14, height=14, rx=2, fill=colour)
            yield _text(294, top + 16, _short(label), "start", label)
            shown = "" if chart.unit.startswith("%") else f" ({share:.1%})"
            yield _text(_WIDTH - 20, top + 16, _amount(value, chart.unit) + shown, "end", css="value")

    return int(height), draw()


_DRAWERS: Mapping[str, Callable[[Chart], tuple[int, Iterator[str]]]] = {"bar": _bars, "line": _lines, "pie": _pie}


def _ticks(low: float, high: float) -> list[float]:
    """Choose four to eight round numbers that the values lie between."""
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or 1.0
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _amount(value: float, unit: str) -> str:
    return f"{grouped(value)}{'' if unit.startswith('%') else ' '}{one_line(unit)[:12]}".strip()


def _short(text: str, most: int = _LABEL_WIDTH) -> str:
    shown, used = "", 0
    for character in one_line(text):
        used += 2 if ord(character) > 0x2E7F else 1
        if used > most:
            return shown + "…"
        shown += character
    return shown


def _text(x: float, y: float, text: str, anchor: str, whole: str = "", css: str = "") -> str:
    style = f' class="{css}"' if css else ""
    title = f"<title>{escape(one_line(whole))}</title>" if whole else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}{title}</text>'


def _element(name: str, *, css: str = "", title: str = "", **attributes: float | str) -> str:
    written = "".join(
        f' {key}="{value:.1f}"' if isinstance(value, float) else f' {key}="{value}"' for key, value in attributes.items()
    )
    style = f' class="{css}"' if css else ""
    return f"<{name}{written}{style}>{f'<title>{escape(one_line(title))}</title>' if title else ''}</{name}>"
