"""Family P, second half: units, ranges and defaults of parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import name_parts
from prudent.tools.checking import Checker
from prudent.tools.wording import in_words, quote
from prudent.types import JSON

_QUANTITIES = {
    "distance": "kilometres",
    "radius": "kilometres",
    "weight": "kilograms",
    "mass": "kilograms",
    "height": "centimetres",
    "width": "pixels",
    "length": "metres",
    "depth": "metres",
    "altitude": "metres",
    "elevation": "metres",
    "duration": "seconds",
    "timeout": "seconds",
    "delay": "seconds",
    "interval": "seconds",
    "ttl": "seconds",
    "temperature": "degrees Celsius",
    "speed": "km/h",
    "velocity": "m/s",
    "pressure": "pascal",
    "volume": "litres",
    "area": "square metres",
    "energy": "joules",
    "force": "newtons",
    "angle": "degrees",
    "price": "EUR",
    "cost": "EUR",
    "amount": "EUR",
    "salary": "EUR",
    "income": "EUR",
    "budget": "EUR",
    "距离": "公里",
    "重量": "千克",
    "体重": "千克",
    "身高": "厘米",
    "时长": "秒",
    "超时": "秒",
    "温度": "摄氏度",
    "价格": "元",
    "金额": "元",
}
_UNIT = re.compile(
    r"""\b(units?|seconds?|secs?|milliseconds?|ms|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|ticks?|frames?|steps?
    |(kilo|centi|milli)?met(er|re)s?|km|cm|mm|inch(es)?|feet|foot|ft|yards?|miles?|nm|nautical|light[- ]?years?
    |(kilo|milli|micro)?grams?|kgs?|kilos?|lbs?|pounds?|ounces?|oz|tons?|tonnes?|au|astronomical|parsecs?
    |celsius|fahrenheit|kelvin|degrees?|radians?|°\w?
    |px|pixels?|chars?|characters?|words?|tokens?|lines?|rows?|items?|bytes?|[kmg]b|m/s|km/h|mph|kph|kmh|knots?|per\s+\w+|pascals?|pa|atm|bar|psi|mmhg
    |lit(er|re)s?|ml|gallons?|cubic|square|sq|acres?|hectares?|joules?|j|kwh|kj|calories|ev|newtons?|n|coulombs?|tesla|ohms?|volts?|amps?
    |usd|eur|gbp|cny|jpy|rmb|dollars?|euros?|cents?|currency|\$|€|percent(age)?|%|ratio|fraction|nights|between\s+\d)\b
    |[$€£¥%°]|单位|秒|分钟|小时|天|米|公里|千米|厘米|千克|公斤|克|摄氏|华氏|元|美元|字节|像素|平方|立方|升""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_QUANTITY = frozenset(
    {
        *(
            "count",
            "number",
            "id",
            "type",
            "level",
            "index",
            "ratio",
            "factor",
            "rate",
            "percent",
            "percentage",
            "class",
            "max_depth",
        )
    }
)
_MONEY = frozenset({"price", "cost", "amount", "salary", "income", "budget", "价格", "金额"})
_CALCULATES = re.compile(r"calc|comput|discount|interest|convert|tip\b|tax", re.IGNORECASE)
"""Sums that come out right in any currency."""

_SHAPES = re.compile(
    r"\b(circles?|rectang\w+|triang\w+|cuboids?|cubes?|cylinders?|spheres?|cones?|polygons?|squares?\b(?!\s+(met|feet|kilo))|trapez\w+|prisms?|pyramids?|ellips\w+)",
    re.IGNORECASE,
)
"""Geometry comes out right in any unit."""

_FRACTIONS = frozenset(
    {
        *("ratio", "probability", "confidence", "similarity", "opacity", "rating", "priority", "percentage", "percent"),
        *("interest", "score", "quality"),
    }
)
_RANGE_TOLD = re.compile(
    r"\d|\bpercent|%|between|range|scale|fraction|decimal|minimum|maximum|at\s+(least|most)|positive|higher|lower|范围|至|到|之间|小数|百分",
    re.IGNORECASE,
)
_DEFAULT_TOLD = re.compile(
    r"""default|optional|omit|if\s+not|if\s+none|if\s+null|if\s+unset|when\s+not|unless|otherwise|left\s+out|without\s+it|leave\s+(it\s+)?(out|empty|blank)
    |if\s+(empty|absent|missing|provided|given|set|specified|true|present|false|enabled)|none\s+means|null\s+means|when\s+(true|set|provided|given|false)|whether
    |缺省|默认|不填|不传|省略|可选|若为空|为空时|未指定|是否""",
    re.IGNORECASE | re.VERBOSE,
)


class NoUnit(ParameterRule):
    """A quantity without its unit."""

    code, title, level, points = "P204", "the unit of a quantity is not told", "warning", 5.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a unit in the name, the words and a neighbouring parameter."""
        parts = name_parts(parameter.name)
        quantity = next((part for part in reversed(parts) if part in _QUANTITIES), "")
        if not quantity or not parameter.is_number or parameter.enum:
            return None
        if _NO_QUANTITY & set(parts) or _UNIT.search(" ".join(parts)) or _UNIT.search(parameter.about):
            return None
        if quantity in _MONEY and _CALCULATES.search(f"{definition.name} {definition.description}"):
            return None
        if _SHAPES.search(definition.description) or _has_unit_parameter(definition) or _UNIT.search(definition.description):
            return None
        unit = _QUANTITIES[quantity]
        text = parameter.text.strip().rstrip(".。") or " ".join(parts).capitalize()
        return Hit(
            parameter.place,
            f"{parameter.name!r} is a quantity, and nobody says in which unit",
            definition.say(
                f'"{text[:120]}, in {unit}." (or whatever unit it is)', f"“{text[:120]}，单位为{unit}。”（按实际单位）"
            ),
        )


class NoRange(ParameterRule):
    """A figure on a scale that nobody tells."""

    code, title, level, points = "P206", "the range of a value is not told", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for bounds in the schema and in the words."""
        parts = name_parts(parameter.name)
        if not parameter.is_number or not _FRACTIONS & set(parts) or parameter.enum:
            return None
        bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        if _UNIT.search(" ".join(parts)) and not {"percent", "percentage", "ratio"} & set(parts):
            return None
        if any(parameter.constraint(key) is not None for key in bounds) or _RANGE_TOLD.search(parameter.about):
            return None
        text = parameter.text.strip().rstrip(".。") or " ".join(parts).capitalize()
        return Hit(
            parameter.place,
            f"{parameter.name!r} lies on a scale, and neither the schema nor the words tell which: 0 to 1, 1 to 5, 0 to 100?",
            definition.say(
                f'"{text[:120]}, from 0 to 1." with "minimum": 0, "maximum": 1 in the schema (or whatever the scale is)',
                f"“{text[:120]}，取值 0 到 1。”，并在 schema 中写 minimum 和 maximum（按实际范围）",
            ),
        )


class NoDefault(ParameterRule):
    """An optional parameter, and nothing about what holds without it."""

    code, title, level, points = "P207", "nothing tells what happens when a parameter is left out", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a default in the schema and in the words."""
        if (
            not parameter.is_top
            or parameter.required
            or parameter.node.get("default") is not None
            or not parameter.text.strip()
        ):
            return None
        if parameter.is_flag or _DEFAULT_TOLD.search(parameter.about):
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


def _has_unit_parameter(definition: Definition) -> bool:
    return any({"unit", "units", "currency", "单位"} & set(name_parts(parameter.name)) for parameter in definition.parameters)


RULES: tuple[type[Rule], ...] = (NoUnit, NoRange, NoDefault, OnlyInSchema, Contradiction)
