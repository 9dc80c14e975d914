"""JSON schemas that hold one reply to one choice: a tool with its arguments, or the final answer."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.messages import ToolSpec
from prudent.types import JSON, JSONObject

FINAL = "final_answer"
"""The choice to answer instead of calling a tool."""

_DEFINITIONS = ("$defs", "definitions")


def choice(name: str, fields: JSONObject) -> JSONObject:
    """Give the schema of one choice: its name as a constant first, then its fields."""
    return closed_object({"tool": {"const": name}, **fields})


def closed_object(fields: JSONObject) -> JSONObject:
    """Give the schema of an object that has exactly these fields, in this order."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def reply_schema(tools: Sequence[ToolSpec], answer: JSONObject | None) -> JSONObject:
    """Give the schema of a reply: any of the tools, or the answer in the form of `answer` (text when None)."""
    definitions: JSONObject = {}
    options: list[JSON] = []
    for tool in tools:
        arguments = hoist(tool.parameters, tool.name, definitions)
        arguments.setdefault("type", "object")
        arguments.setdefault("additionalProperties", False)
        options.append(choice(tool.name, {"args": arguments}))
    final: JSONObject = {"type": "string"} if answer is None else hoist(answer, FINAL, definitions)
    options.append(choice(FINAL, {"answer": final}))
    schema: JSONObject = {"anyOf": options}
    if definitions:
        schema["$defs"] = definitions
    return schema


def hoist(schema: JSONObject, owner: str, definitions: JSONObject) -> JSONObject:
    """Copy a schema for use inside another one: its definitions move to the root, under names of their owner's."""
    groups = {keyword: found for keyword in _DEFINITIONS if isinstance(found := schema.get(keyword), dict)}
    own: JSONObject = {f"#/{keyword}/{name}": f"{owner}.{name}" for keyword, found in groups.items() for name in found}
    for found in groups.values():
        definitions.update({f"{owner}.{name}": _renamed(value, own) for name, value in found.items()})
    moved = _renamed({key: value for key, value in schema.items() if key not in _DEFINITIONS}, own)
    assert isinstance(moved, dict)
    return moved


def _renamed(value: JSON, names: JSONObject) -> JSON:
    """Copy a piece of a schema with its references pointing to the new names."""
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    copy: JSONObject = {key: _renamed(item, names) for key, item in value.items()}
    target = copy.get("$ref")
    if isinstance(target, str) and target in names:
        copy["$ref"] = f"#/$defs/{names[target]}"
    return copy
