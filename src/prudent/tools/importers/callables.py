"""Any callable as a tool: also one without annotations, with *args, or that takes its arguments by position only."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Unpack, get_type_hints

from prudent.errors import DefinitionError
from prudent.tools.definition import Tool, tool
from prudent.tools.dialects import NAME_CHARS, legal_name
from prudent.tools.options import ToolOptions
from prudent.tools.signature import innermost, place

_PLAIN_TYPES = (bool, int, float, str)


def from_callable(function: Callable[..., Any], /, **options: Unpack[ToolOptions]) -> Tool:
    """Make a tool of whatever can be called. For your own functions with annotations use `tool`, which refuses mistakes.

    A parameter without a type gets that of its default, else anything is taken; `*args` and `**kwargs` are left out; a
    default that has no JSON form makes its parameter one that the model does not see.

    Raises:
        DefinitionError: nobody can tell what it takes, such as for some functions written in C: wrap it in a function.
    """
    name = options.get("name") or legal_name(getattr(innermost(function), "__name__", type(function).__name__), NAME_CHARS)
    where = place(function, name)
    try:
        found = inspect.signature(function).parameters.values()
    except (ValueError, TypeError) as error:
        raise DefinitionError(f"{where} does not say what it takes: wrap it in a function with annotations") from error
    hints = _hints(function)
    taken = [
        _named(parameter, hints)
        for parameter in found
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    shown = [parameter for parameter in taken if _has_json_form(parameter)]
    by_position = [parameter.name for parameter in found if parameter.kind is parameter.POSITIONAL_ONLY]
    return tool(_passing(function, shown, by_position), **{**options, "name": name})


def _passing(function: Callable[..., Any], shown: list[inspect.Parameter], by_position: list[str]) -> Callable[..., Any]:
    """Make a function that says what it takes, and passes it on."""

    def split(values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        return [values.pop(name) for name in by_position if name in values], values

    def call(**values: Any) -> Any:
        positions, names = split(values)
        return function(*positions, **names)

    async def call_later(**values: Any) -> Any:
        positions, names = split(values)
        return await function(*positions, **names)

    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    passing: Any = call_later if is_async else call
    passing.__name__ = getattr(innermost(function), "__name__", "call")
    passing.__doc__ = inspect.getdoc(function)
    passing.__signature__ = inspect.Signature(shown)
    passing.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return passing


def _named(parameter: inspect.Parameter, hints: dict[str, Any]) -> inspect.Parameter:
    annotation = hints.get(parameter.name, parameter.annotation)
    if annotation is parameter.empty:
        plain = next((kind for kind in _PLAIN_TYPES if type(parameter.default) is kind), None)
        annotation = Any if plain is None else plain
    return parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=annotation)


def _has_json_form(parameter: inspect.Parameter) -> bool:
    """Whether a default can be told: one that cannot stays the function's own business."""
    import pydantic_core  # brought by pydantic, which is imported when the first tool is made anyway

    if parameter.default in (parameter.empty, None):
        return True
    try:
        pydantic_core.to_json(parameter.default)
    except ValueError:
        return False
    return True


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(innermost(function), include_extras=True)
    except Exception:  # somebody else's annotations may name anything; without them anything is taken
        return {}
