"""Measuring English and Chinese text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.design.words import canonical, content_words, estimate_tokens, is_chinese, name_parts, word_count


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserByID", ["get", "user", "by", "id"]),
        ("get_user-by.id", ["get", "user", "by", "id"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("查询订单", ["查询", "订单"]),
        ("", []),
    ],
)
def test_names_are_split_however_they_are_joined(name: str, parts: list[str]):
    assert name_parts(name) == parts


def test_two_hundred_chinese_characters_count_as_130_words():
    assert word_count("查" * 200) == pytest.approx(130)
    assert word_count("one two three") == 3


def test_the_language_is_told():
    assert is_chinese("查询城市的天气")
    assert is_chinese("通过 API 查询 GitHub 仓库的议题列表")
    assert not is_chinese("Look up a word such as 天 in the dictionary of characters")
    assert not is_chinese("")


def test_verbs_of_one_meaning_are_one():
    assert canonical("fetches") == canonical("retrieving") == canonical("get")
    assert canonical("删除") == canonical("移除")
    assert canonical("start") != canonical("stop")


def test_words_without_meaning_are_left_out():
    assert content_words("the user can use it for the orders") == ["user", "order"]
    assert content_words("订单的状态") == ["订单", "状态"]


@given(st.text(max_size=300))
def test_tokens_grow_with_the_text(text: str):
    assert 0 <= estimate_tokens(text) <= estimate_tokens(text + "a word more")
    assert (estimate_tokens(text) == 0) == (text == "")


def test_chinese_costs_more_tokens_a_character():
    assert estimate_tokens("查询城市的天气情况") > estimate_tokens("look up w")
