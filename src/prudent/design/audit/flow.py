"""Where the arguments of steps come from that are taken one after the other, read from many places where they were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prudent.design.audit.facts import Call
from prudent.design.audit.values import is_telling, leaves, stands_in
from prudent.messages import canonical_json
from prudent.types import JSON

MOSTLY = 0.8
"""What is so in this share of the places is taken to be the rule."""

_ALWAYS = 0.95
_COMPOSED_CHARS = 80
_MAX_DEPTH = 6
_MAX_ITEMS = 20
_MAX_LEAVES = 400


Path = tuple[str | int, ...]
"""Keys and positions that lead to a part of a result."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the value of one argument comes from."""

    kind: Literal["given", "constant", "argument", "result"]
    """Given from outside; the same in all places; the same as an earlier step's argument; part of an earlier result."""

    step: int = 0
    """Which earlier step, from 0."""

    name: str = ""
    """The earlier step's argument; or where in its result, such as `order.id`, "" where it stands in a text."""

    value: str = ""
    """The constant, as JSON."""

    path: Path = field(default=(), compare=False)
    """The same as keys and positions."""

    is_composed: bool = False
    """Whether it is a long text, which a model writes when it has seen what came before."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a sequence."""

    tool: str
    arguments: tuple[tuple[str, Origin], ...]
    """In the order of their names; only those that are mostly given."""


def trace(places: Sequence[Sequence[Call]]) -> tuple[Step, ...]:
    """Tell where the arguments of each step come from.

    Args:
        places: for each place where the sequence was found its calls, one for each step, without arguments that nobody chose.
    """
    return tuple(
        Step(call.tool, tuple((name, _origin(name, at, places)) for name in _usual_names(at, places)))
        for at, call in enumerate(places[0])
    )


def _usual_names(at: int, places: Sequence[Sequence[Call]]) -> list[str]:
    found = Counter(name for place in places for name in place[at].arguments)
    return sorted(name for name, count in found.items() if 2 * count >= len(places))


def _origin(name: str, at: int, places: Sequence[Sequence[Call]]) -> Origin:
    having = [place for place in places if name in place[at].arguments]
    constants = Counter(_key(place[at].arguments[name]) for place in having)
    (value, count), *_ = constants.most_common(1)
    if len(having) > 1 and count >= _ALWAYS * len(having):
        return Origin("constant", value=value)
    found = Counter(origin for place in having for origin in set(_sources(place[at].arguments[name], place[:at])))
    if found:
        best = min(found, key=lambda origin: (-found[origin], origin.kind, origin.step, origin.name))
        if found[best] >= MOSTLY * len(having):
            return best
    texts = [value for place in having if isinstance(value := place[at].arguments[name], str)]
    composed = sum(len(text) > _COMPOSED_CHARS or "\n" in text for text in texts)
    return Origin("given", is_composed=2 * composed > len(having))


def _sources(value: JSON, earlier: Sequence[Call]) -> Iterator[Origin]:
    """Give all places before from which a value may come."""
    if isinstance(value, bool) or value is None or value in ("", [], {}):
        return
    key = _key(value)
    for step, call in enumerate(earlier):
        for name, known in call.arguments.items():
            if _key(known) == key:
                yield Origin("argument", step, name)
        inside = [*leaves(value)] if isinstance(value, str | int | float) else []
        if inside and is_telling(inside[0]):
            yield from (Origin("result", step, _written(path), path=path) for path in _paths(inside[0], call.shown))


def _paths(leaf: str | int | float, shown: str) -> list[Path]:
    """Tell where in a result a value stands: paths in JSON, an empty one for somewhere in its text."""
    if shown[:1] in ("{", "["):
        try:
            found = [path for path, value in _parts(json.loads(shown), ()) if value == leaf or str(value) == str(leaf)]
        except (ValueError, RecursionError):
            found = []
        if found:
            return found[:_MAX_ITEMS]
    return [()] if stands_in(leaf, shown) else []


def _parts(value: JSON, path: Path) -> Iterator[tuple[Path, str | int | float]]:
    if len(path) > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name in [*value][:_MAX_LEAVES]:
            yield from _parts(value[name], (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value[:_MAX_ITEMS]):
            yield from _parts(item, (*path, index))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value


def _written(path: Path) -> str:
    """Write a path as `order.lines[0].id`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _key(value: JSON) -> str:
    return canonical_json({"": value})[4:-1]
