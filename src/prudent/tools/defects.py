"""Finding what a provider would refuse in a tool's parameters, each with its code and place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prudent.tools.dialects import KEYWORDS, Dialect
from prudent.tools.nodes import as_list, as_object, branches, follow, kind_of
from prudent.types import JSON, JSONMapping, JSONObject

TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
COMBINED = ("anyOf", "oneOf", "allOf")
BOUNDS = ("minLength", "maxLength", "minItems", "maxItems")

_ROOT_REFUSED = (*COMBINED, "not", "enum", "const", "$ref")
_PLAIN_PATTERN = re.compile(r"\^(?:[^\\(]|\\[.\\/*+?()\[\]{}|^$-]|\((?!\?[=!<]))*\$")
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that a provider refuses, or that its models never get to see."""

    code: str
    """Such as `no-items`; the same everywhere."""

    place: tuple[str | int, ...]
    """Keys from the root of the parameters."""

    reason: str

    @property
    def where(self) -> str:
        """The place in one word, "" for the parameters as a whole."""
        return "/".join(map(str, self.place))


def find_defects(parameters: JSONMapping, dialect: Dialect) -> Iterator[Defect]:
    """List what a dialect refuses in the schema of a tool's arguments. Bounded in depth."""
    root = {**parameters}
    if root.get("type") != "object":
        yield Defect("root-type", (), f"the parameters are of type {root.get('type')!r}: they must be an object")
    if not isinstance(root.get("properties", {}), dict):
        yield Defect("properties", (), "properties must be an object")
    for key in _ROOT_REFUSED:
        if key in root:
            yield Defect("root-alternatives", (key,), f"{key} may not stand at the root of the parameters")
    if not as_object(root.get("properties")) and not dialect.open_objects:
        yield Defect("open-object", (), "an object that lists no properties is refused")
    yield from _Finder(root, dialect).node(root, ())


class _Finder:
    """Looks at every node of one schema."""

    def __init__(self, root: JSONObject, dialect: Dialect) -> None:
        self._root, self._dialect = root, dialect
        self._looks: tuple[Callable[[JSONObject], Iterator[tuple[str, str]]], ...] = (
            self._words,
            self._type,
            self._references,
            self._alternatives,
            self._enum,
            self._object,
            self._array,
            self._text,
            self._default,
        )

    def node(self, node: JSON, place: tuple[str | int, ...]) -> Iterator[Defect]:
        """List the defects of a node and of all nodes in it."""
        if not isinstance(node, dict):
            if place:
                yield Defect("not-a-schema", place, "a schema must be an object")
            return
        for look in self._looks:
            for code, reason in look(node):
                if place or code not in ("open-object", "untyped"):
                    yield Defect(code, place, reason)
        if len(place) < _MAX_DEPTH:
            for inner, key in children(node):
                yield from self.node(inner, (*place, *key))

    def _words(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        for key in node:
            if key not in self._dialect.keywords and not (key in ("$defs", "definitions", "$ref") and key in KEYWORDS):
                yield "keyword", f"{key} is refused, or means nothing"

    def _type(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        declared = node.get("type")
        if declared is None:
            typed = "$ref" in node or branches(node) or as_list(node.get("allOf"))
            if "type" in node or not (typed or self._dialect.untyped):
                yield "untyped", "a type is missing"
            return
        names = declared if isinstance(declared, list) else [declared]
        for name in names:
            if name not in TYPES:
                yield "unknown-type", f"{name!r} is no type of JSON schema"
        if isinstance(declared, list) and not self._dialect.type_lists:
            yield "type-list", "type may not be a list"
        if "null" in names and not self._dialect.null:
            yield "null", "null is no type here"

    def _references(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        used = [key for key in ("$ref", "$defs", "definitions") if key in node]
        if used and not self._dialect.references:
            yield "reference", f"{used[0]} is refused, or what it points to is not shown to the model"
        elif "$ref" in node and not follow(self._root, {"$ref": node["$ref"]}):
            yield "reference", f"{node['$ref']!r} points to nothing in these parameters"

    def _alternatives(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        if "oneOf" in node and not self._dialect.one_of:
            yield "one-of", "oneOf is refused: anyOf means the same to a model"
        if "type" in node and branches(node) and not self._dialect.type_beside_any_of:
            yield "type-beside-any-of", "the type belongs into each alternative of anyOf"
        for key in COMBINED:
            if key in node and not as_list(node[key]):
                yield "no-alternatives", f"{key} must list schemas"

    def _enum(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        if "enum" not in node:
            return
        values = as_list(node["enum"])
        if not values:
            yield "enum-empty", "an enumeration must list values"
        texts = [repr(value) for value in values]
        if len(set(texts)) < len(texts):
            yield "enum-doubles", "an enumeration lists a value twice"
        if not all(_fits_type(node.get("type"), value) for value in values):
            yield "enum-type", f"its values are not all of type {node.get('type')!r}"
        if not self._dialect.enums_of_any and not all(isinstance(value, str) and value for value in values):
            yield "enum-values", "only texts may be listed, and no empty one"

    def _object(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        properties, required = node.get("properties"), node.get("required")
        known = as_object(properties)
        is_object = node.get("type") in (None, "object") or "object" in as_list(node.get("type"))
        if not is_object and ("properties" in node or "required" in node):
            yield "misplaced", "properties and required belong to objects only"
        elif required is not None and not (isinstance(required, list) and all(isinstance(k, str) for k in required)):
            yield "required", "required must list names"
        elif required and "properties" not in node:
            yield "required", "required without properties"
        elif required and set(map(str, as_list(required))) - set(known):
            yield "required", "required names what is not among the properties"
        if node.get("type") == "object" and not known and not self._dialect.open_objects:
            yield "open-object", "an object that lists no properties is refused"
        pattern = self._dialect.property_names
        for name in known if pattern else ():
            if not re.fullmatch(pattern, name):
                yield "property-name", f"a parameter may not be called {name!r}"

    def _array(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        declared = node.get("type")
        if (declared == "array" or "array" in as_list(declared)) and "items" not in node and "prefixItems" not in node:
            yield "no-items", "a list must say what is in it"
        if isinstance(node.get("items"), list) and not self._dialect.tuples:
            yield "tuple", "items may not be a list"

    def _text(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        pattern = node.get("pattern")
        if pattern is not None and not self._dialect.free_patterns and not _PLAIN_PATTERN.fullmatch(str(pattern)):
            yield "pattern", "the pattern must go from ^ to $, without classes such as \\d and without looking ahead"
        longest = self._dialect.longest_repetition
        for name in BOUNDS if longest is not None else ():
            bound = node.get(name)
            if isinstance(bound, int | float) and longest is not None and bound > longest:
                yield "bounds", f"{name} is above {longest}"

    def _default(self, node: JSONObject) -> Iterator[tuple[str, str]]:
        if "default" not in node:
            return
        default, allowed = node["default"], node.get("enum")
        wrong_value = isinstance(allowed, list) and default not in allowed
        if not _fits_type(node.get("type"), default) or wrong_value:
            yield "default", "its own type does not admit the default"


def children(node: JSONObject) -> Iterator[tuple[JSON, tuple[str | int, ...]]]:
    """Give the schemas inside a node, each with its keys from there."""
    for key in ("properties", "$defs", "definitions", "patternProperties"):
        for name, inner in as_object(node.get(key)).items():
            yield inner, (key, name)
    for key in (*COMBINED, "prefixItems"):
        for index, inner in enumerate(as_list(node.get(key))):
            yield inner, (key, index)
    items = node.get("items")
    if isinstance(items, list):
        yield from ((inner, ("items", index)) for index, inner in enumerate(items))
    for key in ("items", "additionalProperties", "propertyNames"):
        if isinstance(node.get(key), dict):
            yield node[key], (key,)


def _fits_type(declared: JSON, value: JSON) -> bool:
    """Whether a value is of a declared type; one that is no type of JSON schema refuses nothing here."""
    names = {str(name) for name in (declared if isinstance(declared, list) else [declared])} if declared else set[str]()
    if not names or not names <= TYPES:
        return True
    kind = kind_of(value)
    return kind in names or (kind == "integer" and "number" in names) or _is_whole(value, names)


def _is_whole(value: JSON, names: set[str]) -> bool:
    return isinstance(value, float) and value.is_integer() and "integer" in names
