"""Family S, second half: what some provider refuses, or reads wrongly, in a node of a schema.

Prudent mends most of it for the wire; other clients do not.
"""

from __future__ import annotations

from prudent.design.lint.nodes import Spot, SpotRule
from prudent.design.lint.refusals import refusing, refusing_keyword
from prudent.design.lint.rule import Hit, Rule
from prudent.design.sheet import Definition
from prudent.tools.nodes import as_object
from prudent.types import JSON

_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
_MEANT = {
    "dict": "object",
    "hashmap": "object",
    "map": "object",
    "struct": "object",
    "record": "object",
    "json": "object",
    "list": "array",
    "tuple": "array",
    "arraylist": "array",
    "set": "array",
    "sequence": "array",
    "str": "string",
    "char": "string",
    "text": "string",
    "date": "string",
    "datetime": "string",
    "uuid": "string",
    "bytes": "string",
    "int": "integer",
    "long": "integer",
    "short": "integer",
    "int32": "integer",
    "int64": "integer",
    "bigint": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "float32": "number",
    "float64": "number",
    "bool": "boolean",
    "none": "null",
    "nil": "null",
}
_LOST = ("oneOf", "allOf", "not", "if", "const", "patternProperties", "prefixItems", "dependentSchemas", "propertyNames")


class Reference(SpotRule):
    """A reference to another part of the schema."""

    code, title, level, points = "S803", "references in the schema", "note", 2.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look for `$ref`."""
        if "$ref" not in spot.node or definition.is_code:
            return None
        return Hit(
            spot.place,
            f"`$ref` is not followed by {refusing('references')}",
            f"write out what {spot.node['$ref']} stands for at its place, and leave `$defs` out",
        )


class Alternatives(SpotRule):
    """Alternatives, or `nullable`."""

    code, title, level, points = "S804", "alternatives or null in the schema", "note", 2.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look for `anyOf`, lists of types and `nullable`."""
        if definition.is_code:
            return None
        lists_types = isinstance(spot.node.get("type"), list)
        if not lists_types and not {"anyOf", "nullable"} & spot.node.keys():
            return None
        kind = "a list of types" if lists_types else "`anyOf`" if "anyOf" in spot.node else "`nullable`"
        branches = spot.node.get("anyOf")
        has_null = isinstance(branches, list) and {"type": "null"} in branches
        feature = "type_lists" if lists_types else "type_beside_any_of" if "type" in spot.node else "null" if has_null else ""
        refused = f"is refused or read wrongly by {refusing(feature)}" if feature else "is passed over by some chat templates"
        return Hit(
            spot.place,
            f"{kind} {refused}",
            "give the one type that is meant, and leave the parameter out of `required` instead of allowing null",
        )


class OpenObject(SpotRule):
    """`additionalProperties`."""

    code, title, level, points = "S805", "additionalProperties in the schema", "note", 0.5

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look for the word; a map of free keys is graver."""
        extra = spot.node.get("additionalProperties")
        if extra is None or (definition.is_code and extra is False):
            return None
        refused = refusing_keyword("additionalProperties")
        if extra is False:
            return Hit(spot.place, f"`additionalProperties` is refused by {refused}", "leave it out for them; others need it")
        return Hit(
            spot.place,
            f"an object with free keys is refused by {refused}, and by strict modes",
            'take a list of pairs instead: "type": "array", "items": {"type": "object", "properties": {"key": …, "value": …}}',
        )


class NoProperties(SpotRule):
    """An object that lists no properties."""

    code, title, level, points = "S806", "an object without properties", "note", 1.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look at objects inside, and at the schema of all arguments if it has no list at all."""
        node = spot.node
        if node.get("type") != "object" or node.get("properties") or isinstance(node.get("additionalProperties"), dict):
            return None
        if {"$ref", "anyOf", "oneOf", "allOf", "patternProperties"} & node.keys() or definition.is_code:
            return None
        if spot.is_root:
            told = "an empty list is refused" if "properties" in node else "a missing list is refused"
            return Hit(
                spot.place,
                f"{told} by {refusing('open_objects')}",
                "leave the whole schema out for them, or give the tool a parameter that it can use",
            )
        return Hit(
            spot.place,
            f"an object that lists no properties is refused by {refusing('open_objects')}, and tells a model nothing",
            "list its properties with their types; or take a string of JSON and say how it looks",
            level="warning",
        )


class UnknownType(SpotRule):
    """A type that JSON schema does not know."""

    code, title, level, points = "S807", "a type that is none", "warning", 5.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look at the names of types."""
        declared = spot.node.get("type")
        names = declared if isinstance(declared, list) else [declared] if "type" in spot.node else []
        wrong = [name for name in names if not isinstance(name, str) or name not in _TYPES]
        if not wrong:
            return None
        name = str(wrong[0])[:40]
        meant = meant_type(wrong[0])
        better = f'"type": "{meant}"' if meant else 'leave "type" out for any value, or give the one type that is meant'
        return Hit(spot.place, f"{name!r} is no type of JSON schema, and most providers refuse it", better, fix=bool(meant))


class NoItems(SpotRule):
    """A list that does not say of what."""

    code, title, level, points = "S808", "a list without items", "warning", 4.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look for `items`."""
        if spot.node.get("type") not in ("array", "list", "tuple") or "items" in spot.node or "prefixItems" in spot.node:
            return None
        return Hit(
            spot.place,
            "a list without `items` is refused by most providers, and tells a model nothing of what to put in",
            '"items": {"type": "string"}, or whatever it holds',
        )


class UnknownRequired(SpotRule):
    """`required` names what is not there."""

    code, title, level, points = "S809", "required names what is not there", "error", 10.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Compare `required` with `properties`."""
        required = spot.node.get("required")
        if required is None:
            return None
        if not isinstance(required, list):
            return Hit(
                spot.place, "`required` is no list: it stands on the object, and lists its properties", '"required": ["…"]'
            )
        known = as_object(spot.node.get("properties"))
        missing = [name for name in required if not isinstance(name, str) or name not in known]
        if not missing or {"allOf", "anyOf", "oneOf", "$ref"} & spot.node.keys() or (not known and not spot.is_root):
            return None
        return Hit(
            spot.place,
            f"`required` names {str(missing[0])[:60]!r}, which is no property: providers refuse the request",
            "add it to `properties`, or take it out of `required`",
            fix=True,
        )


class OddEnum(SpotRule):
    """An enumeration that is empty, has doubles, or does not fit its type."""

    code, title, level, points = "S811", "an enumeration that providers refuse", "warning", 4.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look at the values."""
        if "enum" not in spot.node:
            return None
        values = spot.node["enum"]
        if not isinstance(values, list) or not values:
            return Hit(spot.place, "an enumeration without values is refused", "list the values, or leave `enum` out")
        if len({_key(value) for value in values}) < len(values):
            return Hit(spot.place, "a value stands in it twice, which some providers refuse", "list each value once")
        if "" in values:
            return Hit(spot.place, "an empty value is refused by Google", "leave it out, and the parameter out of `required`")
        if spot.node.get("type") == "string" and not all(isinstance(value, str) for value in values):
            odd = next(value for value in values if not isinstance(value, str))
            return Hit(
                spot.place, f"{odd!r} is no string, and the type is string", "write all values as strings, or change the type"
            )
        if not all(isinstance(value, str) for value in values) and None not in values:
            return Hit(
                spot.place,
                f"values other than strings are refused by {refusing('enums_of_any')}",
                "write them as strings",
                level="note",
            )
        return None


class Malformed(SpotRule):
    """A part of the schema of the wrong form."""

    code, title, level, points = "S812", "a part of the schema has the wrong form", "error", 10.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look at what has to be an object, a text or a list."""
        if spot.broken:
            return Hit(
                spot.place,
                f"a schema has to be an object here, and this is {spot.broken[:60]}",
                '{"type": "string", "description": "…"}',
            )
        for key, kind, word in (
            ("properties", dict, "an object"),
            ("description", str, "a text"),
            ("anyOf", list, "a list"),
            ("oneOf", list, "a list"),
        ):
            if key in spot.node and not isinstance(spot.node[key], kind):
                return Hit(spot.place, f"`{key}` has to be {word}", f"write `{key}` as {word}")
        return None


class LostWord(SpotRule):
    """A word of JSON schema that some provider refuses or passes over."""

    code, title, level, points = "S813", "a word that some provider refuses", "note", 1.0

    def check_spot(self, spot: Spot, definition: Definition) -> Hit | None:
        """Look for the words that change what is allowed."""
        word = next((word for word in _LOST if word in spot.node), "")
        if not word or definition.is_code or (spot.is_root and word in ("oneOf", "allOf", "not")):
            return None
        return Hit(
            spot.place,
            f"`{word}` is refused or passed over by {refusing_keyword(word)}",
            "say it in the description, too; check it in the tool",
        )


def meant_type(name: JSON) -> str:
    """Give the JSON type that a published definition means by another name, "" where nobody can tell."""
    if not isinstance(name, str):
        return ""
    lower = name.strip().lower()
    return lower if lower in _TYPES and lower != name else _MEANT.get(lower, "")


def _key(value: JSON) -> str:
    return f"{type(value).__name__}{value!r}"


RULES: tuple[type[Rule], ...] = (
    Reference,
    Alternatives,
    OpenObject,
    NoProperties,
    UnknownType,
    NoItems,
    UnknownRequired,
    OddEnum,
    Malformed,
    LostWord,
)
