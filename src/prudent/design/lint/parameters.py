"""Family P, first part: what is said about each parameter. `values.py` and `defaults.py` have the rest."""

from __future__ import annotations

import re

from prudent.design.lint.description import repeats
from prudent.design.lint.rule import Hit, ParameterRule, Rule
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import name_parts
from prudent.tools.nodes import as_list

_TIME_WORDS = frozenset({"date", "datetime", "timestamp", "deadline", "birthday", "dob", "since", "until", "日期", "时间"})
_TIME_ENDS = frozenset({"time", "before", "after"})
_NO_TIME = frozenset(
    {"zone", "range", "period", "frame", "unit", "limit", "out", "format", "field", "column", "type", "id", "control"}
)
_FORMAT_TOLD = re.compile(
    r"""[Yy]{4}|ISO|8601|RFC|\d{4}[-/年.]\d{1,2}|\d{1,2}[:/]\d{2}|HH|[Uu]nix|[Ee]poch|[Mm]illisecond|in\s+seconds|GMT|UTC|[Ff]ormat|MM|DD
    |e\.g\.|such\s+as|for\s+example|例如|如[“"「]|格式|['"“][^'"”]*\d[^'"”]*['"”]|[Tt]oday|natural\s+language|year""",
    re.VERBOSE,
)
_SHAPED = frozenset(
    {
        *("regex", "regexp", "pattern", "glob", "cron", "expression", "formula", "selector", "xpath", "jsonpath"),
        *("jql", "cql", "cidr", "coordinates", "locale", "equation", "表达式", "公式"),
    }
)
_EXAMPLE_TOLD = re.compile(
    r"""e\.g|such\s+as|for\s+(example|instance)|example|\blike\b|i\.e|['"“`‘][^'"”`’]{1,}['"”`’]|例如|比如|譬如|如：|如“|形如|示例|\d|\(.+\)|format""",
    re.IGNORECASE | re.VERBOSE,
)
_PATHS = frozenset({"path", "filepath", "filename", "directory", "dir", "folder", "路径"})
_NO_FILES = re.compile(
    r"""absolute|full\s+path|relative|workspace|allowed|url|uri|\brepo(s|sitory)?\b|bucket|\bapi\b|endpoint|json\s?path|xpath|route|\bkey\b
    |branch|remote|object|node|selector|container|绝对|相对|工作区|仓库|site|web|registry|such\s+as\s+['"`]?/|['"`](/|[A-Z]:)""",
    re.IGNORECASE | re.VERBOSE,
)


class Undescribed(ParameterRule):
    """A parameter without a description."""

    code, title, level, points = "P201", "a parameter has no description", "warning", 5.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a text of its own, or one in the tool's description."""
        if parameter.about.strip() or "const" in parameter.node:
            return None
        words = " ".join(name_parts(parameter.name)) or parameter.name
        kind = "" if not parameter.kinds else f" ({' or '.join(sorted(parameter.kinds))})"
        return Hit(
            parameter.place,
            f"nothing says what {parameter.name!r}{kind} is",
            definition.say(
                f'describe it: "{words[:1].upper()}{words[1:]} …, such as …{_optional(parameter)}."',
                f"写明它的含义、格式和例子：“{words}……，例如……{'；不填时……' if not parameter.required else ''}。”",
            ),
        )


class OnlyTheName(ParameterRule):
    """A description that says what the parameter's name says."""

    code, title, level, points = "P202", "a parameter's description only repeats its name", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Compare the words of both."""
        if not repeats(parameter.name, parameter.text) or parameter.about != parameter.text or parameter.enum:
            return None
        text = parameter.text.strip().rstrip(".。")
        return Hit(
            parameter.place,
            f"{text[:60]!r} says no more than the name {parameter.name!r}",
            definition.say(
                f'say where its value comes from and how it looks: "{text}, as … gives it, such as …{_optional(parameter)}."',
                f"写明取值来源和样子：“{text}，取自……，例如……。”",
            ),
        )


class NoTimeFormat(ParameterRule):
    """A date or a time as a string whose form nobody tells."""

    code, title, level, points = "P203", "the format of a date or time is not told", "warning", 5.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a format in the schema and in the words."""
        if not parameter.is_text or not is_time(parameter.name) or parameter.enum:
            return None
        told = parameter.constraint("format") or parameter.constraint("pattern") or as_list(parameter.node.get("examples"))
        if told or _FORMAT_TOLD.search(parameter.about) or _FORMAT_TOLD.search(str(parameter.node.get("default"))):
            return None
        parts = set(name_parts(parameter.name))
        with_time = parts & {"time", "datetime", "timestamp", "时间"} and "date" not in parts
        form = "YYYY-MM-DDTHH:MM:SSZ, such as 2031-05-04T10:15:00Z" if with_time else "YYYY-MM-DD, such as 2031-05-04"
        text = parameter.text.strip().rstrip(".。") or " ".join(name_parts(parameter.name)).capitalize()
        return Hit(
            parameter.place,
            "a date or time can be written in a dozen ways, and neither the schema nor the words tell which",
            definition.say(f'"{text[:120]}, as {form}."', f"“{text[:120]}，格式为 {form.replace(', such as ', '，例如 ')}。”"),
        )


class NoExample(ParameterRule):
    """Something written in a notation, and no example of it."""

    code, title, level, points = "P205", "no example of a format that is not obvious", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for an example in the schema, the words and the tool's own examples."""
        if not parameter.is_text or parameter.enum or not is_shaped(parameter.name):
            return None
        stated = ("examples", "example", "pattern", "format", "const")
        shown = any(key in parameter.node for key in stated) or parameter.node.get("default") not in (None, "")
        if shown or _EXAMPLE_TOLD.search(parameter.about) or any(parameter.name in example for example in definition.examples):
            return None
        text = parameter.text.strip().rstrip(".。") or parameter.name
        return Hit(
            parameter.place,
            f"{parameter.name!r} is written in some notation, and there is no example of it",
            definition.say(
                f'add one that works: "{text[:120]}, such as `…`."', f"补一个可用的例子：“{text[:120]}，例如 `……`。”"
            ),
        )


class RelativePath(ParameterRule):
    """A path of which nobody says from where it is taken."""

    code, title, level, points = "P210", "a path may be taken from the wrong folder", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look for a word about absolute or relative."""
        parts = name_parts(parameter.name)
        is_path = parameter.is_text and bool(parts) and parts[-1] in _PATHS - {"filename"}
        if (
            not is_path
            or parameter.enum
            or "pattern" in parameter.node
            or _NO_FILES.search(f"{parameter.name} {parameter.about}")
        ):
            return None
        if _NO_FILES.search(definition.description) or _works_elsewhere(definition):
            return None
        text = parameter.text.strip().rstrip(".。") or " ".join(parts).capitalize()
        return Hit(
            parameter.place,
            "a relative path depends on the folder that the tool happens to run in, which the model does not know",
            definition.say(
                f'"{text[:120]}: an absolute path, such as /home/ada/report.md."',
                f"“{text[:120]}，绝对路径，例如 /home/ada/report.md。”",
            ),
        )


def is_shaped(name: str) -> bool:
    """Whether a parameter's name says that it is written in some notation."""
    parts = name_parts(name)
    return bool(_SHAPED & set(parts)) and parts[-1] not in ("id", "name", "type", "count")


def is_time(name: str) -> bool:
    """Whether a parameter's name says that it is a date or a point in time."""
    parts = name_parts(name)
    if not parts or _NO_TIME & set(parts):
        return False
    return bool(_TIME_WORDS & set(parts)) or (len(parts) > 1 and parts[-1] in _TIME_ENDS and parts[-2] in _POINTS)


_POINTS = frozenset(
    {"start", "end", "begin", "created", "updated", "departure", "arrival", "from", "to", "due", "event", "meeting"}
)


def _works_elsewhere(definition: Definition) -> bool:
    """Whether the path is one inside a service, where absolute and relative mean nothing."""
    return bool({"owner", "repo", "url", "bucket"} & {parameter.name for parameter in definition.parameters})


def _optional(parameter: Parameter) -> str:
    return "" if parameter.required else "; … when left out"


RULES: tuple[type[Rule], ...] = (Undescribed, OnlyTheName, NoTimeFormat, NoExample, RelativePath)
