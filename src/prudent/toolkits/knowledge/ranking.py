"""Finding passages: by their words, and where an embedder is given also by their meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.toolkits.knowledge.store import Store
from prudent.toolkits.knowledge.vectors import Embedder, nearest
from prudent.toolkits.knowledge.words import match_expression

_CANDIDATES = 100
_TITLE_WEIGHT, _HEADING_WEIGHT, _BODY_WEIGHT = 2.0, 2.0, 1.0
_RECIPROCAL = 60
"""Ranks of two lists are joined by adding 1 / (60 + rank), the usual constant."""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was found, best ones first."""

    passage_id: int
    score: float
    """Higher is better; comparable within one search only."""

    matched: tuple[str, ...]
    """Words of the query that it holds, in any of their forms."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found."""

    found: tuple[Found, ...]
    weights: dict[str, float]
    """How telling each word of the query is in these documents."""


def rank(store: Store, words: Sequence[str], query: str, *, embedder: Embedder | None = None) -> Ranking:
    """Rank the passages that have any of the words, those with more of them first; then by meaning, if asked to."""
    by_words, weights = _by_words(store, words)
    if embedder is None:
        return Ranking(tuple(by_words), weights)
    matched = {found.passage_id: found.matched for found in by_words}
    scores: dict[int, float] = {}
    for ranked in ([found.passage_id for found in by_words], nearest(store, embedder, query, _CANDIDATES)):
        for place, passage_id in enumerate(ranked):
            scores[passage_id] = scores.get(passage_id, 0.0) + 1 / (_RECIPROCAL + place + 1)
    best = sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))
    return Ranking(tuple(Found(one, scores[one], matched.get(one, ())) for one in best), weights)


def _by_words(store: Store, words: Sequence[str]) -> tuple[list[Found], dict[str, float]]:
    if not words:
        return [], {}
    expression = " OR ".join(match_expression(word) for word in words)
    rows = store.connection.execute(
        "SELECT rowid, -bm25(words, ?, ?, ?) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, rowid LIMIT ?",
        (_TITLE_WEIGHT, _HEADING_WEIGHT, _BODY_WEIGHT, expression, _CANDIDATES),
    ).fetchall()
    scores: dict[int, float] = dict(rows)
    holders = {word: _holders(store, word) for word in words}
    (passages,) = store.connection.execute("SELECT COUNT(*) FROM passages").fetchone()
    weights = {word: _weight(passages, len(holders[word])) for word in words}
    total = sum(weights.values()) or 1.0
    found: list[Found] = []
    for passage_id, score in scores.items():
        matched = tuple(word for word in words if passage_id in holders[word])
        share = sum(weights[word] for word in matched) / total
        found.append(Found(passage_id, score * (1 + share), matched))
    return sorted(found, key=lambda one: (-one.score, one.passage_id)), weights


def _holders(store: Store, word: str) -> set[int]:
    rows = store.connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (match_expression(word),))
    return {row[0] for row in rows}


def _weight(passages: int, holders: int) -> float:
    """Weigh a word by how few passages hold it."""
    return math.log(1 + (passages - holders + 0.5) / (holders + 0.5))
