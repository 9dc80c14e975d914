"""Any Python value as JSON-ready data: exact where JSON can hold it, in words where it cannot."""

from __future__ import annotations

import enum
import json
import time
import uuid
from collections import OrderedDict, UserDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel, SecretStr

from prudent.context.plain import LEFT_OUT, MAX_NODES, to_plain
from prudent.types import JSON


class Colour(enum.Enum):
    RED = 1
    BLUE = "blue"


class Level(enum.IntEnum):
    HIGH = 3


class Mood(enum.StrEnum):
    GOOD = "good"


class Point(NamedTuple):
    x: int
    y: int


class Weather(TypedDict):
    city: str


@dataclass
class Line:
    item: str
    price: Decimal
    tags: set[str] = field(default_factory=set[str])


class Customer(BaseModel):
    name: str
    since: date
    lines: list[Line] = []
    password: SecretStr = SecretStr("hunter2")


class Numbers(RootModel[list[int]]):
    """A list that is a model."""


class PlainObject:
    def __init__(self) -> None:
        self.city, self._cache = "Graz", object()


class Speaking:
    def __str__(self) -> str:
        return f"I am {object()}"


class Frame:
    """Looks like a table of a data library."""

    dtypes = ("int",)

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def head(self, rows: int) -> Frame:
        return Frame(min(rows, self.rows))

    def to_dict(self, orient: str) -> list[dict[str, int]]:
        assert orient == "records"
        return [{"id": number} for number in range(self.rows)]


class Array:
    """Looks like an array of a numbers library."""

    def __init__(self, items: list[int]) -> None:
        self.items, self.size, self.shape = items, len(items), (len(items),)

    def tolist(self) -> list[int]:
        return self.items

    def reshape(self, _size: int) -> Array:
        return self

    def __getitem__(self, part: slice) -> Array:
        return Array(self.items[part])


CASES: list[tuple[object, JSON]] = [
    (Decimal("12.30"), "12.30"),
    (Decimal("1E+5"), "100000"),
    (Decimal("1E+5000"), "1E+5000"),
    (date(2031, 5, 4), "2031-05-04"),
    (datetime(2031, 5, 4, 10, tzinfo=UTC), "2031-05-04T10:00:00+00:00"),
    (time_of_day(10, 30), "10:30:00"),
    (timedelta(minutes=90), "1:30:00"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (PurePosixPath("/a/b"), "/a/b"),
    (Fraction(1, 3), "1/3"),
    (Colour.RED, "RED"),
    (Colour.BLUE, "blue"),
    (Level.HIGH, 3),
    (Mood.GOOD, "good"),
    (Point(1, 2), {"x": 1, "y": 2}),
    (Weather(city="Graz"), {"city": "Graz"}),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    (deque([1, 2]), [1, 2]),
    (range(3), [0, 1, 2]),
    (OrderedDict(a=1), {"a": 1}),
    (UserDict({"a": 1}), {"a": 1}),
    ({1: "a", None: "b", date(2031, 1, 1): "c"}, {"1": "a", "None": "b", "2031-01-01": "c"}),
    (Line("pen", Decimal("1.10"), {"b", "a"}), {"item": "pen", "price": "1.10", "tags": ["a", "b"]}),
    (Numbers([1, 2]), [1, 2]),
    (PlainObject(), {"city": "Graz"}),
    (iter([1, 2]), [1, 2]),
    ((number * 2 for number in range(3)), [0, 2, 4]),
    ({"a": 1}.items(), [["a", 1]]),
    (Frame(2), [{"id": 0}, {"id": 1}]),
    (Array([1, 2]), [1, 2]),
    (int, "<class int>"),
    (2**70, 2**70),
]


@pytest.mark.parametrize(("value", "expected"), CASES, ids=lambda value: type(value).__name__)
def test_values_are_turned_exactly(value: object, expected: JSON) -> None:
    plain = to_plain(value)
    assert plain.value == expected
    assert plain.notes == []


def test_a_model_is_turned_with_all_that_is_in_it_and_its_secrets_stay_hidden() -> None:
    customer = Customer(name="Müller", since=date(2031, 1, 1), lines=[Line("pen", Decimal("1.10"))])
    assert to_plain(customer).value == {
        "name": "Müller",
        "since": "2031-01-01",
        "lines": [{"item": "pen", "price": "1.10", "tags": []}],
        "password": "**********",
    }


def test_a_model_whose_fields_do_not_fit_any_more_is_turned_without_a_warning() -> None:
    customer = Customer(name="A", since=date(2031, 1, 1))
    customer.name = 3  # type: ignore[assignment]  # the fault under test
    assert isinstance(to_plain(customer).value, dict)


def test_addresses_are_left_out_since_they_make_equal_results_differ() -> None:
    assert to_plain(Speaking()).value == "I am <object>"
    assert to_plain(object()).value == to_plain(object()).value


def test_what_holds_itself_is_said_to() -> None:
    value: list[object] = [1]
    value.append(value)
    assert to_plain(value).value == [1, "<list that holds itself>"]


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = {"a": 1}
    assert to_plain([shared, shared]).value == [{"a": 1}, {"a": 1}]


def test_depth_is_bounded() -> None:
    value: object = 1
    for _ in range(200):
        value = {"in": value}
    plain = to_plain(value)
    assert LEFT_OUT in json.dumps(plain.value, ensure_ascii=False)
    assert plain.notes


def test_size_is_bounded_and_the_count_kept() -> None:
    plain = to_plain([{"id": number} for number in range(MAX_NODES)])
    assert isinstance(plain.value, list)
    assert len(plain.value) < MAX_NODES
    assert any("200,000 items" in note for note in plain.notes)


def test_of_a_large_table_or_array_the_number_of_rows_is_named() -> None:
    assert to_plain(Frame(30_000)).notes == ["the table has 30,000 rows; the first 10,000 are kept"]
    array = to_plain(Array(list(range(300_000))))
    assert array.notes == ["the array has 300,000 items; the first 10,000 are kept"]


def test_a_slow_iterator_is_left_in_time() -> None:
    def slow() -> Iterator[int]:
        for number in range(100):
            time.sleep(0.05)
            yield number

    before = time.monotonic()
    plain = to_plain(slow())
    assert time.monotonic() - before < 2
    assert plain.notes[0].startswith("only the first ")


def test_an_iterator_that_fails_midway_is_said_to() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise OSError("disk")

    assert to_plain({"rows": failing()}).value == {"rows": "<generator: OSError while it was read>"}


def test_an_exception_among_the_data_is_named_by_its_type() -> None:
    assert "hunter2" not in json.dumps(to_plain([RuntimeError("hunter2")]).value)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_json_stays_as_it_is(value: Any) -> None:
    assert to_plain(value).value == value
