"""LangChain is not a dependency: its tools are known by their shape, and these have it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from prudent.errors import DefinitionError, ToolError
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.tools.importers import from_langchain

pytestmark = pytest.mark.anyio


class Arguments(BaseModel):
    city: str = Field(description="which city")
    days: int = 1


class ToolException(Exception):
    """As LangChain calls it."""


class ToolMessage:
    def __init__(self, content: str) -> None:
        self.content = content


class Weather:
    name = "weather"
    description = "Look the weather up."
    args_schema: Any = Arguments

    async def ainvoke(self, arguments: dict[str, Any]) -> Any:
        if arguments["city"] == "Atlantis":
            raise ToolException("there is no such city")
        return ToolMessage("rain") if arguments["city"] == "Bergen" else f"{arguments['city']}: sun"


class ByMapping(Weather):
    def __init__(self) -> None:
        self.args_schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class ByArgs(Weather):
    def __init__(self) -> None:
        self.args_schema = None
        self.args = {"city": {"title": "City", "type": "string"}}


async def invoke(made: Tool, city: str) -> object:
    awaited: Any = made.invoke({"city": city}, Context())
    return await awaited


async def test_a_tool_is_known_by_its_shape() -> None:
    made = from_langchain(Weather(), effect="read", when="Use it for weather.")
    properties: Any = made.parameters["properties"]
    assert properties["city"] == {"type": "string", "description": "which city"}
    assert made.parameters["required"] == ["city"]
    assert "Use it for weather." in made.describe([]).description
    assert await invoke(made, "Oslo") == "Oslo: sun"
    assert await invoke(made, "Bergen") == "rain"
    with pytest.raises(ToolError, match="there is no such city"):
        await invoke(made, "Atlantis")


@pytest.mark.parametrize("theirs", [ByMapping(), ByArgs()])
def test_its_schema_may_be_given_in_several_ways(theirs: Any) -> None:
    made = from_langchain(theirs)
    properties: Any = made.parameters["properties"]
    assert properties["city"]["type"] == "string"
    assert made.effect is None


def test_anything_else_is_refused() -> None:
    with pytest.raises(DefinitionError, match="int is no tool of LangChain"):
        from_langchain(7)
