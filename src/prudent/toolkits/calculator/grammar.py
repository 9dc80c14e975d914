"""The grammar of expressions, and how they are worked out.

Lark's LALR parser calls the evaluator as it reads, without recursion, so no nesting can exhaust the stack.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from lark import Lark, Token, UnexpectedInput
from lark.exceptions import UnexpectedCharacters

from prudent.errors import ToolError
from prudent.toolkits.calculator.functions import FUNCTIONS, power
from prudent.toolkits.calculator.money import CURRENCIES, read_unit
from prudent.toolkits.calculator.quantity import Quantity, add, bounded, divide, multiply, negate, remainder, too_large

_MAX_EXPONENT = 1000

_CONSTANTS = {
    "pi": Fraction("3.14159265358979323846264338327950288419716939937510"),
    "e": Fraction("2.71828182845904523536028747135266249775724709369995"),
}

_SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "百万": 10**6,
    "亿": 10**8,
    "万": 10**4,
    "千": 10**3,
    "百": 10**2,
}

_GRAMMAR = r"""
?start: sum
?sum: product
    | sum "+" product -> add
    | sum "-" product -> subtract
?product: unary
    | product _TIMES unary -> multiply
    | product "/" unary -> divide
    | product "//" unary -> divide_whole
    | product _MODULO unary -> remainder
?unary: power
    | "-" unary -> negative
    | "+" unary
?power: amount
    | amount _POWER unary -> power
?amount: atom
    | amount _PERCENT -> percent
    | amount "!" -> factorial
    | amount SCALE -> scale
    | amount UNIT -> unit_after
?atom: NUMBER -> number
    | CONSTANT -> constant
    | "(" sum ")"
    | FUNCTION "(" [sum ("," sum)*] ")" -> function
    | UNIT atom -> unit_before
    | UNIT "-" atom -> unit_before_negative

NUMBER: /([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/
FUNCTION.3: /FUNCTIONS(?=\s*\()/i
CONSTANT.2: /(pi|e)(?![A-Za-z])/i
SCALE.3: /SCALES/i
UNIT.2: /UNITS/i
_TIMES.1: /\*|(x|of)(?![A-Za-z])|的/i
_POWER.2: /\*\*|\^/
_MODULO.2: /%(?=\s*(OPERAND))|mod(?![A-Za-z])/i
_PERCENT.1: /%|percent(?![A-Za-z])/i
%ignore " "
"""


def _any_of(words: list[str]) -> str:
    """Write a pattern for the longest of some words, where letters may not go on behind a Latin one."""
    ordered = sorted(words, key=len, reverse=True)
    return (
        "(?:"
        + "|".join(re.escape(word) + ("(?![A-Za-z])" if word[-1].isascii() and word[-1].isalpha() else "") for word in ordered)
        + ")"
    )


def _other_signs() -> list[str]:
    """Signs of money that are in no table, such as ₦, which stand for themselves."""
    return [chr(code) for code in range(0x20A0, 0x20C1) if chr(code) not in CURRENCIES]


@cache
def _parser() -> Any:
    """Build the parser, once; Any, since Lark leaves the types of its own methods partly open."""
    signs = [sign for sign in CURRENCIES if not sign.isalpha()]
    operands = "|".join([r"[0-9.(]", _any_of(list(_CONSTANTS)), _any_of(list(FUNCTIONS)), _any_of(signs)])
    grammar = (
        _GRAMMAR.replace("/FUNCTIONS(", f"/{_any_of(list(FUNCTIONS))}(")
        .replace("/SCALES/", f"/{_any_of(list(_SCALES))}/")
        .replace("/UNITS/", f"/{_any_of([*CURRENCIES, *_other_signs()])}/")
        .replace("OPERAND", operands)
    )
    return Lark(grammar, parser="lalr", transformer=_Evaluator(), maybe_placeholders=False)


def evaluate(text: str) -> Quantity:
    """Work out a cleaned expression.

    Raises:
        ToolError: when it cannot be read, or has no value, saying where.
    """
    try:
        result: Any = _parser().parse(text)
    except UnexpectedInput as error:
        raise _unreadable(text, error) from error
    assert isinstance(result, Quantity)
    return result


class _Evaluator:
    """Works each rule out as soon as it is read; its methods have the rules' names. It keeps nothing: threads share it."""

    def number(self, children: list[Token]) -> Quantity:
        mantissa, _, exponent = children[0].lower().partition("e")
        if exponent and abs(int(exponent[:8])) > _MAX_EXPONENT:
            raise too_large()
        return Quantity(bounded(Fraction(mantissa.rstrip(".") + (f"e{exponent}" if exponent else ""))))

    def constant(self, children: list[Token]) -> Quantity:
        return Quantity(_CONSTANTS[children[0].lower()], exact=False)

    def add(self, children: list[Quantity]) -> Quantity:
        return add(children[0], children[1])

    def subtract(self, children: list[Quantity]) -> Quantity:
        return add(children[0], children[1], -1)

    def multiply(self, children: list[Quantity]) -> Quantity:
        return multiply(children[0], children[1])

    def divide(self, children: list[Quantity]) -> Quantity:
        return divide(children[0], children[1])

    def divide_whole(self, children: list[Quantity]) -> Quantity:
        return divide(children[0], children[1], whole=True)

    def remainder(self, children: list[Quantity]) -> Quantity:
        return remainder(children[0], children[1])

    def negative(self, children: list[Quantity]) -> Quantity:
        return negate(children[0])

    def power(self, children: list[Quantity]) -> Quantity:
        return power(children[0], children[1])

    def percent(self, children: list[Quantity]) -> Quantity:
        operand = children[0]
        if operand.unit or operand.percent:
            raise ToolError("a percent sign belongs to a plain number", fix='Write a share as "19% * 1299 EUR".')
        return replace(operand, value=bounded(operand.value / 100), percent=True)

    def factorial(self, children: list[Quantity]) -> Quantity:
        return FUNCTIONS["factorial"]("factorial", children)

    def scale(self, children: tuple[Quantity, Token]) -> Quantity:
        operand, word = children
        return multiply(operand, Quantity(Fraction(_SCALES[word.lower()])))

    def unit_after(self, children: tuple[Quantity, Token]) -> Quantity:
        operand, word = children
        return _with_unit(operand, word, before=False)

    def unit_before(self, children: tuple[Token, Quantity]) -> Quantity:
        word, operand = children
        return _with_unit(operand, word, before=True)

    def unit_before_negative(self, children: tuple[Token, Quantity]) -> Quantity:
        word, operand = children
        return _with_unit(negate(operand), word, before=True)

    def function(self, children: list[Any]) -> Quantity:
        name = str(children[0]).lower()
        return FUNCTIONS[name](name, children[1:])


def _with_unit(operand: Quantity, token: Token, *, before: bool) -> Quantity:
    unit = read_unit(token, before=before)
    if operand.percent:
        raise ToolError("a percentage of money is written as a product", fix=f'Write "19% * 1299 {unit.written}".')
    if operand.unit:
        agreed = operand.unit.agree(unit)
        if agreed is None:
            raise ToolError(
                f"one amount has two currencies: {operand.unit.written} and {unit.written}", fix="Leave one of the units out."
            )
        unit = agreed
    return replace(operand, unit=unit)


def _unreadable(text: str, error: UnexpectedInput) -> ToolError:
    at = error.pos_in_stream
    if "=" in text:
        return ToolError(
            "an expression has no equals sign and no variables", fix="Give only what is to be worked out, such as 12 * 3."
        )
    if isinstance(error, UnexpectedCharacters) and at is not None:
        return _unknown(text, at)
    token: Any = getattr(error, "token", None)
    if token is None or token.type == "$END" or at is None:
        return ToolError(f"the expression ends too early: {_around(text, len(text))}", fix="Complete it; check the brackets.")
    spaced = " Write numbers without spaces: 1299 or 1,299." if token.type == "NUMBER" else ""
    return ToolError(
        f"{str(token)!r} is not expected here: {_around(text, at)}",
        fix=f"An operator may be missing (write * to multiply), or a bracket. Give one expression only.{spaced}",
    )


def _unknown(text: str, at: int) -> ToolError:
    found = re.match(r"[^\W\d_]+|.", text[at:], re.DOTALL)
    word = found.group() if found else ""
    if word.lower() in FUNCTIONS:
        return ToolError(f"{word} needs its arguments in brackets", fix=f"Write {word}(16), say.")
    if word == ";":
        return ToolError("only one expression is taken", fix="Call again for the next one.")
    near = difflib.get_close_matches(word.lower(), FUNCTIONS, 1)
    return ToolError(
        f"unknown: {word[:40]!r} in {_around(text, at)}",
        fix=f"Did you mean {near[0]}( )?"
        if near
        else "Write numbers, operators, units of money and functions only; leave other words and units out.",
    )


def _around(text: str, at: int) -> str:
    """Show the place of a fault with a mark."""
    before, after = text[max(at - 30, 0) : at], text[at : at + 20]
    return ("…" if at > 30 else "") + before + "⟨here⟩" + after + ("…" if at + 20 < len(text) else "")
