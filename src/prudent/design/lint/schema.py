"""Family S, first half: what some provider refuses in a definition as a whole. The second half is in `schema_nodes.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prudent.design.lint.refusals import refusing
from prudent.design.lint.rule import Hit, Rule, Toolset
from prudent.design.sheet import Definition
from prudent.tools.dialects import NAME_CHARS, legal_name, strictest

_LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]+")


class Broken(Rule):
    """Something that is no definition."""

    code, title, level, points = "S800", "it is no definition", "error", 60.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Tell why it could not be read."""
        del tools
        if definition.broken:
            yield Hit(
                "definition", definition.broken, 'a definition has a "name", a "description" and a schema of its arguments'
            )


class IllegalName(Rule):
    """A name with characters that providers refuse."""

    code, title, level, points = "S801", "a name that providers refuse", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at the characters, and at the first."""
        del tools
        if definition.broken or _LEGAL_NAME.fullmatch(definition.name):
            return
        better = legal_name(definition.name, NAME_CHARS)
        yield Hit(
            "name",
            f"{definition.name[:80]!r} has characters other than letters, digits, _ and -, which most providers refuse",
            f'name it "{better}"',
        )


class LongName(Rule):
    """A name longer than providers take."""

    code, title, level, points = "S802", f"a name over {NAME_CHARS} characters", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Count them."""
        del tools
        if len(definition.name) > NAME_CHARS:
            yield Hit(
                "name",
                f"the name has {len(definition.name)} characters, and providers refuse more than {NAME_CHARS}",
                f'shorten it, such as "{legal_name(definition.name, NAME_CHARS)}"',
            )


class NotAnObject(Rule):
    """Arguments that are no object."""

    code, title, level, points = "S810", "the arguments are no plain object", "error", 15.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at the schema's top."""
        del tools
        if definition.broken:
            return
        schema = definition.schema
        if not definition.has_schema:
            yield Hit(
                "parameters",
                "there is no schema of the arguments",
                '"parameters": {"type": "object", "properties": {}}',
                level="warning",
            )
            return
        choice = next((key for key in ("anyOf", "oneOf", "allOf", "enum", "not", "$ref") if key in schema), "")
        if choice:
            yield Hit(
                "parameters",
                f"`{choice}` at the top is refused by OpenAI and Anthropic",
                "list all properties in one object, and say in words what goes together",
                level="warning",
            )
        elif schema.get("type") not in ("object", "dict"):
            yield Hit(
                "parameters",
                f"the arguments are of type {str(schema.get('type'))[:40]!r}, and have to be an object",
                '"type": "object", "properties": {…}',
                fix="type" not in schema,
            )


class IllegalProperty(Rule):
    """A parameter name that a provider refuses."""

    code, title, level, points = "S814", "a parameter name that some provider refuses", "warning", 4.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at the names of all parameters."""
        del tools
        pattern = strictest().property_names
        for parameter in definition.parameters:
            if not re.fullmatch(pattern, parameter.name):
                yield Hit(
                    parameter.place[:120],
                    f"the name {parameter.name[:60]!r} is refused by {refusing('property_names')}",
                    _legal_parameter(parameter.name),
                )


def _legal_parameter(name: str) -> str:
    legal = legal_name(name, NAME_CHARS)
    if legal == "unnamed":
        return f"give it a name in letters a to z, and say {name[:40]!r} in its description"
    return f'name it "{legal}"'


RULES: tuple[type[Rule], ...] = (Broken, IllegalName, LongName, NotAnObject, IllegalProperty)
