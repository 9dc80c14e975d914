"""A repeated sequence written out as one call: its definition, and its steps in order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from prudent.design.audit.facts import Facts
from prudent.design.audit.flow import Origin, Step
from prudent.design.audit.sequences import Repeated
from prudent.messages import ToolSpec
from prudent.tools.inlining import wire_schema
from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONObject

_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class MacroDraft:
    """A macro as it could be declared."""

    spec: ToolSpec
    steps: tuple[str, ...]
    """Each step as a call, in order; `$city` is a parameter of the macro, `$1.id` is `id` of the first step's result."""

    missing: tuple[str, ...] = ()
    """What would have to change first, in sentences."""


def draft_macro(found: Repeated, facts: Facts, *, taken: Collection[str] = ()) -> MacroDraft:
    """Write a macro for a repeated sequence: what was given from outside becomes its parameters."""
    writer = _Writer(found, facts)
    wanted = "_then_".join(found.tools)
    name = wanted if len(wanted) <= _LONGEST_NAME else f"{found.tools[0]}_to_{found.tools[-1]}"[:_LONGEST_NAME]
    while name in taken:
        name = name[: _LONGEST_NAME - 2] + "_2"
    told = "; ".join(f"{at}. {step}" for at, step in enumerate(writer.steps, 1))
    parameters: JSONObject = {
        "type": "object",
        "properties": writer.properties,
        "required": [*writer.properties],
        "additionalProperties": False,
    }
    description = f"Do these steps in one call, and stop at the first that fails: {told}."
    return MacroDraft(ToolSpec(name, description, parameters), tuple(writer.steps), tuple(writer.missing))


class _Writer:
    """Writes the steps of one macro, and gathers its parameters."""

    def __init__(self, found: Repeated, facts: Facts) -> None:
        self._facts = facts
        self._written: dict[tuple[int, str], str] = {}
        self.properties: dict[str, JSON] = {}
        self.missing: list[str] = []
        self.steps = [self._step(at, step) for at, step in enumerate(found.steps)]

    def _step(self, at: int, step: Step) -> str:
        spec = self._facts.specs.get(step.tool)
        known = as_object(wire_schema(spec.parameters)["properties"]) if spec else {}
        for name, origin in step.arguments:
            self._written[at, name] = self._source(step.tool, name, origin, known.get(name, {}))
        return f"{step.tool}({', '.join(f'{name}={self._written[at, name]}' for name, _ in step.arguments)})"

    def _source(self, tool: str, name: str, origin: Origin, node: JSON) -> str:
        if origin.kind == "constant":
            return origin.value
        if origin.kind == "argument" and (origin.step, origin.name) in self._written:
            return self._written[origin.step, origin.name]
        if origin.kind == "result":
            if not origin.name:
                self.missing.append(f"step {origin.step + 1} has to return {name} as a field: models took it from its text")
            return f"${origin.step + 1}.{origin.name or name}"
        parameter = name if name not in self.properties else f"{tool}_{name}"
        while parameter in self.properties:
            parameter += "_2"
        self.properties[parameter] = node
        return f"${parameter}"
