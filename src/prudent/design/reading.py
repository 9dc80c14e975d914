"""Reading definitions from JSON in the forms of OpenAI, Anthropic and MCP, and from tools and functions of Python."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard, cast

from prudent.design.sheet import Definition, Form, Place, Source, text_of
from prudent.errors import ConfigurationError, DefinitionError
from prudent.tools.definition import Tool, tool
from prudent.tools.description import compose
from prudent.tools.nodes import as_object
from prudent.tools.options import Effect
from prudent.tools.signature import innermost
from prudent.types import JSON, JSONMapping

_SCHEMA_KEYS: tuple[tuple[str, Form], ...] = (
    ("inputSchema", "mcp"),
    ("input_schema", "anthropic"),
    ("parameters", "openai"),
    ("args_schema", "plain"),
)
_LIST_KEYS = ("tools", "functions", "definitions", "result", "function_declarations", "functionDeclarations")
_NAME_STARTS = ('"name": ', '"name":')
_MAX_NESTING = 4


def read_tool(made: Tool) -> Definition:
    """Read a `@tool`, with all that it says beside the other tools: sentences about absent ones are kept."""
    return Definition(
        name=made.name,
        description=compose(made.summary, made.when, made.not_when, made.examples),
        schema=made.describe(()).parameters,
        form="tool",
        source=place_of(made.function),
        not_when=made.not_when,
        examples=made.examples,
        effect=made.effect,
        has_preview=made.preview is not None,
        runs_in_thread=made.run_in == "thread" and not made.is_async,
    )


def read_function(function: Callable[..., Any]) -> Definition:
    """Read a plain function as the tool that it would become."""
    source = place_of(function)
    try:
        made = tool(function)
    except DefinitionError as error:
        name = getattr(innermost(function), "__name__", "")
        return Definition(name, "", {}, "function", source, broken=f"it cannot become a tool: {error}")
    spec = made.describe(())
    return Definition(made.name, spec.description, spec.parameters, "function", source)


def read_json_file(path: Path) -> list[Definition]:
    """Read the definitions of a JSON file, or of one with a definition on each line.

    Raises:
        ConfigurationError: The file cannot be read, or holds no definition.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read as UTF-8 text: {error}") from error
    found = read_json(parse(text, path), str(path))
    if not found:
        raise ConfigurationError(f"{path} holds no tool definition: a definition has a name, a description and a schema")
    return [*_with_lines(found, text)]


def parse(text: str, path: Path) -> JSON:
    """Parse a file's text as JSON, or as JSON lines. Raises ConfigurationError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line) for line in lines] if len(lines) > 1 else _refuse(path, error)
        except (ValueError, RecursionError):
            _refuse(path, error)


def read_json(value: JSON, file: str = "", pointer: Place = (), depth: int = 0) -> list[Definition]:
    """Read the definitions in any JSON value: one, a list of them, or an object that holds such a list."""
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _item(item, file, (*pointer, index), depth)]
    if not isinstance(value, dict):
        return []
    if not _is_definition(value) and depth < _MAX_NESTING:
        for key in _LIST_KEYS:
            if isinstance(value.get(key), list | dict) and (found := read_json(value[key], file, (*pointer, key), depth + 1)):
                return found
    return [read_definition(value, Source(file, 0, pointer))]


def read_definition(value: JSONMapping, source: Source | None = None) -> Definition:
    """Read one definition from an object, whatever it holds."""
    source = source or Source()
    inner = value.get("function")
    if isinstance(inner, dict):
        source = Source(source.file, source.line, (*source.pointer, "function"))
        value = inner
    name = value.get("name")
    if not isinstance(name, str) or not name.strip():
        shown = text_of(value.get("title")) or "?"
        return Definition(shown[:80], text_of(value.get("description")), {}, "plain", source, broken="it has no name")
    key, form = next(((key, form) for key, form in _SCHEMA_KEYS if key in value), ("", "plain"))
    schema = value.get(key) if key else None
    broken = "" if schema is None or isinstance(schema, dict) else f"its schema is no object but {type(schema).__name__}"
    return Definition(
        name=name,
        description=text_of(value.get("description")),
        schema=as_object(schema),
        form=cast("Form", form),
        source=source,
        effect=_hinted(as_object(value.get("annotations"))),
        broken=broken,
        has_schema=isinstance(schema, dict),
        examples=tuple(
            example for example in _list(value.get("examples") or value.get("input_examples")) if isinstance(example, dict)
        ),
    )


def schema_key(value: JSONMapping) -> str:
    """Tell under which key a definition has its schema; "" where it has none."""
    return next((key for key, _ in _SCHEMA_KEYS if key in value), "")


def place_of(function: Callable[..., Any]) -> Source:
    """Tell where a function is written."""
    code = getattr(innermost(function), "__code__", None)
    return Source(code.co_filename, code.co_firstlineno) if code else Source()


def is_plain_function(value: object, module: str) -> TypeGuard[Callable[..., Any]]:
    """Whether a module's value is a function that is defined there and meant for others."""
    return inspect.isfunction(value) and value.__module__ == module and not value.__name__.startswith("_")


def _item(item: JSON, file: str, pointer: Place, depth: int) -> Iterable[Definition]:
    if isinstance(item, list) and depth < _MAX_NESTING:
        return read_json(item, file, pointer, depth + 1)
    if isinstance(item, dict):
        return read_json(item, file, pointer, depth + 1)
    return [Definition("?", "", {}, "plain", Source(file, 0, pointer), broken=f"it is no object but {type(item).__name__}")]


def _is_definition(value: JSONMapping) -> bool:
    return isinstance(value.get("name"), str) or isinstance(value.get("function"), dict)


def _hinted(annotations: JSONMapping) -> Effect | None:
    """Read MCP's hints, as far as they were given."""
    if annotations.get("readOnlyHint") is True:
        return "read"
    if annotations.get("destructiveHint") is False:
        return "write"
    return None


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _with_lines(definitions: Iterable[Definition], text: str) -> Iterator[Definition]:
    """Find the lines where the definitions' names are written, which come in the same order."""
    at, line = 0, 1
    for definition in definitions:
        written = json.dumps(definition.name, ensure_ascii=False)
        found = next((place for start in _NAME_STARTS if (place := text.find(start + written, at)) >= 0), -1)
        if found >= 0:
            line += text.count("\n", at, found)
            at = found
        yield replace(definition, source=replace(definition.source, line=line if found >= 0 else 0))


def _refuse(path: Path, error: Exception) -> Any:
    raise ConfigurationError(f"{path} is no JSON: {error}") from error
