"""Text for people: safe, short, measured."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.cli.text import (
    arguments_block,
    arguments_line,
    as_json,
    cost_text,
    count,
    one_line,
    seconds_text,
    visible,
)


@given(st.text())
def test_nothing_that_drives_a_terminal_comes_through(text: str):
    shown = visible(text)
    assert all(character in "\n\t" or ord(character) >= 32 for character in shown)
    assert not set("\x1b\x7f\x9b\r\u202e\u2066") & set(shown)
    shown.encode()


@pytest.mark.parametrize("text", ["plain", "天气晴朗", "naïve café", "👍🏽 family 👨‍👩‍👧", "a\tb\nc", "全角　空格"])
def test_ordinary_text_is_left_alone(text: str):
    assert visible(text) == text


def test_control_characters_are_spelled_out():
    assert visible("\x1b[2J\r\u202egnp") == "\\x1b[2J\\x0d\\u202egnp"


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_one_line_is_one_line_of_the_length(text: str, limit: int):
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


def test_a_cut_line_says_so():
    assert one_line("word " * 100, 20) == "word word word word…"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_can_be_read_by_anyone(value: object):
    text = as_json(value)
    text.encode()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_json_keeps_chinese_and_spells_nan():
    assert as_json({"城市": "北京", "x": math.nan}) == '{"城市": "北京", "x": "nan"}'


def test_json_takes_a_lone_surrogate():
    assert json.loads(as_json({"text": "\ud83d"})) == {"text": "\ud83d"}


def test_arguments_in_a_line_and_in_full():
    arguments = {"to": "ann@example.com", "text": "two\nlines", "n": 3}
    assert arguments_line(arguments) == 'to="ann@example.com" text="two\\nlines" n=3'
    assert arguments_block(arguments) == ['to: "ann@example.com"', "text:", "    two", "    lines", "n: 3"]


def test_figures_in_words():
    assert [count(1, "turn"), count(2104, "token"), count(2, "reply", "replies")] == ["1 turn", "2,104 tokens", "2 replies"]
    assert [seconds_text(s) for s in (0.25, 12.4, 125, 7500)] == ["0.2 s", "12 s", "2 min 05 s", "2 h 05 min"]
    assert [cost_text(c) for c in (None, 0.0, 0.0123, 2.5)] == ["cost unknown", "no cost", "$0.0123", "$2.50"]
