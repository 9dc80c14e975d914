"""Pictures of an audit as inline SVG: the long tail, and the map of twins. Colours are the page's own classes."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence

from prudent.design.audit.confusion import TwinPair
from prudent.design.audit.corrections import Corrections
from prudent.design.audit.usage import LONG_TAIL_SHARE, ToolUse

MOST_BARS = 150
MOST_EDGES = 60

_ROW, _LABEL, _BAR, _FIGURES = 24, 230, 480, 210
_LABEL_CHARS = 32
_MAP_WIDTH, _MARGIN, _LEAST_RADIUS, _MOST_RADIUS = 920, 50, 80, 250
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def escape(text: str) -> str:
    """Make a text safe inside HTML and SVG: no markup, no characters that either refuses or that turn the writing."""
    return html.escape(_UNSAFE.sub("\ufffd", text))


def bar_chart(uses: Sequence[ToolUse]) -> str:
    """Draw one bar a tool, the most called first, the failed part of it marked; rare and unused ones have their own colour."""
    shown = uses[:MOST_BARS]
    total = sum(use.calls for use in uses)
    most = max((use.calls for use in shown), default=0) or 1
    height = _ROW * len(shown) + 34
    parts = [_open("Calls per tool", _LABEL + _BAR + _FIGURES, height)]
    threshold = min(_BAR, _BAR * LONG_TAIL_SHARE * total / most)
    for row, use in enumerate(shown):
        parts.append(_bar(use, row * _ROW, _BAR * use.calls / most, threshold))
    if total:
        x = _LABEL + threshold
        parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 26}"/>')
        parts.append(f'<text class="small" x="{x:.1f}" y="{height - 10}" text-anchor="middle">1 % of all calls</text>')
    return "".join([*parts, "</svg>"])


def twin_map(uses: Sequence[ToolUse], twins: Sequence[TwinPair], corrections: Sequence[Corrections]) -> str:
    """Draw the tools that are alike or follow each other as corrections; empty where there are none."""
    known = {use.name: use for use in uses}
    moves = [row for row in corrections if row.first in known and row.then in known][:MOST_EDGES]
    pairs = twins[:MOST_EDGES]
    involved = {name for pair in pairs for name in (pair.one, pair.other)}
    involved |= {name for row in moves for name in (row.first, row.then)}
    names = _around(sorted(involved), pairs, moves)
    if not names:
        return ""
    radius = min(_MOST_RADIUS, max(_LEAST_RADIUS, 17 * len(names)))
    places = {name: _place(at, len(names), radius) for at, name in enumerate(names)}
    most = max((row.count for row in moves), default=1)
    parts = [_open("Twin map", _MAP_WIDTH, 2 * (radius + _MARGIN)), _arrow_head()]
    parts += [_edge(places[pair.one], places[pair.other], pair) for pair in pairs]
    parts += [_arrow(places[row.first], places[row.then], row, most) for row in moves]
    parts += [_node(known[name], places[name]) for name in names if name in known]
    return "".join([*parts, "</svg>"])


def _open(title: str, width: float, height: float) -> str:
    size = f'viewBox="0 0 {width} {height}" style="max-width:{width}px"'
    return f'<svg {size} role="img" aria-label="{title}"><title>{title}</title>'


def _bar(use: ToolUse, y: float, width: float, threshold: float) -> str:
    kind = "unused" if use.is_unused else "rare" if use.is_long_tail else "used"
    failed = width * use.failed / use.calls if use.calls else 0.0
    figures = f"{use.calls:,} · {use.share:.1%}" + (f" · {use.failed:,} failed" if use.failed else "")
    if use.is_unused:
        figures = f"never · {use.tokens:,} tokens in each call"
    return (
        f'<g><title>{escape(use.name)}: {escape(figures)}</title><text class="label {kind}" x="{_LABEL - 10}" y="{y + 16}" '
        f'text-anchor="end">{escape(_short(use.name))}</text>'
        f'<rect class="bar {kind}" x="{_LABEL}" y="{y + 4}" width="{max(width, 2):.1f}" height="{_ROW - 8}" rx="3"/>'
        f'<rect class="bar failed" x="{_LABEL}" y="{y + 4}" width="{failed:.1f}" height="{_ROW - 8}" rx="3"/>'
        f'<text class="small" x="{_LABEL + max(width, threshold) + 8:.1f}" y="{y + 16}">{escape(figures)}</text></g>'
    )


def _around(names: list[str], pairs: Sequence[TwinPair], moves: Sequence[Corrections]) -> list[str]:
    """Order the tools so that those that belong together stand side by side."""
    near: dict[str, list[str]] = {name: [] for name in names}
    for one, other in [*((pair.one, pair.other) for pair in pairs), *((row.first, row.then) for row in moves)]:
        near[one].append(other)
        near[other].append(one)
    ordered: dict[str, None] = {}
    for name in sorted(names, key=lambda name: -len(near[name])):
        waiting = [name]
        while waiting:
            here = waiting.pop()
            if here not in ordered:
                ordered[here] = None
                waiting += [other for other in reversed(near[here]) if other not in ordered]
    return list(ordered)


def _place(at: int, count: int, radius: float) -> tuple[float, float]:
    angle = 2 * math.pi * at / count - math.pi / 2 + (math.pi / count if count > 2 else math.pi / 2)
    return _MAP_WIDTH / 2 + radius * math.cos(angle) * 1.15, radius + _MARGIN + radius * math.sin(angle)


def _edge(one: tuple[float, float], other: tuple[float, float], pair: TwinPair) -> str:
    told = escape(f"{pair.one} and {pair.other}: {pair.likeness.compared}")
    width = 2 + 10 * pair.likeness.score**2
    return (
        f'<line class="alike" x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}" '
        f'stroke-width="{width:.1f}"><title>{told}</title></line>'
    )


def _arrow(one: tuple[float, float], other: tuple[float, float], row: Corrections, most: int) -> str:
    """Draw a bow, so that the way back is another line, ending short of the other's circle."""
    (x1, y1), (x2, y2) = one, other
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    across, along = ((y1 - y2) / length, (x2 - x1) / length), ((x2 - x1) / length, (y2 - y1) / length)
    bow = min(40.0, length / 5)
    middle = ((x1 + x2) / 2 + across[0] * bow, (y1 + y2) / 2 + across[1] * bow)
    end = (x2 - along[0] * 14 + across[0] * 8, y2 - along[1] * 14 + across[1] * 8)
    told = escape(f"{row.first} → {row.then}: {row.count} times")
    label = ((x1 + x2) / 2 + across[0] * (bow * 0.5 + 9), (y1 + y2) / 2 + across[1] * (bow * 0.5 + 9) + 4)
    return (
        f'<path class="move" d="M{x1:.1f} {y1:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}" '
        f'stroke-width="{1 + 3 * row.count / most:.1f}" marker-end="url(#head)"><title>{told}</title></path>'
        f'<text class="small moved" x="{label[0]:.1f}" y="{label[1]:.1f}" text-anchor="middle">{row.count}</text>'
    )


def _node(use: ToolUse, place: tuple[float, float]) -> str:
    x, y = place
    side = "start" if x >= _MAP_WIDTH / 2 else "end"
    size = 6 + min(10.0, 2.2 * math.log10(1 + use.calls) * 1.5)
    shift = size + 7 if side == "start" else -size - 7
    told = escape(f"{use.name}: {use.calls:,} calls")
    return (
        f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{told}</title></circle>'
        f'<text class="label" x="{x + shift:.1f}" y="{y + 5:.1f}" text-anchor="{side}">{escape(_short(use.name))}</text>'
    )


def _arrow_head() -> str:
    return (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="9" markerHeight="9" orient="auto" '
        'markerUnits="userSpaceOnUse"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )


def _short(name: str) -> str:
    return name if len(name) <= _LABEL_CHARS else name[: _LABEL_CHARS - 1] + "…"
