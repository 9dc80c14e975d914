"""Abbreviated values of enumerations: which they are, and how they are spelled in full."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from prudent.design.sheet import Parameter
from prudent.design.words import name_parts, stem

_SPELLED: tuple[tuple[frozenset[str], Mapping[str, str]], ...] = (
    (
        frozenset({"unit", "units", "temperature", "scale", "degree", "degrees", "温度", "单位"}),
        {"c": "celsius", "f": "fahrenheit", "k": "kelvin"},
    ),
    (frozenset({"gender", "sex", "性别"}), {"m": "male", "f": "female", "o": "other", "x": "other", "u": "unknown"}),
    (
        frozenset({"direction", "heading", "方向"}),
        {"n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down", "l": "left", "r": "right"},
    ),
    (frozenset({"side", "order", "action", "operation", "type", "trade"}), {"b": "buy", "s": "sell"}),
    (
        frozenset({"priority", "level", "severity", "risk", "importance", "urgency", "优先级"}),
        {
            "l": "low",
            "m": "medium",
            "h": "high",
            "c": "critical",
            "lo": "low",
            "med": "medium",
            "hi": "high",
            "crit": "critical",
        },
    ),
    (
        frozenset({"period", "interval", "granularity", "unit", "frequency", "resolution", "time", "every", "周期"}),
        {
            "s": "second",
            "min": "minute",
            "h": "hour",
            "d": "day",
            "w": "week",
            "m": "month",
            "q": "quarter",
            "y": "year",
            "hr": "hour",
            "wk": "week",
            "mo": "month",
            "yr": "year",
        },
    ),
    (frozenset({"sort", "order", "direction", "sorting"}), {"a": "ascending", "d": "descending"}),
    (
        frozenset({"mode", "access", "permission", "permissions"}),
        {"r": "read", "w": "write", "a": "append", "x": "execute", "rw": "read_write", "rd": "read", "wr": "write"},
    ),
    (frozenset[str](), {"y": "yes", "n": "no"}),
    (frozenset[str](), {"t": "true", "f": "false"}),
    (
        frozenset({"status", "state", "result"}),
        {"a": "active", "i": "inactive", "p": "pending", "d": "done", "f": "failed", "s": "success"},
    ),
    (frozenset({"env", "environment", "stage"}), {"dev": "development", "prod": "production", "stg": "staging", "tst": "test"}),
    (
        frozenset({"axis", "alignment", "align", "position"}),
        {"l": "left", "r": "right", "c": "center", "t": "top", "b": "bottom"},
    ),
)
_KNOWN = frozenset(
    re.findall(
        r"\w+",
        """kg mg km cm mm ml nm ft lb lbs oz hz mb gb kb tb px pt em mph kph ms am pm a4 a5 a3 us uk eu un ca de fr es it
        jp cn in br au ru nl se no dk fi pl kr mx en zh ja ko ar hi go py js ts rs cs md uv id ip tv pc ac dc ok on
        off yes up all any or and xs sm lg xl s l xxl aa ab bm25 not eq ne lt le gt ge is o2 h2 n2 he by to at as do
        if my we me so ad inr usd eur gbp top low new old hot big csv pdf png jpg svg xml txt json html asc desc get
        put sum avg min max rgb hex ios""",
    )
)
_SIZES = frozenset({"xs", "s", "m", "l", "xl", "xxl", "xxxl"})
_LETTERED = frozenset(
    {
        "grade",
        "blood",
        "code",
        "language",
        "country",
        "lang",
        "locale",
        "iata",
        "currency",
        "symbol",
        "element",
        "letter",
        "key",
        "note",
        "class",
        "size",
        "variable",
        "state",
        "axis",
        "vitamin",
        "option",
        "choice",
        "answer",
        "column",
        "model",
        "tier",
        "method",
        "region",
    }
)
_ALWAYS_LETTERED = frozenset(
    map(stem, ("nucleotide", "dna", "chromosome", "blood", "grade", "vitamin", "currency", "airport", "ticker"))
)


def abbreviated(parameter: Parameter) -> list[str]:
    """List the values of a parameter that are a letter or two, and no word, code or size that everybody knows."""
    values = [value for value in parameter.enum if isinstance(value, str) and value]
    lower = {value.lower() for value in values}
    if not values or len(values) > 30 or lower <= _SIZES or _is_known_code(parameter):
        return []
    spelled = spell(parameter)
    return [
        value
        for value in values
        if value in spelled or (len(value) <= 2 and value.isalpha() and value.isascii() and value.lower() not in _KNOWN)
    ]


def _is_known_code(parameter: Parameter) -> bool:
    """Whether the values are letters that everybody knows as such: grades, nucleotides, airports."""
    words = {stem(word) for word in re.findall(r"[a-z]+", parameter.text.lower())}
    return bool(_LETTERED & set(name_parts(parameter.name)) or _ALWAYS_LETTERED & words)


def spell(parameter: Parameter) -> dict[str, str]:
    """Spell the abbreviated values of an enumeration in full, where all of them are known; {} otherwise."""
    values = [value for value in parameter.enum if isinstance(value, str)]
    if len(values) < 2 or len(values) != len(parameter.enum):
        return {}
    said = {*name_parts(parameter.name), *re.findall(r"[a-z]+|[\u4e00-\u9fff]{2}", parameter.text.lower())}
    for topics, words in _SPELLED:
        found = {value: words[value.lower()] for value in values if value.lower() in words}
        fits = (not topics or topics & said) and len(found) >= 2 if not topics else topics & said and found
        if fits and _covers(found, values, words.values()):
            return found
    return {}


def _covers(found: Mapping[str, str], values: Collection[str], full: Collection[str]) -> bool:
    """Whether every value is a known abbreviation, or a whole word; and no two mean the same."""
    others = [value for value in values if value not in found]
    if any(len(value) <= 2 for value in others) or len(found) < 2:
        return False
    spelled = [*found.values(), *others]
    return len(set(spelled)) == len(spelled) and (not others or any(other.lower() in full for other in others))
