from __future__ import annotations

import functools
import math
import operator
from typing import Any, cast

import pytest

from prudent.errors import DefinitionError
from prudent.tools.context import Context
from prudent.tools.importers import from_callable
from prudent.tools.validation import validate_object

pytestmark = pytest.mark.anyio


def loose(a, b=2, *rest, c="x", clock=print, **more):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType] # on purpose
    """Do it loosely."""
    return (a, b, c)  # pyright: ignore[reportUnknownVariableType] # on purpose


def test_a_function_without_annotations_is_taken_as_it_is() -> None:
    made = from_callable(cast("Any", loose), effect="read")
    properties: Any = made.parameters["properties"]
    assert properties == {
        "a": {},
        "b": {"type": "integer", "default": 2},
        "c": {"type": "string", "default": "x"},
    }
    assert made.parameters["required"] == ["a"]
    assert (made.name, made.effect, made.summary) == ("loose", "read", "Do it loosely.")
    arguments = validate_object(made, {"a": [1], "b": 3}).arguments
    assert made.invoke(arguments, Context()) == ([1], 3, "x")


def test_arguments_by_position_only() -> None:
    def divide(a: float, b: float, /, *, digits: int = 2) -> float:
        """Divide."""
        return round(a / b, digits)

    assert from_callable(divide).invoke({"a": 1, "b": 3}, Context()) == 0.33


def test_functions_written_in_c_and_others_that_can_be_called() -> None:
    assert from_callable(operator.add).invoke({"a": 1, "b": 2}, Context()) == 3

    class Greeter:
        def __call__(self, name: str) -> str:
            """Greet."""
            return f"Hello {name}"

    assert from_callable(Greeter()).invoke({"name": "Ana"}, Context()) == "Hello Ana"
    assert from_callable(functools.partial(pow, 2), name="power").name == "power"
    with pytest.raises(DefinitionError, match="does not say what it takes: wrap it in a function"):
        from_callable(math.hypot)


async def test_an_async_function_stays_one() -> None:
    async def wait(seconds=1):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType] # on purpose
        """Wait."""
        return seconds  # pyright: ignore[reportUnknownVariableType] # on purpose

    made = from_callable(wait)
    assert (made.is_async, made.run_in) == (True, "inline")
    awaited: Any = made.invoke({"seconds": 3}, Context())
    assert await awaited == 3


def test_a_lambda_gets_a_name_that_can_be_called() -> None:
    assert from_callable(lambda: "x").name == "lambda"
