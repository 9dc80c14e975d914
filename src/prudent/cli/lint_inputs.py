"""What `prudent lint` reads: files, folders, modules, agents and servers, each a set of definitions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import cast

from prudent.agent import Agent
from prudent.config import load_agent
from prudent.config.python_file import find_name, load_python_file, split_reference
from prudent.design.live import read_server
from prudent.design.reading import is_plain_function, read_function, read_json_file, read_tool
from prudent.design.sheet import Definition
from prudent.errors import ConfigurationError
from prudent.nearest import nearest
from prudent.tools.definition import Tool


@dataclass(frozen=True, slots=True)
class Input:
    """Tools that a model would see together."""

    title: str
    definitions: Sequence[Definition]
    file: Path | None = None
    """The JSON file they were read from, if it was one."""


def read_inputs(targets: Sequence[str], servers: Sequence[str]) -> list[Input]:
    """Read everything that a command names. Raises ConfigurationError for what cannot be read."""
    found = [one for target in targets for one in _read(target)]
    found += [Input(server, read_server(server)) for server in servers]
    if not found:
        raise ConfigurationError('name what to look at: a file, a folder, a module, or --mcp "COMMAND"')
    return found


def _read(target: str) -> Iterator[Input]:
    if target.startswith(("http://", "https://")):
        yield Input(target, read_server(target))
        return
    file, name = split_reference(target)
    path = Path(file).expanduser()
    if path.is_dir() and not (path / "__init__.py").is_file():
        yield from _folder(path)
    elif path.suffix.lower() in (".json", ".jsonl"):
        yield Input(target, read_json_file(path), path)
    elif path.suffix.lower() == ".toml":
        yield Input(target, [read_tool(tool) for tool in load_agent(target).tools])
    elif path.suffix.lower() == ".py":
        yield Input(target, _of_module(load_python_file(path), name, path))
    else:
        yield Input(target, _of_module(_import(target), "", path))


def _folder(folder: Path) -> Iterator[Input]:
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in (".json", ".jsonl") and file.is_file())
    if not files:
        raise ConfigurationError(f"{folder} has no JSON files: name a Python file, or a folder of definitions")
    for file in files:
        yield Input(str(file), read_json_file(file), file)


def _import(name: str) -> ModuleType:
    near = nearest(name, [str(neighbour) for neighbour in Path().iterdir()])
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigurationError(f"there is no {name!r}{near}: name a file, a folder, a module or a URL")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"there is no file and no module {name!r}{near} ({error})") from error
    except Exception as error:  # whatever the module raises while it is imported
        raise ConfigurationError(f"the module {name!r} cannot be imported: {type(error).__name__}: {error}") from error


def _of_module(module: ModuleType, name: str, path: Path) -> list[Definition]:
    if name:
        return _of_value(find_name(module, name, path), f"{path.name}:{name}")
    found = _of_module_values(module)
    if not found:
        raise ConfigurationError(
            f"{path.name or module.__name__} has no tools: write @tool before a function, or name one of its functions"
        )
    return found


def _of_module_values(module: ModuleType) -> list[Definition]:
    """Give a module's tools; those of its agents where it has only these; its plain functions where it has neither."""
    values = list({id(value): value for value in vars(module).values()}.values())
    tools = [value for value in values if isinstance(value, Tool)]
    for value in values:
        if isinstance(value, list | tuple):
            tools += [item for item in cast("Sequence[object]", value) if isinstance(item, Tool) and item not in tools]
    if tools:
        return [read_tool(tool) for tool in tools]
    agents = [value for value in values if isinstance(value, Agent)]
    if agents:
        return [read_tool(tool) for tool in dict.fromkeys(tool for agent in agents for tool in agent.tools)]
    return [read_function(value) for value in values if is_plain_function(value, module.__name__)]


def _of_value(value: object, place: str) -> list[Definition]:
    if isinstance(value, Tool):
        return [read_tool(value)]
    if isinstance(value, Agent):
        return [read_tool(tool) for tool in value.tools]
    if isinstance(value, list | tuple):
        return [found for item in cast("Sequence[object]", value) for found in _of_value(item, place)]
    if callable(value):
        return [read_function(value)]
    raise ConfigurationError(f"{place} is of type {type(value).__name__}: name a tool, a function, an agent, or a list of them")
