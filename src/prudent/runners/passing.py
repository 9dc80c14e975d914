"""What goes between the program and a worker, as bytes: which tool, its call, and what it returned or raised."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial, reduce
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from prudent.errors import ConfigurationError
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool

MAIN: Final = "__prudent_main__"
"""Under this name a worker loads the program's script, so that what stands under `if __name__ == "__main__"` is not run."""

STAYS_BEHIND: Final = frozenset({"delegate", "dependencies", "note", "run_tool"})
"""Fields of `Context` that a worker does not get: they need not be picklable, and belong to the program."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a tool finds around it, as far as the program can change it at any time."""

    folder: str
    """The current one; empty when it is gone."""

    environment: dict[str, str]
    path: tuple[str, ...]
    """`sys.path`."""

    @classmethod
    def of_this_process(cls) -> Surroundings:
        """Take down what is now."""
        try:
            folder = str(Path.cwd())
        except FileNotFoundError:
            folder = ""
        return cls(folder, dict(os.environ), tuple(sys.path))


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a worker needs to know to have a tool too."""

    name: str
    module: str
    package: str | None
    file: str
    qualified_name: str
    """Where its function is defined."""

    typed: bool
    """Whether the arguments are turned into what the function's annotations say."""

    context_parameter: str | None
    enum_values: tuple[tuple[str, Any], ...] = ()
    """Spelled values of enumerations, each with the function's own."""

    bound: bytes = b""
    """Pickled: what `functools.partial` gave the function beforehand, by position and by name."""


def pack_recipe(tool: Tool) -> bytes:
    """Say how a worker gets a tool; raises ConfigurationError if it cannot."""
    given: Any = tool.function
    function = given.func if isinstance(given, partial) else given
    if not isinstance(function, FunctionType):
        raise ConfigurationError(_cannot_run(tool, f"it is made of an object of type {type(function).__name__}"))
    module = sys.modules.get(function.__module__)
    names = function.__globals__ if module is None else vars(module)
    file = names.get("__file__")
    if file is None or not Path(file).is_file():
        raise ConfigurationError(_cannot_run(tool, "its module was not read from a file"))
    found = _look_up(names, function.__qualname__)
    if found is not function and not (isinstance(found, Tool) and found.function is function):
        raise ConfigurationError(_cannot_run(tool, f"{file} has no function or tool named {function.__qualname__}"))
    if function.__module__ == "__main__":
        sys.modules.setdefault(MAIN, sys.modules["__main__"])  # for results whose class is defined in the script
    recipe = Recipe(
        name=tool.name,
        module=function.__module__,
        package=names.get("__package__"),
        file=str(Path(file).resolve()),
        qualified_name=function.__qualname__,
        typed=tool.arguments is not None,
        context_parameter=tool.context_parameter,
        enum_values=tuple(tool.enum_values.items()),
        bound=_pack_bound(tool),
    )
    return pickle.dumps(recipe, pickle.HIGHEST_PROTOCOL)


def _pack_bound(tool: Tool) -> bytes:
    given: Any = tool.function
    if not isinstance(given, partial):
        return b""
    try:
        return pickle.dumps((given.args, given.keywords), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ConfigurationError(_cannot_run(tool, f"what was bound to it cannot be passed on ({error})")) from error


def _cannot_run(tool: Tool, why: str) -> str:
    return (
        f"tool {tool.name!r} cannot run in a process, since {why} and a worker has to import it: "
        "define it with def at the top of a file, or declare run_in='thread'"
    )


def unpack_tool(data: bytes) -> Tool:
    """Import the tool, or make it again of its function."""
    recipe: Recipe = unpack(data)
    found = _look_up(vars(_load(recipe)), recipe.qualified_name)
    if isinstance(found, Tool) and not recipe.bound:
        return found
    plain = found.function if isinstance(found, Tool) else found
    if not isinstance(plain, FunctionType):
        raise ImportError(f"{recipe.file} has no function named {recipe.qualified_name} when it is imported")
    function = _bind(plain, recipe.bound)
    if recipe.typed:
        return tool(function, name=recipe.name, enum_values=dict(recipe.enum_values))
    return Tool(recipe.name, function, "", {}, context_parameter=recipe.context_parameter)


def _bind(function: FunctionType, bound: bytes) -> Callable[..., Any]:
    """Give a function again what was bound to it; its module has to be loaded first."""
    if not bound:
        return function
    positional, named = unpack(bound)
    return partial(function, *positional, **named)


def pack_context(context: Context) -> dict[str, Any]:
    """Give the fields of the copy that a worker gets."""
    return {each.name: getattr(context, each.name) for each in fields(context) if each.name not in STAYS_BEHIND}


def pack_failure(error: Exception) -> bytes:
    """Put an exception of a tool into bytes, whatever it holds; its traceback goes along as a note."""
    error.add_note("".join(["In the worker:\n", *traceback.format_exception(error)]).rstrip())
    name, text = type(error).__name__, str(error)
    data = _pack_surely(error) or _pack_surely(_Remains(type(error), error.args, vars(error)))
    return pickle.dumps((name, text, data))


def _pack_surely(thing: object) -> bytes:
    """Pickle what can be brought back too; nothing for anything else."""
    try:
        data = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
        unpack(data)
    except Exception:
        return b""
    return data


def unpack_failure(data: bytes | bytearray | memoryview) -> Exception:
    """Give the exception back, or one of the same name and text."""
    name, text, inner = unpack(data)
    try:
        found = unpack(inner)
    except Exception:
        return type(name, (Exception,), {})(text)
    return found.revive() if isinstance(found, _Remains) else found


def unpack(data: bytes | bytearray | memoryview) -> Any:
    """Read what the other side packed: program and worker trust each other, both run the program's code."""
    return pickle.loads(data)


@dataclass(frozen=True, slots=True)
class _Remains:
    """An exception whose class takes other arguments than it keeps, which is beyond pickle."""

    type: type[Exception]
    arguments: tuple[Any, ...]
    state: dict[str, Any]

    def revive(self) -> Exception:
        """Put it together without its `__init__`."""
        error = self.type.__new__(self.type, *self.arguments)
        vars(error).update(self.state)
        return error


def _look_up(names: Mapping[str, object], qualified_name: str) -> object:
    """Follow a dotted name; None where it ends."""
    first, *further = qualified_name.split(".")
    return reduce(lambda found, name: getattr(found, name, None), further, names.get(first))


def _load(recipe: Recipe) -> ModuleType:
    """Import the module of a tool: by name where that leads to the same file, else from the file, under the same name."""
    name = MAIN if recipe.module == "__main__" else recipe.module
    loaded = sys.modules.get(name)
    if loaded is not None and _is_file(getattr(loaded, "__file__", None), recipe.file):
        return loaded
    if name != MAIN and _is_importable(name, recipe.file):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, recipe.file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{recipe.file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    if name == MAIN:
        module.__package__ = recipe.package
        sys.modules["__main__"] = module
    folder = str(Path(recipe.file).parent)
    if folder not in sys.path:
        sys.path.append(folder)  # its neighbours, which whoever loaded it let it import
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_importable(name: str, file: str) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and _is_file(spec.origin, file)


def _is_file(found: str | None, file: str) -> bool:
    return found is not None and Path(found).exists() and Path(found).samefile(file)
