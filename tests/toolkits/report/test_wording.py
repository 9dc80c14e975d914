from __future__ import annotations

import pytest

from prudent.toolkits.report.wording import CHINESE, ENGLISH, clean, grouped, one_line, words_for, written


@pytest.mark.parametrize(("title", "words"), [("Trip", ENGLISH), ("差旅 Trip", CHINESE), ("", ENGLISH)])
def test_the_language_is_that_of_the_title(title: str, words: object) -> None:
    assert words_for(title) is words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("as it is", "as it is"),
        (32, "32"),
        (32.0, "32"),
        (0.1, "0.1"),
        (1e-7, "0.0000001"),
        (1e14, "100000000000000"),
    ],
)
def test_values_keep_their_digits(value: str | float | None, text: str) -> None:
    assert written(value) == text


def test_large_numbers_are_grouped() -> None:
    assert [grouped(value) for value in (1190.5, -1000000.0, 0.0)] == ["1,190.5", "-1,000,000", "0"]


def test_what_no_file_may_hold_is_left_out() -> None:
    assert clean("a\0b\x1b[31m\ud800\ufffe\tc\nd") == "ab[31m?\tc\nd"
    assert one_line(" a\r\n b ") == "a b"
