"""Checking a value against a JSON schema: types, ranges, lengths, enumerations, required and unknown properties.

The model was told the schema, so this is the contract it is held to, whether the tool is a Python function or was imported.
What is left out: `uniqueItems` (a set may be written with doubles), `not` and `if` (nobody uses them for tools).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from operator import ge, gt, le, lt
from typing import Literal, Protocol

from prudent.tools.decoding import too_many
from prudent.tools.nodes import admits, as_list, as_node, as_object, branches, follow, is_closed, kind_of, kinds
from prudent.types import JSON, JSONMapping, JSONObject

Path = tuple[str | int, ...]
"""Where in the arguments: keys and indexes from the outside in."""

_MAX_PROBLEMS = 20
_MAX_STEPS = 200_000
_LIMITS = (("minimum", lt), ("maximum", gt), ("exclusiveMinimum", le), ("exclusiveMaximum", ge))
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the arguments."""

    kind: Literal["missing", "unknown", "value"]
    path: Path
    received: JSON = None
    node: JSONMapping = field(default_factory=dict[str, JSON])
    """What the schema says about this place; for an unknown property, about the object it stands in."""

    note: str = ""
    """What a validator says beyond the schema."""


class _Validator(Protocol):
    def isinstance_python(self, value: str, /) -> bool: ...


class Checker:
    """Checks values against one schema document. For one set of arguments only: it remembers what it has looked at."""

    def __init__(self, root: JSONMapping) -> None:
        self._root = root
        self._accepted: dict[tuple[int, int], tuple[bool, JSONMapping, JSON]] = {}
        self._steps = 0

    def problems(self, value: JSON) -> list[Problem]:
        """List what is wrong, the first twenty at most. Raises CallRefused when there is too much to look at."""
        return list(islice(self._look(dict(self._root), value, ()), _MAX_PROBLEMS))

    def accepts(self, node: JSONObject, value: JSON) -> bool:
        """Whether a value is right by a node; remembered, so that nested alternatives cost no more than once each."""
        if not isinstance(value, dict | list):
            return next(self._look(node, value, ()), None) is None
        key = (id(node), id(value))
        if key not in self._accepted:
            accepted = next(self._look(node, value, ()), None) is None
            self._accepted[key] = (accepted, node, value)  # both are held on to, so that no other gets their id
        return self._accepted[key][0]

    def _look(self, raw: JSONObject, value: JSON, path: Path) -> Iterator[Problem]:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise too_many()
        node = follow(self._root, raw)
        if not _may_be(node, value):
            yield Problem("value", path, value, node)
            return
        allowed = frozenset[str]() if "enum" in node else kinds(self._root, node)
        kind = kind_of(value)
        if not admits(allowed, kind):
            yield Problem("value", path, value, node)
            return
        yield from self._combinations(node, value, path)
        if isinstance(value, dict):
            yield from self._object(node, value, path)
        elif isinstance(value, list):
            yield from self._array(node, value, path)
        elif not _in_bounds(node, value):
            yield Problem("value", path, value, node)

    def _combinations(self, node: JSONObject, value: JSON, path: Path) -> Iterator[Problem]:
        for part in as_list(node.get("allOf")):
            yield from self._look(as_node(part), value, path)
        alternatives = [as_node(branch) for branch in branches(node)]
        if not alternatives or any(self.accepts(branch, value) for branch in alternatives):
            return
        meant = [branch for branch in alternatives if self._is_meant(branch, value)]
        if len(meant) == 1:
            yield from self._look(meant[0], value, path)
        else:
            yield Problem("value", path, value, node)

    def _is_meant(self, branch: JSONObject, value: JSON) -> bool:
        """Whether an alternative is of the value's type and does not contradict it where a constant tells them apart."""
        node = follow(self._root, branch)
        if not isinstance(value, dict | list) or not admits(kinds(self._root, node), kind_of(value)):
            return False
        if isinstance(value, list):
            return True
        properties = as_object(node.get("properties"))
        told = ((follow(self._root, properties[key]), part) for key, part in value.items() if key in properties)
        return all("const" not in known or _same(known["const"], part) for known, part in told)

    def _object(self, node: JSONObject, value: JSONObject, path: Path) -> Iterator[Problem]:
        properties = as_object(node.get("properties"))
        for key in as_list(node.get("required")):
            if isinstance(key, str) and key not in value:
                yield Problem("missing", (*path, key), None, follow(self._root, properties.get(key, True)))
        extra = node.get("additionalProperties")
        for key, part in value.items():
            if key in properties:
                yield from self._look(as_node(properties[key]), part, (*path, key))
            elif is_closed(node):
                yield Problem("unknown", (*path, key), part, node)
            elif isinstance(extra, dict) and "patternProperties" not in node:
                yield from self._look(extra, part, (*path, key))
        names = node.get("propertyNames")
        if isinstance(names, dict):
            for key in value:
                yield from self._look(names, key, (*path, key))
        if not _within(node, "Properties", len(value)):
            yield Problem("value", path, value, node)

    def _array(self, node: JSONObject, value: list[JSON], path: Path) -> Iterator[Problem]:
        if not _within(node, "Items", len(value)):
            yield Problem("value", path, value, node)
        for index, (item, part) in enumerate(zip(item_nodes(node, len(value)), value, strict=True)):
            yield from self._look(item, part, (*path, index))


def item_nodes(node: JSONMapping, count: int) -> Sequence[JSONObject]:
    """Give the schema of each of `count` items of an array."""
    first = node.get("prefixItems", node.get("items") if isinstance(node.get("items"), list) else None)
    leading = [as_node(item) for item in as_list(first)][:count]
    rest = node.get("items", True)
    return [*leading, *([as_node(True if isinstance(rest, list) else rest)] * (count - len(leading)))]


def _may_be(node: JSONMapping, value: JSON) -> bool:
    """Whether the enumeration or the constant, if there is one, has the value."""
    if "const" in node and not _same(node["const"], value):
        return False
    return not isinstance(node.get("enum"), list) or is_listed(node, value)


def is_listed(node: JSONMapping, value: JSON) -> bool:
    """Whether the node's enumeration has the value."""
    return any(_same(allowed, value) for allowed in as_list(node.get("enum")))


def _same(one: JSON, other: JSON) -> bool:
    """Compare as JSON does: true is not 1, but 1.0 is."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _within(node: JSONMapping, noun: str, count: int) -> bool:
    low, high = node.get(f"min{noun}"), node.get(f"max{noun}")
    return not (isinstance(low, int | float) and count < low) and not (isinstance(high, int | float) and count > high)


def _in_bounds(node: JSONMapping, value: JSON) -> bool:
    if isinstance(value, str):
        dated = node.get("format") not in ("date", "date-time") or _DATED.match(value)
        return bool(dated) and _within(node, "Length", len(value)) and _matches(node.get("pattern"), value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _in_range(node, value)
    return True


def _in_range(node: JSONMapping, value: float) -> bool:
    for name, is_wrong in _LIMITS:
        limit = node.get(name)
        if isinstance(limit, int | float) and not isinstance(limit, bool) and is_wrong(value, limit):
            return False
    step = node.get("multipleOf")
    return not isinstance(step, int | float) or not step or _is_multiple(value, step)


def _is_multiple(value: float, step: float) -> bool:
    try:
        quotient = value / step
    except OverflowError:
        return True
    return abs(quotient - round(quotient)) < 1e-9 * max(1.0, abs(quotient))


def _matches(pattern: JSON, value: str) -> bool:
    if not isinstance(pattern, str):
        return True
    validator = _pattern_validator(pattern)
    return validator is None or validator.isinstance_python(value)


@lru_cache(maxsize=256)
def _pattern_validator(pattern: str) -> _Validator | None:
    """Make a validator of a pattern that takes linear time, whatever the pattern; None for a dialect it does not know."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # 0.05 s to import, and few schemas have a pattern

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return None
