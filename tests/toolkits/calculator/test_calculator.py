from __future__ import annotations

import pytest

from prudent.errors import ToolError
from prudent.toolkits.calculator import calculate, calculator
from prudent.tools.context import Context


def test_the_tool_shows_the_expression_with_its_value() -> None:
    (tool,) = calculator()
    assert tool.name == "calculator"
    assert tool.effect == "read"
    assert tool.idempotent
    assert tool.invoke({"expression": "1299*19%"}, Context()) == "1299*19% = 246.81"


def test_the_description_keeps_its_word() -> None:
    assert calculate("250 - 15%").startswith("250 - 15% = 212.5")
    assert calculate("1299 EUR * 19%") == "1299 EUR * 19% = 246.81 EUR"
    assert calculate("€20 + €5") == "€20 + €5 = €25"
    assert calculate("300元 * 3") == "300元 * 3 = 900元"
    assert calculate("round((48.50 + 2 * 12) / 3, 2)") == "round((48.50 + 2 * 12) / 3, 2) = 24.17"
    with pytest.raises(ToolError):
        calculate("1" * 1001)


def test_a_rounded_result_does_not_look_exact() -> None:
    assert calculate("10 / 4") == "10 / 4 = 2.5"
    assert calculate("10 / 3") == "10 / 3 ≈ 3.33333333333333"


def test_a_long_expression_is_shown_cut() -> None:
    shown = calculate("+".join(["1"] * 400))
    assert shown.endswith("… = 400")
    assert len(shown) < 220


def test_notes_are_few() -> None:
    assert calculate("100" + " + 10%" * 8).count(" is ") == 3
