"""A repeated sequence written out as one call: its definition, and its steps in order."""

from __future__ import annotations

import json
import keyword
from collections.abc import Collection
from dataclasses import dataclass

from prudent.design.audit.facts import Facts
from prudent.design.audit.flow import Origin, Step
from prudent.design.audit.python_source import identifiers, literal, macro_source, quoted
from prudent.design.audit.sequences import Repeated
from prudent.messages import ToolSpec
from prudent.tools.inlining import wire_schema
from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONObject

_LONGEST_NAME = 64
_KEPT = frozenset({"undo", "says"})
"""Names of arguments that `prudent.tools.macro.step` reads itself."""


@dataclass(frozen=True, slots=True)
class MacroDraft:
    """A macro as it could be declared."""

    spec: ToolSpec
    steps: tuple[str, ...]
    """Each step as a call, in order; `$city` is a parameter of the macro, `$1.id` is `id` of the first step's result."""

    missing: tuple[str, ...] = ()
    """What would have to change first, in sentences."""

    code: str = ""
    """The macro as Python, ready to paste."""


def draft_macro(found: Repeated, facts: Facts, *, taken: Collection[str] = ()) -> MacroDraft:
    """Write a macro for a repeated sequence: what was given from outside becomes its parameters."""
    writer = _Writer(found, facts)
    wanted = "_then_".join(found.tools)
    name = wanted if len(wanted) <= _LONGEST_NAME else f"{found.tools[0]}_to_{found.tools[-1]}"[:_LONGEST_NAME]
    while name in taken:
        name = name[: _LONGEST_NAME - 2] + "_2"
    parameters: JSONObject = {
        "type": "object",
        "properties": writer.properties,
        "required": [*writer.properties],
        "additionalProperties": False,
    }
    spec = ToolSpec(name, f"Do in one call, up to the first that fails: {', '.join(found.tools)}.", parameters)
    return MacroDraft(spec, tuple(writer.steps), tuple(writer.missing), writer.source(spec))


@dataclass(frozen=True, slots=True)
class _Value:
    """Where an argument of a step comes from, as it is written."""

    shown: str
    """For people: `$city`, `$1.id`, or JSON."""

    given: str = ""
    """The macro's parameter; "" for a constant or a part of a result."""

    code: str = ""
    """As Python, where it is no parameter."""


class _Writer:
    """Writes the steps of one macro, and gathers its parameters."""

    def __init__(self, found: Repeated, facts: Facts) -> None:
        self._found = found
        self._facts = facts
        self._written: dict[tuple[int, str], _Value] = {}
        self._names = [
            tool if found.tools.count(tool) == 1 else f"{tool} {found.tools[: at + 1].count(tool)}"
            for at, tool in enumerate(found.tools)
        ]
        """What the steps are called: their tools, numbered where one comes twice."""

        self.properties: dict[str, JSON] = {}
        self.missing: list[str] = []
        self.steps = [self._step(at, step) for at, step in enumerate(found.steps)]

    def source(self, spec: ToolSpec) -> str:
        """Write it as Python; nothing where a parameter has a name that `step` keeps for itself."""
        if any(name in _KEPT for step in self._found.steps for name, _ in step.arguments):
            return ""
        tools, parameters = identifiers(dict.fromkeys(self._found.tools)), identifiers(self.properties)
        steps: list[str] = []
        for at, step in enumerate(self._found.steps):
            arguments: list[str] = []
            for name, _ in step.arguments:
                value = self._written[at, name]
                code = f"given({quoted(parameters[value.given])})" if value.given else value.code
                plain = name.isidentifier() and not keyword.iskeyword(name)
                arguments.append(f"{name}={code}" if plain else f"**{{{quoted(name)}: {code}}}")
            steps.append(f"step({', '.join([quoted(self._names[at]), tools[step.tool], *arguments])})")
        return macro_source(spec, steps, tools=list(tools.values()))

    def _step(self, at: int, step: Step) -> str:
        spec = self._facts.specs.get(step.tool)
        known = as_object(wire_schema(spec.parameters)["properties"]) if spec else {}
        for name, origin in step.arguments:
            self._written[at, name] = self._value(step.tool, name, origin, known.get(name, {}))
        return f"{step.tool}({', '.join(f'{name}={self._written[at, name].shown}' for name, _ in step.arguments)})"

    def _value(self, tool: str, name: str, origin: Origin, node: JSON) -> _Value:
        if origin.kind == "constant":
            return _Value(origin.value, code=literal(json.loads(origin.value)))
        if origin.kind == "argument" and (origin.step, origin.name) in self._written:
            return self._written[origin.step, origin.name]
        if origin.kind == "result":
            if not origin.name:
                self.missing.append(f"step {origin.step + 1} has to return {name} as a field: models took it from its text")
            path = origin.path or (name,)
            code = f"result({', '.join(map(literal, (self._names[origin.step], *path)))})"
            return _Value(f"${origin.step + 1}.{origin.name or name}", code=code)
        parameter = name if name not in self.properties else f"{tool}_{name}"
        while parameter in self.properties:
            parameter += "_2"
        self.properties[parameter] = node
        return _Value(f"${parameter}", given=parameter)
