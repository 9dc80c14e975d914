"""Cutting a text where it may be cut."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.context.cutting import Draft, Lines, cut_at, mark, shorten


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("short", 10, "short"),
        ("One two. Three four. Five six.", 24, "One two. Three four. "),
        ("a line\nanother line\nlast", 21, "a line\nanother line\n"),
        ("他来了。她走了。我们都在这里等着", 10, "他来了。她走了。"),
        ("no end of a sentence here at all", 16, "no end of a "),
        ("x" * 30, 20, "x" * 20),
        ("Version 3.14 is the newest of them", 24, "Version 3.14 is the "),
    ],
)
def test_a_cut_is_at_the_end_of_a_line_or_sentence(text: str, limit: int, kept: str) -> None:
    assert text[: cut_at(text, limit)] == kept


@pytest.mark.parametrize("letter", ["e\u0301", "👩\u200d🔬", "✔\ufe0f"])
def test_a_letter_of_several_characters_stays_whole(letter: str) -> None:
    text = "x" * 18 + letter * 10
    for limit in range(19, 24):
        rest = text[cut_at(text, limit) :]
        assert unicodedata.combining(rest[0]) == 0
        assert rest[0] not in "\u200d\ufe0f"
        assert text[cut_at(text, limit) - 1] != "\u200d"


@given(st.text(), st.integers(1, 200), st.integers(0, 50))
def test_a_cut_keeps_the_limit_and_goes_forward(text: str, limit: int, start: int) -> None:
    place = cut_at(text, limit, start)
    assert place <= max(start + limit, len(text))
    assert place - start <= limit
    assert place > start or start >= len(text)


@given(st.text(), st.integers(1, 100))
def test_a_shortened_text_is_one_line_within_the_limit(text: str, limit: int) -> None:
    line = shorten(text, limit)
    assert len(line) <= max(limit, 2)
    assert "\n" not in line


def test_a_mark_names_what_is_missing_and_the_handle() -> None:
    assert mark(Draft("x"), "r1") == ""
    assert mark(Draft("x", "5 of 9 characters", 4), "r1").startswith("[… 5 of 9 characters left out; go on with read_more(")
    assert "search_in" not in mark(Draft("x", "the bytes", searchable=False), "r1")
    assert "could not be kept" in mark(Draft("x", "5 of 9 characters"), "")


@given(st.lists(st.text()), st.integers(0, 200))
def test_gathered_lines_keep_to_their_limit(lines: list[str], limit: int) -> None:
    out = Lines(limit)
    taken = [line for line in lines if out.add(line)]
    assert out.text() == "\n".join(taken)
    assert len(out.text()) <= limit
