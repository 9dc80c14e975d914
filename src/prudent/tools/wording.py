"""Saying in words what a JSON schema allows and what was received, for errors that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator

from prudent.tools.nodes import as_list, as_object, branches, follow, kinds
from prudent.types import JSON, JSONMapping

_MAX_LISTED = 20


def quote(value: JSON, limit: int = 200) -> str:
    """Write a value as JSON, cut after `limit` characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def in_words(root: JSONMapping, value: JSON, depth: int = 0) -> str:
    """Say what a node allows, such as `a whole number from 1 to 5`."""
    node = follow(root, value)
    if depth > 3:
        return "a value"
    if "const" in node:
        return quote(node["const"])
    if "enum" in node:
        return _listed(as_list(node["enum"]))
    if alternatives := branches(node):
        return " or ".join(dict.fromkeys(in_words(root, branch, depth + 1) for branch in alternatives[:_MAX_LISTED]))
    words = [_kind_in_words(root, node, kind, depth) for kind in sorted(kinds(root, node))]
    return " or ".join(words) or "any value"


def _listed(values: list[JSON]) -> str:
    if not values:
        return "nothing"
    more = f" and {len(values) - _MAX_LISTED} more" if len(values) > _MAX_LISTED else ""
    texts = [quote(value, 60) for value in values[:_MAX_LISTED]]
    return (f"one of {', '.join(texts)}" if len(values) > 1 else texts[0]) + more


def _kind_in_words(root: JSONMapping, node: JSONMapping, kind: str, depth: int) -> str:
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _range(node)
    if kind == "string":
        shape = {"date": "a date YYYY-MM-DD", "date-time": "a date and time YYYY-MM-DDTHH:MM:SS"}.get(str(node.get("format")))
        pattern = f" matching {quote(node['pattern'], 80)}" if "pattern" in node else ""
        return (shape or "a string") + _count(node, "Length", "characters") + pattern
    if kind == "array":
        items = f", each {in_words(root, node['items'], depth + 1)}" if "items" in node else ""
        return "a list" + _count(node, "Items", "items") + items
    if kind == "object":
        names = ", ".join(_property_names(node))
        return f"an object with {names}" if names else "an object"
    return {"boolean": "true or false", "null": "null"}[kind]


def _property_names(node: JSONMapping) -> Iterator[str]:
    required = as_list(node.get("required"))
    for name in list(as_object(node.get("properties")))[:_MAX_LISTED]:
        yield name if name in required else f"{name} (optional)"


def _range(node: JSONMapping) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    parts = [f"from {low} to {high}"] if low is not None and high is not None else []
    if not parts:
        parts += [f"of at least {low}"] if low is not None else []
        parts += [f"of at most {high}"] if high is not None else []
    parts += [f"above {node['exclusiveMinimum']}"] if "exclusiveMinimum" in node else []
    parts += [f"below {node['exclusiveMaximum']}"] if "exclusiveMaximum" in node else []
    parts += [f"divisible by {node['multipleOf']}"] if "multipleOf" in node else []
    return " " + ", ".join(parts) if parts else ""


def _count(node: JSONMapping, noun: str, unit: str) -> str:
    low, high = node.get(f"min{noun}"), node.get(f"max{noun}")
    if low is not None and high is not None:
        return f" of {low} to {high} {unit}" if low != high else f" of exactly {low} {unit}"
    if low is not None:
        return f" of at least {low} {unit}"
    return f" of at most {high} {unit}" if high is not None else ""
