"""Family P, third part: what holds when a parameter is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
from prudent.tools.checking import Checker
from prudent.tools.wording import in_words, quote
from prudent.types import JSON

_DEFAULT_TOLD = re.compile(
    r"""default|optional|omit|if\s+not|if\s+none|if\s+null|if\s+unset|when\s+not|unless|otherwise|left\s+out|without\s+it|leave\s+(it\s+)?(out|empty|blank)
    |if\s+(empty|absent|missing|provided|given|set|specified|true|present|false|enabled)|\b(null|none)\b|\bfilters?\b|\b(extra|additional|further)\b|筛选|过滤|\bused\s+(for|with|when|in)\b|\bin\s+case\b|when\s+(true|set|provided|given|false)|whether
    |缺省|默认|不填|不传|省略|可选|若为空|为空时|未指定|是否""",
    re.IGNORECASE | re.VERBOSE,
)

_ONE_OF_SEVERAL = re.compile(r"\b(at\s+least|exactly|only)\s+one\s+of\b|至少一个|二选一", re.IGNORECASE)
"""Then a parameter is left out because another one is given."""


class NoDefault(ParameterRule):
    """An optional parameter, and nothing about what holds without it."""

    code, title, level, points = "P207", "nothing tells what happens when a parameter is left out", "note", 1.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a default in the schema and in the words."""
        if (
            not parameter.is_top
            or parameter.required
            or parameter.node.get("default") is not None
            or not parameter.text.strip()
        ):
            return None
        if (
            _ONE_OF_SEVERAL.search(definition.description)
            or "boolean" in parameter.kinds
            or _DEFAULT_TOLD.search(parameter.about)
        ):
            return None
        text = parameter.text.strip().rstrip(".。")
        return Hit(
            parameter.place,
            f"{parameter.name!r} may be left out, and nobody says what holds then",
            definition.say(f'"{text[:120]}; … when left out."', f"“{text[:120]}；不填时……。”"),
        )


class OnlyInSchema(ParameterRule):
    """A default or a range that stands in the schema alone."""

    code, title, level, points = "P208", "a default or range stands in the schema only", "note", 0.5

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Compare the schema with the words."""
        missing = unstated(parameter, definition)
        if not missing:
            return None
        return Hit(
            parameter.place,
            "strict modes and some providers drop defaults and bounds from the schema; words stay",
            f"{definition.say('add', '补充')} “{missing}”",
            fix=parameter.is_top,
        )


class Contradiction(ParameterRule):
    """A default that contradicts the parameter's own schema or words."""

    code, title, level, points = "P209", "a default contradicts its own parameter", "warning", 8.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Hold the default to the schema, and to the default that the words name."""
        default = parameter.node.get("default")
        if default is None:
            return None
        if not Checker(definition.schema).accepts(dict(parameter.node), default):
            allowed = in_words(definition.schema, {key: value for key, value in parameter.node.items() if key != "default"})
            return Hit(
                parameter.place,
                f"its default {quote(default, 40)} is not allowed by its own schema, which wants {allowed[:200]}",
                f"make the default {allowed[:120]}, or leave it out",
            )
        told = _told_default(parameter.text)
        if told is None or _same(told, default):
            return None
        return Hit(
            parameter.place,
            f"the words say that the default is {told}, the schema says {quote(default, 40)}",
            f'write the same in both: "default": {quote(default, 40)}, and "{quote(default, 40)} when left out"',
        )


def unstated(parameter: Parameter, definition: Definition, spelled: Mapping[str, str] | None = None) -> str:
    """Write what of a parameter's default and range its description does not say; "" where it says all.

    Args:
        parameter: which.
        definition: the tool.
        spelled: values that are about to be spelled in full.
    """
    if not parameter.text.strip():
        return ""
    chinese = definition.is_chinese
    parts: list[str] = []
    low, high = parameter.constraint("minimum"), parameter.constraint("maximum")
    if (
        isinstance(low, int | float)
        and isinstance(high, int | float)
        and not (_says(parameter.text, low) and _says(parameter.text, high))
    ):
        parts.append(f"{low:g} 到 {high:g}" if chinese else f"{low:g} to {high:g}")
    default = parameter.node.get("default")
    plain = isinstance(default, str | int | float) and default != "" and len(str(default)) <= 40
    if plain and not parameter.required and not _says(parameter.text, default) and not _LEFT_OUT_TOLD.search(parameter.text):
        value = (spelled or {}).get(default, default) if isinstance(default, str) else quote(default)
        parts.append(f"不填时为 {value}" if chinese else f"{value} when left out")
    return ("；" if chinese else "; ").join(parts)


_LEFT_OUT_TOLD = re.compile(
    r"omit|left\s+out|if\s+not\s+\w+|not\s+(provided|given|set|specified)|不填|未指定|省略", re.IGNORECASE
)


def _says(text: str, value: JSON) -> bool:
    word = str(value).lower() if not isinstance(value, float) else f"{value:g}"
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)", text.lower().replace(",", "")) is not None


_TOLD_DEFAULT = re.compile(
    r"""(?:\bdefault(?:s)?(?:\s+value)?\s*(?:is|to|:|=)\s*|(?:默认(?:值)?(?:为|是|：)?\s*))
    (?:(?P<quote>['"`“])(?P<text>[^'"`”]{1,40})['"`”]|(?P<bare>-?\d+(?:\.\d+)?|true|false)(?![\w%-]|[.,:/]\d|\s*(?:[kmgt]b|million|thousand|hours?|minutes?|days?)\b))""",
    re.IGNORECASE | re.VERBOSE,
)


def _told_default(text: str) -> str | None:
    """Read the default that a description names, if it names exactly one."""
    found = [match["text"] or match["bare"] for match in _TOLD_DEFAULT.finditer(text[:5_000])]
    return found[0] if len(found) == 1 else None


def _same(told: str, default: JSON) -> bool:
    if isinstance(default, bool):
        return told.strip().lower() == str(default).lower()
    if isinstance(default, int | float):
        try:
            return float(told) == float(default)
        except ValueError:
            return True  # words such as 'the current year'
    if isinstance(default, str):
        return told.strip().lower().rstrip(".") == default.strip().lower().rstrip(".")
    return True


RULES: tuple[type[Rule], ...] = (NoDefault, OnlyInSchema, Contradiction)
