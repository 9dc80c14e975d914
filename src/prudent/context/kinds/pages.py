"""HTML to text: what a reader of the page would see. Reads any input in one pass, however broken it is."""

from __future__ import annotations

import html
import re

MAX_PAGE_CHARS = 2_000_000
"""What stands behind that is not turned into text."""

_TAG = re.compile(r"""</?([a-zA-Z][^\s/>"'<]{0,40})((?:[^<>"']++|"[^"]{0,4000}+"|'[^']{0,4000}+')*+)>""")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]+)"|'([^']+)')""", re.IGNORECASE)
_SKIPPED = frozenset(["head", "iframe", "noscript", "object", "script", "style", "svg", "template"])
_BLOCK_NAMES = """
address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main nav ol p
section summary table ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### "}
_DOCUMENT = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


def looks_like_page(text: str) -> bool:
    """Whether a text is an HTML document; a fragment of HTML is left alone."""
    return bool(_DOCUMENT.match(text[:5000]))


def page_text(source: str) -> str:
    """Give a page's text: headings, paragraphs, lists and tables by lines, links with their targets."""
    reader = _Reader(source[:MAX_PAGE_CHARS])
    reader.read()
    return reader.text()


class _Reader:
    """One pass over one page."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._targets: list[str] = []
        self._verbatim = 0
        self._never_closed: set[str] = set()

    def text(self) -> str:
        lines = [line.rstrip() for line in "".join(self._pieces).splitlines()]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def read(self) -> None:
        at = 0
        while at < len(self._source):
            opening = self._source.find("<", at)
            if opening < 0:
                opening = len(self._source)
            self._say(self._source[at:opening])
            at = self._after_markup(opening)

    def _after_markup(self, at: int) -> int:
        """Take in the markup that begins at `at`, and give the place behind it."""
        if self._source.startswith("<!--", at):
            return self._behind("-->", at)
        if self._source.startswith(("<!", "<?"), at):
            return self._behind(">", at)
        found = _TAG.match(self._source, at)
        if found is None:
            self._say(self._source[at : at + 1])
            return at + 1
        name = found[1].lower()
        if name in _SKIPPED and not found[0].startswith("</") and not found[0].endswith("/>"):
            return self._behind_element(name, found.end())
        self._tag(name, found[2], closes=found[0].startswith("</"))
        return found.end()

    def _behind(self, sign: str, at: int) -> int:
        end = self._source.find(sign, at)
        return len(self._source) if end < 0 else end + len(sign)

    def _behind_element(self, name: str, at: int) -> int:
        """Pass over an element that is not shown; of the head the title is."""
        if name in self._never_closed:
            return at
        found = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self._source, at)
        if found is None:
            self._never_closed.add(name)
            return at if name in ("head", "noscript") else len(self._source)
        title = re.compile(r"<title[^>]{0,200}>([^<]{1,500})</title", re.IGNORECASE).search(self._source, at, found.start())
        if name == "head" and title:
            self._pieces.append(f"{html.unescape(title[1]).strip()}\n\n")
        return found.end()

    def _say(self, text: str) -> None:
        if not text:
            return
        text = html.unescape(text) if "&" in text else text
        if not self._verbatim:
            text = re.sub(r"[ \t\r\n\f]+", " ", text)
            if self._at_line_start():
                text = text.lstrip(" ")
        if text:
            self._pieces.append(text)

    def _at_line_start(self) -> bool:
        return not self._pieces or self._pieces[-1].endswith(("\n", " "))

    def _tag(self, name: str, attributes: str, *, closes: bool) -> None:
        if name == "a":
            self._link(attributes, closes=closes)
        elif name == "pre":
            self._verbatim = max(0, self._verbatim + (-1 if closes else 1))
            self._pieces.append("\n")
        elif name in _HEADINGS:
            self._pieces.append("\n" if closes else f"\n\n{_HEADINGS[name]}")
        elif name in ("td", "th"):
            self._pieces.append(" | " if closes else "")
        elif name in ("br", "tr", "li"):
            self._pieces.append("\n- " if name == "li" and not closes else "" if closes else "\n")
        elif name == "img":
            alt = _ALT.search(attributes)
            self._pieces.append(f"[picture: {html.unescape(alt[1] or alt[2])}]" if alt else "")
        elif name in _BLOCKS:
            self._pieces.append("\n\n" if name in ("p", "table") else "\n")

    def _link(self, attributes: str, *, closes: bool) -> None:
        if not closes:
            found = _HREF.search(attributes)
            self._targets.append(html.unescape(found[1] or found[2] or found[3] or "") if found else "")
            return
        target = self._targets.pop() if self._targets else ""
        if target and not target.startswith(("#", "javascript:", "data:")):
            self._pieces.append(f" ({target[:300]})")
