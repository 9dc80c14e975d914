"""Units of money as people write them, and which of them mean the same currency."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN"})

_SIGNS: dict[str, frozenset[str]] = {
    "US$": frozenset({"USD"}),
    "CA$": frozenset({"CAD"}),
    "AU$": frozenset({"AUD"}),
    "NZ$": frozenset({"NZD"}),
    "HK$": frozenset({"HKD"}),
    "NT$": frozenset({"TWD"}),
    "C$": frozenset({"CAD"}),
    "A$": frozenset({"AUD"}),
    "S$": frozenset({"SGD"}),
    "R$": frozenset({"BRL"}),
    "$": _DOLLARS,
    "€": frozenset({"EUR"}),
    "£": frozenset({"GBP"}),
    "¥": frozenset({"CNY", "JPY"}),
    "₹": frozenset({"INR"}),
    "₩": frozenset({"KRW"}),
    "₽": frozenset({"RUB"}),
    "₺": frozenset({"TRY"}),
    "₫": frozenset({"VND"}),
    "฿": frozenset({"THB"}),
    "₴": frozenset({"UAH"}),
    "₪": frozenset({"ILS"}),
}

_WORDS: dict[str, frozenset[str]] = {
    "euros": frozenset({"EUR"}),
    "euro": frozenset({"EUR"}),
    "dollars": _DOLLARS,
    "dollar": _DOLLARS,
    "pounds": frozenset({"GBP"}),
    "pound": frozenset({"GBP"}),
    "francs": frozenset({"CHF"}),
    "yuan": frozenset({"CNY"}),
    "rmb": frozenset({"CNY"}),
    "yen": frozenset({"JPY"}),
    "人民币": frozenset({"CNY"}),
    "瑞士法郎": frozenset({"CHF"}),
    "欧元": frozenset({"EUR"}),
    "美元": frozenset({"USD"}),
    "英镑": frozenset({"GBP"}),
    "日元": frozenset({"JPY"}),
    "港元": frozenset({"HKD"}),
    "港币": frozenset({"HKD"}),
    "澳元": frozenset({"AUD"}),
    "加元": frozenset({"CAD"}),
    "韩元": frozenset({"KRW"}),
    "卢布": frozenset({"RUB"}),
    "元": frozenset({"CNY"}),
    "块": frozenset({"CNY"}),
    "円": frozenset({"JPY"}),
}

_CODES = (
    "AED",
    "ARS",
    "AUD",
    "BGN",
    "BRL",
    "CAD",
    "CHF",
    "CLP",
    "CNY",
    "COP",
    "CZK",
    "DKK",
    "EGP",
    "EUR",
    "GBP",
    "HKD",
    "HUF",
    "IDR",
    "ILS",
    "INR",
    "ISK",
    "JPY",
    "KES",
    "KRW",
    "MXN",
    "MYR",
    "NGN",
    "NOK",
    "NZD",
    "PEN",
    "PHP",
    "PKR",
    "PLN",
    "QAR",
    "RON",
    "RUB",
    "SAR",
    "SEK",
    "SGD",
    "THB",
    "TRY",
    "TWD",
    "UAH",
    "USD",
    "VND",
    "ZAR",
)

CURRENCIES: dict[str, frozenset[str]] = {**_SIGNS, **_WORDS, **{code.lower(): frozenset({code}) for code in _CODES}}
"""From what is written (words and codes in small letters) to the currencies that it can mean."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of money as it was written, so that the result can be written the same way."""

    written: str
    means: frozenset[str]
    """ISO codes; several where the sign leaves it open, such as `$`."""

    before: bool
    """Whether it stood before its number."""

    def decorate(self, number: str) -> str:
        """Write the unit on a number, on the side where it stood."""
        if not self.before:
            return number + ("" if _stands_close(self.written) else " ") + self.written
        if self.written.isalpha():
            return f"{self.written} {number}"
        return f"-{self.written}{number[1:]}" if number.startswith("-") else self.written + number

    def agree(self, other: Unit) -> Unit | None:
        """Give the more definite of two units that can mean the same currency, None when they cannot."""
        both = self.means & other.means
        if not both:
            return None
        return other if len(other.means) < len(self.means) else self


def read_unit(written: str, *, before: bool) -> Unit:
    """Read a unit that stands in `CURRENCIES`, or any other sign of money, which means itself."""
    means = CURRENCIES.get(written) or CURRENCIES.get(written.lower()) or frozenset({written})
    return Unit(written, means, before)


def _stands_close(written: str) -> bool:
    return unicodedata.category(written[0]) in {"Lo", "Sc"}
