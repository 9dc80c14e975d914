"""pydantic-ai's tools: `Tool(function)`. Its library does the validation and the call, ours the rest."""

from __future__ import annotations

from typing import Any, Unpack, cast

from prudent.errors import DefinitionError, ToolError
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.tools.importers.imported import CONTEXT, ImportedOptions, imported
from prudent.types import JSON, JSONObject

_SECONDS = 30.0
_NO_RUN_CONTEXT = "it asks its RunContext for more than deps, which a tool outside pydantic-ai's agents does not have"


def from_pydantic_ai(theirs: Any, /, **options: Unpack[ImportedOptions]) -> Tool:
    """Make a tool of pydantic-ai's `Tool`.

    What it takes as `RunContext` has the agent's `dependencies` as `deps`, and nothing else. One that needs approval always
    asks. `ModelRetry` reaches the model as an error that it can act on. Its effect is not known: say `effect=` if you know.

    Raises:
        DefinitionError: it is no such tool.
    """
    schema = getattr(theirs, "function_schema", None)
    if schema is None or not isinstance(getattr(theirs, "name", None), str):
        raise DefinitionError(
            f"{type(theirs).__name__} is no tool of pydantic-ai: wrap a function as pydantic_ai.Tool(function)"
        )

    async def use(*, prudent_context: Context, **arguments: JSON) -> object:
        try:
            values = schema.validator.validate_python(arguments)
            return await schema.call(values, _run_context(prudent_context))
        except Exception as error:
            if type(error).__name__ == "ModelRetry":
                raise ToolError(str(error)) from error
            if isinstance(error, AttributeError) and schema.takes_ctx:
                raise ToolError(_NO_RUN_CONTEXT) from error
            raise

    parameters = cast("JSONObject", dict(theirs.function_schema.json_schema))
    if getattr(theirs, "requires_approval", False):
        options.setdefault("confirm", "always")
    seconds = getattr(theirs, "timeout", None) or _SECONDS
    summary = str(getattr(theirs, "description", "") or "")
    return imported(theirs.name, use, summary, parameters, options, timeout_seconds=seconds, context_parameter=CONTEXT)


def _run_context(context: Context) -> Any:
    from pydantic_ai import RunContext, RunUsage  # an extra, and slow to load; whoever has such a tool has it

    no_model: Any = None
    return RunContext(deps=context.dependencies, model=no_model, usage=RunUsage(), tool_call_id=context.call_id)
