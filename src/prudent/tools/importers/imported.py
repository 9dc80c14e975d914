"""What all imported tools have in common: a name, a schema that is all there is to know, and what the importer may say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from prudent.tools.definition import Tool
from prudent.tools.inlining import wire_schema
from prudent.tools.options import Confirm, Effect
from prudent.types import JSONObject

CONTEXT = "prudent_context"
"""The parameter that the context is injected into: no name that an imported tool is likely to have itself."""


class ImportedOptions(TypedDict, total=False):
    """What can be said about a tool that is known by its schema only."""

    name: str
    """Another name for it."""

    when: str
    """When to choose it."""

    not_when: str
    """When to choose another one."""

    effect: Effect
    """What a call does to the world; counts as `write` when left out."""

    idempotent: bool
    """Whether a second equal call changes nothing more."""

    confirm: Confirm
    """Who is asked before it runs; `policy` when left out."""

    timeout_seconds: float
    """The longest a call may take."""

    max_result_chars: int
    """How much of a result the model sees."""

    toolkit: str
    """The family it belongs to."""


def imported(
    name: str,
    function: Callable[..., Any],
    summary: str,
    parameters: JSONObject,
    options: ImportedOptions,
    *,
    timeout_seconds: float,
    context_parameter: str | None = None,
) -> Tool:
    """Make a tool of an async function and a schema; what the options say comes first."""
    given: dict[str, Any] = {"timeout_seconds": timeout_seconds, **options}
    return Tool(
        name=given.pop("name", name),
        function=function,
        summary=summary,
        parameters=wire_schema(parameters),
        run_in="inline",
        context_parameter=context_parameter,
        **given,
    )
