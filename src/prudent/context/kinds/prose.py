"""Long running text: its beginning, and where the part stands that the task asks for."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.context.cutting import Draft, characters_left, cut_at, shorten
from prudent.context.json_text import Part
from prudent.context.relevance import Place, best_places

POINTER_CHARS = 260
"""Kept free for the line that points to the most relevant part."""

LONG_TEXT_CHARS = 300
MIN_PARAGRAPH_CHARS = 80


def shorten_prose(text: str, limit: int, terms: Sequence[str]) -> Draft:
    """Show the beginning; name the place farther on that holds the most of the task's words, if any does."""
    room = limit - POINTER_CHARS
    places = best_places(text, terms, start=cut_at(text, room)) if room > POINTER_CHARS else []
    place = cut_at(text, room if places else limit)
    body = text[:place].rstrip("\n")
    if places:
        body = f"{body}\n{pointer(text, places[0])}"
    return Draft(body, characters_left(len(text) - place, len(text)), place)


def pointer(text: str, place: Place, snippet_chars: int = 160) -> str:
    """Write where the most relevant part is, with its words."""
    start = _line_start(text, place.start)
    snippet = shorten(text[start : place.end + snippet_chars], snippet_chars)
    return f"[most relevant to the task at start={start}: {snippet}]"


def _line_start(text: str, at: int) -> int:
    """Go back to where the line or sentence begins, if that is near."""
    floor = max(0, at - 120)
    starts = (text.rfind(sign, floor, at) + len(sign) for sign in ("\n", ". ", "。", "！", "？"))
    near = max((start for start in starts if start > floor), default=-1)
    if near >= 0 or floor == 0:
        return max(near, 0)
    return text.find(" ", floor, at) + 1 or at


def shorten_texts(text: str, items: Sequence[Part], limit: int, terms: Sequence[str]) -> Draft:
    """Show of several long texts the first paragraph of each, and where the most relevant part of all is."""
    room = limit - POINTER_CHARS
    share = max(MIN_PARAGRAPH_CHARS, room // max(len(items), 1) - 40)
    lines = [f"{len(items):,} texts:"]
    used = len(lines[0])
    for number, item in enumerate(items, 1):
        whole = item.value if isinstance(item.value, str) else text[item.start : item.end]
        line = f"{number}. ({len(whole):,} characters, at start={item.start}) {_first_paragraph(whole, share)}"
        if used + len(line) + 1 > room:
            break
        lines.append(line)
        used += len(line) + 1
    shown = len(lines) - 1
    places = best_places(text, terms)
    if places:
        lines.append(pointer(text, places[0]))
    next_start = items[shown].start if shown < len(items) else items[0].start
    return Draft("\n".join(lines)[:limit], f"most of {len(text):,} characters", next_start)


def _first_paragraph(text: str, limit: int) -> str:
    start = text.strip()
    paragraph = start.split("\n\n", 1)[0]
    if len(paragraph) < MIN_PARAGRAPH_CHARS:
        paragraph = start
    return shorten(paragraph, limit)
