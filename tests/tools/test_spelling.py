"""Values spelled in full for the model, the function's own at dispatch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import CallRefused, DefinitionError
from prudent.messages import ToolCall
from prudent.runners.passing import pack_recipe, unpack_tool
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.tools.validation import validate


def call(made: Tool, **arguments: object) -> object:
    validated = validate(made, ToolCall("1", made.name, json.dumps(arguments)))
    return made.invoke(validated.arguments, Context())


@tool(enum_values={"celsius": "c", "fahrenheit": "f"}, enum_help={"c": "the default"}, examples=[{"city": "Oslo", "unit": "f"}])
def weather(city: str, unit: Literal["c", "f"] = "c") -> str:
    """Get the weather of a city.

    Args:
        city: its name.
        unit: of the temperature.
    """
    return f"{city} {unit}"


def plain(unit: Literal["c", "f"]) -> str:
    """Say the unit.

    Args:
        unit: of the temperature.
    """
    return unit


class Speed(Enum):
    SLOW = 1
    FAST = 2


@dataclass
class Part:
    side: Literal["l", "r"]


def test_the_model_reads_the_spelled_values():
    unit = weather.parameters["properties"]["unit"]  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript, reportUnknownVariableType]
    assert unit == {
        "type": "string",
        "description": "of the temperature. celsius: the default",
        "enum": ["celsius", "fahrenheit"],
        "default": "celsius",
    }
    assert weather.examples == ({"city": "Oslo", "unit": "fahrenheit"},)


def test_the_function_gets_its_own_and_the_record_the_spelled():
    validated = validate(weather, ToolCall("1", "weather", '{"city": "Bern"}'))
    assert validated.arguments == {"city": "Bern", "unit": "celsius"}
    assert weather.invoke(validated.arguments, Context()) == "Bern c"
    assert call(weather, city="Bern", unit="fahrenheit") == "Bern f"


def test_the_short_value_is_refused_with_what_is_allowed():
    with pytest.raises(CallRefused, match="celsius"):
        call(weather, city="Bern", unit="f")


def test_lists_nested_objects_optional_values_and_enums_are_spelled():
    @tool(enum_values={"left": "l", "right": "r", "slow": Speed.SLOW})
    def move(parts: list[Part], sides: list[Literal["l", "r"]], speed: Speed | None = None) -> str:
        """Move parts.

        Args:
            parts: which.
            sides: where to.
            speed: how fast.
        """
        return f"{[part.side for part in parts]} {sides} {speed}"

    assert call(move, parts=[{"side": "left"}], sides=["right", "left"], speed="slow") == "['l'] ['r', 'l'] Speed.SLOW"


def test_a_worker_process_maps_back_too():
    made = tool(plain, name="say_unit", enum_values={"celsius": "c"}, run_in="process")
    assert call(unpack_tool(pack_recipe(made)), unit="celsius") == "c"
    assert call(unpack_tool(pack_recipe(weather)), city="Bern", unit="celsius") == "Bern c"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kelvin": "k"}, "no parameter has such a value"),
        ({"c": "celsius"}, "the spelled value first"),
        ({"celsius": "c", "centigrade": "c"}, "two ways"),
        ({"f": "c"}, "like another one"),
    ],
)
def test_a_spelling_that_makes_no_sense_is_refused(values: dict[str, str], words: str):
    with pytest.raises(DefinitionError, match=words):
        tool(plain, enum_values=values)


def test_what_is_no_mapping_is_refused():
    with pytest.raises(DefinitionError, match="enum_values must map"):
        tool(plain, enum_values=["celsius"])  # pyright: ignore[reportArgumentType, reportCallIssue]


@given(st.lists(st.sampled_from(["c", "f"]), max_size=5))
def test_back_and_forth_gives_the_same(units: list[str]):
    @tool(enum_values={"celsius": "c", "fahrenheit": "f"})
    def echo(units: list[Literal["c", "f"]]) -> list[str]:
        """Give the units back.

        Args:
            units: some.
        """
        return list(units)

    full = {"c": "celsius", "f": "fahrenheit"}
    assert call(echo, units=[full[unit] for unit in units]) == units
