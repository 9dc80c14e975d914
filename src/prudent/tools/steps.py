"""What a macro is made of: steps, the actions in them, and values that are known only when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, cast

from prudent.errors import ToolError
from prudent.tools.definition import Tool
from prudent.tools.wording import quote
from prudent.types import JSON, JSONMapping, JSONObject

HIDDEN = "[secret]"
_SHOWN_CHARS = 120


@dataclass(frozen=True, slots=True)
class Given:
    """One of the macro's parameters."""

    parameter: str


@dataclass(frozen=True, slots=True)
class Result:
    """An earlier step's result, or a part of it."""

    of: str
    path: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        """Write it for a preview."""
        part = ".".join(map(str, self.path))
        return f"<{part} of {self.of!r}>" if part else f"<result of {self.of!r}>"


@dataclass(frozen=True, slots=True)
class Action:
    """A tool with its arguments."""

    tool: Tool
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def filled(self, given: JSONMapping, results: Mapping[str, object]) -> JSONObject:
        """Give the arguments as they are now. Raises ToolError where a result has no such part."""
        return {name: _filled(value, given, results) for name, value in self.arguments.items()}

    def shown(self, given: JSONMapping) -> str:
        """Write it as a call, with what is known beforehand."""
        parts = [f"{name}={self._shown(name, value, given)}" for name, value in self.arguments.items()]
        return f"{self.tool.name}({', '.join(parts)})"

    def _shown(self, name: str, value: object, given: JSONMapping) -> str:
        if name in self.tool.secret:
            return HIDDEN
        value = given.get(value.parameter) if isinstance(value, Given) else value
        if isinstance(value, Result):
            return str(value)
        return quote(as_json(value), _SHOWN_CHARS)


@dataclass(frozen=True, slots=True)
class Step:
    """One named step."""

    name: str
    does: Action
    undo: Action | None = None
    says: str = ""


class Words(dict[str, object]):
    """Values for a text with places to fill in; a place that nothing is known for stays as it is."""

    def __missing__(self, key: str) -> str:
        """Leave the place."""
        return "{" + key + "}"


def preview_lines(steps: Sequence[Step], given: JSONMapping, known: Mapping[str, JSON]) -> Iterator[str]:
    """Write each step on a line, filled in as far as it is known."""
    for number, one in enumerate(steps, 1):
        told = one.says.format_map(Words(known)) if one.says else one.does.shown(given)
        yield f"{number}. {one.name}: {told}" if told != one.name else f"{number}. {one.name}"


def as_json(value: object) -> JSON:
    """Give a result as JSON; what has no JSON form as text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Given | Result):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return as_json(asdict(value))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {str(key): as_json(part) for key, part in pairs.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(part) for part in cast("Sequence[object]", value)]
    return str(value)


def references(value: object) -> Iterator[Given | Result]:
    """Find what stands for something else in an action's arguments."""
    if isinstance(value, Given | Result):
        yield value
        return
    parts: Iterable[object] = ()
    if isinstance(value, Mapping):
        parts = cast("Mapping[object, object]", value).values()
    elif isinstance(value, list | tuple):
        parts = cast("Sequence[object]", value)
    for part in parts:
        yield from references(part)


def _filled(value: object, given: JSONMapping, results: Mapping[str, object]) -> JSON:
    if isinstance(value, Given):
        return given.get(value.parameter)
    if isinstance(value, Result):
        return _part(value, as_json(results.get(value.of)))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value)
        return {name: _filled(part, given, results) for name, part in pairs.items()}
    if isinstance(value, list | tuple):
        return [_filled(part, given, results) for part in cast("Sequence[object]", value)]
    return as_json(value)


def _part(wanted: Result, value: JSON) -> JSON:
    for key in wanted.path:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            raise ToolError(f"the result of step {wanted.of!r} has no {key!r}")
    return value
