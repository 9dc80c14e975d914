"""The functions of the calculator, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from typing import TypeAlias

from prudent.errors import ToolError
from prudent.toolkits.calculator.quantity import MAX_BITS, Quantity, bounded, plain, same_unit, too_large, write

_PRECISE = Context(prec=50, Emax=2000, Emin=-2000)
_MAX_ROOT = 64
_MAX_FACTORIAL = 1000
_MAX_FLOAT = 10**12

_Apply: TypeAlias = Callable[[list[Quantity]], Quantity]


@dataclass(frozen=True, slots=True)
class Function:
    """A function and how many arguments it takes."""

    apply: _Apply
    least: int = 1
    most: int = 1

    def __call__(self, name: str, arguments: list[Quantity]) -> Quantity:
        """Apply it, after counting the arguments."""
        if not self.least <= len(arguments) <= self.most:
            due = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
            raise ToolError(f"{name} takes {due} arguments, {len(arguments)} were given", fix="Separate arguments by commas.")
        return self.apply(arguments)


def power(base: Quantity, exponent: Quantity) -> Quantity:
    """Raise to a power, exactly where the result is a fraction."""
    root, power_ = plain(base, "a power"), plain(exponent, "an exponent")
    result = Quantity(Fraction(1), exact=base.exact and exponent.exact, notes=base.notes + exponent.notes)
    if not root and power_ < 0:
        raise ToolError(f"division by zero: {write(base)} ^ {write(exponent)}", fix="Check the exponent.")
    if power_.denominator == 1:
        return replace(result, value=_whole_power(root, power_.numerator))
    if root < 0:
        raise ToolError(
            f"{write(base)} ^ {write(exponent)} is no real number", fix="Only whole powers of negative numbers exist."
        )
    exact = _exact_root(root, power_)
    if exact is not None:
        return replace(result, value=exact)
    return replace(result, value=_rounded(lambda: _PRECISE.power(_decimal(root), _decimal(power_))), exact=False)


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and bits * abs(exponent) > MAX_BITS + bits:
        raise too_large()
    return bounded(base ** (exponent % 2 if abs(base) == 1 else exponent))


def _exact_root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Find a rational result, such as 8 ^ (1/3) = 2, or None."""
    if exponent.denominator > _MAX_ROOT:
        return None
    top, bottom = (_whole_root(part, exponent.denominator) for part in (base.numerator, base.denominator))
    return None if top is None or bottom is None else _whole_power(Fraction(top, bottom), exponent.numerator)


def _whole_root(number: int, degree: int) -> int | None:
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def _decimal(value: Fraction) -> Decimal:
    return _PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _rounded(work: Callable[[], Decimal]) -> Fraction:
    try:
        value = work()
    except DecimalException as error:
        raise too_large() from error
    if not value.is_finite():
        raise too_large()
    return bounded(Fraction(value))


def _through(name: str, work: Callable[[Fraction], Fraction], allowed: Callable[[Fraction], bool], domain: str) -> Function:
    """Make a function of one plain number whose result is rounded."""

    def apply(arguments: list[Quantity]) -> Quantity:
        (only,) = arguments
        value = plain(only, name)
        if not allowed(value):
            raise ToolError(f"{name}({write(only)}) has no value", fix=f"{name} takes {domain}.")
        return replace(only, value=work(value), percent=False, exact=False)

    return Function(apply)


def _by_float(name: str, function: Callable[[float], float]) -> Function:
    def work(value: Fraction) -> Fraction:
        result = function(float(value))
        if abs(result) > _MAX_FLOAT:
            raise too_large()
        # Fifteen places: the last digit of a float is noise, and sin(pi) should be 0.
        return Fraction(repr(round(result, 15)))

    unit_range = name in {"asin", "acos"}
    limit = 1 if unit_range else 10**9
    return _through(name, work, lambda value: abs(value) <= limit, f"numbers from -{limit:,} to {limit:,}, angles in radians")


def _logarithm(arguments: list[Quantity]) -> Quantity:
    values = [plain(argument, "the logarithm") for argument in arguments]
    number, base = values[0], values[1] if len(values) > 1 else Fraction(10)
    if number <= 0 or base <= 0 or base == 1:
        raise ToolError("a logarithm needs a number above 0, and a base above 0 that is not 1", fix="Check the arguments.")
    joined = same_unit(arguments)
    if len(values) == 1:
        joined = replace(joined, notes=(*joined.notes, "log is to base 10; ln is the natural one"))
    value = _rounded(lambda: _PRECISE.divide(_PRECISE.ln(_decimal(number)), _PRECISE.ln(_decimal(base))))
    whole = round(value)
    if abs(whole) <= MAX_BITS and abs(value - whole) < Fraction(1, 10**30) and _whole_power(base, whole) == number:
        return replace(joined, value=Fraction(whole), percent=False)
    return replace(joined, value=value, percent=False, exact=False)


def _ln(value: Fraction) -> Fraction:
    return _rounded(lambda: _PRECISE.ln(_decimal(value)))


def _exp(value: Fraction) -> Fraction:
    return _rounded(lambda: _PRECISE.exp(_decimal(value)))


def _round(arguments: list[Quantity]) -> Quantity:
    number = arguments[0]
    places = plain(arguments[1], "the number of places") if len(arguments) > 1 else Fraction(0)
    if places.denominator != 1 or not -20 <= places <= 20:
        raise ToolError(
            f"round to {write(arguments[1])} places is not possible", fix="Give a whole number of places from -20 to 20."
        )
    scale = Fraction(10) ** places.numerator
    return replace(number, value=_half_up(number.value * scale * _hundred(number)) / scale / _hundred(number))


def _half_up(value: Fraction) -> Fraction:
    return Fraction(math.floor(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1))


def _hundred(quantity: Quantity) -> int:
    """A percentage is rounded as it is written: round(12.6%) is 13%."""
    return 100 if quantity.percent else 1


def _floor(arguments: list[Quantity]) -> Quantity:
    return replace(
        arguments[0], value=Fraction(math.floor(arguments[0].value * _hundred(arguments[0])), _hundred(arguments[0]))
    )


def _ceiling(arguments: list[Quantity]) -> Quantity:
    return replace(arguments[0], value=Fraction(math.ceil(arguments[0].value * _hundred(arguments[0])), _hundred(arguments[0])))


def _choose(choose: Callable[[list[Fraction]], Fraction]) -> Function:
    """Make a function of any number of amounts of one kind."""

    def apply(arguments: list[Quantity]) -> Quantity:
        return replace(same_unit(arguments), value=bounded(choose([argument.value for argument in arguments])))

    return Function(apply, 1, 500)


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _median(values: list[Fraction]) -> Fraction:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _factorial(arguments: list[Quantity]) -> Quantity:
    number = plain(arguments[0], "a factorial")
    if number.denominator != 1 or not 0 <= number <= _MAX_FACTORIAL:
        raise ToolError(
            f"the factorial of {write(arguments[0])} is not worked out",
            fix=f"It takes whole numbers from 0 to {_MAX_FACTORIAL:,}.",
        )
    return replace(arguments[0], value=bounded(Fraction(math.factorial(number.numerator))), percent=False)


def _sqrt(arguments: list[Quantity]) -> Quantity:
    return power(replace(arguments[0], percent=False), Quantity(Fraction(1, 2)))


FUNCTIONS: Mapping[str, Function] = {
    "sqrt": Function(_sqrt),
    "abs": Function(lambda arguments: replace(arguments[0], value=abs(arguments[0].value))),
    "round": Function(_round, 1, 2),
    "floor": Function(_floor),
    "ceil": Function(_ceiling),
    "ceiling": Function(_ceiling),
    "min": _choose(min),
    "max": _choose(max),
    "sum": _choose(lambda values: sum(values, Fraction(0))),
    "avg": _choose(_mean),
    "average": _choose(_mean),
    "mean": _choose(_mean),
    "median": _choose(_median),
    "pow": Function(lambda arguments: power(arguments[0], arguments[1]), 2, 2),
    "factorial": Function(_factorial),
    "log": Function(_logarithm, 1, 2),
    "ln": _through("ln", _ln, lambda value: value > 0, "numbers above 0"),
    "exp": _through("exp", _exp, lambda value: abs(value) <= 2000, "numbers from -2,000 to 2,000"),
    **{
        name: _by_float(name, getattr(math, name))
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "degrees", "radians")
    },
}
"""By name, in small letters."""
