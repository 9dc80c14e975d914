"""Family P, second part: units and ranges of parameters."""

from __future__ import annotations

import re

from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import name_parts

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


def _has_unit_parameter(definition: Definition) -> bool:
    return any({"unit", "units", "currency", "单位"} & set(name_parts(parameter.name)) for parameter in definition.parameters)


RULES: tuple[type[Rule], ...] = (NoUnit, NoRange)
