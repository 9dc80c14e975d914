from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.toolkits.calculator.grammar import evaluate
from prudent.toolkits.calculator.money import CURRENCIES, read_unit


@pytest.mark.parametrize(
    ("written", "before", "number", "decorated"),
    [
        ("€", True, "5", "€5"),
        ("€", True, "-5", "-€5"),
        ("EUR", True, "5", "EUR 5"),
        ("EUR", False, "-5", "-5 EUR"),
        ("元", False, "5", "5元"),
        ("euros", False, "5", "5 euros"),
        ("HK$", True, "-5", "-HK$5"),
    ],
)
def test_a_unit_stands_where_it_was_written(written: str, before: bool, number: str, decorated: str) -> None:
    assert read_unit(written, before=before).decorate(number) == decorated


def test_units_agree_when_they_can_mean_the_same() -> None:
    dollar, us_dollar, euro = (read_unit(sign, before=True) for sign in ("$", "US$", "€"))
    assert dollar.agree(us_dollar) == us_dollar.agree(dollar) == us_dollar
    assert euro.agree(dollar) is None
    assert read_unit("₦", before=True).agree(read_unit("₦", before=False)) is not None


@given(st.sampled_from(sorted(CURRENCIES)), st.booleans(), st.integers(1, 10**6))
def test_every_unit_can_be_read_and_written_again(written: str, before: bool, number: int) -> None:
    text = read_unit(written, before=before).decorate(str(number))
    result = evaluate(text)
    assert result.value == number
    assert result.unit
    assert result.unit.means == CURRENCIES[written]
