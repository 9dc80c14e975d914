"""The pieces a schema is written anew from: its type names, joined nodes, what may stand in a node of one type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from prudent.tools.defects import BOUNDS, TYPES, find_defects
from prudent.tools.dialects import NAME_CHARS, Dialect, legal_name
from prudent.tools.nodes import as_list, as_object, kind_of
from prudent.tools.wording import quote
from prudent.types import JSON, JSONObject

_OTHER_NAMES = {
    **dict.fromkeys(("dict", "hashmap", "map", "mapping", "record", "struct", "json"), "object"),
    **dict.fromkeys(("list", "tuple", "arraylist", "set", "vector", "sequence"), "array"),
    **dict.fromkeys(("str", "char", "text", "date", "datetime", "uuid", "bytes"), "string"),
    **dict.fromkeys(("int", "long", "short", "byte", "bigint", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "float32", "float64"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("none", "nil", "nulltype"), "null"),
}
"""What published definitions write instead of JSON schema's names, in small letters."""

_FOR_ALL = frozenset({"type", "description", "title", "enum", "default", "examples"})
_BY_TYPE = {
    "object": frozenset({"additionalProperties", "minProperties", "maxProperties"}),
    "array": frozenset({"minItems", "maxItems", "uniqueItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
}
_BY_TYPE["number"] = _BY_TYPE["integer"]
_RESTRICTIONS = frozenset({"required", "not", "description", "title", "minProperties"})


def type_names(node: JSONObject) -> list[str]:
    """Name the JSON types that a node declares, or that what it says about itself amounts to; none where all go."""
    declared = node.get("type")
    names = declared if isinstance(declared, list) else [declared] if declared else []
    known = [name if name in TYPES else _OTHER_NAMES.get(str(name).casefold(), str(name).casefold()) for name in names]
    if known:
        return list(dict.fromkeys(str(name) for name in known)) if set(known) <= TYPES else []
    if as_object(node.get("properties")):
        return ["object"]
    if "items" in node or "prefixItems" in node:
        return ["array"]
    return list(dict.fromkeys(map(kind_of, as_list(node.get("enum")))))


def admits(name: str, kind: str) -> bool:
    """Whether a type admits values of a kind."""
    return name == kind or (name == "number" and kind == "integer")


def merged(node: JSONObject, other: JSONObject) -> JSONObject:
    """Join two nodes that both hold: what the first says comes first."""
    joined = {**other, **node}
    if "properties" in node and "properties" in other:
        joined["properties"] = {**as_object(other["properties"]), **as_object(node["properties"])}
    if "required" in node and "required" in other:
        joined["required"] = _united(as_list(node["required"]), as_list(other["required"]))
    return joined


def flattened(parent: JSONObject, branches: Sequence[JSONObject]) -> JSONObject:
    """Make one object of several: the properties of all, required what all of them require."""
    objects = [branch for branch in branches if type_names(branch) in ([], ["object"])]
    if not objects:
        return parent
    properties: JSONObject = {**as_object(parent.get("properties"))}
    for branch in objects:
        for name, part in as_object(branch.get("properties")).items():
            properties.setdefault(name, part)
    common = [name for name in as_list(objects[0].get("required")) if all(name in as_list(b.get("required")) for b in objects)]
    required = _united(as_list(parent.get("required")), common)
    # What another alternative may hold must not be shut out.
    joined: JSONObject = {key: part for key, part in parent.items() if key not in ("anyOf", "oneOf")}
    return {**joined, "type": "object", "properties": properties, "required": required}


def only_restricts(branch: JSONObject) -> bool:
    """Whether an alternative says nothing but which parameters must be there."""
    return branch.keys() <= _RESTRICTIONS


def constrained(node: JSONObject, dialect: Dialect) -> JSONObject:
    """Give what a node of one type says about itself, as far as the dialect takes it; its inner schemas are not in it."""
    name = str(node["type"])
    allowed = (_FOR_ALL | _BY_TYPE.get(name, frozenset())) & dialect.keywords
    kept: JSONObject = {key: part for key, part in node.items() if key in allowed}
    for word in _refused_words(kept, dialect):
        part = kept.pop(word)
        if word == "pattern":
            _tell(kept, f"Pattern: {part}.")
    if "default" in node and "default" not in dialect.keywords and _is_right(node, dialect):
        _tell(kept, f"Default: {quote(node['default'], 60)}.")
    return kept


def described(schema: JSONObject, parent: JSONObject, dialect: Dialect) -> JSONObject:
    """Put what was said about a node as a whole upon what it was written as."""
    said: JSONObject = {key: parent[key] for key in ("description", "default") if key in parent and key in dialect.keywords}
    written = {**schema, **said}
    if "default" in said and any(defect.code == "default" for defect in find_defects({**written, "$": 0}, dialect)):
        del written["default"]
    return written


def any_node(dialect: Dialect, node: JSONObject) -> JSONObject:
    """Write a node that may be anything, or nearly so where each node needs a type."""
    said: JSONObject = {key: node[key] for key in ("description",) if key in node}
    if dialect.untyped:
        return said
    scalars: list[JSON] = [{"type": name} for name in ("string", "number", "boolean")]
    rest: list[JSON] = [{"type": "array", "items": {"anyOf": [*scalars]}}]
    if dialect.open_objects:
        rest.append({"type": "object"})
    return {**said, "anyOf": [*scalars, *rest]}


def wire_properties(names: Iterable[str], dialect: Dialect) -> dict[str, str]:
    """Give each parameter the name it has on the wire."""
    if not dialect.property_names:
        return {name: name for name in names}
    given = {name: name for name in names if re.fullmatch(dialect.property_names, name)}
    taken = set(given)
    ordered: dict[str, str] = {}
    for name in names:
        wanted, number = given.get(name) or legal_name(name, NAME_CHARS), 2
        while name not in given and wanted in taken:
            wanted, number = f"{legal_name(name, NAME_CHARS - 3)}_{number}", number + 1
        taken.add(wanted)
        ordered[name] = wanted
    return ordered


def _united(names: Sequence[JSON], more: Sequence[JSON]) -> list[JSON]:
    return [*names, *(name for name in more if name not in names)]


def _tell(node: JSONObject, sentence: str) -> None:
    description = str(node.get("description") or "")
    if sentence not in description:
        node["description"] = f"{description} {sentence}".strip()


def _is_right(node: JSONObject, dialect: Dialect) -> bool:
    return not any(defect.code == "default" for defect in find_defects({**node, "properties": {}}, dialect))


def _refused_words(node: JSONObject, dialect: Dialect) -> list[str]:
    """List the words of a node that have to go because of their values."""
    codes = {defect.code for defect in find_defects(node, dialect) if not defect.place}
    longest = dialect.longest_repetition
    bounds = [name for name in BOUNDS if longest is not None and isinstance(b := node.get(name), int | float) and b > longest]
    return [*(word for word in ("pattern", "default") if word in codes), *bounds]
