"""Toolkit `calculator`: exact arithmetic, so that no model has to do sums in its head."""

from __future__ import annotations

from prudent.toolkits.calculator.grammar import evaluate
from prudent.toolkits.calculator.notation import clean
from prudent.toolkits.calculator.quantity import digits, write
from prudent.tools.definition import Tool, tool

_MAX_SHOWN = 200
_MAX_NOTES = 3


def calculate(expression: str) -> str:
    """Work out one arithmetic expression exactly; returns it with its value, such as "1299 * 19% = 246.81".

    Args:
        expression: One expression, at most 1000 characters: numbers with + - * / // (division rounded down) mod ^ and
            brackets; sqrt, round(x, places), abs, floor, ceil, min, max, sum, avg, median, log, ln, exp, sin, cos and the
            like. Percentages: 1299 * 19%; added to or taken from an amount they are a share of it, so 250 - 15% is 212.5.
            One currency may stand with its amounts (1299 EUR * 19%, €20 + €5, 300元 * 3); leave all other units out.
    """
    text = clean(expression)
    result = evaluate(text)
    complete = result.exact and digits(result.value)[1]
    notes = [*result.notes, f"{digits(result.value)[0]} as a number"] if result.percent else list(result.notes)
    shown = text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
    remark = f" ({'; '.join(dict.fromkeys(notes[:_MAX_NOTES]))})" if notes else ""
    return f"{shown} {'=' if complete else '≈'} {write(result)}{remark}"


def calculator() -> list[Tool]:
    """Make the tool `calculator`."""
    return [
        tool(
            calculate,
            name="calculator",
            when="Use it for every sum, difference, product, percentage, average or rounding in a task, however small, with "
            "the numbers that were given or found.",
            not_when="Not for finding numbers, not for dates, and not for exchange rates: it knows none.",
            examples=[{"expression": "1299 EUR * 19%"}, {"expression": "round((48.50 + 2 * 12) / 3, 2)"}],
            effect="read",
            idempotent=True,
            toolkit="calculator",
        )
    ]
