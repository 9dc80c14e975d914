"""The values in arguments: which of them tell what a call is about, and whether a result held them before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prudent.design.words import content_words
from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONMapping, JSONObject

SAME_QUESTION = 0.5
"""From this share of common words on, two calls ask the same."""

_SHORTEST_TEXT = 3
_LEAST_NUMBER = 10
"""What is shorter, or smaller, stands in any result by chance."""

_MAX_DEPTH = 6
_MAX_PARTS = 200
_MAX_TEXT_CHARS = 2_000

_CODE = re.compile(r"[\w-]*\d[\w-]*")

Leaf = str | int | float


def leaves(value: JSON, depth: int = 0) -> Iterator[Leaf]:
    """Give the texts and numbers inside a value, not its booleans; of a huge value the first part."""
    if isinstance(value, dict | list) and depth < _MAX_DEPTH:
        parts = [*value.values()] if isinstance(value, dict) else value
        for part in parts[:_MAX_PARTS]:
            yield from leaves(part, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


def chosen(arguments: JSONMapping, schema: JSONMapping) -> JSONObject:
    """Leave out the arguments that have their default value: nobody chose them."""
    properties = as_object(schema.get("properties"))
    return {name: value for name, value in arguments.items() if not _is_default(value, as_object(properties.get(name)))}


def words_of(arguments: JSONMapping) -> frozenset[str]:
    """Give the words, numbers and whole texts that tell what a call asks."""
    found: set[str] = set()
    for leaf in leaves(dict(arguments)):
        text = str(leaf)[:_MAX_TEXT_CHARS].strip().casefold()
        words = content_words(text)
        found.update(words or [text] if text else ())
    return frozenset(found)


def ask_the_same(one: JSONMapping, other: JSONMapping) -> bool:
    """Whether two calls are about the same: at least half of what the shorter one asks with stands in the other, too."""
    first, second = words_of(one), words_of(other)
    shorter = min(len(first), len(second))
    return shorter > 0 and len(first & second) >= SAME_QUESTION * shorter


def particulars(value: JSON) -> set[Leaf]:
    """Give the values inside, and the words in them that have a digit: numbers, codes, dates."""
    found = set(leaves(value))
    return found.union(*(_CODE.findall(leaf[:_MAX_TEXT_CHARS]) for leaf in found if isinstance(leaf, str)))


def is_telling(leaf: Leaf) -> bool:
    """Whether a value is so particular that finding it elsewhere is no chance."""
    if isinstance(leaf, str):
        return len(leaf.strip()) >= _SHORTEST_TEXT
    return abs(leaf) >= _LEAST_NUMBER or leaf != leaf // 1


def stands_in(leaf: Leaf, text: str) -> bool:
    """Whether a result's text holds a telling value as a whole."""
    if not is_telling(leaf):
        return False
    wanted = (leaf if isinstance(leaf, str) else f"{leaf:g}" if isinstance(leaf, float) else str(leaf)).strip()
    at = text.find(wanted)
    if at < 0:
        return False
    return re.search(rf"(?<![\w]){re.escape(wanted)}(?![\w])", text) is not None or not wanted.isascii()


def _is_default(value: JSON, node: JSONObject) -> bool:
    return "default" in node and node["default"] == value and type(node["default"]) is type(value)
