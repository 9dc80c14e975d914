"""Reading a function's signature: which parameters the model fills in, and where the run's `Context` goes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from prudent.errors import DefinitionError
from prudent.tools.context import Context

NO_DEFAULT = inspect.Parameter.empty
"""Stands for "has no default"."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that the model fills in."""

    name: str
    annotation: Any
    default: Any = NO_DEFAULT


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes."""

    parameters: tuple[Parameter, ...]
    context_parameter: str | None
    """The parameter typed `Context`, which is injected and not shown."""


def read_signature(function: Callable[..., Any], where: str) -> Signature:
    """Read a function's parameters; raises DefinitionError for what a model cannot be asked to fill in.

    Args:
        function: the function, or anything else that can be called.
        where: names the tool in errors.
    """
    hints = _type_hints(function, where)
    context_parameter: str | None = None
    parameters: list[Parameter] = []
    bound = _bound(function)
    for found in inspect.signature(function).parameters.values():
        if found.name in bound:
            continue
        annotation = hints.get(found.name, NO_DEFAULT)
        _check_parameter(found, annotation, where)
        if not is_context(annotation):
            parameters.append(Parameter(found.name, annotation, found.default))
        elif context_parameter is None:
            context_parameter = found.name
        else:
            raise DefinitionError(f"{where} has two parameters typed Context: leave one of them out")
    return Signature(tuple(parameters), context_parameter)


def _bound(function: Any) -> set[str]:
    """Name the parameters that a partial has filled in by keyword."""
    return set(function.keywords) if isinstance(function, functools.partial) else set()


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the function that partials and decorators are wrapped around."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not inspect.isroutine(function) and not inspect.isclass(function):
        return type(function).__call__  # an object that can be called: its class says what it takes
    return function


def place(function: Callable[..., Any], tool_name: str) -> str:
    """Say which tool is meant and where it stands, for an error."""
    code = getattr(innermost(function), "__code__", None)
    spot = f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code else ""
    return f"tool {tool_name!r}{spot}"


def is_context(annotation: Any) -> bool:
    """Whether an annotation is `Context`, also inside `Annotated` or beside None."""
    if get_origin(annotation) is Annotated:
        return is_context(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return any(is_context(part) for part in get_args(annotation))
    return inspect.isclass(annotation) and issubclass(annotation, Context)


def _type_hints(function: Callable[..., Any], where: str) -> dict[str, Any]:
    try:
        return get_type_hints(innermost(function), include_extras=True)
    except NameError as error:
        raise DefinitionError(
            f"{where} has an annotation that names {error.name!r}, which is not known in its module: "
            "define or import it at module level, not inside a function and not only for type checkers"
        ) from error
    except (TypeError, SyntaxError, AttributeError) as error:
        raise DefinitionError(f"{where} has an annotation that cannot be read ({error}): mend it") from error


def _check_parameter(found: inspect.Parameter, annotation: Any, where: str) -> None:
    if found.kind in (found.VAR_POSITIONAL, found.VAR_KEYWORD):
        stars = "*" if found.kind is found.VAR_POSITIONAL else "**"
        raise DefinitionError(f"{where} takes {stars}{found.name}: name each parameter, so that the model can be told of it")
    if found.kind is found.POSITIONAL_ONLY:
        raise DefinitionError(f"{where} takes {found.name!r} by position only: remove the / from its parameters")
    if annotation is NO_DEFAULT:
        raise DefinitionError(f"parameter {found.name!r} of {where} has no type: annotate it, such as {found.name}: str")
