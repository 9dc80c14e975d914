from __future__ import annotations

import typing
from typing import Annotated, Any, Literal, NotRequired, Optional, Required

import pytest
from pydantic import Field, TypeAdapter

from prudent.tools.annotations import admits_none, or_none, readable


class Place(typing.TypedDict):
    city: Annotated[str, Field(min_length=2)]
    country: NotRequired[str]


class Trip(typing.TypedDict, total=False):
    start: Required[Place]
    stops: list[Place]


@pytest.mark.parametrize(
    "annotation",
    [Trip, list[Trip], Optional[Trip], Trip | None, dict[str, Trip], Annotated[Trip, Field(description="d")]],  # noqa: UP045 - both spellings must work
)
def test_the_standard_librarys_typed_dict_can_be_read(annotation: Any) -> None:
    schema = TypeAdapter(readable(annotation)).json_schema()
    assert schema["$defs"]["Place"]["required"] == ["city"]
    assert schema["$defs"]["Place"]["properties"]["city"]["minLength"] == 2
    trip = schema["$defs"].get("Trip", schema)
    assert trip["required"] == ["start"]
    assert set(trip["properties"]) == {"start", "stops"}


@pytest.mark.parametrize("annotation", [int, list[int], Literal["a"], int | None, Annotated[int, Field(ge=1)], Any])
def test_everything_else_stays_as_it_is(annotation: Any) -> None:
    assert readable(annotation) is annotation


def test_none() -> None:
    for annotation in (None, Any, object, int | None, Annotated[int | None, "x"], Literal["a", None]):
        assert admits_none(annotation)
    for annotation in (int, Literal["a"], Annotated[int, "x"], list[None]):
        assert not admits_none(annotation)
        assert admits_none(or_none(annotation))
    assert typing.get_args(or_none(Annotated[int, "x"]))[1] == "x"
