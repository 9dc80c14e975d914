from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import ToolError
from prudent.toolkits.calculator.grammar import evaluate
from prudent.toolkits.calculator.notation import MAX_CHARS, clean


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("１２９９×１９％", "1299*19%"),
        ("（３＋４）÷２", "(3+4)/2"),
        ("5 − 3", "5 - 3"),
        ("5 – 3", "5 - 3"),
        ("5²", "5^2"),
        ("[3 + 4] * 2", "(3 + 4) * 2"),
        ("1,299.50 * 2", "1299.50 * 2"),
        ("1，299", "1299"),
        ("12,345,678", "12345678"),
        ("((1,299)) + 1", "((1299)) + 1"),
        ("abs(1,299.5)", "abs(1299.5)"),
        ("max(1, 299)", "max(1, 299)"),
        ("sum(100,200,300)", "sum(100,200,300)"),
        ("max((1,299), 300)", "max((1299), 300)"),
        ("max(1、2)", "max(1, 2)"),
        ("12*3 =", "12*3"),
        ("12*3 = ?", "12*3"),
        ("12*3。", "12*3"),
        ("  1\n+\t2  ", "1 + 2"),
        ("1\u00a0+\u202f2", "1 + 2"),
        ("٣ + ४", "3 + 4"),
    ],
)
def test_notation_is_made_plain(written: str, read: str) -> None:
    assert clean(written) == read


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "empty"),
        ("  = ", "empty"),
        ("1" * (MAX_CHARS + 1), "at most 1,000"),
        ("2½", "more than one way"),
        ("5¹", "more than one way"),
        ("①", "more than one way"),
        ("1.299,50", "separates neither"),
        ("3,5", "separates neither"),
        ("1,00,000", "separates neither"),
        ("1,2999", "separates neither"),
        ("sum(1,299, 2,500)", "one number or several"),
        ("(" * 51, "more than 50 brackets"),
        ("max(" * 51, "more than 50 brackets"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(written: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        clean(written)


@given(st.integers(0, 10**15), st.integers(0, 99))
def test_separators_of_thousands_change_nothing(whole: int, cents: int) -> None:
    assert evaluate(clean(f"{whole:,}.{cents:02} * 2")) == evaluate(clean(f"{whole}.{cents:02} * 2"))
