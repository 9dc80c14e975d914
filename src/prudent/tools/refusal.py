"""Writing a refusal that the model can act on: what is wrong, where, what came, what is allowed, and one example call."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from prudent.errors import CallRefused
from prudent.tools.checking import Checker, Problem
from prudent.tools.fitting import written
from prudent.tools.nodes import as_list, as_object, branches, follow, kinds
from prudent.tools.wording import in_words, quote
from prudent.types import JSON, JSONMapping, JSONObject

_MAX_TOLD = 5
_MAX_REASON_CHARS = 1000
_MAX_EXAMPLE_CHARS = 300
_MAX_NAMED = 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """Writes refusals for one tool."""

    tool_name: str
    parameters: JSONMapping
    examples: Sequence[JSONMapping] = ()
    secret: Collection[str] = ()

    def of(self, problems: Sequence[Problem]) -> CallRefused:
        """Refuse arguments for these problems."""
        lines = [self._line(problem) for problem in problems[:_MAX_TOLD]]
        if len(problems) > _MAX_TOLD:
            lines.append(f"and {len(problems) - _MAX_TOLD} more")
        reason = cut("; ".join(lines), _MAX_REASON_CHARS)
        return CallRefused("invalid_arguments", reason, fix=self._again("correct this and"))

    def with_example(self, refusal: CallRefused) -> CallRefused:
        """Add an example call to a refusal of something that could not be read."""
        start = f"{refusal.fix}; " if refusal.fix else ""
        return CallRefused(
            refusal.kind, cut(refusal.reason, _MAX_REASON_CHARS), fix=self._again(f"{start}then" if start else "")
        )

    def _again(self, start: str) -> str:
        example = {**self.examples[0]} if self.examples else example_arguments(self.parameters)
        text = json.dumps(example, ensure_ascii=False)
        shown = len(text) <= _MAX_EXAMPLE_CHARS and not Checker(self.parameters).problems(example)
        return f"{start} call {self.tool_name} again".strip() + (f", for example with {text}" if shown else "")

    def _line(self, problem: Problem) -> str:
        where = cut(written(problem.path), 100) or "the arguments"
        if problem.kind == "missing":
            return f"{where} is missing; due is {self._due(problem)}"
        secret = self._is_secret(problem)
        received = "" if secret else f" (received {quote(problem.received)})"
        if problem.kind == "unknown":
            known = list(as_object(problem.node.get("properties")))
            inside = written(problem.path[:-1]) or self.tool_name
            names = ", ".join(nearest(str(problem.path[-1]), known)[:_MAX_NAMED]) or "none"
            return f"{where} is unknown{received}; the parameters of {inside} are: {names}"
        if problem.note:
            return f"{where} is not right{received}" + ("" if secret else f": {cut(problem.note, 300)}")
        return f"{where} is not right{received}; allowed is {self._due(problem)}"

    def _due(self, problem: Problem) -> str:
        description = problem.node.get("description")
        told = f" ({cut(description, 120)})" if isinstance(description, str) and description else ""
        return cut(in_words(self.parameters, {**problem.node}), 300) + told

    def _is_secret(self, problem: Problem) -> bool:
        """Whether the value may be a secret; an unknown parameter may be a secret one misspelt."""
        return bool(self.secret) and (problem.kind == "unknown" or not problem.path or problem.path[0] in self.secret)


def cut(text: str, limit: int) -> str:
    """Cut a text after `limit` characters, with a mark."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Sort names by how much they look like the given one."""
    wanted = name[:64].casefold()

    def likeness(other: str) -> float:
        return -difflib.SequenceMatcher(None, wanted, other[:64].casefold()).ratio()

    return sorted(known, key=likeness)


def example_arguments(parameters: JSONMapping) -> JSONObject:
    """Make up arguments with what is required, from the schema alone."""
    return as_object(_example(parameters, dict(parameters), 0))


def _example(root: JSONMapping, raw: JSON, depth: int) -> JSON:
    node = follow(root, raw)
    if depth > 5:
        return None
    given = [*as_list(node.get("examples")), *([node["default"]] if "default" in node else []), *as_list(node.get("enum"))]
    if "const" in node:
        return node["const"]
    if given:
        return given[0]
    if alternatives := branches(node):
        return _example(root, alternatives[0], depth + 1)
    allowed = kinds(root, node)
    if "object" in allowed:
        properties = as_object(node.get("properties"))
        required = [name for name in as_list(node.get("required")) if isinstance(name, str)]
        return {name: _example(root, properties.get(name, True), depth + 1) for name in required}
    if "array" in allowed:
        return [_example(root, node.get("items", True), depth + 1)]
    return _example_scalar(node, allowed)


def _example_scalar(node: JSONMapping, allowed: frozenset[str]) -> JSON:
    if "string" in allowed or not allowed:
        return {"date": "2031-05-04", "date-time": "2031-05-04T10:15:00"}.get(str(node.get("format")), "…")
    if "boolean" in allowed:
        return True
    if "null" in allowed:
        return None
    low, high = node.get("minimum"), node.get("maximum")
    if isinstance(low, int | float):
        return math.ceil(low)
    return math.floor(high) if isinstance(high, int | float) and high < 1 else 1
