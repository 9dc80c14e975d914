"""Keeps secrets out of everything that is written, shown or exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, cast
from urllib.parse import quote

from prudent.journal.secret_shapes import NAME_MARKS, RUN_LENGTH, SHAPES, find_secrets, is_secret_value, secret_name
from prudent.types import JSON, JSONObject

HIDDEN: Final = "[redacted: secret parameter]"
"""What stands in place of the value of a parameter that a tool declares secret."""

_SHORTEST_KNOWN: Final = 8
"""A known secret of fewer characters is replaced only where it stands alone, since it may be part of any word."""

_SHORTEST_SUSPECT: Final = 10
"""`pwd=abcdef`: anything shorter is no secret by its form."""

_RUN: Final = b"a" * RUN_LENGTH
_TO_RUN: Final = bytes(ord("a") if (chr(c).isalnum() and c < 128) or c in b"_-./+=~" else ord(" ") for c in range(256))
"""Maps all that a key is made of to one letter, so that a long run is found by one search."""

_SHAPE_MARKS: Final = tuple({mark.encode() for shape in SHAPES for mark in shape.marks})
_NAME_MARKS: Final = tuple(mark.encode() for mark in NAME_MARKS if mark.isascii())
_NAME_MARKS_ZH: Final = tuple(mark.encode() for mark in NAME_MARKS if not mark.isascii())


class Redactor:
    """Replaces secrets by marks such as `[redacted: github token]`: keys known by their form, and the values given.

    Text without a secret comes back as the same object, after a few searches and no regular expression.
    """

    def __init__(self, secrets: Iterable[str] = (), *, fields: Iterable[str] = ()) -> None:
        """Take what is secret here.

        Args:
            secrets: Exact values; those under eight characters are ignored, since they would hide too much.
            fields: Names whose values are hidden wherever they stand as keys of JSON, such as `ssn`.
        """
        self._own = _Known("known secret")
        self._parameters = _Known("secret parameter")
        self._fields = _Fields(fields)
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Hide these values too from now on, here and in all that `with_values` made of this."""
        self._own.add(secret for secret in secrets if len(secret) >= _SHORTEST_KNOWN)

    def with_values(self, values: Iterable[str]) -> Redactor:
        """Make one that hides these values of a call's secret parameters as well; short ones where they stand alone."""
        more = self._parameters.values.union(values)
        if more == self._parameters.values:
            return self
        other = Redactor()
        other._own, other._fields = self._own, self._fields
        other._parameters.add(more)
        return other

    def text(self, text: str) -> str:
        """Redact plain text or text that holds JSON, at whatever depth of escaping."""
        return self._redact(text) if self._suspects(text.encode("utf-8", "surrogatepass")) else text

    def data(self, data: bytes) -> bytes:
        """Redact bytes, as they go over the wire."""
        if not self._suspects(data):
            return data
        text = data.decode("utf-8", "surrogateescape")
        redacted = self._redact(text)
        return data if redacted is text else redacted.encode("utf-8", "surrogateescape")

    def value(self, value: JSON) -> JSON:
        """Redact a JSON value at every depth; a secret under the key `password` or the like is known by that key."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if isinstance(value, dict):
            return self.mapping(value)
        if value is None or isinstance(value, bool):
            return value
        number = str(value)
        hidden = self._hide_known(number)
        return value if hidden == number else hidden

    def json(self, text: str) -> str:
        """Redact text that is JSON so that it stays JSON, whatever had to be hidden in it."""
        if not self.suspects(text):
            return text
        try:
            value = cast(JSON, json.loads(text))
        except ValueError:
            return self._redact(text)
        redacted = self.value(value)
        return text if redacted is value else json.dumps(redacted, ensure_ascii=False, separators=(",", ":"))

    def mapping(self, value: JSONObject) -> JSONObject:
        """Redact a JSON object; the same object comes back where nothing had to be hidden."""
        fresh = {self.text(key): self._entry(key, item) for key, item in value.items()}
        same = all(a is b for a, b in zip(fresh.values(), value.values(), strict=False)) and fresh.keys() == value.keys()
        return value if same else fresh

    def suspects(self, text: str) -> bool:
        """Tell quickly whether there may be a secret in a text; when false there is none that `text` would find."""
        return self._suspects(text.encode("utf-8", "surrogatepass"))

    def _entry(self, key: str, item: JSON) -> JSON:
        if key.lower() in self._fields.names:
            return _mark("declared field")
        if isinstance(item, str) and len(item) >= 6 and " " not in item and item[0] not in "[<{":
            promise = secret_name(key)
            if promise and is_secret_value(promise, item, quoted=True, close=True):
                return _mark(promise)
        return self.value(item)

    def _suspects(self, data: bytes) -> bool:
        if any(mark in data for mark in self._own.marks) or any(mark in data for mark in self._parameters.marks):
            return True
        if len(data) < _SHORTEST_SUSPECT:
            return False
        lowered = data.lower()
        if any(mark in lowered for mark in self._fields.marks):
            return True
        if (b":" in data or b"=" in data) and any(mark in lowered for mark in _NAME_MARKS):
            return True
        if b"@" in data and b"://" in data:
            return True
        if not data.isascii() and any(mark in data for mark in _NAME_MARKS_ZH):
            return True
        return _RUN in data.translate(_TO_RUN) and any(mark in lowered for mark in _SHAPE_MARKS)

    def _redact(self, text: str) -> str:
        original = text
        text = self._fields.hide(self._hide_known(text))
        pieces: list[str] = []
        end = 0
        for found in find_secrets(text):
            pieces += (text[end : found.start], _mark(found.kind))
            end = found.end
        text = "".join(pieces) + text[end:]
        return original if text == original else text

    def _hide_known(self, text: str) -> str:
        return self._parameters.hide(self._own.hide(text))


def hide_parameters(arguments: Mapping[str, JSON], names: Iterable[str]) -> JSONObject:
    """Copy a call's arguments with the values of the named parameters hidden."""
    hidden = frozenset(names)
    return {name: HIDDEN if name in hidden else value for name, value in arguments.items()}


def secret_values(arguments: Mapping[str, JSON], names: Iterable[str]) -> list[str]:
    """List what is hidden by `hide_parameters`, as text that may turn up elsewhere; under three characters is left out."""
    found: list[str] = []
    waiting = [arguments[name] for name in names if name in arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif not isinstance(value, bool) and value is not None and len(str(value)) >= 3:
            found.append(str(value))
    return found


def _mark(kind: str) -> str:
    return f"[redacted: {kind}]"


def _spellings(value: str) -> set[str]:
    """Give a value as it stands, as JSON writes it (once and twice, escaped or not), and as a URL does."""
    once = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    return once | {json.dumps(text, ensure_ascii=False)[1:-1] for text in once} | {quote(value, safe="")}


class _Known:
    """A set of exact values, ready to be searched for."""

    def __init__(self, kind: str) -> None:
        self.values: frozenset[str] = frozenset()
        self.marks: tuple[bytes, ...] = ()
        self._mark = _mark(kind)
        self._pattern: re.Pattern[str] | None = None

    def add(self, values: Iterable[str]) -> None:
        """Search for these too."""
        self.values = self.values.union(values)
        spellings = sorted({s for value in self.values for s in _spellings(value)}, key=len, reverse=True)
        self.marks = tuple(s.encode("utf-8", "surrogatepass") for s in spellings)
        self._pattern = re.compile("|".join(map(_bounded, spellings))) if spellings else None

    def hide(self, text: str) -> str:
        """Replace each of the values."""
        return self._pattern.sub(self._mark, text) if self._pattern else text


class _Fields:
    """Names whose values are hidden, as keys of JSON at whatever depth of escaping."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(name.lower() for name in names)
        self.marks = tuple(name.encode() for name in self.names)
        any_name = "|".join(map(re.escape, sorted(self.names)))
        self._pattern = re.compile(
            rf"""(?ix) (?P<before>(?P<quote>\\*["'])(?:{any_name})(?P=quote)\s*:\s*)
            (?: (?P=quote) .*? (?<!\\) (?P=quote) | -?[\w.+-]+ )"""
        )

    def hide(self, text: str) -> str:
        """Replace the value behind each of the names; objects and lists are left to `Redactor.value`."""
        if not self.names:
            return text
        return self._pattern.sub(rf"\g<before>\g<quote>{_mark('declared field')}\g<quote>", text)


def _bounded(value: str) -> str:
    pattern = re.escape(value)
    return pattern if len(value) >= _SHORTEST_KNOWN else rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])"
