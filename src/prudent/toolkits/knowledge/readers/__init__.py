"""Readers by kind of file: from bytes to a `Document`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath

from prudent.toolkits.knowledge.documents import Document, Unreadable
from prudent.toolkits.knowledge.readers.markdown import read_markdown
from prudent.toolkits.knowledge.readers.page import read_page
from prudent.toolkits.knowledge.readers.pdf import read_pdf
from prudent.toolkits.knowledge.readers.plain import read_plain
from prudent.toolkits.knowledge.readers.word import read_word

MAX_BYTES = 20_000_000

READERS: Mapping[str, Callable[[bytes], Document]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    ".text": read_plain,
    ".html": read_page,
    ".htm": read_page,
    ".pdf": read_pdf,
    ".docx": read_word,
}
"""By the ending of a file's name, in small letters."""


def is_readable(name: str) -> bool:
    """Whether there is a reader for a file of that name; Word's own lock files (`~$…`) are none."""
    return PurePath(name).suffix.lower() in READERS and not name.startswith("~$")


def read_document(name: str, data: bytes) -> Document:
    """Read a file's content by the ending of its name.

    Raises:
        Unreadable: when its text cannot be had, whatever is wrong with it.
    """
    try:
        return READERS[PurePath(name).suffix.lower()](data)
    except Unreadable:
        raise
    except Exception as error:  # a broken file can make a parser raise anything
        raise Unreadable(f"broken ({type(error).__name__})") from error
