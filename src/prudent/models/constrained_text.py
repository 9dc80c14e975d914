"""Reading the answer's text out of a constrained reply while it streams."""

from __future__ import annotations

import json
import re

_ANSWER = re.compile(r'\s*\{\s*"tool"\s*:\s*"final_answer"\s*,\s*"answer"\s*:\s*"')
_ESCAPE_CHARS = 12
"""The longest escape in a JSON string: a surrogate pair."""


class AnswerText:
    """Turns pieces of `{"tool": "final_answer", "answer": "…"}` into pieces of the answer."""

    def __init__(self, *, plain: bool = False) -> None:
        """Begin a reply; a plain one is passed on as it comes."""
        self.came = False
        self._plain = plain
        self._waiting = ""
        self._inside = False
        self._done = False

    def take(self, piece: str) -> str:
        """Take a piece of the reply and return what of the answer can be shown now."""
        if self._plain:
            self.came = True
            return piece
        if self._done:
            return ""
        self._waiting += piece
        if not self._inside:
            start = _ANSWER.match(self._waiting)
            if not start:
                return ""
            self._inside = True
            self._waiting = self._waiting[start.end() :]
        text = self._decode()
        self.came = self.came or bool(text)
        return text

    def _decode(self) -> str:
        """Decode what is whole of the string: up to its end, and not into an escape that is still coming."""
        end = self._end()
        if end is not None:
            self._done = True
            return _decoded(self._waiting[:end]) or ""
        for cut in range(len(self._waiting), max(len(self._waiting) - _ESCAPE_CHARS, 0) - 1, -1):
            text = _decoded(self._waiting[:cut])
            if text is not None:
                self._waiting = self._waiting[cut:]
                return text
        return ""

    def _end(self) -> int | None:
        """Find the quote that ends the string."""
        escaped = False
        for index, character in enumerate(self._waiting):
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                return index
        return None


def _decoded(inside: str) -> str | None:
    """Decode the inside of a JSON string; None when it is not whole."""
    try:
        text: str = json.loads(f'"{inside}"', strict=False)
    except ValueError:
        return None
    return None if text and "\ud800" <= text[-1] <= "\udbff" else text
