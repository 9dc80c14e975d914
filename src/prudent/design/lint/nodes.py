"""Rules that look at every node of a schema as it is written, references not followed, however odd it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prudent.design.lint.rule import Hit, Rule, Toolset
from prudent.design.sheet import Definition
from prudent.types import JSON, JSONMapping

_MAX_NODES = 3_000
_MAX_DEPTH = 40
_BY_NAME = ("properties", "$defs", "definitions", "patternProperties")
_ONE = ("items", "additionalProperties", "not", "contains", "if", "then", "else")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")


@dataclass(frozen=True, slots=True)
class Spot:
    """One node of a schema."""

    place: str
    """Such as `parameters.filters[].since`."""

    node: JSONMapping
    is_root: bool = False
    broken: str = ""
    """What stands there where a schema should; "" for a schema."""


class SpotRule(Rule):
    """A rule about each node of the schema."""

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at each node; the first of a kind is enough, with how many more there are."""
        del tools
        found = [hit for spot in spots(definition.schema) if (hit := self.check_spot(spot, definition))]
        if not found:
            return
        first = found[0]
        more = f" ({len(found) - 1} more like it)" if len(found) > 1 else ""
        yield Hit(first.place, first.reason + more, first.rewrite, level=first.level, fix=first.fix)

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Find what breaks the rule in one node."""
        raise NotImplementedError


def spots(schema: JSONMapping) -> Iterator[Spot]:
    """Give all nodes, the outer before the inner; the first 3,000, to a depth of 40."""
    waiting: list[tuple[str, JSON, int]] = [("parameters", dict(schema), 0)]
    seen = 0
    while waiting and seen < _MAX_NODES:
        place, node, depth = waiting.pop()
        seen += 1
        if isinstance(node, bool):
            continue
        if not isinstance(node, dict):
            yield Spot(place, {}, broken=type(node).__name__)
            continue
        yield Spot(place, node, is_root=depth == 0)
        if depth < _MAX_DEPTH:
            waiting += reversed([(where, part, depth + 1) for where, part in _parts(place, node)])


def _parts(place: str, node: JSONMapping) -> Iterator[tuple[str, JSON]]:
    for key in _BY_NAME:
        named = node.get(key)
        if isinstance(named, dict):
            start = f"{place}." if key == "properties" else f"{place}.{key}."
            yield from ((f"{start}{name}", part) for name, part in named.items())
    for key in _ONE:
        part = node.get(key)
        if isinstance(part, list) and key == "items":
            yield from ((f"{place}[{index}]", inner) for index, inner in enumerate(part))
        elif key in node:
            yield (f"{place}[]" if key == "items" else f"{place}.{key}"), part
    for key in _SEVERAL:
        parts = node.get(key)
        if isinstance(parts, list):
            yield from ((f"{place}.{key}[{index}]", part) for index, part in enumerate(parts))
