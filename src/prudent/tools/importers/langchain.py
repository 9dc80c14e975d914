"""LangChain's tools: whatever has a name, a description, a schema and `ainvoke`. LangChain itself need not be there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack, cast

from prudent.errors import DefinitionError, ToolError
from prudent.tools.definition import Tool
from prudent.tools.importers.imported import ImportedOptions, imported
from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONObject

_SECONDS = 30.0


def from_langchain(theirs: Any, /, **options: Unpack[ImportedOptions]) -> Tool:
    """Make a tool of one of LangChain's (`@tool`, `StructuredTool`, any `BaseTool`).

    Its effect is not known: it counts as a write and never starts early, but does not ask. Say `effect=` if you know.

    Raises:
        DefinitionError: it is no such tool.
    """
    name, invoke = getattr(theirs, "name", None), getattr(theirs, "ainvoke", None)
    if not isinstance(name, str) or not callable(invoke):
        raise DefinitionError(f"{type(theirs).__name__} is no tool of LangChain: it has no name, or no ainvoke")
    call: Any = invoke

    async def use(**arguments: JSON) -> object:
        try:
            return _content(await call(arguments))
        except Exception as error:
            if type(error).__name__ == "ToolException":
                raise ToolError(str(error)) from error
            raise

    summary = str(getattr(theirs, "description", "") or "")
    return imported(name, use, summary, _schema(theirs), options, timeout_seconds=_SECONDS)


def _schema(theirs: Any) -> JSONObject:
    """Find the schema of what the model fills in."""
    for attribute in ("tool_call_schema", "args_schema"):
        found = getattr(theirs, attribute, None)
        if isinstance(found, Mapping):
            return {**cast("Mapping[str, JSON]", found)}
        for method in ("model_json_schema", "schema"):
            if callable(make := getattr(found, method, None)):
                return as_object(cast("JSON", make()))
    return {"type": "object", "properties": as_object(getattr(theirs, "args", {}))}


def _content(result: Any) -> object:
    """Take the content out of a message, where it comes as one."""
    return getattr(result, "content", result) if type(result).__name__ == "ToolMessage" else result
