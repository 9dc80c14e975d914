"""`[toolkits.NAME]`: a toolkit with its options, checked against what its factory takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from prudent.config.places import Place
from prudent.errors import ConfigurationError
from prudent.nearest import nearest
from prudent.toolkits import find_toolkit
from prudent.tools.definition import Tool


class SettingProblem(ConfigurationError):
    """Something is wrong with one setting; `place` tells which, so that its line can be found."""

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(reason)
        self.place = place


def mount_toolkit(name: str, options: Mapping[str, Any], *, folder: Path) -> list[Tool]:
    """Make a toolkit's tools. Relative paths among the options are taken from `folder`.

    Raises:
        SettingProblem: There is no such toolkit or option, or its value cannot be used.
    """
    try:
        factory = find_toolkit(name)
    except ConfigurationError as error:
        raise SettingProblem(("toolkits", name), str(error)) from error
    known = inspect.signature(factory).parameters
    hints = get_type_hints(factory)
    values = {key: _value(name, key, value, hints, known, folder) for key, value in options.items()}
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in values:
            raise SettingProblem(("toolkits", name), f"toolkits.{name} needs {key} = …")
    return _make(name, factory, values)


def _value(
    name: str, key: str, value: object, hints: Mapping[str, Any], known: Mapping[str, inspect.Parameter], folder: Path
) -> object:
    place = ("toolkits", name, key)
    if key not in known:
        raise SettingProblem(place, f"toolkits.{name}.{key} is not an option{nearest(key, known) or _all(known)}")
    hint = hints.get(key, Any)
    if isinstance(value, str) and _takes_path(hint):
        value = folder / Path(value).expanduser()
    try:
        return TypeAdapter[object](hint, config=ConfigDict(strict=True, arbitrary_types_allowed=True)).validate_python(value)
    except ValidationError as error:
        message = error.errors(include_url=False)[0]["msg"]
        raise SettingProblem(place, f"toolkits.{name}.{key} is {value!r}: {message[:1].lower()}{message[1:]}") from error


def _takes_path(hint: object) -> bool:
    return hint is Path or Path in get_args(hint)


def _all(known: Mapping[str, object]) -> str:
    return f"; it takes {', '.join(known)}" if known else "; it takes none"


def _make(name: str, factory: Callable[..., list[Tool]], values: Mapping[str, object]) -> list[Tool]:
    try:
        return factory(**values)
    except (ValueError, TypeError, OSError, ConfigurationError) as error:
        raise SettingProblem(("toolkits", name), f"toolkits.{name}: {error}") from error
