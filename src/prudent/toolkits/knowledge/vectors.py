"""Vectors of passages, for search by meaning. They come from a function that the program gives."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from operator import mul
from typing import TypeAlias

from prudent.errors import ToolError
from prudent.toolkits.knowledge.store import Store

Embedder: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Turns texts into vectors of one length. An attribute `name`, if it has one, tells two of them apart."""

_BATCH = 64


def nearest(store: Store, embedder: Embedder, query: str, count: int) -> list[int]:
    """Give the ids of the passages whose vectors point most in the query's direction, best first.

    Every vector is compared: some 20,000 passages take half a second.
    """
    _complete(store, embedder)
    (wanted,) = _embed(embedder, [query])
    rows = store.connection.execute("SELECT passage_id, vector FROM vectors WHERE maker = ?", (_name(embedder),))
    scored: list[tuple[float, int]] = []
    for passage_id, blob in rows:
        vector = array("f", blob)
        if len(vector) == len(wanted):
            scored.append((-sum(map(mul, vector, wanted)), passage_id))
    return [passage_id for _, passage_id in sorted(scored)[:count]]


def _complete(store: Store, embedder: Embedder) -> None:
    """Make the vectors that are missing; those of another embedder are replaced."""
    name = _name(embedder)
    while True:
        rows = store.connection.execute(
            "SELECT passage_id, title, heading, body FROM passages JOIN files USING (file_id) WHERE passage_id NOT IN "
            "(SELECT passage_id FROM vectors WHERE maker = ?) ORDER BY passage_id LIMIT ?",
            (name, _BATCH),
        ).fetchall()
        if not rows:
            return
        vectors = _embed(embedder, [f"{title}\n{heading}\n{body}" for _, title, heading, body in rows])
        made = [(passage_id, name, vector.tobytes()) for (passage_id, *_), vector in zip(rows, vectors, strict=True)]
        with store.writing():
            store.connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", made)


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[array[float]]:
    """Make vectors of length 1."""
    vectors = list(embedder(texts))
    if len(vectors) != len(texts):
        raise ToolError(f"the embedder gave {len(vectors)} vectors for {len(texts)} texts", fix="Tell the user.")
    made: list[array[float]] = []
    for vector in vectors:
        length = math.sqrt(sum(map(mul, vector, vector))) or 1.0
        made.append(array("f", (value / length for value in vector)))
    return made


def _name(embedder: Embedder) -> str:
    kind = embedder if hasattr(embedder, "__qualname__") else type(embedder)
    return str(getattr(embedder, "name", "")) or f"{kind.__module__}.{getattr(kind, '__qualname__', '')}"
