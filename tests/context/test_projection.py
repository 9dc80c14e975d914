from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from prudent import tool
from prudent.context.artifacts import MemoryArtifacts
from prudent.context.projection import project
from prudent.context.shaping import ResultShaper
from prudent.errors import DefinitionError


@dataclass
class Order:
    id: int
    customer: str
    notes: str


ROWS = [{"id": n, "customer": f"c{n}", "notes": "x" * 100} for n in range(200)]


def test_lists_of_objects_keep_the_named_fields_in_their_order() -> None:
    assert project(ROWS[:2], ["customer", "id"]) == [{"customer": "c0", "id": 0}, {"customer": "c1", "id": 1}]
    assert project({"total": 2, "items": ROWS[:1]}, ["id"]) == {"total": 2, "items": [{"id": 0}]}
    assert project([Order(1, "a", "b")], ["id"]) == [{"id": 1}]
    assert project(json.dumps(ROWS[:1]), ["id"]) == [{"id": 0}]


@pytest.mark.parametrize("result", ["text", "[not json", b"bytes", None, 7, [1, 2], {"a": 1}, [{"b": 1}], [], "[]"])
def test_anything_else_comes_back_as_it_is(result: object) -> None:
    assert project(result, ["id"]) is result


def test_objects_that_lack_a_field_and_what_is_no_object_stay_in_the_count() -> None:
    assert project([{"id": 1}, {"b": 2}, "odd"], ["id"]) == [{"id": 1}, {}, "odd"]


def test_a_tool_names_its_fields_and_the_rest_can_be_read_on() -> None:
    @tool(fields=["id", "customer"], max_result_chars=20_000)
    def orders() -> list[object]:
        """List orders."""
        return list(ROWS)

    artifacts = MemoryArtifacts()
    shaped = ResultShaper(artifacts).shape(orders, "c1", ROWS)
    assert '"c199"' in shaped.shown
    assert "xxx" not in shaped.shown
    assert shaped.artifact in shaped.shown
    found = artifacts.find(shaped.artifact)
    assert found
    assert "x" * 100 in str(found.content)


def test_fields_are_a_list() -> None:
    with pytest.raises(DefinitionError, match="fields"):

        @tool(fields="id")
        def orders() -> list[object]:  # pyright: ignore[reportUnusedFunction]
            """List orders."""
            return []
