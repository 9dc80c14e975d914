"""Reading the nodes of a JSON schema: references, alternatives, the JSON types a node admits."""

from __future__ import annotations

from prudent.types import JSON, JSONMapping, JSONObject

ANYTHING: JSONObject = {}
NOTHING: JSONObject = {"enum": []}

_MAX_HOPS = 32
_NAMES = {
    "dict": "object",
    "list": "array",
    "tuple": "array",
    "str": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
}
"""Names that published definitions use in place of JSON schema's own."""

_KINDS = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})


def as_object(value: JSON) -> JSONObject:
    """Give an object as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: JSON) -> list[JSON]:
    """Give a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_node(value: JSON) -> JSONObject:
    """Give a schema as an object: `true` admits anything, `false` nothing."""
    if value is False:
        return NOTHING
    return as_object(value)


def follow(root: JSONMapping, value: JSON) -> JSONObject:
    """Follow references inside the document; what leads nowhere admits anything. What stands beside a reference wins."""
    node = as_node(value)
    for _ in range(_MAX_HOPS):
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return node
        beside: JSONObject = {key: part for key, part in node.items() if key != "$ref"}
        target = as_node(look_up(root, reference))
        node = {**target, **beside} if beside else target
    return ANYTHING


def look_up(root: JSONMapping, reference: str) -> JSON:
    """Find what a reference such as `#/$defs/Item` points to; `true` (anything) where it points to nothing here."""
    if not reference.startswith("#"):
        return True
    found: JSON = dict(root)
    for part in filter(None, reference[1:].split("/")):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return True
    return found


def branches(node: JSONMapping) -> list[JSON]:
    """List the alternatives of a node."""
    return [*as_list(node.get("anyOf")), *as_list(node.get("oneOf"))]


def kinds(root: JSONMapping, node: JSONMapping, hops: int = 0) -> frozenset[str]:
    """Name the JSON types that a node admits; empty when it admits all."""
    if hops > _MAX_HOPS:
        return frozenset()
    if "const" in node:
        return frozenset({kind_of(node["const"])})
    if isinstance(node.get("enum"), list):
        return frozenset(map(kind_of, as_list(node["enum"])))
    declared = node.get("type")
    if isinstance(declared, str | list):
        return _named_kinds(declared)
    if alternatives := branches(node):
        each = [kinds(root, follow(root, branch), hops + 1) for branch in alternatives]
        return frozenset[str]().union(*each) if all(each) else frozenset()
    for part in as_list(node.get("allOf")):
        if found := kinds(root, follow(root, part), hops + 1):
            return found
    return frozenset({"object"}) if "properties" in node else frozenset()


def _named_kinds(declared: str | list[JSON]) -> frozenset[str]:
    names = [declared] if isinstance(declared, str) else [name for name in declared if isinstance(name, str)]
    known = frozenset(_NAMES.get(name, name) for name in names)
    return known if known <= _KINDS else frozenset()  # "any" and the like


def kind_of(value: JSON) -> str:
    """Name a value's JSON type; a whole number is an `integer`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def admits(allowed: frozenset[str], kind: str) -> bool:
    """Whether a value of that type may stand where these are allowed; a whole number is a number."""
    return not allowed or kind in allowed or (kind == "integer" and "number" in allowed)


def is_closed(node: JSONMapping) -> bool:
    """Whether an object takes no other properties than the listed ones.

    A schema that lists properties and is silent about others is taken as closed: passing on a parameter that nobody knows
    would do something else than the model meant.
    """
    additional = node.get("additionalProperties")
    if additional is not None:
        return additional is False
    open_by = ("patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf")
    return bool(node.get("properties")) and not any(key in node for key in open_by)
