"""Family E: enumerations, whose values should say what they mean."""

from __future__ import annotations

import re
from collections.abc import Collection

from prudent.design.lint.abbreviations import abbreviated, spell
from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import name_parts

_CHOOSING = frozenset({"mode", "strategy", "algorithm", "depth", "policy", "engine", "profile", "behavior", "模式", "策略"})
_SCALE = frozenset(
    re.findall(
        r"\w+",
        """low medium high small large easy hard slow fast on off auto none dark light start stop enable disable enabled
        disabled yes no open closed read readonly write readwrite all""",
    )
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
        if all(named) or (any(named) and _EXPLAINS.search(text)) or any(_SCALE & set(name_parts(value)) for value in texts):
            return None
        codes = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        if len(codes) == len(values) and _is_counted(parameter, codes):
            return None
        chooses = _CHOOSING & set(name_parts(parameter.name)[-1:]) and all(isinstance(value, str) for value in values)
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
