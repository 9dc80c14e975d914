"""What readers make of a file, and how it is cut into passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from prudent.toolkits.knowledge.words import width

PASSAGE_WIDTH = 1200
"""Width at which a passage is full: short enough for a result, long enough to make sense alone."""

MAX_PASSAGES = 3000
"""Of one file; what comes after is left out, with a note."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n")
_STANDS_ALONE = re.compile(r"[|>#]|[-*+•] |\d+[.)] ")
_RULE = re.compile(r"[|:\s-]*")
"""A line that only draws: under a table's first row, or between parts."""


class Unreadable(Exception):
    """A file whose text cannot be had; says why in a few words."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list or table as it stands in a document."""

    text: str
    heading: tuple[str, ...] = ()
    """The headings that it stands under, outermost first, without the document's title."""

    place: str = ""
    """Where it starts, such as `line 12` or `page 3`."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file."""

    title: str
    """"" when the file itself names none."""

    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = field(default=())
    """What the reader of the text should know, such as a guessed encoding."""


def passages(document: Document) -> list[Block]:
    """Join blocks under the same heading, and cut long ones, so that each piece can be read alone."""
    found: list[Block] = []
    for block in _cut(document.blocks):
        last = found[-1] if found else None
        if last and last.heading == block.heading and width(last.text) + width(block.text) <= PASSAGE_WIDTH:
            found[-1] = Block(f"{last.text}\n\n{block.text}", last.heading, last.place)
        else:
            found.append(block)
        if len(found) > MAX_PASSAGES:
            break
    return found


def sentences(text: str) -> list[str]:
    """Cut a text into sentences, rows of tables and entries of lists; lines that were only wrapped are joined."""
    found: list[str] = []
    for paragraph in text.split("\n\n"):
        lines: list[str] = []
        for line in map(str.strip, paragraph.split("\n")):
            if lines and not _STANDS_ALONE.match(line) and not lines[-1].startswith("|"):
                lines[-1] += f" {line}"
            elif not _RULE.fullmatch(line):
                lines.append(line)
        found += [piece for line in lines for piece in _cut_sentences(line) if piece]
    return found


def _cut_sentences(line: str) -> list[str]:
    return [line] if line.startswith("|") else [piece.strip() for piece in _SENTENCE_END.split(line)]


def _cut(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        text = block.text.strip()
        if not text:
            continue
        if width(text) <= PASSAGE_WIDTH:
            yield Block(text, block.heading, block.place)
        else:
            yield from (Block(piece, block.heading, block.place) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Cut an overlong text between sentences, and a sentence that is overlong itself wherever it is full."""
    piece = ""
    for part in _SENTENCE_END.split(text):
        for bit in _slices(part):
            if piece and width(piece) + width(bit) >= PASSAGE_WIDTH:
                yield piece
                piece = bit
            else:
                piece = f"{piece}\n{bit}" if piece else bit
    if piece:
        yield piece


def _slices(text: str) -> Iterator[str]:
    size = PASSAGE_WIDTH if width(text) == len(text) else PASSAGE_WIDTH // 2
    text = text.strip()
    return (text[at : at + size] for at in range(0, len(text), size))
