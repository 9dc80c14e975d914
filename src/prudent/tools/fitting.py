"""Fitting decoded arguments to their schema: repairs that lose nothing, defaults filled in, keys in the schema's order.

It never refuses a value; whatever does not fit is left as it came, for the check that follows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal

from prudent.errors import CallRefused
from prudent.tools.checking import Checker, Path, is_listed, item_nodes
from prudent.tools.decoding import MAX_DIGITS, WrittenFloat, check_depth, plain, read_json, too_many
from prudent.tools.nodes import admits, as_list, as_node, as_object, branches, follow, kind_of, kinds
from prudent.types import JSON, JSONMapping, JSONObject

Fill = Literal["none", "parameters", "everywhere"]
"""Where defaults are filled in: nowhere, for parameters only, or inside their objects, too."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_EXACT_BELOW = 2.0**53
_MAX_ENCODINGS = 3
_MAX_STEPS = 200_000
_MAX_NESTED_ATTEMPTS = 100
_MAX_REPAIRS = 20


class Fitter:
    """Fits one set of arguments."""

    def __init__(self, root: JSONMapping, fill: Fill) -> None:
        self._root = root
        self._fill = fill
        self._checker = Checker(root)
        self._steps = 0
        self._trying = 0
        self._nested_attempts = 0
        self.repairs: list[str] = []
        """What was repaired and where, without the values; the first twenty."""

    def fit(self, value: JSONObject) -> JSONObject:
        """Give the arguments as they should have been written. Raises CallRefused for what is too deep or too much."""
        return as_object(self._fit(dict(self._root), value, ()))

    def _fit(self, raw: JSONObject, value: JSON, path: Path) -> JSON:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise too_many()
        node = follow(self._root, raw)
        if not node:
            return plain(value, len(path))
        if not is_listed(node, value):
            value = self._retype(kinds(self._root, node), value, path)
        alternatives = [as_node(branch) for branch in branches(node)]
        if alternatives:
            value = self._fit_alternatives(alternatives, value, path)
        for part in as_list(node.get("allOf")):
            value = self._fit(as_node(part), value, path)
        if isinstance(value, dict):
            check_depth(len(path))
            return self._fit_object(node, value, path)
        if isinstance(value, list):
            check_depth(len(path))
            items = item_nodes(node, len(value))
            return [self._fit(item, part, (*path, index)) for index, (item, part) in enumerate(zip(items, value, strict=True))]
        return plain(value)

    def _fit_object(self, node: JSONObject, value: JSONObject, path: Path) -> JSONObject:
        fitted: JSONObject = {}
        for key, known in as_object(node.get("properties")).items():
            if key in value:
                fitted[key] = self._fit(as_node(known), value[key], (*path, key))
            elif isinstance(known, dict) and "default" in known and self._fills(path):
                fitted[key] = self._fit(known, known["default"], (*path, key))  # as if the model had written it out
        others = as_node(node.get("additionalProperties", True))
        for key in value:
            if key not in fitted:
                fitted[key] = self._fit(others, value[key], (*path, key))
        return fitted

    def _fills(self, path: Path) -> bool:
        return self._fill == "everywhere" or (self._fill == "parameters" and not path)

    def _fit_alternatives(self, alternatives: list[JSONObject], value: JSON, path: Path) -> JSON:
        """Fit to the alternative that takes the value as it is, else to the first that takes it repaired."""
        for branch in alternatives:
            if self._checker.accepts(branch, value):
                return self._fit(branch, value, path)
        before = len(self.repairs)
        for branch in alternatives:
            if self._trying and self._nested_attempts >= _MAX_NESTED_ATTEMPTS:
                break  # attempts inside attempts multiply: what is left over is refused, not tried for ever
            self._nested_attempts += self._trying > 0
            self._trying += 1
            fitted = self._fit(branch, value, path)
            self._trying -= 1
            if self._checker.accepts(branch, fitted):
                return fitted
            del self.repairs[before:]
        return value

    def _retype(self, allowed: frozenset[str], value: JSON, path: Path) -> JSON:
        """Turn a value into the type that is due, where that loses nothing."""
        if isinstance(value, str) and allowed and "string" not in allowed:
            value = self._read_string(allowed, value, path)
        if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_BELOW and "integer" in allowed:
            if "number" not in allowed:
                self._note(path, "number without a fraction read as a whole number")
            return int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_BELOW and "number" in allowed:
            return int(value)  # 60.0 and 60 are the same number, and equal calls have to look equal
        if kind_of(value) in ("integer", "number") and "string" in allowed and not admits(allowed, kind_of(value)):
            self._note(path, "number read as a string")
            return value.text if isinstance(value, WrittenFloat) else str(value)
        return value

    def _read_string(self, allowed: frozenset[str], value: str, path: Path) -> JSON:
        for read in _READERS:
            found = read(allowed, value)
            if found is not None:
                result, what = found
                self._note(path, what)
                return result
        return value

    def _note(self, path: Path, what: str) -> None:
        if len(self.repairs) < _MAX_REPAIRS:
            self.repairs.append(f"{written(path)}: {what}")


def written(path: Path) -> str:
    """Write a place as Python would, such as `order.items[1].count`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


_Found = tuple[JSON, str] | None
_Reader = Callable[[frozenset[str], str], _Found]


def _read_container(allowed: frozenset[str], text: str) -> _Found:
    due = allowed & {"object", "array"}
    found: JSON = text
    for _ in range(_MAX_ENCODINGS):
        if not due or not isinstance(found, str):
            break
        try:
            found, _ = read_json(found)
        except CallRefused:
            return None
    return (found, "string holding JSON decoded") if kind_of(found) in due else None


def _read_number(allowed: frozenset[str], text: str) -> _Found:
    text = text.strip()
    if not allowed & {"integer", "number"} or len(text) > MAX_DIGITS or not _NUMBER.fullmatch(text):
        return None
    if text.lstrip("-").isdecimal():
        return int(text), "string read as a number"
    number = float(text)
    whole = number.is_integer() and abs(number) < _EXACT_BELOW
    return (number, "string read as a number") if math.isfinite(number) and ("number" in allowed or whole) else None


def _read_boolean(allowed: frozenset[str], text: str) -> _Found:
    known = {"true": True, "false": False}.get(text.strip().lower())
    return None if known is None or "boolean" not in allowed else (known, "string read as true or false")


def _read_null(allowed: frozenset[str], text: str) -> _Found:
    return (None, "string read as null") if "null" in allowed and text.strip() == "null" else None


_READERS: tuple[_Reader, ...] = (_read_container, _read_number, _read_boolean, _read_null)
