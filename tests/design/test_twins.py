"""How alike definitions are: real twins found, opposites and different things told apart, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.design.twins import NEIGHBOURS, TWINS, likeness, near_pairs
from prudent.messages import ToolSpec


def spec(name: str, description: str, *parameters: str) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object", "properties": {name: {"type": "string"} for name in parameters}})


TWIN_PAIRS = [
    (
        spec("get_weather", "Get the current weather of a city.", "city"),
        spec("fetch_weather_data", "Fetch the current weather for a given city.", "city"),
    ),
    (
        spec("delete_file", "Delete a file from the disk.", "path"),
        spec("remove_file", "Removes the given file from disk.", "path"),
    ),
    (
        spec("查询订单", "查询用户的订单状态和物流信息", "order_id"),
        spec("获取订单", "获取用户的订单状态以及物流信息", "order_id"),
    ),
]
DIFFERENT_PAIRS = [
    (
        spec("insert_rows", "Insert rows into a sheet at a position.", "sheet", "position"),
        spec("insert_columns", "Insert columns into a sheet at a position.", "sheet", "position"),
    ),
    (
        spec("start_trace", "Start a performance trace of the page.", "page"),
        spec("stop_trace", "Stop the performance trace of the page.", "page"),
    ),
    (
        spec("删除订单", "删除用户的一个订单", "order_id"),
        spec("创建订单", "创建用户的一个订单", "order_id"),
    ),
]


@pytest.mark.parametrize(("one", "other"), TWIN_PAIRS)
def test_the_same_said_twice_is_a_twin(one: ToolSpec, other: ToolSpec):
    assert likeness(one, other).score >= TWINS


@pytest.mark.parametrize(("one", "other"), DIFFERENT_PAIRS)
def test_other_things_and_opposites_are_no_twins(one: ToolSpec, other: ToolSpec):
    found = likeness(one, other)
    assert found.score < TWINS
    assert all(found.contrast)


def test_a_name_with_a_word_more_is_a_neighbour():
    one = spec("read_file", "Read the complete contents of a file as text.", "path", "head", "tail")
    other = spec("read_text_file", "Read the complete contents of a text file from disk.", "path", "head", "tail")
    assert likeness(one, other).score >= NEIGHBOURS


def test_it_says_what_was_compared():
    assert likeness(*TWIN_PAIRS[0]).compared.endswith("by words")


def test_pairs_of_a_set_come_most_alike_first():
    tools = [part for pair in TWIN_PAIRS + DIFFERENT_PAIRS for part in pair]
    pairs = near_pairs(tools)
    assert {(pair.first, pair.second) for pair in pairs} == {(0, 1), (2, 3), (4, 5)}
    assert [pair.likeness.score for pair in pairs] == sorted((pair.likeness.score for pair in pairs), reverse=True)


def test_a_large_set_finds_the_same_twins():
    strangers = [spec(f"tool{index}", f"Word{index} word{index * 7} does thing{index}.", f"p{index}") for index in range(200)]
    pairs = near_pairs([*strangers, *TWIN_PAIRS[1]])
    assert [(pair.first, pair.second) for pair in pairs] == [(200, 201)]


def test_an_embedder_adds_meaning():
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    one = spec("weather", "Tells if it rains.", "city")
    other = spec("weather", "Says what is in the sky.", "city")
    pairs = near_pairs([one, other], embed=embed)
    assert len(pairs) == 1
    assert pairs[0].likeness.by == "words and meaning"
    assert near_pairs([one, other]) == []


@given(st.builds(ToolSpec, st.text(), st.text(), st.dictionaries(st.text(), st.just({}))), st.data())
def test_likeness_is_symmetric_and_within_its_bounds(one: ToolSpec, data: st.DataObject):
    other = data.draw(st.builds(ToolSpec, st.text(), st.text(), st.just({})))
    assert likeness(one, other).score == likeness(other, one).score
    assert 0 <= likeness(one, other).score <= 1.000001
