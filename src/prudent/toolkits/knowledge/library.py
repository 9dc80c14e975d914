"""A folder of documents with its index: searching it and reading from it, in the words that the model sees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from prudent.errors import ToolError
from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.ranking import Found, Ranking, rank
from prudent.toolkits.knowledge.snippets import snippet
from prudent.toolkits.knowledge.store import Passage, Store
from prudent.toolkits.knowledge.update import Followed, follow
from prudent.toolkits.knowledge.vectors import Embedder
from prudent.toolkits.knowledge.words import query_words

INDEXING_SECONDS = 20.0
"""How long one call reads new files; a large folder is taken in over several calls."""

MAX_QUERY_CHARS = 500
_MAX_NAMED = 12
_MAX_NAME_CHARS = 160


@dataclass(frozen=True, slots=True)
class Library:
    """A folder and where its index lies."""

    folder: Path
    index_path: Path
    embedder: Embedder | None = None

    def search(self, query: str, limit: int) -> str:
        """List the passages that fit a query, best first."""
        words = query_words(query[:MAX_QUERY_CHARS])
        if not words:
            raise ToolError("the query has no words", fix="Give the words that matter in the question.")
        with open_store(self.index_path) as store:
            state = follow(store, self.folder, seconds=INDEXING_SECONDS)
            ranking = rank(store, words, query[:MAX_QUERY_CHARS], embedder=self.embedder)
            text = _listing(store, ranking, words, limit) if ranking.found else _nothing(store, words, state)
        return "\n".join([text, *_remarks(state)])

    def read(self, passage_id: int) -> str:
        """Give one passage whole, with its place and what stands before and behind it."""
        with open_store(self.index_path) as store:
            follow(store, self.folder, seconds=INDEXING_SECONDS)
            passage = store.passage(passage_id)
            if passage is None:
                raise ToolError(
                    f"there is no passage {passage_id}: its file may have changed since the search",
                    fix="Search again for its id.",
                )
            before, behind = store.neighbours(passage_id)
        around = [f"before it: {before}"] if before else []
        around += [f"after it: {behind}"] if behind else []
        last = f"\n(Passages of the same file: {', '.join(around)}.)" if around else ""
        return f"{_title(passage)} ({_place(passage)})\n{passage.body}{last}"


def default_index_path(folder: Path) -> Path:
    """Choose where the index of a folder lies: in the user's cache, never among the documents."""
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("prudent", appauthor=False) / "knowledge" / f"{folder.resolve().name}-{name}.db"


def _listing(store: Store, ranking: Ranking, words: Sequence[str], limit: int) -> str:
    shown = ranking.found[:limit]
    passages = {passage.passage_id: passage for passage in store.passages([found.passage_id for found in shown])}
    total = f"{len(ranking.found)}" if len(ranking.found) < 100 else "100 or more"
    lines = [f"{len(shown)} of {total} passages, best first:"]
    for number, found in enumerate(shown):
        passage = passages.get(found.passage_id)
        if passage is not None:
            lines += [f"[{found.passage_id}] {_title(passage)} ({_place(passage)}; {_score(found, words)})"]
            lines += [f"    {line}" for line in snippet(store, passage, words, ranking.weights, whole=number == 0)]
    return "\n".join(lines)


def _nothing(store: Store, words: Sequence[str], state: Followed) -> str:
    if not state.files:
        return "The folder holds no documents (md, txt, html, pdf, docx)."
    titles = [row[0] for row in store.connection.execute("SELECT title FROM files WHERE problem = '' ORDER BY path")]
    named = ", ".join(map(_cut, titles[:_MAX_NAMED])) + (
        f" and {len(titles) - _MAX_NAMED} more" if len(titles) > _MAX_NAMED else ""
    )
    return (
        f"No passage has any of the words: {', '.join(words[:_MAX_NAMED])}. Try other words, such as the documents themselves "
        f"would use, in their language. If that finds nothing either, the documents do not say it. They are: {named}."
    )


def _remarks(state: Followed) -> list[str]:
    remarks: list[str] = []
    if state.waiting:
        remarks.append(
            f"Incomplete: {state.waiting} of {state.files} files are not indexed yet; a later search goes on with them."
        )
    if state.problems:
        more = f" and {len(state.problems) - 3} more" if len(state.problems) > 3 else ""
        remarks.append(f"Not searched: {', '.join(map(_cut, state.problems[:3]))}{more}.")
    return remarks


def _title(passage: Passage) -> str:
    return _cut(f"{passage.title} › {passage.heading}" if passage.heading else passage.title)


def _place(passage: Passage) -> str:
    return ", ".join(_cut(part) for part in (passage.path, passage.place, passage.notes) if part)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_NAME_CHARS else text[: _MAX_NAME_CHARS - 1] + "…"


def _score(found: Found, words: Sequence[str]) -> str:
    return f"score {found.score:.3g}, {len(found.matched)} of {len(words)} words"
