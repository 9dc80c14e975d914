"""Numbers with what they carry: a unit of money, a percent sign, whether they are exact. And the rules for joining them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction

from prudent.errors import ToolError
from prudent.toolkits.calculator.money import Unit

MAX_BITS = 13_000
"""Of a numerator or denominator: about 3,900 digits, which take no time."""

_PLACES = 40
"""Digits of an exact result that are written out."""

_ROUNDED_PLACES = 15


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the middle of a calculation."""

    value: Fraction
    unit: Unit | None = None
    percent: bool = False
    """Whether it is a bare percentage, such as 19%, whose value is 0.19."""

    exact: bool = True
    notes: tuple[str, ...] = ()
    """What was decided on the way that the reader should know."""


def bounded(value: Fraction) -> Fraction:
    """Give the number back, unless it has grown past all use."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise too_large()
    return value


def too_large() -> ToolError:
    """Make the error for a result past all use."""
    return ToolError("the result is too large to work out", fix="Use smaller numbers or exponents.")


def add(left: Quantity, right: Quantity, sign: int = 1) -> Quantity:
    """Add, or take away with a sign of -1. A percentage added to anything else is that share of it: 250 - 15% is 212.5."""
    joined = _join(left, right)
    if right.percent and not left.percent:
        share = bounded(left.value * right.value)
        note = f"{write(right)} of {write(left)} is {write(replace(joined, value=share, percent=False))}"
        return replace(joined, value=bounded(left.value + sign * share), percent=False, notes=(*joined.notes, note))
    unit, notes = _common_unit(left, right)
    percent = left.percent and right.percent
    value = bounded(left.value + sign * right.value)
    return replace(joined, value=value, unit=unit, percent=percent, notes=joined.notes + notes)


def negate(operand: Quantity) -> Quantity:
    """Turn the sign; a percentage stays one."""
    return replace(operand, value=-operand.value)


def multiply(left: Quantity, right: Quantity) -> Quantity:
    """Multiply; at most one of the two is money."""
    if left.unit and right.unit:
        raise ToolError(
            f"money cannot be multiplied by money: {write(left)} * {write(right)}",
            fix="Leave the unit of one of them out.",
        )
    return replace(_join(left, right), value=bounded(left.value * right.value), unit=left.unit or right.unit)


def divide(left: Quantity, right: Quantity, *, whole: bool = False) -> Quantity:
    """Divide; money by money of the same currency is a plain number. `whole` rounds down."""
    unit = _unit_of_quotient(left, right)
    _refuse_zero(right, f"{write(left)} / {write(right)}")
    value = bounded(left.value / right.value)
    return replace(_join(left, right), value=Fraction(value // 1) if whole else value, unit=unit)


def remainder(left: Quantity, right: Quantity) -> Quantity:
    """Give what is left after whole division; it has the sign of the divisor."""
    if right.unit and not left.unit:
        raise ToolError(
            f"{write(left)} mod {write(right)} has no meaning", fix=f"For a share write {write(left)}% * {write(right)}."
        )
    unit = _common_unit(left, right)[0] if right.unit else left.unit
    _refuse_zero(right, f"{write(left)} mod {write(right)}")
    note = f"the remainder of {write(left)} divided by {write(right)}"
    joined = _join(left, right)
    return replace(joined, value=bounded(left.value % right.value), unit=unit, notes=(*joined.notes, note))


def plain(quantity: Quantity, what: str) -> Fraction:
    """Give the bare number for an operation that has no meaning for money."""
    if quantity.unit:
        raise ToolError(f"{what} of {write(quantity)} has no meaning", fix="Leave the unit of money out there.")
    return quantity.value


def same_unit(quantities: list[Quantity]) -> Quantity:
    """Give a zero that carries what all of these have in common; refuses two currencies."""
    unit, notes = _common_unit(*quantities)
    return Quantity(
        Fraction(0),
        unit,
        percent=all(quantity.percent for quantity in quantities),
        exact=all(quantity.exact for quantity in quantities),
        notes=tuple(note for quantity in quantities for note in quantity.notes) + notes,
    )


def write(quantity: Quantity) -> str:
    """Write the number in plain digits with its unit or percent sign."""
    number, _ = digits(quantity.value * 100 if quantity.percent else quantity.value)
    if quantity.percent:
        return number + "%"
    return quantity.unit.decorate(number) if quantity.unit else number


def digits(value: Fraction) -> tuple[str, bool]:
    """Write a number, and tell whether every digit of it is there."""
    with localcontext(Context(prec=_PLACES, traps=[])) as context:
        number = Decimal(value.numerator) / Decimal(value.denominator)
        complete = not context.flags[Inexact]
    if not complete:
        number = Context(prec=_ROUNDED_PLACES).plus(number)
    number = number.normalize(Context(prec=_PLACES)) if number else Decimal(0)
    return format(number, "f" if -_PLACES <= number.adjusted() <= _PLACES else "e"), complete


def _join(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(Fraction(0), left.unit or right.unit, exact=left.exact and right.exact, notes=left.notes + right.notes)


def _common_unit(*quantities: Quantity) -> tuple[Unit | None, tuple[str, ...]]:
    """Find the unit of a sum. A plain number beside money counts as the same currency, and the result says so."""
    unit: Unit | None = None
    for other in (quantity.unit for quantity in quantities if quantity.unit):
        agreed = unit.agree(other) if unit else other
        if agreed is None:
            raise ToolError(
                f"two currencies cannot be joined: {unit.written if unit else ''} and {other.written}",
                fix="Convert one amount first, with a rate that you were given or looked up.",
            )
        unit = agreed
    if unit is None:
        return None, ()
    bare = [quantity for quantity in quantities if quantity.value and not quantity.unit]
    return unit, tuple(f"{write(quantity)} taken as {unit.written}" for quantity in bare)


def _unit_of_quotient(left: Quantity, right: Quantity) -> Unit | None:
    if right.unit is None:
        return left.unit
    if left.unit is None:
        raise ToolError(
            f"a plain number cannot be divided by money: {write(left)} / {write(right)}",
            fix="Leave the unit out, or divide money.",
        )
    _common_unit(left, right)
    return None


def _refuse_zero(divisor: Quantity, shown: str) -> None:
    if not divisor.value:
        raise ToolError(f"division by zero: {shown}", fix="Check the divisor.")
