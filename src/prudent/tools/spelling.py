"""Values of enumerations spelled in full for the model, and turned back into the function's own at dispatch.

`@tool(enum_values={"celsius": "c"})` shows `celsius` to a model; the function still gets `c`. The journal, previews, policy
and whoever approves a call see what the model wrote: the spelled value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from prudent.errors import DefinitionError
from prudent.tools.acceptance import ArgumentTypes
from prudent.tools.checking import Problem
from prudent.tools.nodes import as_list, as_object, branches, follow
from prudent.types import JSON, JSONMapping, JSONObject

_MAX_DEPTH = 20


class Spelling:
    """The spelled values of one tool, each with the function's own."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._own: dict[str, JSON] = {shown: _plain(own) for shown, own in values.items()}
        self._shown = {_key(own): shown for shown, own in self._own.items()}

    def spell(self, schema: JSONObject, where: str) -> None:
        """Put the spelled values into a schema, defaults included. Raises DefinitionError where it makes no sense."""
        if len(self._shown) < len(self._own):
            raise DefinitionError(f"{where}: enum_values spells one value in two ways: give each value one spelling")
        used: set[str] = set()
        self._spell_node(schema, used, where, 0)
        unused = sorted(set(self._own) - used)
        if unused:
            raise DefinitionError(
                f"{where}: enum_values spells {', '.join(unused)}, but no parameter has such a value: "
                'write the spelled value first, as in {"celsius": "c"}'
            )

    def shown(self, value: Any) -> Any:
        """Give the spelling of one of the function's own values, and anything else as it is."""
        return self._shown.get(_key(_plain(value)), value)

    def shown_in(self, schema: JSONMapping, arguments: JSONMapping) -> JSONObject:
        """Spell the function's own values in arguments, such as an example; what is spelled already stays."""
        return as_object(self._walk(schema, dict(schema), dict(arguments), self._spell_value, 0))

    def own_in(self, schema: JSONMapping, arguments: JSONMapping) -> JSONObject:
        """Put the function's own values into arguments that a model wrote."""
        return as_object(self._walk(schema, dict(schema), dict(arguments), self._own_value, 0))

    def _spell_node(self, node: JSONObject, used: set[str], where: str, depth: int) -> None:
        if depth > _MAX_DEPTH or not node:
            return
        values = as_list(node.get("enum"))
        if any(_key(value) in self._shown for value in values):
            spelled = [self.shown(value) for value in values]
            used.update(shown for shown in self._own if shown in spelled)
            if len({_key(value) for value in spelled}) < len(spelled):
                raise DefinitionError(f"{where}: enum_values spells a value like another one of the same parameter")
            node["enum"] = spelled
            if all(isinstance(value, str) for value in spelled):
                node["type"] = "string"
        for key in ("const", "default"):
            if key in node and ("enum" in node or key == "const" or branches(node)):
                used.update(shown for shown in self._own if self.shown(node[key]) == shown)
                node[key] = self.shown(node[key])
            elif key in node and isinstance(node[key], list):
                node[key] = [self.shown(value) for value in as_list(node[key])]
        parts = [*as_object(node.get("properties")).values(), *as_object(node.get("$defs")).values(), *branches(node)]
        for part in (*parts, node.get("items"), node.get("additionalProperties"), *as_list(node.get("prefixItems"))):
            self._spell_node(as_object(part), used, where, depth + 1)

    def _spell_value(self, allowed: list[JSON], value: JSON) -> JSON:
        spelled = self.shown(value)
        return spelled if spelled in allowed and value not in allowed else value

    def _own_value(self, allowed: list[JSON], value: JSON) -> JSON:
        return self._own[value] if isinstance(value, str) and value in self._own and value in allowed else value

    def _walk(self, root: JSONMapping, raw: JSON, value: JSON, turn: Callable[[list[JSON], JSON], JSON], depth: int) -> JSON:
        node = follow(root, raw)
        if depth > _MAX_DEPTH or not node:
            return value
        if isinstance(value, dict):
            properties = as_object(node.get("properties"))
            extra = node.get("additionalProperties", True)
            value = {key: self._walk(root, properties.get(key, extra), part, turn, depth + 1) for key, part in value.items()}
        elif isinstance(value, list):
            leading = as_list(node.get("prefixItems"))
            rest = node.get("items", True)
            nodes = [*leading, *([rest] * len(value))]
            value = [self._walk(root, item, part, turn, depth + 1) for item, part in zip(nodes, value, strict=False)]
        else:
            allowed = as_list(node.get("enum")) or ([node["const"]] if "const" in node else [])
            value = turn(allowed, value) if allowed else value
        for branch in branches(node):
            value = self._walk(root, branch, value, turn, depth + 1)
        return value


class SpelledTypes:
    """The Python types behind a schema with spelled values."""

    def __init__(self, types: ArgumentTypes, schema: JSONMapping, spelling: Spelling) -> None:
        self._types = types
        self._schema = schema
        self._spelling = spelling

    def problems(self, arguments: JSONObject) -> list[Problem]:
        """List what the types have against the arguments."""
        return self._types.problems(self._spelling.own_in(self._schema, arguments))

    def convert(self, arguments: JSONMapping) -> dict[str, object]:
        """Turn checked arguments into the Python objects that the function wants."""
        return self._types.convert(self._spelling.own_in(self._schema, arguments))


def _plain(value: Any) -> JSON:
    return value.value if isinstance(value, Enum) else value


def _key(value: JSON) -> tuple[str, str]:
    """Tell values apart as JSON does: true is not 1."""
    return type(value).__name__, str(value)
