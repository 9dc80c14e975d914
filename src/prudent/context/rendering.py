"""A raw result as text: whole, before anything is left out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import cast

from prudent.context.cleaning import clean
from prudent.context.json_text import MAX_PARSED_CHARS, lay_out, unescape_letters
from prudent.context.kinds.binary import describe_bytes, media_type_of, text_of
from prudent.context.kinds.pages import looks_like_page, page_text
from prudent.context.plain import to_plain
from prudent.messages import Image

MAX_KEPT_CHARS = 8_000_000
"""More of a result is not kept."""

SOURCE = "#source"
"""Behind a handle: the kept text to the letter, where it is otherwise read in another form."""

NOTHING = "Done; there is nothing to report."

_HASHED_CHARS = 1_000_000


@dataclass(frozen=True, slots=True)
class Rendered:
    """A result as text."""

    text: str
    media_type: str = "text/plain"
    content: str | bytes = ""
    """What is kept of it: bytes where the result is bytes, else the text."""

    chars: int = 0
    """Length of the raw result."""

    hash: str = ""
    notes: tuple[str, ...] = ()
    pictures: tuple[Image, ...] = field(default=())

    @property
    def is_json(self) -> bool:
        """Whether the text is JSON."""
        return self.media_type == "application/json"

    @property
    def is_bytes(self) -> bool:
        """Whether the text only describes what was returned."""
        return isinstance(self.content, bytes)


def render(result: object) -> Rendered:
    """Write any result as text."""
    if type(result) is str:
        return _of_text(result)
    if result is None:
        return Rendered(NOTHING, content=NOTHING, chars=0, hash=hash_of(NOTHING))
    if isinstance(result, bytes | bytearray | memoryview):
        return _of_bytes(bytes(cast(bytes, result)))
    if isinstance(result, Image):
        return _of_picture(result)
    plain = to_plain(result)
    if isinstance(plain.value, str):
        rendered = _of_text(plain.value)
        return Rendered(rendered.text, rendered.media_type, rendered.text, rendered.chars, rendered.hash, tuple(plain.notes))
    text = clean(lay_out(plain.value))
    media_type = "application/json" if isinstance(plain.value, list | dict) else "text/plain"
    if isinstance(plain.value, list) and len(text) > MAX_PARSED_CHARS:
        plain.notes.append(f"a list of {len(plain.value):,} items")
    return Rendered(text, media_type, text, len(text), hash_of(text), tuple(plain.notes), tuple(plain.pictures))


def _of_text(raw: str) -> Rendered:
    text = clean(raw[:MAX_KEPT_CHARS])
    if text[:1] in ("{", "["):
        text = unescape_letters(text)
    notes = (f"only the first {MAX_KEPT_CHARS:,} of {len(raw):,} characters are kept",) if len(raw) > MAX_KEPT_CHARS else ()
    media_type = "text/html" if looks_like_page(text) else "text/plain"
    return Rendered(text, media_type, text, len(raw), hash_of(raw), notes)


def _of_bytes(data: bytes) -> Rendered:
    media_type = media_type_of(data)
    if media_type.startswith("image/"):
        return _of_picture(Image(media_type, data))
    text = text_of(data)
    if text is not None and data:
        return _of_text(text)
    return Rendered(describe_bytes(data, media_type), media_type, data[:MAX_KEPT_CHARS], len(data), _digest(data))


def _of_picture(picture: Image) -> Rendered:
    text = describe_bytes(picture.data, picture.media_type)
    return Rendered(text, picture.media_type, picture.data, len(picture.data), _digest(picture.data), pictures=(picture,))


def hash_of(text: str) -> str:
    """Hash a text of any length and content."""
    if len(text) <= _HASHED_CHARS:
        return _digest(text.encode("utf-8", "surrogatepass"))
    digest = hashlib.sha256()
    for at in range(0, len(text), _HASHED_CHARS):
        digest.update(text[at : at + _HASHED_CHARS].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def reading_text(media_type: str, text: str) -> str:
    """Give a kept text as it is read on: of an HTML page what a reader would see, anything else as it is."""
    if media_type != "text/html":
        return text
    return clean(page_text(text)) or text
