"""A strict checker of tool definitions, written apart from the code it checks: what each provider is known to refuse.

It raises no opinion on style: every complaint is something that some provider answers with a 400, or never shows its model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

REAL_TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
OPENAPI_WORDS = {
    *("type", "description", "enum", "format", "properties", "required", "items", "anyOf", "pattern", "minimum", "maximum"),
    *("minItems", "maxItems", "minLength", "maxLength"),
}
NO_REFS = {"moonshot", "ollama", "llamacpp", "vllm", "fireworks", "gemini", "strictest"}
NO_ONE_OF = {"moonshot", "ollama", "fireworks", "gemini", "google", "strictest"}
ALL_TYPED = {"llamacpp", "gemini", "google", "strictest"}
ONE_TYPE_ONLY = {"ollama", "gemini", "strictest"}
KEY_PATTERN = {"anthropic", "strictest"}


def complaints(name: str, parameters: Any, dialect: str) -> list[str]:
    """List what a provider of that dialect would refuse."""
    found: list[str] = []
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name):
        found.append(f"name {name!r}")
    if not isinstance(parameters, dict) or parameters.get("type") != "object":  # pyright: ignore[reportUnknownMemberType]
        return [*found, "root is no object"]
    found += [f"root has {key}" for key in ("anyOf", "oneOf", "allOf", "enum", "not", "const", "$ref") if key in parameters]
    return found + list(_node(parameters, dialect, "root", parameters))


def _node(found: Any, dialect: str, at: str, root: Any) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{at}: not a schema"
        return
    node: dict[str, Any] = {**found}
    yield from (f"{at}: {text}" for check in (_types, _words, _values, _shapes) for text in check(node, dialect, at, root))
    for name, inner in _named(node.get("properties")).items():
        yield from _node(inner, dialect, f"{at}.{name}", root)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for index, inner in enumerate(node.get(key) or []):
            yield from _node(inner, dialect, f"{at}.{key}{index}", root)
    for inner in _each(node.get("items")):
        yield from _node(inner, dialect, f"{at}[]", root)
    if isinstance(node.get("additionalProperties"), dict):
        yield from _node(node["additionalProperties"], dialect, f"{at}.*", root)


def _types(node: Any, dialect: str, at: str, root: Any) -> Iterator[str]:
    declared = node.get("type")
    names = _each(declared)
    yield from (f"type {name!r}" for name in names if name not in REAL_TYPES)
    if isinstance(declared, list) and dialect in ONE_TYPE_ONLY:
        yield "several types"
    if "null" in names and dialect in ONE_TYPE_ONLY:
        yield "null"
    alternatives = node.get("anyOf") or node.get("oneOf")
    if not names and not alternatives and "$ref" not in node and dialect in ALL_TYPED:
        yield "no type"
    if names and alternatives and dialect in NO_REFS | {"google"} and dialect != "vllm":
        yield "type beside alternatives"


def _words(node: Any, dialect: str, at: str, root: Any) -> Iterator[str]:
    if dialect in ("gemini", "strictest"):
        yield from (f"word {key}" for key in node if key not in OPENAPI_WORDS)
    if dialect in NO_REFS and ("$ref" in node or "$defs" in node or "definitions" in node):
        yield "reference"
    if "oneOf" in node and dialect in NO_ONE_OF:
        yield "oneOf"
    if "optional" in node:
        yield "a word that is none"
    if dialect in ("llamacpp", "strictest"):
        pattern = node.get("pattern", "^$")
        if not (pattern.startswith("^") and pattern.endswith("$")) or re.search(r"\\[dDwWsSbB]|\(\?[=!<]", pattern):
            yield f"pattern {pattern}"
        bounds = [node.get(key, 0) for key in ("minLength", "maxLength", "minItems", "maxItems")]
        if max(bounds) > 2000:
            yield "bounds"


def _values(node: Any, dialect: str, at: str, root: Any) -> Iterator[str]:
    listed = node.get("enum")
    if listed is not None:
        if not listed or len({repr(value) for value in listed}) < len(listed):
            yield "empty or doubled enum"
        if not all(_is(value, node.get("type")) for value in listed):
            yield "enum of another type"
        if dialect in ("gemini", "strictest") and not all(isinstance(value, str) and value for value in listed):
            yield "enum of other than texts"
    if "default" in node and (not _is(node["default"], node.get("type")) or (listed and node["default"] not in listed)):
        yield f"default {node['default']!r}"


def _shapes(node: Any, dialect: str, at: str, root: Any) -> Iterator[str]:
    properties, required = (_named(node["properties"]) if "properties" in node else None), node.get("required")
    is_object = node.get("type") == "object"
    if (properties is not None or required is not None) and node.get("type") not in (None, "object"):
        yield "properties of what is no object"
    if required is not None and not (isinstance(required, list) and set(_each(required)) <= set(properties or {})):
        yield f"required {required}"
    if is_object and not properties and dialect in ("gemini", "strictest"):
        yield "open object"
    if dialect in KEY_PATTERN:
        yield from (f"key {key}" for key in properties or {} if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key))
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        yield "no items"


def _named(value: Any) -> dict[str, Any]:
    return {**value} if isinstance(value, dict) else {}


def _each(value: Any) -> list[Any]:
    values: list[Any] = [*value] if isinstance(value, list) else [] if value is None else [value]
    return values


def _is(value: Any, declared: Any) -> bool:
    kinds: dict[str, Any] = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    names = _each(declared)
    if declared is None:
        return True
    for name in names:
        if name in ("integer", "number"):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if is_number and (name == "number" or float(value).is_integer()):
                return True
        elif name in kinds and isinstance(value, kinds[name]):
            return True
    return False
