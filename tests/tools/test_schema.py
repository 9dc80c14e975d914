from __future__ import annotations

import json
import math
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from prudent.errors import CallRefused, DefinitionError
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.types import JSON, JSONObject


class Unit(Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Place:
    """Somewhere."""

    city: str
    at: tuple[float, float] = (0.0, 0.0)


class Row(typing.TypedDict):
    id: int
    note: NotRequired[str]


class Item(BaseModel):
    name: str = Field(description="what is ordered")
    count: Annotated[int, Field(ge=1, le=20)] = 1


class Free(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str = ""


class Tree(BaseModel):
    name: str
    kids: list[Tree] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]


@dataclass
class Box:
    size: int
    labels: list[str] = field(default_factory=list[str])


@tool
def everything(
    unit: Unit,
    level: Level,
    place: Place,
    rows: list[Row],
    items: list[Item],
    day: date,
    moment: datetime | None = None,
    price: Decimal = Decimal("1.50"),
    tags: set[str] = {"b", "a"},  # noqa: B006 - a set as a default must give a stable schema
    folder: Path = Path(),
    key: UUID | None = None,
    extra: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Take one of each."""
    return locals()


def properties(made: Tool) -> JSONObject:
    found = made.parameters["properties"]
    assert isinstance(found, dict)
    return found


def schema_of(annotation: Any, default: Any = ...) -> Any:
    """Give the schema of one parameter of that type."""

    def function(value: Any = default) -> Any:
        return value

    if default is ...:
        function.__defaults__ = None
    function.__annotations__["value"] = annotation
    return properties(tool(function))["value"]


def test_the_whole_schema_of_a_function() -> None:
    @tool
    def search(
        query: str,
        limit: Annotated[int, Field(ge=1, le=10, description="how many hits, 1 to 10")] = 5,
        kind: Literal["text", "picture"] = "text",
        title: str | None = None,
    ) -> str:
        """Search.

        Args:
            query: words from the question.
            limit: not shown, as the annotation says more.
            kind: what to look for.
            title: the title, if known.
        """
        return query

    assert search.parameters == snapshot(
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "words from the question."},
                "limit": {
                    "type": "integer",
                    "description": "how many hits, 1 to 10",
                    "maximum": 10,
                    "minimum": 1,
                    "default": 5,
                },
                "kind": {
                    "type": "string",
                    "description": "what to look for.",
                    "enum": ["text", "picture"],
                    "default": "text",
                },
                "title": {
                    "description": "the title, if known.",
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": None,
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        }
    )


def test_a_function_without_parameters() -> None:
    @tool
    def ping() -> None:
        """Ping."""

    assert ping.parameters == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, {"type": "integer"}),
        (Unit, {"type": "string", "enum": ["celsius", "fahrenheit"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (date, {"type": "string", "format": "date"}),
        (Any, {}),
        (
            Item,
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "what is ordered"},
                    "count": {"type": "integer", "maximum": 20, "minimum": 1, "default": 1},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        ),
        (
            Row,
            {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "note": {"type": "string"}},
                "required": ["id"],
                "additionalProperties": False,
            },
        ),
        (Free, {"type": "object", "properties": {"name": {"type": "string", "default": ""}}, "additionalProperties": True}),
    ],
)
def test_types(annotation: Any, expected: JSON) -> None:
    assert schema_of(annotation) == expected


def test_nothing_is_referred_to_unless_a_type_contains_itself() -> None:
    assert "$ref" not in json.dumps(everything.parameters)
    assert "title" not in json.dumps(everything.parameters)
    assert "$ref" in json.dumps(schema_of(Tree))
    union = schema_of(Annotated[Cat | Dog, Field(discriminator="kind")])
    assert set(union) == {"oneOf"}


def test_a_types_own_description_stands_in() -> None:
    assert schema_of(Place)["description"] == "Somewhere."


def test_the_docstring_comes_before_a_types_own_description() -> None:
    @tool
    def go(here: Place, there: Place) -> None:
        """Go.

        Args:
            here: where from.
            there: where to.
        """

    found = properties(go)
    assert [node["description"] for node in found.values() if isinstance(node, dict)] == ["where from.", "where to."]


@pytest.mark.parametrize(
    ("annotation", "default", "stated"),
    [
        (int, 3, 3),
        (str, "", ""),
        (Unit, Unit.CELSIUS, "celsius"),
        (Decimal, Decimal("1.5"), "1.5"),
        (Place, Place("Oslo"), {"city": "Oslo", "at": [0.0, 0.0]}),
        (set[str], {"b", "c", "a"}, ["a", "b", "c"]),
        (Path, Path("a/b"), "a/b"),
        (list[int], [1], [1]),
        (int | None, None, None),
    ],
)
def test_defaults_are_stated(annotation: Any, default: Any, stated: JSON) -> None:
    assert schema_of(annotation, default)["default"] == stated


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (float, math.inf),
        (float, math.nan),
        (SecretStr, SecretStr("sk-1")),
        (Any, object()),
        (dict[str, float], {"a": math.inf}),
    ],
)
def test_a_default_that_json_cannot_say_is_not_stated(annotation: Any, default: Any) -> None:
    node = schema_of(annotation, default)
    assert "default" not in node
    assert "sk-1" not in json.dumps(node)


def test_a_default_of_none_admits_none() -> None:
    assert schema_of(int, None) == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    described = schema_of(Annotated[int, Field(ge=1, description="how many")], None)
    assert described["description"] == "how many"
    assert described["anyOf"][0] == {"type": "integer", "minimum": 1}


def test_a_field_as_a_default() -> None:
    node = schema_of(int, Field(default=2, ge=1, description="how many"))
    assert node == {"type": "integer", "description": "how many", "minimum": 1, "default": 2}


def test_parameters_may_have_any_name() -> None:
    @tool
    def odd(schema: str, json: int, model_config: bool, _hidden: str, copy: str = "") -> tuple[object, ...]:
        return schema, json, model_config, _hidden, copy

    assert list(properties(odd)) == ["schema", "json", "model_config", "_hidden", "copy"]
    given: JSONObject = {"schema": "s", "json": 1, "model_config": True, "_hidden": "h", "copy": "c"}
    assert odd.invoke(given, Context()) == ("s", 1, True, "h", "c")


def test_arguments_become_what_the_function_wants() -> None:
    result: Any = everything.invoke(
        {
            "unit": "celsius",
            "level": 2,
            "place": {"city": "Oslo", "at": [1, 2.5]},
            "rows": [{"id": 1}],
            "items": [{"name": "cup"}],
            "day": "2031-05-04",
            "moment": "2031-05-04T10:15:00",
            "price": 12.3,
            "key": "12345678-1234-5678-1234-567812345678",
            "extra": {"a": 1},
        },
        Context(),
    )
    assert result == {
        "unit": Unit.CELSIUS,
        "level": Level.HIGH,
        "place": Place("Oslo", (1.0, 2.5)),
        "rows": [{"id": 1}],
        "items": [Item(name="cup")],
        "day": date(2031, 5, 4),
        "moment": datetime(2031, 5, 4, 10, 15),
        "price": Decimal("12.3"),
        "tags": {"a", "b"},
        "folder": Path(),
        "key": UUID("12345678-1234-5678-1234-567812345678"),
        "extra": {"a": 1.0},
    }
    assert isinstance(result["extra"]["a"], float)


def test_a_dataclass_keeps_its_own_defaults_apart() -> None:
    @tool
    def pack(box: Box) -> Box:
        return box

    one, two = (pack.invoke({"box": {"size": 1}}, Context()) for _ in range(2))
    assert isinstance(one, Box)
    one.labels.append("x")
    assert two == Box(1)


def test_arguments_that_were_not_checked_are_refused() -> None:
    with pytest.raises(CallRefused, match="were not checked"):
        everything.invoke({"unit": "kelvin"}, Context())


def callback(run: Callable[[int], int]) -> None: ...


def handle(file: typing.IO[str]) -> None: ...


def wrong_default(days: int = "seven") -> None: ...  # pyright: ignore - the fault under test


def out_of_range(days: Annotated[int, Field(ge=1)] = 0) -> None: ...


def wrong_enum(unit: Unit = "kelvin") -> None: ...  # pyright: ignore - the fault under test


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (callback, "'run' of tool 'callback' .* has a type that has no JSON form"),
        (handle, "'file' of tool 'handle' .* has a type that has no JSON form"),
        (wrong_default, "'days' of tool 'wrong_default' .* has the default \"seven\", which its own type refuses"),
        (out_of_range, "has the default 0, which its own type refuses"),
        (wrong_enum, 'has the default "kelvin", which its own type refuses'),
    ],
)
def test_what_cannot_work_is_said_at_once(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        tool(function)


def test_values_are_explained_where_they_stand() -> None:
    @tool(enum_help={"low": "may wait a week", Unit.CELSIUS: "in Europe", 2: "loud"})
    def report(
        urgency: Literal["low", "high"],
        units: list[Unit],
        level: Level | None = None,
        title: str = "",
    ) -> None:
        """Report.

        Args:
            urgency: how soon.
            units: in which
                units.
            level: -
            title: -
        """

    found = properties(report)
    assert {name: node["description"] for name, node in found.items() if isinstance(node, dict) and "description" in node} == {
        "urgency": "how soon. low: may wait a week",
        "units": "in which units. celsius: in Europe",
        "level": "- 2: loud",
        "title": "-",
    }


def test_values_inside_objects_are_explained_too() -> None:
    @tool(enum_help={"cat": "it purrs"})
    def adopt(pet: Cat) -> None:
        """Adopt."""

    assert '"description": "cat: it purrs"' in json.dumps(adopt.parameters)


def test_an_explained_value_must_exist() -> None:
    with pytest.raises(DefinitionError, match="enum_help explains lwo, but no parameter has such a value"):

        @tool(enum_help={"lwo": "may wait"})
        def report(urgency: Literal["low", "high"]) -> None:  # pyright: ignore[reportUnusedFunction]
            """Report."""
