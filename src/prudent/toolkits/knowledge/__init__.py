"""Toolkit `knowledge`: questions to a folder of documents (md, txt, html, pdf, docx), in English, Chinese and others."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field

from prudent.errors import ConfigurationError
from prudent.toolkits.knowledge.library import Library, default_index_path
from prudent.toolkits.knowledge.vectors import Embedder
from prudent.tools.definition import Tool, tool

_TIMEOUT_SECONDS = 60.0


def search_knowledge(query: str, limit: Annotated[int, Field(ge=1, le=10)] = 5, *, library: Library) -> str:
    """Search the user's documents and get an index of passages: id, title, place, the two lines that fit best, and a score.

    It looks for the words of the query as they are and in their other forms, with nothing added. More matching words come
    first.

    Args:
        query: The words to look for, taken from the question and in its language, at most 500 characters, such as
            "yearly plan return period". No operators, no quotes.
        limit: How many passages to list, 1 to 10; 5 when left out.
        library: Where to search.
    """
    return library.search(query, limit)


def read_passage(id: Annotated[int, Field(ge=1)], *, library: Library) -> str:
    """Read one passage of the documents whole, by its id, with its title and place.

    Args:
        id: The number in square brackets that `search_knowledge` gave, such as 17.
        library: Where to read.
    """
    return library.read(id)


def knowledge(folder: Path, *, index_path: Path | None = None, embedder: Embedder | None = None) -> list[Tool]:
    """Make the tools `search_knowledge` and `read_passage` for a folder.

    Args:
        folder: Where the documents are; its subfolders belong to it, hidden files and links that lead out do not.
        index_path: File of the index; in the user's cache folder when left out. Give each folder its own.
        embedder: Turns texts into vectors; with it, passages are found by meaning as well as by words.

    Raises:
        ConfigurationError: when there is no such folder.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise ConfigurationError(f"there is no folder of documents at {folder}")
    # A broken document can keep its reader busy for ever, and only a process can be ended; an embedder stays with its model.
    run_in = "thread" if embedder else "process"
    library = Library(folder, (index_path or default_index_path(folder)).resolve(), embedder)
    return [
        tool(
            partial(search_knowledge, library=library),
            name="search_knowledge",
            when="Use it for whatever the user's own documents may say: rules, prices, deadlines, amounts, procedures. Do so "
            "before answering from memory.",
            not_when="Not for live figures or finished reports: for those use `query_reports`. Not for arithmetic: for that "
            "use `calculator`.",
            examples=[{"query": "yearly plan return period"}, {"query": "年度套餐 退货 期限", "limit": 3}],
            effect="read",
            idempotent=True,
            timeout_seconds=_TIMEOUT_SECONDS,
            run_in=run_in,
            max_result_chars=5000,
            toolkit="knowledge",
        ),
        tool(
            partial(read_passage, library=library),
            name="read_passage",
            when="Use it when the two lines that the search showed are not enough to answer from.",
            not_when="Not for finding passages: for that use `search_knowledge`.",
            examples=[{"id": 17}],
            effect="read",
            idempotent=True,
            timeout_seconds=_TIMEOUT_SECONDS,
            run_in=run_in,
            toolkit="knowledge",
        ),
    ]
