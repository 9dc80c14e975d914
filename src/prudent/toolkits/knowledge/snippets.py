"""The two lines of a passage that answer a query best."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from prudent.toolkits.knowledge.documents import sentences
from prudent.toolkits.knowledge.store import Passage, Store
from prudent.toolkits.knowledge.words import match_expression, text_words, width

_LINES = 2
_LINE_WIDTH = 220
_MARK = "\x02"


def snippet(store: Store, passage: Passage, words: Sequence[str], weights: Mapping[str, float], *, whole: bool) -> list[str]:
    """Choose at most two lines that stand next to each other and hold the most telling words; the first two if none does.

    A row of a table brings the table's first row along. With `whole`, a passage no longer than two lines is given as it is.
    """
    lines = sentences(passage.body)
    if whole and width(passage.body) <= _LINES * _LINE_WIDTH:
        return lines
    hits = _hits(store, passage.passage_id, lines, words)
    best: list[int] = []
    best_score = -1.0
    for start in range(max(len(lines) - _LINES + 1, 1)):
        chosen = _with_table_head(lines, list(range(start, min(start + _LINES, len(lines)))))
        held = {word for at in chosen for word in hits[at]}
        # Of two equal places, the one whose first line matches.
        score = sum(weights.get(word, 0.0) for word in held) + (0.01 if hits[start : start + 1] != [set()] else 0.0)
        if score > best_score:
            best, best_score = chosen, score
    return [_cut(lines[at]) for at in best]


def _hits(store: Store, passage_id: int, lines: Sequence[str], words: Sequence[str]) -> list[set[str]]:
    """Tell which words each line holds. SQLite marks them, since only it knows its stems."""
    empty: list[set[str]] = [set() for _ in lines]
    if not words:
        return empty
    expression = " OR ".join(match_expression(word) for word in words)
    row = store.connection.execute(
        "SELECT highlight(words, 2, ?, '') FROM words WHERE words MATCH ? AND rowid = ?", (_MARK, expression, passage_id)
    ).fetchone()
    if row is None:
        return empty
    marked, at = str(row[0]).split(" "), 0
    for line, found in zip(lines, empty, strict=True):
        count = len(text_words(line))
        for token in marked[at : at + count]:
            if token.startswith(_MARK):
                found.add(max(words, key=lambda word: _alike(word, token[1:])))
        at += count
    return empty


def _alike(word: str, token: str) -> tuple[int, int]:
    """Measure how much of a word's beginning it shares with a token of the same stem."""
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(word, token, strict=False)))
    return shared, -abs(len(word) - len(token))


def _with_table_head(lines: Sequence[str], chosen: list[int]) -> list[int]:
    """Put a table's first row before a row from its middle, so that the columns keep their meaning."""
    if not chosen or not _is_row(lines[chosen[0]]):
        return chosen
    top = chosen[0]
    while top > 0 and _is_row(lines[top - 1]):
        top -= 1
    return chosen if top == chosen[0] else [top, *chosen]


def _is_row(line: str) -> bool:
    return line.startswith("|")


def _cut(line: str) -> str:
    if width(line) <= _LINE_WIDTH:
        return line
    size = _LINE_WIDTH if width(line) == len(line) else _LINE_WIDTH // 2
    return line[: size - 1] + "…"
