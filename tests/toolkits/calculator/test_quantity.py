from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import ToolError
from prudent.toolkits.calculator import calculate
from prudent.toolkits.calculator.quantity import digits


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("250 - 15%", "250 - 15% = 212.5 (15% of 250 is 37.5)"),
        ("250 + -15%", "250 + -15% = 212.5 (-15% of 250 is -37.5)"),
        ("250 - (15%)", "250 - (15%) = 212.5 (15% of 250 is 37.5)"),
        ("100 + 10% + 10%", "100 + 10% + 10% = 121 (10% of 100 is 10; 10% of 110 is 11)"),
        ("€1,299 + 19%", "€1299 + 19% = €1545.81 (19% of €1299 is €246.81)"),
        ("20% - 5%", "20% - 5% = 15% (0.15 as a number)"),
        ("250 * (1 - 15%)", "250 * (1 - 15%) = 212.5 (15% of 1 is 0.15)"),
        ("250 * 15%", "250 * 15% = 37.5"),
        ("15% / 3", "15% / 3 = 0.05"),
    ],
)
def test_a_percentage_added_to_an_amount_is_a_share_of_it(expression: str, line: str) -> None:
    assert calculate(expression) == line


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("€1,299 * 2", "€2598"),
        ("1299 EUR * 19%", "246.81 EUR"),
        ("1299 eur * 2", "2598 eur"),
        ("EUR 1299 * 2", "EUR 2598"),
        ("¥300 + ¥20", "¥320"),
        ("￥300 + ￥20", "¥320"),
        ("300元 * 3", "900元"),
        ("3万元 * 3%", "900元"),
        ("300 欧元 * 2", "600欧元"),
        ("-€5 + €3", "-€2"),
        ("€-5 * 2", "-€10"),
        ("€(5 + 3)", "€8"),
        ("(5 + 3) EUR", "8 EUR"),
        ("3 * €5", "€15"),
        ("€10 / 4", "€2.5"),
        ("€10 // 4", "€2"),
        ("€10 mod 4", "€2 (the remainder of €10 divided by 4)"),
        ("100 EUR / 20 EUR", "5"),
        ("$5 + 5 USD", "10 USD"),
        ("US$5 + $5", "US$10"),
        ("HK$5 * 2", "HK$10"),
        ("¥5 + 5元", "10元"),
        ("¥5 + 5 JPY", "10 JPY"),
        ("€5 + 5 euros", "€10"),
        ("sum(€5, €6.50)", "€11.5"),
        ("avg(120 EUR, 135 EUR)", "127.5 EUR"),
        ("round(1299.995 EUR, 2)", "1300 EUR"),
        ("100 EUR + 5", "105 EUR (5 taken as EUR)"),
        ("max(3, 4 EUR)", "4 EUR (3 taken as EUR)"),
        ("100 EUR - 0", "100 EUR"),
        ("5 ₦ + 3 ₦", "8₦"),
    ],
)
def test_units_of_money_are_kept(expression: str, value: str) -> None:
    assert calculate(expression).split(" = ", 1)[1] == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("€5 + $3", "two currencies cannot be joined: € and \\$"),
        ("5 JPY + 5元", "two currencies"),
        ("sum(€5, $5)", "two currencies"),
        ("US$5 + A$5", "two currencies"),
        ("€5 / $5", "two currencies"),
        ("€5 * €5", "money cannot be multiplied"),
        ("5 / €5", "cannot be divided by money"),
        ("€5 ^ 2", "a power of €5 has no meaning"),
        ("2 ^ €5", "an exponent of €5 has no meaning"),
        ("sqrt(€4)", "has no meaning"),
        ("ln(€4)", "has no meaning"),
        ("log(€4)", "has no meaning"),
        ("€4!", "has no meaning"),
        ("19% €1299", "19 mod €1299 has no meaning"),
        ("1 / 0", "division by zero: 1 / 0"),
        ("1 / (0.1 + 0.2 - 0.3)", "division by zero"),
        ("€5 / €0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("1 mod 0", "division by zero"),
        ("0 ^ -1", "division by zero"),
    ],
)
def test_what_has_no_meaning_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason) as caught:
        calculate(expression)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("value", "written", "complete"),
    [
        (Fraction(0), "0", True),
        (Fraction(100), "100", True),
        (Fraction(1, 8), "0.125", True),
        (Fraction(10, 3), "3.33333333333333", False),
        (Fraction(-1, 7), "-0.142857142857143", False),
        (Fraction(2**64), "18446744073709551616", True),
        (Fraction(2**200), "1.60693804425899e+60", False),
        (Fraction(1, 10**30), "0." + "0" * 29 + "1", True),
        (Fraction(1, 10**60), "1e-60", True),
    ],
)
def test_numbers_are_written_in_plain_digits(value: Fraction, written: str, complete: bool) -> None:
    assert digits(value) == (written, complete)


@given(st.decimals(-(10**12), 10**12, allow_nan=False, allow_infinity=False, places=6))
def test_every_decimal_is_written_whole(number: Decimal) -> None:
    written, complete = digits(Fraction(number))
    assert complete
    assert Decimal(written) == number


@given(st.fractions())
def test_what_is_rounded_is_off_by_less_than_its_last_digit(value: Fraction) -> None:
    written, complete = digits(value)
    if complete:
        assert Fraction(written) == value
    else:
        assert abs(Fraction(written) - value) <= abs(value) / 10**14


@given(st.decimals(0, 10**6, places=2), st.integers(0, 100))
def test_a_discount_is_what_decimal_gives(price: Decimal, percent: int) -> None:
    with localcontext(prec=60):
        expected = price - price * percent / 100
    assert Decimal(calculate(f"{price:f} - {percent}%").split(" = ")[1].split(" ")[0]) == expected
