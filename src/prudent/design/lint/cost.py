"""Family C: what a definition costs in every model call."""

from __future__ import annotations

from collections.abc import Iterator

from prudent.design.lint.rule import Hit, Rule, Toolset
from prudent.design.sheet import Definition, Parameter
from prudent.design.words import estimate_tokens
from prudent.messages import canonical_json

_USUAL = 300
_MUCH = 1000


class Costly(Rule):
    """A definition dearer than usual."""

    code, title, level, points = "C701", "the definition costs more than 300 tokens", "note", 2.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Estimate its tokens."""
        del tools
        if _USUAL < definition.tokens <= _MUCH:
            yield Hit("definition", _reason(definition), _shorten(definition))


class VeryCostly(Rule):
    """A definition as dear as ten."""

    code, title, level, points = "C702", "the definition costs more than 1000 tokens", "warning", 6.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Estimate its tokens."""
        del tools
        if definition.tokens > _MUCH:
            yield Hit("definition", _reason(definition), _shorten(definition))


def _reason(definition: Definition) -> str:
    return f"about {definition.tokens:,} tokens in every model call (an estimate); 100 to {_USUAL} are usual"


def _shorten(definition: Definition) -> str:
    """Name the dearest parts."""
    parts = [("the description", estimate_tokens(definition.description))]
    parts += [(parameter.name, _tokens(parameter)) for parameter in definition.parameters if parameter.is_top]
    dearest = sorted(parts, key=lambda part: -part[1])[:3]
    listed = ", ".join(f"{name} ({tokens:,})" for name, tokens in dearest if tokens)
    return f"shorten the dearest parts: {listed}; leave out what the model does not need for choosing and calling"


def _tokens(parameter: Parameter) -> int:
    try:
        return estimate_tokens(canonical_json(parameter.node))
    except (ValueError, RecursionError):
        return 0


RULES: tuple[type[Rule], ...] = (Costly, VeryCostly)
