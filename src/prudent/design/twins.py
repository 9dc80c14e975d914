"""How alike two tool definitions are, and which of a set are twins.

Without an embedder, names, descriptions and parameters are compared by their words; with one, descriptions are also
compared by meaning. Two tools whose names say that they do opposite things, or work on different things, are no twins,
however alike their texts are.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from prudent.design.words import canonical, content_words, name_parts
from prudent.messages import ToolSpec
from prudent.tools.nodes import as_object

Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Turns texts into vectors, one for each."""

TWINS = 0.75
"""From this likeness on two tools are twins: a model cannot tell them apart."""

NEIGHBOURS = 0.5
"""From this likeness on each tool should say when the other one is meant."""

_SILENT = frozenset(
    {"the", "of", "for", "by", "a", "an", "to", "in", "from", "api", "tool", "info", "data", "information", "detail"}
)
_CONTRAST = 0.6
_MOST_COMMON_SHARE = 0.25
_SMALL_SET = 60


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two definitions are; all figures from 0 to 1."""

    score: float
    """All together."""

    name: float
    description: float
    parameters: float
    contrast: tuple[str, str] = ("", "")
    """The words by which the names tell the two tools apart, "" where they do not."""

    by: str = "words"
    """What was compared: `words`, or `words and meaning` where an embedder took part."""

    @property
    def compared(self) -> str:
        """What was compared and what came out, as a sentence part."""
        return (
            f"names {self.name:.0%} alike, descriptions {self.description:.0%}, parameters {self.parameters:.0%}, by {self.by}"
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tools of a set that are alike."""

    first: int
    """Position in the set."""

    second: int
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class _Traits:
    """What is compared of one definition."""

    name: frozenset[str]
    goal: str
    """What stands after `to` in the name: `celsius_to_fahrenheit` is not `fahrenheit_to_celsius`."""

    words: Counter[str]
    parameters: frozenset[str]


def likeness(one: ToolSpec, other: ToolSpec) -> Likeness:
    """Compare two definitions by their words."""
    first, second = _traits(one), _traits(other)
    return _compare(first, second, {}, None)


def near_pairs(specs: Sequence[ToolSpec], *, least: float = TWINS, embed: Embed | None = None) -> list[Pair]:
    """Find the pairs of a set that are at least so alike, the most alike first.

    Args:
        specs: the definitions.
        least: the least likeness, 0 to 1.
        embed: turns descriptions into vectors, to compare them by meaning as well.
    """
    traits = _without_common_name([_traits(spec) for spec in specs])
    rarity = _rarity(traits)
    vectors = [*embed([f"{spec.name}: {spec.description}" for spec in specs])] if embed and specs else None
    pairs: list[Pair] = []
    for first, second in _candidates(traits, everything=len(specs) <= _SMALL_SET or vectors is not None):
        meaning = _cosine(vectors[first], vectors[second]) if vectors else None
        alike = _compare(traits[first], traits[second], rarity, meaning)
        if alike.score >= least:
            pairs.append(Pair(first, second, alike))
    return sorted(pairs, key=lambda pair: (-pair.likeness.score, pair.first, pair.second))


def _traits(spec: ToolSpec) -> _Traits:
    parts = [canonical(part) for part in name_parts(spec.name)]
    words = Counter(canonical(word) for word in content_words(spec.description))
    parameters = frozenset("_".join(name_parts(name)) for name in as_object(spec.parameters.get("properties")))
    goal = parts[parts.index("to") + 1] if "to" in parts[:-1] else ""
    return _Traits(frozenset(part for part in parts if part not in _SILENT), goal, words, parameters)


def _without_common_name(traits: list[_Traits]) -> list[_Traits]:
    """Leave out of the names what most names of the set have, such as the service's own."""
    found = Counter(part for trait in traits for part in trait.name)
    common = frozenset(part for part, count in found.items() if len(traits) > 3 and count > len(traits) / 2)
    return [replace(trait, name=trait.name - common or trait.name) for trait in traits] if common else traits


def _rarity(traits: Sequence[_Traits]) -> Mapping[str, float]:
    """Weigh each word by how few descriptions of the set have it; in a set of few tools all words count alike."""
    if len(traits) < 8:
        return {}
    found = Counter(word for trait in traits for word in trait.words)
    return {word: math.log(1 + len(traits) / count) for word, count in found.items()}


def _candidates(traits: Sequence[_Traits], *, everything: bool) -> Iterator[tuple[int, int]]:
    """Give the pairs that are worth comparing: in a large set those that share words which few have."""
    if everything:
        yield from ((first, second) for first in range(len(traits)) for second in range(first + 1, len(traits)))
        return
    holders: dict[str, list[int]] = defaultdict(list)
    for index, trait in enumerate(traits):
        for word in trait.words.keys() | trait.name:
            holders[word].append(index)
    most = max(20, min(int(len(traits) * _MOST_COMMON_SHARE), 100))
    for index, trait in enumerate(traits):
        shared: Counter[int] = Counter()
        for word in trait.words.keys() | trait.name:
            if len(holders[word]) <= most:
                shared.update(other for other in holders[word] if other > index)
        yield from ((index, other) for other, count in shared.items() if count >= 3)


def _compare(one: _Traits, other: _Traits, rarity: Mapping[str, float], meaning: float | None) -> Likeness:
    name = _name_likeness(one.name, other.name)
    by_words = _weighted(one.words, other.words, rarity)
    description = by_words if meaning is None else max(by_words, meaning)
    parameters = _overlap(one.parameters, other.parameters) if one.parameters or other.parameters else 1.0
    contrast = _contrast(one, other)
    score = 0.3 * name + 0.5 * description + 0.2 * parameters
    return Likeness(
        score=score * (_CONTRAST if all(contrast) else 1.0),
        name=name,
        description=description,
        parameters=parameters,
        contrast=contrast,
        by="words" if meaning is None else "words and meaning",
    )


def _contrast(one: _Traits, other: _Traits) -> tuple[str, str]:
    """Name the words that each name has for itself, if both have one; or the goals of two conversions."""
    if one.goal and other.goal and one.goal != other.goal:
        return f"to {one.goal}", f"to {other.goal}"
    first, second = sorted(one.name - other.name), sorted(other.name - one.name)
    return (" ".join(first), " ".join(second)) if first and second else ("", "")


def _name_likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Count a name that is the other one with a word more as alike: `read_file` and `read_text_file`."""
    contained = len(one & other) / min(len(one), len(other)) if one and other else 0.0
    return (_overlap(one, other) + contained) / 2


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one | other)
    return len(one & other) / both if both else 0.0


def _weighted(one: Counter[str], other: Counter[str], rarity: Mapping[str, float]) -> float:
    """Give the cosine of two bags of words, each word counted once and weighed by its rarity."""
    common = sum(rarity.get(word, 1.0) ** 2 for word in one.keys() & other.keys())
    length = math.sqrt(_square(one, rarity) * _square(other, rarity))
    return common / length if length else 0.0


def _square(words: Counter[str], rarity: Mapping[str, float]) -> float:
    return sum(rarity.get(word, 1.0) ** 2 for word in words)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(first * second for first, second in zip(one, other, strict=True))
    length = math.sqrt(sum(value * value for value in one) * sum(value * value for value in other))
    return max(0.0, product / length) if length else 0.0
