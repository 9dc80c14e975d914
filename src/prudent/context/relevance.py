"""Where in a long text the words of the task stand. Finds by letters alone: good for pointing, not for judging."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_TERMS = 16
MAX_PLACES = 200
"""Most places looked at for each word; a word that stands everywhere tells nothing anyway."""

MAX_SEARCHED_CHARS = 2_000_000
WINDOW_CHARS = 400

_WORD = re.compile(r"[A-Za-z0-9À-ɏͰ-ӿ]+(?:[-_./'][A-Za-z0-9À-ɏͰ-ӿ]+)*")
_HAN = re.compile(r"[぀-ヿ㐀-鿿가-힯]+")

_COMMON_WORDS = """
the and for are was were has have had how what which who when where why does did can could would should may might this
that these those with from into about there their them they you your our its not but all any use using give tell show
find list make please many much long will been being than then also only each file read look get
什么 怎么 多少 哪些 哪个 请问 请用 一下 可以 是否 如何 这个 那个 我们 你们 他们 以及 还是 因为 所以
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that holds words of the task."""

    start: int
    end: int
    score: float


@lru_cache(maxsize=64)
def terms_of(task: str) -> tuple[str, ...]:
    """Take the telling words out of a task: words of three letters and more, numbers, pairs of Chinese characters."""
    text = task[:2000].lower()
    words = [word for word in _WORD.findall(text) if word not in _COMMON and (len(word) > 2 or any(map(str.isdigit, word)))]
    pairs = [run[at : at + 2] for run in _HAN.findall(text) for at in range(max(1, len(run) - 1))]
    return tuple(dict.fromkeys([*words, *(pair for pair in pairs if pair not in _COMMON)]))[:MAX_TERMS]


def best_places(text: str, terms: Sequence[str], *, start: int = 0, end: int | None = None, count: int = 1) -> list[Place]:
    """Give the passages of `text[start:end]` that hold the most, and the rarest, of the terms; best first."""
    end = min(len(text) if end is None else end, start + MAX_SEARCHED_CHARS)
    found = sorted(_occurrences(_lowered(text[start:end]), terms))
    if not found:
        return []
    often = Counter(term for _, term in found)
    weights = {term: (1 + len(term) / 10) / (1 + math.log2(often[term])) for term in often}
    places: list[Place] = []
    for place in sorted(_windows(found, weights), key=lambda each: (-each.score, each.start)):
        if len(places) >= count:
            break
        if all(place.end <= other.start or place.start >= other.end for other in places):
            places.append(place)
    return [Place(place.start + start, place.end + start, place.score) for place in places]


def score_parts(text: str, terms: Sequence[str], starts: Sequence[int]) -> dict[int, float]:
    """Score the parts of a text that begin at `starts` (ascending) by the terms they hold; those without any are left out."""
    scores: dict[int, float] = {}
    for term, parts in parts_with(text, terms, starts).items():
        if (len(parts) * 3 > len(starts) and len(starts) > 3) or len(parts) >= MAX_PLACES:
            continue
        for part in parts:
            scores[part] = scores.get(part, 0.0) + (1 + len(term) / 10) / (1 + math.log2(len(parts)))
    return scores


def parts_with(text: str, words: Sequence[str], starts: Sequence[int]) -> dict[str, set[int]]:
    """Tell for each word which of the parts that begin at `starts` (ascending) hold it, up to `MAX_PLACES` times."""
    holding: dict[str, set[int]] = {}
    for at, word in _occurrences(_lowered(text[:MAX_SEARCHED_CHARS]), words):
        part = bisect_right(starts, at) - 1
        if part >= 0:
            holding.setdefault(word, set()).add(part)
    return holding


def _lowered(text: str) -> str:
    """Lower the letters where that keeps every place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _occurrences(text: str, terms: Sequence[str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for term in terms:
        at, seen = text.find(term), 0
        while at >= 0 and seen < MAX_PLACES:
            seen += 1
            if not (term[0].isascii() and at and text[at - 1].isalnum() and text[at - 1].isascii()):
                found.append((at, term))
            at = text.find(term, at + len(term))
    return found


def _windows(found: list[tuple[int, str]], weights: dict[str, float]) -> list[Place]:
    """Slide a window over the occurrences; each window begins at one of them."""
    places: list[Place] = []
    inside: Counter[str] = Counter()
    last = 0
    for at, term in found:
        while last < len(found) and found[last][0] < at + WINDOW_CHARS:
            inside[found[last][1]] += 1
            last += 1
        held = [each for each, times in inside.items() if times]
        places.append(Place(at, found[last - 1][0] + len(found[last - 1][1]), sum(weights[each] for each in held)))
        inside[term] -= 1
    return places
