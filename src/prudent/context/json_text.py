"""JSON as text: written for models and read with the place of every part."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import cast

from prudent.types import JSON

ONE_LINE_CHARS = 200
"""A part that is longer is laid out over several lines."""

LAYOUT_DEPTH = 5

MAX_PARSED_CHARS = 3_000_000
MAX_PARTS = 200_000
"""A longer text, or one of more parts, is not taken apart: that would take a good part of a second."""

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_decoder = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")


def encode(value: JSON) -> str:
    """Write JSON on one line, CJK as it stands."""
    return _encoder.encode(value)


def lay_out(value: JSON, depth: int = 0) -> str:
    """Write JSON with a line for each part of what is long, so that it can be read and searched in pieces."""
    text = encode(value)
    if len(text) <= ONE_LINE_CHARS or depth >= LAYOUT_DEPTH:
        return text
    if isinstance(value, list):
        return "[\n" + ",\n".join(lay_out(item, depth + 1) for item in value) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{encode(key)}:{lay_out(item, depth + 1)}" for key, item in value.items()) + "\n}"
    return text


@dataclass(frozen=True, slots=True)
class Part:
    """An item of a list or a member of an object, and where its value stands in the text."""

    value: JSON
    start: int
    end: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """A list or object taken apart."""

    items: list[Part]
    is_list: bool
    end: int
    """Where it ends in the text."""


def parts_of(text: str, start: int = 0) -> Parts | None:
    """Read the list or object that begins at `start` part by part; None when it is not one, or broken."""
    start = _skip(text, start)
    opening = text[start : start + 1]
    if opening not in ("[", "{") or len(text) > MAX_PARSED_CHARS:
        return None
    items: list[Part] = []
    try:
        end = _read_parts(text, start + 1, items, keyed=opening == "{")
    except (ValueError, RecursionError):
        return None
    return Parts(items, opening == "[", end)


def lines_of(text: str, first: Parts) -> list[Part] | None:
    """Read JSON Lines, of which `first` is the first; None when the text is anything else."""
    parts = [Part({item.key: item.value for item in first.items}, 0, first.end)]
    if first.is_list:
        parts = [Part([item.value for item in first.items], 0, first.end)]
    at = _skip(text, first.end)
    try:
        while at < len(text):
            value, end = _decoder.raw_decode(text, at)
            if not isinstance(value, list | dict) or len(parts) > MAX_PARTS:
                return None
            parts.append(Part(cast(JSON, value), at, end))
            at = _skip(text, end)
    except (ValueError, RecursionError):
        return None
    return parts


def _read_parts(text: str, at: int, items: list[Part], *, keyed: bool) -> int:
    closing = "}" if keyed else "]"
    at = _skip(text, at)
    if text[at : at + 1] == closing:
        return at + 1
    while True:
        key = ""
        if keyed:
            name, at = _decoder.raw_decode(text, at)
            if not isinstance(name, str):
                raise ValueError(f"no name at {at}")
            key, at = name, _after(text, at, ":")
        value, end = _decoder.raw_decode(text, at)
        items.append(Part(cast(JSON, value), at, end, key))
        if len(items) > MAX_PARTS:
            raise ValueError("too many parts")
        at = _skip(text, end)
        if text[at : at + 1] == closing:
            return at + 1
        at = _after(text, at, ",")


def _skip(text: str, at: int) -> int:
    if text[at : at + 1] not in " \t\r\n":
        return at
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _after(text: str, at: int, sign: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise ValueError(f"{sign} expected at {at}")
    return _skip(text, at + 1)


def unescape_letters(text: str) -> str:
    r"""Write `\u4f60` as the letter it stands for, in a text that is JSON; everything else stays to the letter."""
    return _ESCAPED.sub(_letters, text) if "\\u" in text else text


def _letters(found: re.Match[str]) -> str:
    codes = found[2].split("\\u")[1:]
    letters = bytes.fromhex("".join(codes)).decode("utf-16-be", "surrogatepass")
    return found[1] + "".join(letter if _is_plain(letter) else _escape(letter) for letter in letters)


def _is_plain(letter: str) -> bool:
    return ord(letter) >= 0xA0 and not 0xD800 <= ord(letter) <= 0xDFFF and letter not in "\u2028\u2029"


def _escape(letter: str) -> str:
    return f"\\u{ord(letter):04x}"
