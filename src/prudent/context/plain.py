"""Whatever a tool returns, as JSON-ready data. Nothing here raises, loops for ever or grows without bound."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from prudent.context.cleaning import safe_text, type_name
from prudent.context.failures import describe_exception
from prudent.context.kinds.binary import describe_bytes, media_type_of
from prudent.context.members import MAX_ITERATED, attributes_of, members_of, unwrap
from prudent.messages import Image
from prudent.types import JSON

MAX_NODES = 200_000
MAX_DEPTH = 40
MAX_ITERATING_SECONDS = 0.2
MAX_INT_BITS = 10_000
MAX_TEXT_CHARS = 8_000_000

NOT_FINITE = 'NaN and infinity are no JSON numbers and stand as text ("NaN", "Infinity")'
TOO_MUCH = "too large to be kept whole, parts are left out"
LEFT_OUT = "… left out"


@dataclass(slots=True)
class Plain:
    """JSON-ready data and what was noticed on the way to it."""

    value: JSON = None
    notes: list[str] = field(default_factory=list[str])
    pictures: list[Image] = field(default_factory=list[Image])


def to_plain(value: object) -> Plain:
    """Turn any value into JSON-ready data: exact where JSON can hold it, described in words where it cannot."""
    walk = _Walk()
    return Plain(walk.turn(value, 0), list(walk.notes), walk.pictures)


class _Walk:
    """One walk through one value."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}
        self.pictures: list[Image] = []
        self._nodes = 0
        self._above: set[int] = set()

    def turn(self, value: object, depth: int) -> JSON:
        """Turn one value; whatever its own code raises becomes a remark in its place."""
        kind = type(value)
        if type(value) is str and len(value) <= MAX_TEXT_CHARS:
            return value
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            self._note(TOO_MUCH)
            return LEFT_OUT
        try:
            return self._scalar(value) if kind in _SCALARS else self._other(value, depth)
        except Exception as error:  # the value's own code
            return f"<{type_name(value)}: {type_name(error)} while it was read>"

    def _note(self, text: str) -> None:
        self.notes[text] = None

    def _scalar(self, value: Any) -> JSON:
        if isinstance(value, str):
            if len(value) > MAX_TEXT_CHARS:
                self._note(TOO_MUCH)
            return str.__str__(value)[:MAX_TEXT_CHARS]
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, int) and not isinstance(value, bool):
            bits = int.bit_length(value)
            return int(value) if bits <= MAX_INT_BITS else f"a whole number of {bits:,} bits"
        return cast(JSON, value)

    def _number(self, value: float) -> JSON:
        if math.isfinite(value):
            return float(value)
        self._note(NOT_FINITE)
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

    def _other(self, value: Any, depth: int) -> JSON:
        if type(value) is dict or type(value) is list:
            return self._nested(value, depth)
        for kinds, write in _IN_WORDS:
            if isinstance(value, kinds):
                return write(value)
        if isinstance(value, Enum):
            return self._scalar(_choice(value))
        if isinstance(value, str | int | float):
            return self._scalar(value)
        if isinstance(value, bytes | bytearray | memoryview | Image):
            return self._bytes(cast("bytes | Image", value))
        return self._nested(value, depth)

    def _nested(self, value: Any, depth: int) -> JSON:
        """Turn what holds other values; what holds itself is said so."""
        if id(value) in self._above:
            return f"<{type_name(value)} that holds itself>"
        self._above.add(id(value))
        try:
            return self._container(value, depth + 1)
        finally:
            self._above.discard(id(value))

    def _bytes(self, value: bytes | Image) -> str:
        picture = value if isinstance(value, Image) else None
        data = value.data if isinstance(value, Image) else bytes(value)
        media_type = picture.media_type if picture else media_type_of(data)
        if media_type.startswith("image/"):
            self.pictures.append(picture or Image(media_type, data))
        return describe_bytes(data, media_type)

    def _container(self, value: Any, depth: int) -> JSON:
        if type(value) is dict:
            return self._object(cast("dict[Any, Any]", value).items(), depth)
        if type(value) is list or type(value) is tuple:
            return self._list(cast("list[Any]", value), depth)
        native = unwrap(value)
        if native:
            if native[1]:
                self._note(native[1])
            return self.turn(native[0], depth)
        members = members_of(value)
        return self._collection(value, depth) if members is None else self._object(members, depth)

    def _collection(self, value: Any, depth: int) -> JSON:
        if isinstance(value, set | frozenset):
            return sorted(cast("list[Any]", self._list(cast("set[Any]", value), depth)), key=_stable)
        if isinstance(value, Iterator):
            return self._list(self._drained(cast("Iterator[Any]", value)), depth)
        if isinstance(value, Coroutine | AsyncIterator):
            return _unread(value)
        if isinstance(value, Collection):
            return self._list(cast("Collection[Any]", value), depth)
        attributes = attributes_of(value)
        return safe_text(value)[:MAX_TEXT_CHARS] if attributes is None else self._object(attributes, depth)

    def _object(self, members: Iterable[tuple[Any, Any]], depth: int) -> JSON:
        turned: dict[str, JSON] = {}
        for key, item in members:
            turned[key if type(key) is str else self._name(key, depth)] = self.turn(item, depth)
            if self._nodes > MAX_NODES:
                break
        return turned

    def _name(self, key: Any, depth: int) -> str:
        turned = self.turn(key, depth)
        return turned if isinstance(turned, str) else safe_text(key)

    def _list(self, items: Collection[Any], depth: int) -> JSON:
        turned: list[JSON] = []
        for item in items:
            turned.append(self.turn(item, depth))
            self._nodes += 1
            if self._nodes > MAX_NODES:
                self._note(f"of {len(items):,} items the first {len(turned):,} are kept")
                break
        return turned

    def _drained(self, items: Iterator[Any]) -> list[Any]:
        """Take what an iterator gives, up to a bound: it may be endless."""
        until = time.monotonic() + MAX_ITERATING_SECONDS
        taken: list[Any] = []
        for item in items:
            if len(taken) >= MAX_ITERATED or time.monotonic() > until:
                self._note(f"only the first {len(taken):,} items were taken from the {type_name(items)}")
                break
            taken.append(item)
        return taken


def _choice(value: Enum) -> str | int:
    """A member of an enumeration: its value where that is a text or it counts as a number, else its name."""
    return value.value if isinstance(value.value, str) or isinstance(value, int) else value.name


def _stable(item: Any) -> tuple[str, Any]:
    """Order a set's items so that equal sets read equal."""
    return (type(item).__name__, item) if isinstance(item, str | int | float) else ("~", str(item))


def _unread(value: Any) -> str:
    close = getattr(value, "close", None)
    if callable(close):
        close()
    return f"<{type_name(value)}: it gives its values only to asynchronous code>"


def _error(error: BaseException) -> JSON:
    kind, reason, fix = describe_exception(error)
    return {"error": {"kind": kind, "reason": safe_text(reason), "fix": safe_text(fix)}}


def _exact(value: Decimal) -> str:
    """Write a decimal as people write it, unless its exponent would make that long."""
    return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 60 else str(value)


_SCALARS = frozenset({str, int, bool, float, type(None)})

_IN_WORDS: tuple[tuple[type | tuple[type, ...], Callable[[Any], JSON]], ...] = (
    ((date, time_of_day), lambda value: value.isoformat()),
    (Decimal, _exact),
    ((timedelta, UUID, complex), str),
    (type, lambda value: f"<class {value.__name__}>"),
    (BaseException, _error),
)
