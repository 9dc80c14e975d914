"""Finding tools by what they are for: BM25 over their names, descriptions and parameters. See docs/tool-search.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from prudent.tools.definition import Tool
from prudent.tools.description import sentences
from prudent.tools.nodes import as_list, as_object
from prudent.tools.search_words import name_words, query_words, words
from prudent.types import JSON, JSONMapping

FOUND_AT_MOST = 5
"""How many tools a search brings to the surface."""

_NAME, _FIRST_SENTENCE, _REST, _PARAMETERS = 3.0, 1.5, 0.6, 0.4
_SATURATION, _LENGTH_MATTERS = 1.2, 0.5
_MAX_DESCRIPTION_CHARS = 4_000
_MAX_DEPTH = 4


class ToolIndex:
    """Ranks tools by a question in words, English or Chinese."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tuple(tools)
        self._counts = [_weighted_words(tool) for tool in tools]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / len(tools) if tools else 1.0
        self._holders: Counter[str] = Counter(word for counts in self._counts for word in counts)

    def search(self, query: str, limit: int = FOUND_AT_MOST) -> list[Tool]:
        """Give the tools that fit best, best first; none where no word fits."""
        wanted = query_words(query)
        scored = [(self._score(wanted, place), -place) for place in range(len(self._tools))]
        best = sorted((pair for pair in scored if pair[0] > 0), reverse=True)[:limit]
        return [self._tools[-place] for _, place in best]

    def _score(self, wanted: Sequence[dict[str, float]], place: int) -> float:
        """Add up how well each word is met, by the best of its forms."""
        return sum(max((weight * self._met(word, place) for word, weight in forms.items()), default=0.0) for forms in wanted)

    def _met(self, word: str, place: int) -> float:
        count = self._counts[place].get(word, 0.0)
        longer = 1 - _LENGTH_MATTERS + _LENGTH_MATTERS * self._lengths[place] / self._mean
        return self._rarity(word) * count * (_SATURATION + 1) / (count + _SATURATION * longer) if count else 0.0

    def _rarity(self, word: str) -> float:
        holders = self._holders[word]
        return math.log(1 + (len(self._tools) - holders + 0.5) / (holders + 0.5))


def _weighted_words(tool: Tool) -> dict[str, float]:
    """Count a tool's words, those that say more for more."""
    counts: dict[str, float] = {}

    def add(found: Sequence[str], weight: float) -> None:
        for word in found:
            counts[word] = counts.get(word, 0.0) + weight

    first, *rest = sentences(tool.summary[:_MAX_DESCRIPTION_CHARS]) or [""]
    for name in (tool.name, *tool.aliases, tool.toolkit):
        add(name_words(name), _NAME)
    add(words(first), _FIRST_SENTENCE)
    add(words(" ".join([*rest, tool.when])), _REST)
    add(words(" ".join(_parameter_texts(tool.parameters, 0))[:_MAX_DESCRIPTION_CHARS]), _PARAMETERS)
    return counts


def _parameter_texts(node: JSONMapping, depth: int) -> list[str]:
    texts: list[str] = []
    for name, part in as_object(node.get("properties")).items() if depth < _MAX_DEPTH else ():
        inner = as_object(part)
        values: list[JSON] = as_list(inner.get("enum"))
        texts += [name, str(inner.get("description") or ""), *(value for value in values if isinstance(value, str))]
        texts += _parameter_texts(inner, depth + 1) + _parameter_texts(as_object(inner.get("items")), depth + 1)
    return texts
