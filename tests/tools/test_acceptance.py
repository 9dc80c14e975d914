from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel

from prudent.tools.acceptance import accept
from prudent.tools.definition import tool
from prudent.types import JSONObject


class Nested(BaseModel):
    name: str
    tags: list[str] = []


def filled(text: str) -> str:
    if not text:
        raise ValueError("must say something")
    return text


class Odd(BaseModel):
    """A type whose default is not accepted when it is written out."""

    remark: Annotated[str, AfterValidator(filled)] = ""


def weekday(day: date) -> date:
    if day.weekday() > 4:
        raise ValueError("must be a weekday")
    return day


def fails(number: int) -> int:
    raise KeyError("the validator is broken")


@tool
def book(nested: Nested, day: Annotated[date, AfterValidator(weekday)] = date(2031, 5, 5), nights: int = 1) -> None:
    """Book."""


@tool
def odd(odd: Odd) -> Odd:
    """Take an odd type."""
    return odd


@tool
def broken(number: Annotated[int, AfterValidator(fails)]) -> None:
    """Has a broken validator."""


def test_defaults_are_filled_in_at_every_depth() -> None:
    accepted = accept(book.parameters, book.arguments, {"nested": {"name": "a"}})
    assert accepted.arguments == {"nested": {"name": "a", "tags": []}, "day": "2031-05-05", "nights": 1}
    assert not accepted.problems


def test_a_default_that_its_own_type_refuses_is_left_to_the_type() -> None:
    accepted = accept(odd.parameters, odd.arguments, {"odd": {}})
    assert (accepted.arguments, accepted.problems) == ({"odd": {}}, ())


def test_what_only_the_type_knows_is_a_problem_too() -> None:
    problems = accept(book.parameters, book.arguments, {"nested": {"name": "a"}, "day": "2031-05-04"}).problems
    assert [(problem.path, problem.received) for problem in problems] == [(("day",), "2031-05-04")]
    assert "must be a weekday" in problems[0].note


def test_a_validator_that_breaks_is_a_problem_and_no_crash() -> None:
    (problem,) = accept(broken.parameters, broken.arguments, {"number": 1}).problems
    assert problem.note == "a validator failed with KeyError"


def test_an_imported_tools_defaults_are_not_filled_in() -> None:
    schema: JSONObject = {"type": "object", "properties": {"limit": {"type": "integer", "default": "None"}}}
    assert accept(schema, None, {}).arguments == {}
    assert accept(schema, None, {"limit": "3"}).arguments == {"limit": 3}
    assert accept(schema, None, {"limit": "x"}).problems
