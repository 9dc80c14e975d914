"""Text for people: made safe for a terminal, shortened, and measured."""

from __future__ import annotations

import json
import unicodedata
from datetime import datetime
from typing import cast

from prudent.types import JSON, JSONMapping

_KEPT_CONTROLS = "\n\t"
_HIDDEN_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_KEPT_FORMATS = "\u200c\u200d\ufe0f"
"""Joiners that scripts and emoji need."""


def visible(text: str) -> str:
    """Show control characters instead of sending them: what a model or a tool wrote must not drive the terminal.

    Escape sequences, carriage returns and characters that turn the direction of writing come out as their numbers.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character in _KEPT_CONTROLS or character in _KEPT_FORMATS or character.isprintable():
        return character
    if unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, limit: int = 100) -> str:
    """Put a text on one line of at most `limit` characters, with a mark where it was cut."""
    flat = " ".join(visible(text[: limit * 4]).split())
    if len(flat) <= limit and len(text) <= limit * 4:
        return flat
    return flat[: max(1, limit - 1)].rstrip() + "…"


def as_json(value: object, *, indent: int | None = None) -> str:
    """Write a value as JSON that any reader takes: no NaN, no lone surrogate, Chinese as it stands."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, default=str)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(json.loads(text), indent=indent)
    return text


def json_or_text(text: str) -> JSON:
    """Read a person's words as JSON where they are JSON, else take them as text."""
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def _finite(value: object) -> object:
    """Put words in the place of NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in cast("list[object]", value)]
    return value


def arguments_line(arguments: JSONMapping, limit: int = 90) -> str:
    """Write arguments as `city="Bern" days=3`, shortened to one line."""
    return one_line(" ".join(f"{name}={as_json(value)}" for name, value in arguments.items()), limit)


def arguments_block(arguments: JSONMapping) -> list[str]:
    """Write arguments in full, one a line; long texts as indented paragraphs."""
    lines: list[str] = []
    for name, value in arguments.items():
        lines.extend(_argument_lines(name, value))
    return lines


def _argument_lines(name: str, value: JSON) -> list[str]:
    if isinstance(value, str) and ("\n" in value or len(value) > 100):
        return [f"{visible(name)}:", *("    " + line for line in visible(value).split("\n"))]
    return [f"{visible(name)}: {visible(as_json(value))}"]


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 turn`, `2,104 tokens`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def seconds_text(seconds: float) -> str:
    """Write a duration as people read it: `0.3 s`, `12 s`, `2 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 90:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def cost_text(cost: float | None) -> str:
    """Write a price; an unknown one is said to be unknown."""
    if cost is None:
        return "cost unknown"
    return "no cost" if cost == 0 else f"${cost:.4f}" if cost < 1 else f"${cost:.2f}"


def when_text(at: float | None) -> str:
    """Write a time of the record in the reader's own zone, to the second."""
    return "" if at is None else datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
