"""Writing a tool's definition so that its provider takes it, and keeping the way back for the arguments.

What is right stays to the byte. Where something is refused the schema is written anew: references where they point, type
names as JSON schema has them, alternatives and null as the dialect takes them, and never narrower than it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prudent.messages import ToolSpec, canonical_json
from prudent.tools.defects import find_defects
from prudent.tools.dialects import Dialect
from prudent.tools.mended_parts import (
    admits,
    any_node,
    constrained,
    described,
    flattened,
    merged,
    only_restricts,
    type_names,
    wire_properties,
)
from prudent.tools.nodes import as_list, as_object, kind_of, look_up
from prudent.tools.reading import PLAIN, Reading
from prudent.types import JSON, JSONMapping, JSONObject

FILLER = "no_arguments"
_MAX_NODES = 5_000
_MAX_DEPTH = 40
_AS_TEXT = "Written as the text of a JSON object."


@dataclass(frozen=True, slots=True)
class Mended:
    """A definition as it goes out."""

    spec: ToolSpec
    reading: Reading
    """How the arguments that come back are read."""


def mend(spec: ToolSpec, dialect: Dialect) -> Mended:
    """Write a definition in a dialect; one that has no defect is given back as it is, the very same object."""
    if next(find_defects(spec.parameters, dialect), None) is None:
        return Mended(spec, PLAIN)
    parameters, reading = _Mender(spec.parameters, dialect).root()
    return Mended(replace(spec, parameters=parameters), reading)


@dataclass(frozen=True, slots=True)
class _Written:
    """One node anew."""

    schema: JSONObject
    reading: Reading = PLAIN
    null_is_left_out: bool = False
    """Whether it admitted null and cannot say so in this dialect."""


class _Mender:
    """Writes one schema anew."""

    def __init__(self, root: JSONMapping, dialect: Dialect) -> None:
        self._root = {**root}
        self._dialect = dialect
        self._count = 0
        self._depth = 0
        self._open: list[str] = []
        """References that are being written out, from the outside in."""

    def root(self) -> tuple[JSONObject, Reading]:
        """Write the parameters: an object, whatever they were."""
        opened, node = self._resolved(self._root)
        del self._open[len(self._open) - opened :]
        node = flattened(node, [self._resolved_only(branch) for branch in _branches(node)])
        node = {key: part for key, part in node.items() if key not in ("enum", "const", "not", "anyOf", "oneOf")}
        if not as_object(node.get("properties")) and not self._dialect.open_objects:
            note: JSONObject = {"type": "boolean", "description": "There is nothing to be said: leave this out."}
            return {"type": "object", "properties": {FILLER: note}}, Reading(fillers=(FILLER,))
        written = self._object({**node, "type": "object", "properties": as_object(node.get("properties"))})
        return written.schema, written.reading

    def node(self, raw: JSON) -> _Written:
        """Write any node."""
        self._count += 1
        opened, node = self._resolved(raw)
        self._depth += 1
        try:
            if self._count > _MAX_NODES or self._depth > _MAX_DEPTH:
                return _Written(any_node(self._dialect, node))
            return self._alternatives(node) if _branches(node) else self._typed(node)
        finally:
            self._depth -= 1
            del self._open[len(self._open) - opened :]

    def _resolved_only(self, raw: JSON) -> JSONObject:
        opened, node = self._resolved(raw)
        del self._open[len(self._open) - opened :]
        return node

    def _resolved(self, raw: JSON) -> tuple[int, JSONObject]:
        """Follow references and join `allOf`; tells how many references were opened, for the caller to close."""
        node = as_object(raw)
        opened = 0
        while isinstance(reference := node.get("$ref"), str):
            beside: JSONObject = {key: part for key, part in node.items() if key != "$ref"}
            if reference in self._open:
                return opened, {**beside, "type": "object"}  # it contains itself: from here on anything goes
            self._open.append(reference)
            opened += 1
            node = {**as_object(look_up(self._root, reference)), **beside}
        for part in as_list(node.get("allOf")):
            inner, joined = self._resolved(part)
            opened += inner
            node = merged(node, joined)
        node = {key: part for key, part in node.items() if key not in ("allOf", "$defs", "definitions", "not")}
        if "const" in node:
            node["enum"] = [node.pop("const")]
        return opened, node

    def _alternatives(self, node: JSONObject) -> _Written:
        """Write a node that is one of several."""
        branches = [self._resolved_only(branch) for branch in _branches(node)]
        parent: JSONObject = {key: part for key, part in node.items() if key not in ("anyOf", "oneOf")}
        if all(map(only_restricts, branches)) and ("type" in parent or "properties" in parent):
            return self._typed(parent)
        if "properties" in parent or type_names(parent) == ["object"]:
            return self._typed(flattened(parent, branches))
        beside = {key: part for key, part in parent.items() if key not in ("description", "default", "title", "examples")}
        written = [self.node(merged(branch, beside)) for branch in branches if type_names(branch) != ["null"]]
        has_null = len(written) < len(branches) or any(one.null_is_left_out for one in written)
        return self._joined(parent, written, has_null=has_null)

    def _joined(self, parent: JSONObject, written: Sequence[_Written], *, has_null: bool) -> _Written:
        """Join alternatives that are written, null among them where the dialect has it."""
        schemas = list({canonical_json(one.schema): one.schema for one in written}.values())
        readings = tuple(one.reading for one in written if not one.reading.is_plain)
        if has_null and self._dialect.null:
            schemas.append({"type": "null"})
        if not schemas:
            return _Written(any_node(self._dialect, parent), null_is_left_out=has_null)
        left_out = has_null and not self._dialect.null
        if len(schemas) == 1:
            reading = written[0].reading if written else PLAIN
            return _Written(described(schemas[0], parent, self._dialect), reading, left_out)
        reading = Reading(options=readings) if readings else PLAIN
        return _Written(described({"anyOf": [*schemas]}, parent, self._dialect), reading, left_out)

    def _typed(self, node: JSONObject) -> _Written:
        """Write a node by its types; one that has none may be anything."""
        names = type_names(node)
        values = as_list(node.get("enum"))
        has_null = "null" in names or None in values
        names = [name for name in names if name != "null"]
        if values:
            return self._listed(node, [value for value in values if value is not None], names, has_null=has_null)
        node = {key: part for key, part in node.items() if key != "enum"}
        if not names and not has_null:
            return _Written(any_node(self._dialect, node))
        if len(names) > 1 or has_null:
            plain = {key: part for key, part in node.items() if key not in ("description", "default", "type")}
            each = [self._single({**plain, "type": name}) for name in names]
            return self._joined(node, each, has_null=has_null)
        return self._single({**node, "type": names[0]})

    def _single(self, node: JSONObject) -> _Written:
        """Write a node of one type."""
        if node["type"] == "object":
            return self._object(node)
        if node["type"] == "array":
            return self._array(node)
        return _Written(constrained(node, self._dialect))

    def _listed(self, node: JSONObject, values: list[JSON], names: list[str], *, has_null: bool) -> _Written:
        """Write an enumeration: its values once each, of one type, as texts where the dialect has only those."""
        values = list({f"{kind_of(value)}{value!r}": value for value in values}.values())
        if not self._dialect.enums_of_any:
            return self._listed_as_texts(node, values, has_null=has_null)
        kinds = list(dict.fromkeys(map(kind_of, values)))
        if len(names) == 1 and all(admits(names[0], kind) for kind in kinds):
            kinds = names
        plain = {key: part for key, part in node.items() if key not in ("description", "default")}
        each = [
            _Written(
                constrained({**plain, "type": kind, "enum": [v for v in values if admits(kind, kind_of(v))]}, self._dialect)
            )
            for kind in kinds
        ]
        return self._joined(node, each, has_null=has_null)

    def _listed_as_texts(self, node: JSONObject, values: Sequence[JSON], *, has_null: bool) -> _Written:
        texts: dict[str, JSON] = {v if isinstance(v, str) else canonical_json({"v": v})[5:-1]: v for v in values}
        reading = Reading(values={text: value for text, value in texts.items() if not isinstance(value, str)})
        listed: JSONObject = {**node, "type": "string", "enum": [text for text in texts if text]}
        if not listed["enum"]:
            del listed["enum"]
        return _Written(constrained(listed, self._dialect), reading, has_null)

    def _object(self, node: JSONObject) -> _Written:
        properties = as_object(node.get("properties"))
        if not properties and not self._dialect.open_objects:
            told: JSONObject = {**node, "type": "string", "description": f"{node.get('description', '')} {_AS_TEXT}".strip()}
            return _Written(constrained(told, self._dialect), Reading(is_text=True))
        written = {name: self.node(part) for name, part in properties.items()}
        wire = wire_properties(properties, self._dialect)
        left_out = {name for name, one in written.items() if one.null_is_left_out}
        required = list(dict.fromkeys(n for n in as_list(node.get("required")) if isinstance(n, str) and n in properties))
        schema: JSONObject = constrained(node, self._dialect)
        if "properties" in node:
            schema["properties"] = {wire[name]: one.schema for name, one in written.items()}
        schema.pop("required", None)
        if kept := [wire[name] for name in required if name not in left_out]:
            schema["required"] = [*kept]
        extra = node.get("additionalProperties")
        if "additionalProperties" in schema and isinstance(extra, dict):
            schema["additionalProperties"] = self._plain(extra)
        reading = Reading(
            names={wire[name]: name for name in properties if wire[name] != name},
            inside={name: one.reading for name, one in written.items() if not one.reading.is_plain},
            nulls=tuple(name for name in required if name in left_out),
        )
        return _Written(schema, PLAIN if reading.is_plain else reading)

    def _array(self, node: JSONObject) -> _Written:
        schema = constrained(node, self._dialect)
        items = node.get("items")
        first = as_list(node.get("prefixItems")) or as_list(items)
        if first and "prefixItems" in self._dialect.keywords:
            schema["prefixItems"] = [self._plain(item) for item in first]
            return _Written(schema)
        inner = self.node({"anyOf": [*first]} if first else items)
        schema["items"] = inner.schema
        return _Written(schema, PLAIN if inner.reading.is_plain else Reading(items=inner.reading))

    def _plain(self, raw: JSON) -> JSONObject:
        """Write a node whose values cannot be read back: anything goes where they would have to be."""
        written = self.node(raw)
        return written.schema if written.reading.is_plain else any_node(self._dialect, {})


def _branches(node: JSONObject) -> list[JSON]:
    return [*as_list(node.get("anyOf")), *as_list(node.get("oneOf"))]
