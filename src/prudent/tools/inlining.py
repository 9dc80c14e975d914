"""Schemas as they go to the model: references replaced by what they point to, no titles, objects closed, a stable order."""

from __future__ import annotations

import math

from prudent.tools.nodes import as_list, as_object, is_closed, look_up
from prudent.types import JSON, JSONMapping, JSONObject

_MAX_NODES = 5_000
_DROPPED = frozenset({"title", "discriminator", "$schema", "$id", "$comment"})
_FIRST = ("type", "description", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "required", "additionalProperties")
_LAST = ("default", "examples", "$defs", "definitions")
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_ONE = frozenset(
    {"items", "additionalProperties", "propertyNames", "not", "contains", "if", "then", "else", "unevaluatedProperties"}
)
_SEVERAL = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
_VALUES = frozenset({"default", "const", "enum", "examples"})


class _TooLarge(Exception):
    """Written out, the schema would be too large."""


def wire_schema(schema: JSONMapping) -> JSONObject:
    """Give a schema of arguments in the form that models and providers cope with.

    References are written out, except where a type contains itself, and where everything would grow beyond 5,000 nodes.
    """
    try:
        return _Writer(schema, inline=True).write()
    except _TooLarge:
        return _Writer(schema, inline=False).write()


class _Writer:
    """Writes one schema anew."""

    def __init__(self, root: JSONMapping, *, inline: bool) -> None:
        self._root = root
        self._inline = inline
        self._count = 0
        self._open: list[str] = []
        """References that are being written out, from the outside in."""

        self._kept: dict[str, None] = {}
        """References that stay, in the order they were met."""

    def write(self) -> JSONObject:
        written = as_object(self._node({key: part for key, part in self._root.items() if key not in ("$defs", "definitions")}))
        written.setdefault("type", "object")
        if written["type"] == "object":
            written.setdefault("properties", {})
        done: set[str] = set()
        while open_references := [reference for reference in self._kept if reference not in done]:
            for reference in open_references:
                done.add(reference)
                self._write_definition(reference, written)
        return _in_order(written)

    def _write_definition(self, reference: str, written: JSONObject) -> None:
        place, _, name = reference.removeprefix("#/").partition("/")
        if place not in ("$defs", "definitions") or "/" in name:
            return  # it points into the schema itself, which stands there as before
        self._open = [reference]
        definitions = as_object(written.setdefault(place, {}))
        definitions[name] = self._node(look_up(self._root, reference))

    def _node(self, node: JSON) -> JSON:
        if not isinstance(node, dict):
            return node
        self._count += 1
        if self._inline and self._count > _MAX_NODES:
            raise _TooLarge
        reference = node.get("$ref")
        if isinstance(reference, str):
            beside = {key: part for key, part in node.items() if key != "$ref"}
            return self._reference(reference, beside)
        alone = as_list(node.get("allOf"))
        if len(alone) == 1 and isinstance(alone[0], dict):
            return self._node({**alone[0], **{key: part for key, part in node.items() if key != "allOf"}})
        written: JSONObject = {key: self._part(key, part) for key, part in node.items() if not _is_dropped(key, part)}
        if is_closed(written):
            written.setdefault("additionalProperties", False)
        return _in_order(written)

    def _reference(self, reference: str, beside: JSONObject) -> JSON:
        target = look_up(self._root, reference)
        if not self._inline or reference in self._open or not isinstance(target, dict):
            self._kept.setdefault(reference)
            rest = as_object(self._node(beside)) if beside else {}
            return {"$ref": reference, **rest}
        self._open.append(reference)
        written = self._node({**target, **beside})
        self._open.pop()
        return written

    def _part(self, key: str, part: JSON) -> JSON:
        if key in _BY_NAME and isinstance(part, dict):
            return {name: self._node(node) for name, node in part.items()}
        if key in _SEVERAL and isinstance(part, list):
            return [self._node(node) for node in part]
        return self._node(part) if key in _ONE else part


def _is_dropped(key: str, part: JSON) -> bool:
    """Whether a keyword is left out: it tells the model nothing, or JSON cannot say it."""
    return key in _DROPPED or (isinstance(part, float) and not math.isfinite(part))


def _in_order(node: JSONObject) -> JSONObject:
    def rank(key: str) -> tuple[int, str]:
        if key in _FIRST:
            return _FIRST.index(key), ""
        return (100 + _LAST.index(key), "") if key in _LAST else (50, key)

    return {key: node[key] for key in sorted(node, key=rank)}
