"""JSON as text, with the place of every part."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.context.json_text import lay_out, lines_of, parts_of, unescape_letters

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(), inner, max_size=6),
    max_leaves=20,
)


@given(VALUES)
def test_a_layout_is_the_same_json(value: Any) -> None:
    assert json.loads(lay_out(value)) == value


@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 1, 2]))
def test_every_part_of_a_list_is_found_at_its_place(value: list[Any], indent: int | None) -> None:
    text = f" {json.dumps(value, indent=indent)} "
    parts = parts_of(text)
    assert parts
    assert parts.is_list
    assert [part.value for part in parts.items] == value
    assert [json.loads(text[part.start : part.end]) for part in parts.items] == value
    assert text[parts.end :].strip() == ""


@given(st.dictionaries(st.text(max_size=9), VALUES, max_size=4))
def test_every_member_of_an_object_is_found_at_its_place(value: dict[str, Any]) -> None:
    text = lay_out(value)
    parts = parts_of(text)
    assert parts
    assert {part.key: json.loads(text[part.start : part.end]) for part in parts.items} == value


@pytest.mark.parametrize("text", ["", "3", "[1,", "{1:2}", "[1 2]", '{"a" 1}', "[" * 100_000, '{"a":1', "nope"])
def test_what_is_no_list_or_object_is_none(text: str) -> None:
    assert parts_of(text) is None


def test_json_lines_are_read_line_by_line() -> None:
    text = '{"a":1}\n{"a":2}\n\n{"a":3}\n'
    first = parts_of(text)
    assert first
    lines = lines_of(text, first)
    assert lines
    assert [line.value for line in lines] == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert text[lines[2].start :].startswith('{"a":3}')
    assert lines_of('{"a":1} and more', first) is None


@given(VALUES)
def test_letters_are_unescaped_and_nothing_else_changes(value: Any) -> None:
    escaped = json.dumps(value, ensure_ascii=True)
    plain = unescape_letters(escaped)
    assert json.loads(plain) == value


def test_numbers_keep_their_digits_and_escaped_backslashes_their_meaning() -> None:
    text = r'{"a": 1.10, "b": "\u4f60\u597d", "c": "C:\\u4f60", "d": "\u0000\u0022", "e": "\ud83d\ude00"}'
    assert unescape_letters(text) == r'{"a": 1.10, "b": "你好", "c": "C:\\u4f60", "d": "\u0000\u0022", "e": "😀"}'
