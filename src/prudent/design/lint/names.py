"""Family N: names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prudent.design.lint.rule import Hit, ParameterRule, Rule, Toolset
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import content_words, name_parts, word_count

_VAGUE = frozenset(
    re.findall(
        r"\w+",
        """do run process handle manage execute perform helper util utils data info thing things stuff object objects
        item items value values func function method tool action task main test misc general custom my new get set
        query search fetch find call api request operation input output result results make use work job handler
        manager processor the a 处理 执行 操作 数据 工具 函数 方法""",
    )
)
_VAGUE_PARAMETERS = frozenset(
    {
        *(
            "data",
            "value",
            "arg",
            "args",
            "param",
            "params",
            "obj",
            "thing",
            "input",
            "inputs",
            "kwargs",
            "opts",
            "stuff",
            "var",
            "foo",
            "tmp",
        )
    }
)
_COORDINATES = frozenset({"x", "y", "z", "n", "k", "m", "a", "b", "c", "p", "r", "t", "i", "j"})
_LEAST_WORDS = 2


class Vague(Rule):
    """A name that could be any tool's."""

    code, title, level, points = "N501", "the name says nothing", "warning", 6.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for a word that is its own."""
        del tools
        parts = [part for part in name_parts(definition.name) if not part.isdigit()]
        if definition.broken or not definition.name or any(part not in _VAGUE for part in parts):
            return
        verb = next((part for part in parts if part not in ("data", "tool", "function")), "get")
        said = [
            word for word in content_words(definition.description) if word.isascii() and word.isalpha() and word not in parts
        ]
        noun = next((word for word in said if word not in _VAGUE and len(word) > 2), "")
        better = f'such as "{verb}_{noun}"' if noun else 'such as "search_orders"'
        yield Hit(
            "name",
            f"{definition.name!r} could be the name of any tool: it does not say on what it works",
            f"name it by what it does and to what, {better}",
        )


class VagueParameter(ParameterRule):
    """A parameter whose name and description say nothing."""

    code, title, level, points = "N502", "a parameter's name says nothing", "note", 2.0

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Look at the name, and at whether the description makes up for it."""
        name = parameter.name.lower().rstrip("0123456789_")
        single = len(name) <= 1 and name not in _COORDINATES
        if not (name in _VAGUE_PARAMETERS or single) or word_count(parameter.about) >= _LEAST_WORDS:
            return None
        if name == "q":
            return Hit(parameter.place, "'q' does not say that it is a query", 'name it "query", and say what may stand in it')
        of = next((part for part in name_parts(definition.name) if part not in _VAGUE), "order")
        return Hit(
            parameter.place,
            f"{parameter.name!r} does not say what it holds, and no description makes up for it",
            f'name it by what it holds, such as "{of}_id" or "{of}_text", and describe it',
        )


RULES: tuple[type[Rule], ...] = (Vague, VagueParameter)
