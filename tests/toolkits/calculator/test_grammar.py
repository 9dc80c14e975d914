from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.errors import ToolError
from prudent.toolkits.calculator import calculate
from prudent.toolkits.calculator.grammar import evaluate
from prudent.toolkits.calculator.notation import clean


def _answer(expression: str) -> str:
    """What the model reads: a result or a refusal, nothing where a refusal names no fix."""
    try:
        return calculate(expression)
    except ToolError as error:
        return error.reason + error.fix if error.fix else ""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1+0.2", "0.3"),
        ("1299 * 19%", "246.81"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("10 - 4 - 3", "3"),
        ("2 ^ 3 ^ 2", "512"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ^ 2", "-4"),
        ("2 ^ -1", "0.5"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 mod 3", "2"),
        ("10 % 3", "1"),
        ("10 % (3)", "1"),
        ("10% - 3", "-2.9"),
        ("10 % -3", "-2.9"),
        ("19% of 1299", "246.81"),
        ("1299的19%", "246.81"),
        ("19 percent of 1299", "246.81"),
        ("3 x 4", "12"),
        ("3x4", "12"),
        ("5!", "120"),
        ("1e3 + .5", "1000.5"),
        ("1.5 million * 2", "3000000"),
        ("3万 * 2", "60000"),
        ("--3", "3"),
        ("+3", "3"),
        ("2 * -3", "-6"),
        ("1/3*3", "1"),
    ],
)
def test_expressions_have_their_exact_value(expression: str, value: str) -> None:
    result = evaluate(clean(expression))
    assert result.value == Fraction(value)
    assert result.exact


@pytest.mark.parametrize(
    ("expression", "reason", "fix"),
    [
        ("2 +", "ends too early", "brackets"),
        ("(2", "ends too early", "brackets"),
        ("2)", r"not expected here: 2⟨here⟩\)", "bracket"),
        ("2 (3)", "not expected here", r"\* to multiply"),
        ("1 299", "not expected here", "without spaces"),
        ("x = 5", "no equals sign", "12"),
        ("2; 3", "only one expression", "Call again"),
        ("14 days * 38 EUR", "'days'", "leave other words"),
        ("sqrt 16", "arguments in brackets", r"sqrt\(16\)"),
        ("squrt(16)", "'squrt'", "Did you mean sqrt"),
        ("__import__('os').system('id')", "unknown", "Write numbers"),
        ("(1).__class__", "unknown|not expected", ""),
        ("1 if 2 else 3", "'if'", ""),
        ("sqrt()", "takes 1 arguments, 0 were given", ""),
        ("round(1, 2, 3)", "takes 1 to 2 arguments, 3 were given", ""),
        ("19%%", "percent sign belongs to a plain number", ""),
        ("1299% EUR", "percentage of money", r"19% \* 1299 EUR"),
        ("5 EUR USD", "two currencies", ""),
        ("5 > 3", "unknown", ""),
        ("5 & 3", "unknown", ""),
        ("'5' * 3", "unknown", ""),
        ("1e999999", "too large", ""),
        ("1e99999999999999999999", "too large", ""),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_fix(expression: str, reason: str, fix: str) -> None:
    with pytest.raises(ToolError, match=reason) as caught:
        calculate(expression)
    assert re.search(fix, caught.value.fix)
    assert caught.value.fix


@pytest.mark.parametrize(
    "bomb",
    [
        "9^9^9^9",
        "9**9**9",
        "2^(2^(2^(2^(2^2))))",
        "(((9^999)^999)^999)^999",
        "factorial(factorial(9))",
        "9!!!!",
        "10^4000 * 10^4000",
        "*".join(["9^4000"] * 140),
        "1/".join(["9^4000"] * 120),
        "(" * 499 + "1" + ")" * 499,
        "(" * 100_000,
        "-" * 999 + "1",
        "^".join("9" * 400),
        "1+" * 499 + "1",
        "1/3+" * 240 + "1",
        "/".join(["1.000000001"] * 80),
        "sqrt(" * 49 + "2" + ")" * 49,
        "exp(exp(exp(9)))",
        "0.9999999^(10^9)",
        "1.0000001^123456789.5",
        "9" * 1000,
        "9" * 10_000_000,
        "1e1000^3",
        "sin(1e1000)",
        "round(9^4000, 20)",
        "log(9^4000, 1.0000001)",
    ],
)
def test_bombs_are_worked_out_or_refused_at_once(bomb: str) -> None:
    started = time.process_time()
    assert 0 < len(_answer(bomb)) < 800
    assert time.process_time() - started < 0.5


def test_threads_do_not_disturb_one_another() -> None:
    expressions = [f"({number} + 15%) * 2 EUR" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(calculate, expressions))
    assert together == [calculate(expression) for expression in expressions]


_numbers = st.one_of(
    st.integers(0, 10**9).map(str),
    st.decimals(0, 10**6, allow_nan=False, allow_infinity=False, places=3).map(lambda number: format(number, "f")),
)


@st.composite
def _trees(draw: st.DrawFn, depth: int = 4) -> tuple[str, Fraction]:
    """An expression with its value, by fractions alone."""
    if depth == 0 or draw(st.booleans()):
        text = draw(_numbers)
        return text, Fraction(text)
    left_text, left = draw(_trees(depth - 1))
    right_text, right = draw(_trees(depth - 1))
    operator = draw(st.sampled_from("+-*/" if right else "+-*"))
    value = {"+": left + right, "-": left - right, "*": left * right, "/": left / right if right else left}[operator]
    space = draw(st.sampled_from(["", " ", "  "]))
    return f"({left_text}{space}{operator}{space}{right_text})", value


@given(_trees())
def test_any_tree_has_the_value_that_fractions_give(tree: tuple[str, Fraction]) -> None:
    text, value = tree
    assert evaluate(clean(text)).value == value


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6).filter(bool))
def test_whole_division_and_remainder_belong_together(left: int, right: int) -> None:
    quotient = evaluate(clean(f"({left}) // ({right})")).value
    remainder = evaluate(clean(f"({left}) mod ({right})")).value
    assert quotient * right + remainder == left
    assert abs(remainder) < abs(right)


@given(st.fractions(0, 10**4, max_denominator=100), st.integers(2, 5))
def test_roots_of_perfect_powers_are_exact(root: Fraction, degree: int) -> None:
    result = evaluate(f"(({root.numerator}/{root.denominator})^{degree})^(1/{degree})")
    assert result.exact
    assert result.value == root


@given(st.text(max_size=80) | st.text(alphabet="0123456789.,+-*/%^()! eE€元xsqrtmax", max_size=60))
@settings(max_examples=300, deadline=1000)
def test_any_text_gives_a_result_or_a_tool_error(text: str) -> None:
    assert _answer(text)
