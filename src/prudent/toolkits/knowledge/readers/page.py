"""HTML: what a reader of the page would see, cut at its headings."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from prudent.toolkits.knowledge.documents import Block, Document
from prudent.toolkits.knowledge.readers.plain import decode

_UNSEEN = {"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "head", "select", "textarea"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BREAKS = {
    *("address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption"),
    *("figure", "footer", "form", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary"),
    *("table", "ul"),
}
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def read_page(data: bytes) -> Document:
    """Read an HTML page. Scripts, styles and hidden elements are left out; tables become rows with bars."""
    declared = _DECLARED.search(data[:4096])
    text, notes = decode(data, declared=declared[1].decode("ascii", "ignore") if declared else "")
    document = read_html(text, numbered=True)
    return Document(document.title, document.blocks, notes)


def read_html(text: str, *, numbered: bool) -> Document:
    """Read HTML text; `numbered` says whether its lines mean anything to a person."""
    reader = _PageReader(numbered=numbered)
    reader.feed(text)
    reader.close()
    reader.end_block()
    return Document(reader.title or reader.first_heading, tuple(reader.blocks))


class _PageReader(HTMLParser):
    """Collects visible text into blocks."""

    def __init__(self, *, numbered: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.first_heading = ""
        self.blocks: list[Block] = []
        self._numbered = numbered
        self._path: tuple[tuple[str, str], ...] = ()
        self._held: list[str] = []
        self._has_text = False
        self._line = 1
        self._unseen: list[str] = []
        """Open elements, from the outermost one that is not shown."""

        self._in_title = False
        self._heading = ""
        self._row: list[str] | None = None
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = self._in_title or (tag == "title" and not self.title and "svg" not in self._unseen)
        if self._is_unseen(tag, attrs):
            return
        if tag in _HEADINGS:
            self.end_block()
            self._heading = tag
        elif tag == "tr":
            self._end_row()
            self._row = []
        elif tag in {"td", "th"} and self._row is not None:
            self._end_cell()
            self._cell = []
        elif tag == "br":
            self._add("\n")
        elif tag in _BREAKS:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"
        if self._unseen:
            if tag in self._unseen:
                # What stood open inside is closed with it.
                del self._unseen[len(self._unseen) - 1 - self._unseen[::-1].index(tag) :]
        elif tag == self._heading:
            self._end_heading()
        elif tag in {"td", "th"}:
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        elif tag in _BREAKS and tag != "li":
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = _one_line(self.title + data)
        elif not self._unseen:
            if not self._has_text and data.strip():
                self._has_text = True
                self._line = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
            self._add(re.sub(r"\s+", " ", data))

    def end_block(self) -> None:
        """Close the paragraph that is being read."""
        self._end_row()
        text = re.sub(r" *\n\s*", "\n", "".join(self._held)).strip()
        self._held, self._has_text = [], False
        if text:
            place = f"line {self._line}" if self._numbered else ""
            self.blocks.append(Block(text, tuple(name for _, name in self._path), place))

    def _is_unseen(self, tag: str, attributes: list[tuple[str, str | None]]) -> bool:
        if tag == "body" or (self._unseen and self._unseen[0] in {"p", "li"} and tag in _BREAKS):
            self._unseen.clear()  # nobody has to close a head, a paragraph or an entry of a list
        if not self._unseen and tag not in _UNSEEN and not _is_hidden(attributes):
            return False
        if tag not in _VOID:
            self._unseen.append(tag)
        return True

    def _add(self, text: str) -> None:
        if self._cell is not None:
            self._cell.append(text)
        elif self._row is None:
            self._held.append(text)

    def _break(self, tag: str) -> None:
        if self._cell is not None or self._heading:
            self._add(" ")
        elif tag == "li":
            # The entries of a list belong together.
            self._held.append("\n- " if self._has_text else "- ")
        else:
            self.end_block()

    def _end_heading(self) -> None:
        words, level, self._heading, self._held = _one_line("".join(self._held)), self._heading, "", []
        self._has_text = False
        if not words:
            return
        is_title = level == "h1" and (not self.first_heading or words == self.title)
        self.first_heading = self.first_heading or words
        self._path = () if is_title else (*(step for step in self._path if step[0] < level), (level, words))

    def _end_cell(self) -> None:
        if self._row is not None and self._cell is not None:
            self._row.append(_one_line("".join(self._cell)))
        self._cell = None

    def _end_row(self) -> None:
        self._end_cell()
        if self._row and any(self._row):
            self._held.append(f"\n| {' | '.join(self._row)} |\n")
        self._row = None


def _is_hidden(attributes: list[tuple[str, str | None]]) -> bool:
    names = dict(attributes)
    return "hidden" in names or names.get("aria-hidden") == "true" or bool(_HIDING.search(names.get("style") or ""))


def _one_line(text: str) -> str:
    return " ".join(text.split())
