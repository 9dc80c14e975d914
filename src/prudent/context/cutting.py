"""Cutting a text where it may be cut, and the mark that says so."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_END = re.compile(r"\n|[.!?][\"')\]]*\s|[。！？；][”’」』）]*")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Draft:
    """A result as it is to be shown, before the mark is written behind it."""

    body: str
    left_out: str = ""
    """What is missing, such as `197,812 of 200,000 characters`; empty when nothing is."""

    next_start: int = 0
    """Where reading goes on in the kept text."""

    searchable: bool = True
    """Whether `search_in` finds anything in it."""


def cut_at(text: str, limit: int, start: int = 0) -> int:
    """Give the place to cut `text[start:]` so that at most `limit` characters stay before it.

    That is the end of a line or sentence if there is one in the last third, else a space, else the limit itself, but
    never inside a letter that is made of several characters.
    """
    end = start + limit
    if len(text) <= end:
        return len(text)
    floor = start + limit * 2 // 3
    place = -1
    for found in _END.finditer(text, floor, end):
        place = found.end()
    if place > start:
        return place
    space = text.rfind(" ", floor, end)
    return space + 1 if space > start else _whole_letter(text, start, end)


def _whole_letter(text: str, start: int, end: int) -> int:
    at = end
    while at > max(start + 1, end - 16) and _belongs_to_last(text, at):
        at -= 1
    return at


def _belongs_to_last(text: str, at: int) -> bool:
    return text[at] in _JOINERS or text[at - 1] == "\u200d" or unicodedata.combining(text[at]) != 0


def shorten(text: str, limit: int) -> str:
    """Cut a text to one short line, with a sign that it was cut."""
    flat = " ".join(text[: limit * 2 + 50].split())
    return flat if len(flat) <= limit and len(text) <= limit * 2 + 50 else flat[: max(limit - 1, 1)].rstrip() + "…"


def head_of(text: str, limit: int) -> Draft:
    """Show the beginning of a text."""
    place = cut_at(text, limit)
    return Draft(text[:place].rstrip("\n"), characters_left(len(text) - place, len(text)), place)


def characters_left(left: int, total: int) -> str:
    """Say how much is missing; nothing when nothing is."""
    return f"{left:,} of {total:,} characters" if left > 0 else ""


def mark(draft: Draft, handle: str) -> str:
    """Write what is missing and how to go on; nothing when nothing is missing."""
    if not draft.left_out:
        return ""
    if not handle:
        return f"[… {draft.left_out} left out; the rest could not be kept]"
    go_on = f'read_more(handle="{handle}", start={draft.next_start})'
    search = ", or find places in it with search_in" if draft.searchable else ""
    return f"[… {draft.left_out} left out; go on with {go_on}{search}]"


class Lines:
    """Lines gathered up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._chars = -1

    @property
    def room(self) -> int:
        """Characters that a further line may have."""
        return self._limit - self._chars - 1

    def add(self, line: str) -> bool:
        """Take a line if it still fits."""
        if len(line) > self.room:
            return False
        self._lines.append(line)
        self._chars += len(line) + 1
        return True

    def text(self) -> str:
        """Give the lines as one text."""
        return "\n".join(self._lines)
