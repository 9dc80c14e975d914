"""Pictures of an audit as inline SVG: the long tail, and the map of twins. Colours are the page's own classes."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.design.audit.confusion import TwinPair
from prudent.design.audit.corrections import Corrections
from prudent.design.audit.usage import LONG_TAIL_SHARE, ToolUse

MOST_BARS = 150
MOST_EDGES = 60

_ROW, _LABEL, _BAR, _FIGURES = 24, 230, 480, 210
_LABEL_CHARS = 32
_MAP_WIDTH, _MARGIN, _WIDE_MARGIN, _LEAST_RADIUS, _MOST_RADIUS = 920, 50, 240, 80, 250
_MOST_LEVEL_NAMES = 12
_LEAST_SHARE_DRAWN = 0.1
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tool stands on the circle of the map."""

    point: tuple[float, float]
    angle: float
    """From the centre, in radians, clockwise from the right."""

    centre: float
    """How far the centre is from the upper edge."""

    is_crowded: bool
    """Whether names have to point outward, since side by side they would run into each other."""

    @classmethod
    def of(cls, at: int, count: int) -> _Place:
        crowded = count > _MOST_LEVEL_NAMES
        radius = min(_MOST_RADIUS, max(_LEAST_RADIUS, 15 * count))
        centre = radius + (_WIDE_MARGIN if crowded else _MARGIN)
        angle = 2 * math.pi * at / count - math.pi / 2 + (math.pi / count if count > 2 else math.pi / 2)
        stretched = radius * (1.0 if crowded else 1.15)
        return cls((_MAP_WIDTH / 2 + stretched * math.cos(angle), centre + radius * math.sin(angle)), angle, centre, crowded)


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
    pairs = twins[:MOST_EDGES]
    moves = _telling([row for row in corrections if row.first in known and row.then in known], pairs)
    involved = {name for pair in pairs for name in (pair.one, pair.other)}
    involved |= {name for row in moves for name in (row.first, row.then)}
    names = _around(sorted(involved), pairs, moves)
    if not names:
        return ""
    places = {name: _Place.of(at, len(names)) for at, name in enumerate(names)}
    most = max((row.count for row in moves), default=1)
    parts = [_open("Twin map", _MAP_WIDTH, 2 * max(place.centre for place in places.values())), _arrow_head()]
    parts += [_edge(places[pair.one].point, places[pair.other].point, pair) for pair in pairs]
    parts += [_arrow(places[row.first].point, places[row.then].point, row, most) for row in moves]
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


def _telling(moves: list[Corrections], pairs: Sequence[TwinPair]) -> list[Corrections]:
    """Leave out what is rare beside the most frequent, unless it is between twins."""
    twins = {frozenset((pair.one, pair.other)) for pair in pairs}
    least = _LEAST_SHARE_DRAWN * max((row.count for row in moves), default=0)
    return [row for row in moves if row.count >= least or frozenset((row.first, row.then)) in twins][:MOST_EDGES]


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
    label = ((x1 + x2) / 2 + across[0] * (bow * 0.5 + 15), (y1 + y2) / 2 + across[1] * (bow * 0.5 + 15) + 4)
    return (
        f'<path class="move" d="M{x1:.1f} {y1:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}" '
        f'stroke-width="{1 + 3 * row.count / most:.1f}" marker-end="url(#head)"><title>{told}</title></path>'
        f'<text class="small moved" x="{label[0]:.1f}" y="{label[1]:.1f}" text-anchor="middle">{row.count}</text>'
    )


def _node(use: ToolUse, place: _Place) -> str:
    x, y = place.point
    size = 6 + min(6.0, 1.5 * math.log10(1 + use.calls))
    told = escape(f"{use.name}: {use.calls:,} calls")
    side = "start" if math.cos(place.angle) >= -1e-9 else "end"
    shift = size + 7 if side == "start" else -size - 7
    turned, y_name = "", y + 5 + 14 * math.sin(place.angle)
    if place.is_crowded:
        y_name = y + 5
        degrees = math.degrees(place.angle) + (0 if side == "start" else 180)
        turned = f' transform="rotate({degrees:.1f} {x:.1f} {y:.1f})"'
    where = f'x="{x + shift:.1f}" y="{y_name:.1f}" text-anchor="{side}"{turned}'
    return (
        f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{told}</title></circle>'
        f'<text class="label" {where}>{escape(_short(use.name))}</text>'
    )


def _arrow_head() -> str:
    return (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="9" markerHeight="9" orient="auto" '
        'markerUnits="userSpaceOnUse"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )


def _short(name: str) -> str:
    return name if len(name) <= _LABEL_CHARS else name[: _LABEL_CHARS - 1] + "…"
