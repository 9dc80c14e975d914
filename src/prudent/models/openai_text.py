"""The text of a streamed reply: thinking that stands in tags at its head, and characters cut in two."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class WholeCharacters:
    """Holds back half of a character that a server cut in two (a lone surrogate), until the other half is there."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece in, and give what of it can be shown."""
        if self._held:
            piece, self._held = self._held + piece, ""
        if piece.isascii():
            return piece
        if "\ud800" <= piece[-1] <= "\udbff":
            self._held = piece[-1]
            piece = piece[:-1]
        return mended(piece)


def mended(text: str) -> str:
    """Join surrogate halves to characters, and replace those that stand alone: such text cannot be written anywhere."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class ThinkTags:
    """Divides text into thinking and answer where it begins with `<think>`; other text passes through untouched."""

    __slots__ = ("_held", "_place", "seen")

    def __init__(self) -> None:
        self.seen = False
        """Whether the text began with the tag."""

        self._place = "head"
        self._held = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """Take a piece in; give the thinking and the text that are certain by now."""
        if self._place == "answer":
            return "", piece
        self._held += piece
        thinking = ""
        if self._place == "head":
            start = self._held.lstrip()
            if len(start) < len(_OPEN) and _OPEN.startswith(start):
                return "", ""
            if not start.startswith(_OPEN):
                return "", self._release("answer")
            self.seen, self._place, self._held = True, "thinking", start[len(_OPEN) :]
        if self._place == "thinking":
            thinking, closed, rest = self._held.partition(_CLOSE)
            if not closed:
                return self._all_but_tag_start(), ""
            self._held, self._place = rest, "gap"
        text = self._held.lstrip()
        return thinking, self._keep(text) if text else ""

    def finish(self) -> tuple[str, str]:
        """Give what was held back, at the end."""
        thinking = self._place == "thinking"
        held = self._release("answer") if self._place != "gap" else ""
        return (held, "") if thinking else ("", held)

    def _keep(self, text: str) -> str:
        self._release("answer")
        return text

    def _release(self, place: str) -> str:
        held, self._held, self._place = self._held, "", place
        return held

    def _all_but_tag_start(self) -> str:
        """Give the thinking without an end that may be the beginning of the closing tag."""
        cut = next((n for n in range(min(len(_CLOSE) - 1, len(self._held)), 0, -1) if self._held.endswith(_CLOSE[:n])), 0)
        certain = self._held[: len(self._held) - cut]
        self._held = self._held[len(certain) :]
        return certain
