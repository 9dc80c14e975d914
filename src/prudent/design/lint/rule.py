"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from prudent.design.sheet import Definition, Parameter, Source
from prudent.design.twins import NEIGHBOURS, Embed, Pair, near_pairs

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""The gravest first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that breaks a rule."""

    place: str
    """`description`, `name`, `parameters.unit`, …"""

    reason: str
    """Why it is wrong, for this definition."""

    rewrite: str
    """What to write instead, concretely."""

    tool: str = ""
    """In a rule of the whole set: the tool where it shows, "" for the set itself."""

    level: Level | None = None
    """Where it differs from the rule's own."""

    fix: bool = False
    """Whether `--fix` can write it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit with everything that a report says of it."""

    code: str
    level: Level
    tool: str
    place: str
    reason: str
    rewrite: str
    points: float
    """What it takes off the tool's score, before repetitions are counted for less."""

    source: Source
    fix: bool = False


class Toolset:
    """The tools that a model would see together."""

    def __init__(self, definitions: Sequence[Definition], embed: Embed | None = None) -> None:
        self.definitions = tuple(definitions)
        self.names = frozenset(definition.name for definition in definitions)
        self._embed = embed

    @cached_property
    def pairs(self) -> list[Pair]:
        """The tools that are near each other, the nearest first."""
        return near_pairs([definition.spec for definition in self.definitions], least=NEIGHBOURS, embed=self._embed)

    @cached_property
    def _pairs_by_position(self) -> dict[int, list[Pair]]:
        found: dict[int, list[Pair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.first, []).append(pair)
            found.setdefault(pair.second, []).append(pair)
        return found

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {id(definition): position for position, definition in enumerate(self.definitions)}

    def neighbours(self, definition: Definition) -> list[tuple[Definition, Pair]]:
        """Give the tools that are near one, the nearest first."""
        position = self._positions.get(id(definition), -1)
        pairs = self._pairs_by_position.get(position, [])
        return [(self.definitions[pair.second if pair.first == position else pair.first], pair) for pair in pairs]


class Rule:
    """A rule about one definition. A subclass has one job, a code, and a page `docs/lint/CODE.md`."""

    code: ClassVar[str]
    title: ClassVar[str]
    """What it finds, in a few words."""

    level: ClassVar[Level]
    points: ClassVar[float]
    """What the first finding takes off a score of 100; each further one of the same tool half as much, three at most."""

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Find what breaks the rule."""
        raise NotImplementedError


class ParameterRule(Rule):
    """A rule about each parameter."""

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at each parameter."""
        del tools
        for parameter in definition.parameters:
            hit = self.check_parameter(parameter, definition)
            if hit:
                yield hit

    def check_parameter(self, parameter: Parameter, definition: Definition) -> Hit | None:
        """Find what breaks the rule in one parameter."""
        raise NotImplementedError


class SetRule(Rule):
    """A rule about the tools of a set together."""

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Find nothing: a single definition cannot break it."""
        del definition, tools
        yield from ()

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Find what breaks the rule in the set."""
        raise NotImplementedError
