from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import ToolError
from prudent.toolkits.calculator import calculate
from prudent.toolkits.calculator.grammar import evaluate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(16)", "= 4"),
        ("sqrt(2)", "≈ 1.4142135623731"),
        ("sqrt(2) ^ 2", "≈ 2"),
        ("8 ^ (1/3)", "= 2"),
        ("(4/9) ^ 1.5", "≈ 0.296296296296296"),
        ("abs(-3.5)", "= 3.5"),
        ("round(2.5)", "= 3"),
        ("round(-2.5)", "= -3"),
        ("round(2.675, 2)", "= 2.68"),
        ("round(1250, -2)", "= 1300"),
        ("round(12.6%)", "= 13% (0.13 as a number)"),
        ("floor(-2.1)", "= -3"),
        ("ceil(2.1)", "= 3"),
        ("min(3, 1, 2)", "= 1"),
        ("max(3, 1, 2)", "= 3"),
        ("sum(1, 2, 3)", "= 6"),
        ("avg(1, 2)", "= 1.5"),
        ("median(3, 1, 2)", "= 2"),
        ("median(4, 1, 2, 3)", "= 2.5"),
        ("pow(2, 10)", "= 1024"),
        ("factorial(5)", "= 120"),
        ("log(1000)", "= 3 (log is to base 10; ln is the natural one)"),
        ("log(8, 2)", "= 3"),
        ("log(2, 8)", "≈ 0.333333333333333"),
        ("ln(e)", "≈ 1"),
        ("exp(1)", "≈ 2.71828182845905"),
        ("SQRT(16)", "= 4"),
        ("√(16)", "= 4"),
        ("sin(pi)", "≈ 0"),
        ("cos(0)", "≈ 1"),
        ("sin(radians(30))", "≈ 0.5"),
        ("degrees(pi)", "≈ 180"),
        ("2 * π", "≈ 6.28318530717959"),
    ],
)
def test_functions_have_their_value(expression: str, value: str) -> None:
    shown = calculate(expression)
    assert shown.endswith(value)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("sqrt(-1)", "no real number"),
        ("(-8) ^ (1/3)", "no real number"),
        ("ln(0)", "no value"),
        ("log(0)", "above 0"),
        ("log(10, 1)", "not 1"),
        ("asin(2)", "no value"),
        ("sin(10^10)", "no value"),
        ("tan(pi/2)", "too large"),
        ("exp(9999)", "no value"),
        ("factorial(1001)", "not worked out"),
        ("factorial(2.5)", "not worked out"),
        ("(-1)!", "not worked out"),
        ("round(1, 299)", "places is not possible"),
        ("round(1, 0.5)", "places is not possible"),
        ("pow(2)", "takes 2 arguments"),
    ],
)
def test_what_has_no_value_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason) as caught:
        calculate(expression)
    assert caught.value.fix


@given(st.floats(-1000, 1000), st.sampled_from(["sin", "cos", "atan"]))
def test_floating_functions_are_those_of_the_standard_library(value: float, name: str) -> None:
    assert float(evaluate(f"{name}({value:.12f})").value) == pytest.approx(getattr(math, name)(value), abs=1e-9)
