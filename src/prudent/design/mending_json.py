"""Writing into JSON definitions what is mechanical: types, defaults, ranges, what short values mean."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from prudent.design.lint.abbreviations import abbreviated, spell
from prudent.design.lint.defaults import unstated
from prudent.design.lint.judge import Choice
from prudent.design.lint.schema_nodes import meant_type
from prudent.design.reading import schema_key
from prudent.design.sheet import Definition, Place, text_of
from prudent.tools.nodes import as_list, as_object
from prudent.types import JSON, JSONObject

_MAX_DEPTH = 40


def mend_json(document: JSON, definitions: Sequence[Definition], choice: Choice) -> JSON:
    """Give a copy of a document in which its definitions are mended as far as that is mechanical."""
    mended = copy.deepcopy(document)
    for definition in definitions:
        holder = _look_up(mended, definition.source.pointer)
        if isinstance(holder, dict) and not definition.broken:
            _mend(holder, definition, choice)
    return mended


def _mend(holder: JSONObject, definition: Definition, choice: Choice) -> None:
    schema = as_object(holder.get(schema_key(holder)))
    name = definition.name
    if choice.applies("P208", name) or choice.applies("E301", name):
        _describe(schema, definition, choice)
    if choice.applies("S810", name) and schema and "type" not in schema and "properties" in schema:
        schema["type"] = "object"
    _mend_node(schema, types=choice.applies("S807", name), required=choice.applies("S809", name), depth=0)


def _describe(schema: JSONObject, definition: Definition, choice: Choice) -> None:
    """Add to the parameters' descriptions what their schemas alone say."""
    for parameter in definition.parameters:
        node = _look_up(schema, parameter.pointer)
        if not isinstance(node, dict) or "$ref" in node:
            continue
        parts: list[str] = []
        if choice.applies("E301", definition.name) and abbreviated(parameter):
            parts += [f"{short}: {full}" for short, full in spell(parameter).items()]
        if choice.applies("P208", definition.name) and (missing := unstated(parameter, definition)):
            parts.append(missing)
        if parts:
            node["description"] = _joined(text_of(node.get("description")), parts, chinese=definition.is_chinese)


def _joined(text: str, parts: Sequence[str], *, chinese: bool) -> str:
    said = text.strip()
    stop = said[-1:] if said.endswith((".", "。")) else ""
    between = "；" if chinese else "; "
    return between.join([*([said.removesuffix(stop)] if said else []), *parts]) + stop


def _mend_node(node: JSONObject, *, types: bool, required: bool, depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    if types and (meant := meant_type(node.get("type"))):
        node["type"] = meant
    names = node.get("required")
    if required and isinstance(names, list) and isinstance(node.get("properties"), dict):
        known = as_object(node["properties"])
        node["required"] = [name for name in names if isinstance(name, str) and name in known]
    inner = [*as_object(node.get("properties")).values(), node.get("items"), node.get("additionalProperties")]
    inner += [part for key in ("anyOf", "oneOf", "allOf", "prefixItems") for part in as_list(node.get(key))]
    inner += [*as_object(node.get("$defs")).values(), *as_object(node.get("definitions")).values()]
    for part in inner:
        if isinstance(part, dict):
            _mend_node(part, types=types, required=required, depth=depth + 1)


def _look_up(value: JSON, pointer: Place) -> JSON:
    """Follow keys and indexes into a document; None where they lead nowhere."""
    for step in pointer:
        if isinstance(step, str):
            value = as_object(value).get(step)
        else:
            items = as_list(value)
            value = items[step] if step < len(items) else None
    return value
