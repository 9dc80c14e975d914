"""Family E: enumerations, whose values should say what they mean."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
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
_CHOOSING = frozenset(
    {
        *(
            "mode",
            "strategy",
            "algorithm",
            "level",
            "depth",
            "policy",
            "kind",
            "engine",
            "profile",
            "tier",
            "behavior",
            "method",
            "模式",
            "策略",
        )
    }
)
_SCALE = frozenset(
    {"low", "medium", "high", "small", "large", "easy", "hard", "slow", "fast", "on", "off", "auto", "none", "dark", "light"}
)
"""Words that say themselves when to choose them."""

_EXPLAINS = re.compile(r"[:：=（(–—-]|\bmeans?\b|\bfor\b|\bif\b|\bwhen\b|\bis\b|\bto\b|表示|代表|即|为")
_IN_PROSE = re.compile(
    r"""(?:\b(?:one\s+of|either|can\s+(?:only\s+)?be|must\s+be|should\s+be|options\s+(?:are|include)|possible\s+values(?:\s+are)?|valid\s+values(?:\s+are)?
    |allowed\s+values(?:\s+are)?|accepted\s+values(?:\s+are)?|choose\s+from|choices\s+are|values\s*:|options\s*:)|可选值|取值(?:为|包括)?|可以是|只能是)
    \s*[:：]?\s*
    (?P<list>['"`“‘][\w .+-]{1,30}['"`”’]
    (?:(?:\s*[,、/|]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|或|和)['"`“‘][\w .+-]{1,30}['"`”’])+)""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(r"['\"`“‘]([\w .+-]{1,30})['\"`”’]")
_OPEN_LIST = re.compile(
    r"\betc\b|such\s+as|for\s+example|e\.g|\.\.\.|and\s+so\s+on|\bor\s+any\b|others?\b|例如|等", re.IGNORECASE
)


class Abbreviated(ParameterRule):
    """Values cut down to letters."""

    code, title, level, points = "E301", "abbreviated values of an enumeration", "warning", 6.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for values of a letter or two that nobody explains."""
        short = abbreviated(parameter)
        unexplained = [value for value in short if not _is_explained(value, parameter.about)]
        if not unexplained:
            return None
        spelled = spell(parameter)
        shown = ", ".join(map(repr, unexplained[:8]))
        if spelled and definition.is_code:
            pairs = ", ".join(f'"{full}": "{value}"' for value, full in spelled.items())
            rewrite = (
                f"@tool(enum_values={{{pairs}}}), which spells them in full for the model; the function gets them as before"
            )
        elif spelled:
            pairs = ", ".join(f'"{full}" for "{value}"' for value, full in spelled.items())
            meanings = "; ".join(f"{value}: {full}" for value, full in spelled.items())
            rewrite = f"spell them in full: {pairs}; or say what they mean: “{meanings}”"
        else:
            listed = "; ".join(f"{value}: …" for value in unexplained[:8])
            rewrite = f"spell them in full, or say what each means: “{listed}”"
        return Hit(
            parameter.place,
            f"{shown} {'is' if len(unexplained) == 1 else 'are'} short for something that nobody tells",
            rewrite,
            fix=bool(spelled) and definition.form != "function",
        )


class Unexplained(ParameterRule):
    """Values of which nobody says when to choose them."""

    code, title, level, points = "E302", "unexplained values of an enumeration", "note", 3.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for numbers without meaning, and for ways of working without a word about them."""
        values = parameter.enum
        if len(values) < 2 or len(values) > 40 or abbreviated(parameter):
            return None
        texts = [str(value) for value in values]
        text = parameter.about.lower()
        named = [mentions(text, value) for value in texts]
        if all(named) or (any(named) and _EXPLAINS.search(text)) or _SCALE & {value.lower() for value in texts}:
            return None
        codes = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        if len(codes) == len(values) and _is_counted(parameter, codes):
            return None
        chooses = _CHOOSING & set(name_parts(parameter.name)) and all(isinstance(value, str) for value in values)
        if len(codes) != len(values) and not chooses:
            return None
        listed = "; ".join(f"{value}: …" for value in texts[:8])
        return Hit(
            parameter.place,
            f"nothing says when to choose which of {', '.join(texts[:8])}{'…' if len(texts) > 8 else ''}",
            f"{definition.say('say when to choose which', '说明何时选择哪个值')}: “{listed}”"
            + ("; in Python by @tool(enum_help={…})" if definition.is_code else ""),
        )


class InProse(ParameterRule):
    """Allowed values that stand in the words and not in the schema."""

    code, title, level, points = "E303", "the allowed values stand in the words only", "warning", 4.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a closed list of quoted values."""
        if (
            parameter.enum
            or not (parameter.is_text or not parameter.kinds)
            or "const" in parameter.node
            or "pattern" in parameter.node
        ):
            return None
        match = _IN_PROSE.search(parameter.text[:5_000])
        if not match or _OPEN_LIST.search(parameter.text) or _is_conditional(parameter.text, match.start()):
            return None
        values = list(dict.fromkeys(_QUOTED.findall(match["list"])))
        if len(values) < 2:
            return None
        listed = ", ".join(f'"{value}"' for value in values)
        python = f"; in Python: Literal[{listed}]" if definition.is_code else ""
        return Hit(
            parameter.place,
            "the words list the allowed values, but the schema takes any text",
            f'"enum": [{listed}]{python}',
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


def mentions(text: str, value: str) -> bool:
    """Whether a text has a value as a word of its own."""
    return re.search(rf"(?<![a-z0-9]){re.escape(value.lower())}(?![a-z0-9])", text) is not None


def _is_explained(value: str, text: str) -> bool:
    """Whether a text says what a value is short for: `c: celsius`, `'c' for celsius`, `celsius (c)`."""
    word = re.escape(value)
    quoted = rf"['\"`“‘]{word}['\"`”’]\s+(?!,|or\b|and\b)[a-z]{{3,}}"
    before = rf"['\"`“‘]?\b{word}\b['\"`”’]?\s*(?:[:：=(（–—-]|\bfor\b|\bmeans\b|\bis\b|表示|代表|为|即)"
    after = rf"\w{{2,}}\s*[(（]\s*['\"`“‘]?{word}['\"`”’]?\s*[)）]"
    return re.search(f"{quoted}|{before}|{after}", text) is not None


def _is_conditional(text: str, at: int) -> bool:
    """Whether the sentence at a place speaks of a special case only."""
    start = max(text.rfind(mark, 0, at) for mark in ".;。；\n")
    return re.match(r"\W*(if|when|for|in\s+case|如果|当)\b", text[start + 1 : at], re.IGNORECASE) is not None


def _is_counted(parameter: Parameter, codes: Collection[int]) -> bool:
    """Whether numbers are amounts, which explain themselves, and no codes."""
    named = set(name_parts(parameter.name))
    coded = named & {"type", "status", "mode", "code", "kind", "category", "level", "state", "类型", "状态", "模式"}
    return not coded and (len(codes) > 1)


RULES: tuple[type[Rule], ...] = (Abbreviated, Unexplained, InProse)
