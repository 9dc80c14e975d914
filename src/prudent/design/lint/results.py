"""Family R: what a tool gives back, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prudent.design.lint.rule import Hit, ParameterRule, Rule, Toolset
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import name_parts

_LISTING = frozenset({"list", "search", "find", "query", "列出", "搜索", "查找"})
_MANY = re.compile(
    r"""^\s*(list(s|ing)?|search(es)?|find(s)?|get(s)?\s+all|fetch(es)?\s+all|retrieve(s)?\s+(all|a\s+list|every)|returns?\s+(all|a\s+list|every)
    |get(s)?\s+a\s+list|show(s)?\s+all)\b|列出|搜索|所有|全部""",
    re.IGNORECASE | re.VERBOSE,
)
_ALL = re.compile(r"\ball\b|\bevery\b|\blist\s+of\b|\bresults\b|\w{3,}(?<!s)s\b|所有|全部|列表", re.IGNORECASE)
_ONE = re.compile(
    r"\b(the|a|an)\s+(closest|nearest|best|single|first|latest|average|total|number|sum|minimum|maximum|one)\b|\bone\b|\bcount\b|\bhow\s+many\b|up\s+to\s+\d|at\s+most|top\s+\d|limit",
    re.IGNORECASE,
)
_MATHS = re.compile(r"\b(roots?|factors?|primes?|equations?|solutions?|derivatives?|integrals?|differences?)\b", re.IGNORECASE)
_LIMITS = frozenset(
    {
        *(
            "limit",
            "max",
            "maximum",
            "count",
            "top",
            "size",
            "page",
            "per",
            "head",
            "tail",
            "first",
            "last",
            "num",
            "number",
            "cursor",
        ),
        *(
            "offset",
            "results",
            "amount",
            "depth",
            "n",
            "k",
            "rows",
            "lines",
            "take",
            "paging",
            "tokens",
            "start",
            "条数",
            "数量",
            "分页",
        ),
    }
)
_SIZE_NAMES = re.compile(
    r"^(limit|max_?(results|count|items|rows|entries|hits|num)|(num|n)_?(results|items|rows)|top_?(k|n)|per_?page|page_?size|count|条数)$",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"default|left\s+out|omitted|if\s+not|默认|不填", re.IGNORECASE)
_MAXIMUM = re.compile(
    r"max(imum)?\b|at\s+most|up\s+to|no\s+more\s+than|\d+\s*(-|–|to|and|\.\.)\s*\d+|<=?\s*\d|between|最多|不超过|至多|到",
    re.IGNORECASE,
)


class Unbounded(Rule):
    """A result as long as there is data, and no parameter to bound it."""

    code, title, level, points = "R401", "the result has no bound", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at tools that list or search, for a parameter that limits."""
        del tools
        parts = name_parts(definition.name)
        first = definition.description.split(".")[0][:300]
        lists = bool(parts) and bool(_LISTING & set(parts)) and "list" not in parts[-1:]
        if not (lists or _MANY.search(first)) or not _ALL.search(first) or _ONE.search(first):
            return
        known = {part for parameter in definition.parameters for part in name_parts(parameter.name)}
        if _MATHS.search(first) or definition.effect in ("write", "destructive") or _LIMITS & known:
            return
        noun = parts[-1] if parts else "results"
        noun = noun if noun.endswith("s") and len(noun) > 3 else "results"
        yield Hit(
            "parameters",
            "it gives as much as there is, which may fill the model's context; no parameter bounds it",
            definition.say(
                f'add one: "limit": {{"type": "integer", "minimum": 1, "maximum": 100, "default": 20, '
                f'"description": "How many {noun} to give, 1 to 100; 20 when left out."}}',
                '增加参数："limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, '
                '"description": "返回条数，1 到 100；不填时为 20。"}',
            ),
        )


class LooseLimit(ParameterRule):
    """A limit without a default or a maximum."""

    code, title, level, points = "R402", "a limit has no default or no maximum", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for both, in the schema or the words."""
        if not _SIZE_NAMES.match(parameter.name) or not parameter.is_number:
            return None
        has_default = parameter.required or parameter.node.get("default") is not None or bool(_DEFAULT.search(parameter.about))
        bounds = ("maximum", "exclusiveMaximum")
        has_maximum = any(parameter.constraint(key) is not None for key in bounds) or bool(_MAXIMUM.search(parameter.about))
        if (has_default and has_maximum) or parameter.enum:
            return None
        lacking = [word for word, has in (("default", has_default), ("maximum", has_maximum)) if not has]
        text = parameter.text.strip().rstrip(".。") or "How many results to give"
        english = ("" if has_maximum else ", at most 100") + ("" if has_default else "; 20 when left out")
        chinese = ("" if has_maximum else "，最多 100") + ("" if has_default else "；不填时为 20")
        keys = " and ".join(word for word, has in (('"maximum": 100', has_maximum), ('"default": 20', has_default)) if not has)
        return Hit(
            parameter.place,
            f"{parameter.name!r} has no {' and no '.join(lacking)}, so a model may ask for everything or not know what it gets",
            definition.say(
                f'"{text[:120]}{english}." with {keys} in the schema (or what holds)',
                f"“{text[:120]}{chinese}。”，并在 schema 中写 {keys}（按实际）",
            ),
        )


RULES: tuple[type[Rule], ...] = (Unbounded, LooseLimit)
