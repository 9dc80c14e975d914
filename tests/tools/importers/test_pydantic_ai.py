from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai import Tool as Theirs

from prudent.errors import DefinitionError, ToolError
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.tools.importers import from_pydantic_ai

pytestmark = pytest.mark.anyio


def look_up(city: str, days: int = 1) -> str:
    """Look the weather up.

    Args:
        city: which city.
        days: how far ahead.
    """
    if city == "Atlantis":
        raise ModelRetry("there is no such city")
    return f"{city} {days}"


async def ask(ctx: RunContext[dict[str, str]], key: str) -> str:
    """Ask."""
    return ctx.deps[key]


async def nosy(ctx: RunContext[None]) -> str:
    """Ask for what is not there."""
    return ctx.model.model_name


async def invoke(made: Tool, arguments: Any, context: Context | None = None) -> object:
    awaited: Any = made.invoke(arguments, context or Context())
    return await awaited


async def test_schema_description_and_call_are_theirs() -> None:
    made = from_pydantic_ai(Theirs(look_up), effect="read")
    properties: Any = made.parameters["properties"]
    assert properties["city"] == {"type": "string", "description": "which city."}
    assert made.parameters["required"] == ["city"]
    assert (made.name, made.effect, made.run_in) == ("look_up", "read", "inline")
    assert "Look the weather up." in made.describe([]).description
    assert await invoke(made, {"city": "Oslo"}) == "Oslo 1"
    with pytest.raises(ToolError, match="there is no such city"):
        await invoke(made, {"city": "Atlantis"})


async def test_what_it_asks_of_its_run_is_the_agents_dependencies() -> None:
    made = from_pydantic_ai(Theirs(ask))
    assert "ctx" not in str(made.parameters)
    assert await invoke(made, {"key": "a"}, replace(Context(), dependencies={"a": "b"})) == "b"
    with pytest.raises(ToolError, match="does not have"):
        await invoke(from_pydantic_ai(Theirs(nosy)), {})


def test_what_it_says_about_itself_is_kept() -> None:
    made = from_pydantic_ai(Theirs(look_up, requires_approval=True, timeout=7, name="other"), when="now")
    assert (made.name, made.confirm, made.timeout_seconds, made.when, made.effect) == ("other", "always", 7, "now", None)


def test_anything_else_is_refused() -> None:
    with pytest.raises(DefinitionError, match="function is no tool of pydantic-ai"):
        from_pydantic_ai(look_up)
