"""Markdown: the text as it was written, cut at its headings."""

from __future__ import annotations

import itertools
import re
from functools import cache

from markdown_it import MarkdownIt

from prudent.toolkits.knowledge.documents import Block, Document
from prudent.toolkits.knowledge.readers.plain import decode, paragraphs

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@cache
def _parser() -> MarkdownIt:
    # Only blocks are wanted: inline markup stays in the text, and leaving it unparsed is ten times as fast.
    return MarkdownIt("commonmark").disable("inline")


def read_markdown(data: bytes) -> Document:
    """Read a Markdown file. Its title is that of the front matter, else its first heading of the first level."""
    text, notes = decode(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = ""
    front = _FRONT_MATTER.match(text)
    if front:
        named = _FRONT_TITLE.search(front[1])
        title = named[1].strip().strip("\"'") if named else ""
        text = "\n" * front[0].count("\n") + text[front.end() :]
    lines = text.split("\n")
    blocks: list[Block] = []
    path: tuple[tuple[int, str], ...] = ()
    begin = 0
    for level, heading, start, end in [*_headings(text), (0, "", len(lines), len(lines))]:
        blocks += paragraphs(lines[begin:start], begin, tuple(name for _, name in path))
        begin = end
        if level == 1 and not title:
            title = heading
        elif not (level == 1 and heading == title):
            path = (*(step for step in path if step[0] < level), (level, heading))
    return Document(title, tuple(blocks), notes)


def _headings(text: str) -> list[tuple[int, str, int, int]]:
    """Find level, words, first line and line behind of each heading (not those inside quotes or code)."""
    tokens = _parser().parse(text)
    found: list[tuple[int, str, int, int]] = []
    for token, inside in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.map and token.level == 0:
            words = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", _LINK.sub(r"\1", inside.content)).strip()
            found.append((int(token.tag[1]), words, token.map[0], token.map[1]))
    return found
