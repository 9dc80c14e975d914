"""Plain text, and the encoding of whatever is text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from charset_normalizer import from_bytes

from prudent.toolkits.knowledge.documents import PASSAGE_WIDTH, Block, Document, Unreadable
from prudent.toolkits.knowledge.words import width

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000
_MAX_TITLE = 100


def decode(data: bytes, *, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """Decode text, and give a note where its encoding had to be guessed.

    Args:
        data: The file's content.
        declared: The encoding that the file itself names, if any.

    Raises:
        Unreadable: when it is no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff"), ()
    for encoding in ("utf-8", declared):
        text = _strictly(data, encoding)
        if text is not None:
            return text, ()
    return _guess(data)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding) if encoding else None
    except (UnicodeDecodeError, LookupError):
        return None
    return text if text is not None and "\0" not in text else None


def _guess(data: bytes) -> tuple[str, tuple[str, ...]]:
    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise Unreadable("no text")
    text = data.decode(best.encoding, "replace")
    odd = sum(1 for character in text[:_SAMPLE] if character in "\0\ufffd" or (character < " " and character not in "\t\n\r\f"))
    if odd > len(text[:_SAMPLE]) / 100:
        raise Unreadable("no text")
    return text, (f"encoding guessed: {best.encoding}",)


def read_plain(data: bytes) -> Document:
    """Read a text file. A short first line that stands alone is its title."""
    text, notes = decode(data)
    lines = text.splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled:
        return Document("", (), notes)
    first = filled[0]
    alone = len(filled) == 1 or not lines[first + 1].strip()
    title = lines[first].strip() if alone and len(lines[first].strip()) <= _MAX_TITLE else ""
    return Document(title, tuple(paragraphs(lines, 0, ())), notes)


def paragraphs(lines: Sequence[str], first: int, heading: tuple[str, ...]) -> Iterator[Block]:
    """Cut lines at empty ones, and where a passage would be overfull.

    Args:
        lines: The lines.
        first: How many lines of the file stand before them.
        heading: What they stand under.
    """
    start, held, held_width = 0, list[str](), 0
    for number, line in enumerate([*lines, ""]):
        size = width(line)
        if held and (not line.strip() or held_width + size > PASSAGE_WIDTH):
            yield Block("\n".join(held), heading, f"line {first + start + 1}")
            held, held_width = [], 0
        if line.strip():
            start = start if held else number
            held.append(line.rstrip())
            held_width += size + 1
