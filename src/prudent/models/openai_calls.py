"""Puts tool calls together from the pieces of a stream, whatever its indexes, ids and names are worth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from prudent.exchange import CallReady
from prudent.messages import ToolCall
from prudent.models.untrusted import object_of, text_of
from prudent.types import JSON, JSONObject

_MARKS = re.compile(r'["\\{}\[\]]')


class ObjectScanner:
    """Tells, piece by piece, when a JSON object has closed, without decoding it again and again."""

    __slots__ = ("_depth", "_escaped", "_in_text", "_started", "_wrong", "closed")

    def __init__(self) -> None:
        self.closed = False
        """Whether exactly one object stands there, and nothing but blanks behind it."""

        self._depth = 0
        self._in_text = False
        self._escaped = False
        self._started = False
        self._wrong = False

    def feed(self, piece: str) -> None:
        """Take the next piece in."""
        if self._wrong:
            return
        if self.closed or not self._started:
            blank = not piece.strip()
            if blank:
                return
            if self.closed or not piece.lstrip().startswith("{"):
                self._wrong, self.closed = True, False
                return
            self._started = True
        end = self._scan(piece)
        if end >= 0:
            self.closed = not piece[end:].strip()
            self._wrong = not self.closed

    def _scan(self, piece: str) -> int:
        """Follow a piece; give the place behind the bracket that closes the object, or -1."""
        skip_to = 1 if self._escaped else 0
        self._escaped = False
        for mark in _MARKS.finditer(piece):
            at = mark.start()
            if at < skip_to:
                continue
            sign = piece[at]
            if sign == "\\":
                skip_to = at + 2
                self._escaped = self._in_text and skip_to > len(piece)
            elif sign == '"':
                self._in_text = not self._in_text
            elif not self._in_text:
                self._depth += 1 if sign in "{[" else -1
                if self._depth <= 0:
                    return at + 1
        return -1


@dataclass(slots=True, eq=False)
class _OpenCall:
    """A call that is still being put together."""

    position: int
    id: str = ""
    name: str = ""
    index: object = None
    pieces: list[str] = field(default_factory=list[str])
    had_string: bool = False
    """Whether arguments came at all, were it only ""."""

    announced: bool = False
    doubtful: bool = False
    """Whether its head may only have repeated the call before; arguments of its own remove the doubt."""

    extra: JSONObject | None = None
    scanner: ObjectScanner = field(default_factory=ObjectScanner)

    @property
    def closed(self) -> bool:
        return self.scanner.closed

    def take(self, *, call_id: str, name: str, arguments: str | None) -> None:
        self.id = self.id or call_id
        self.name = self.name or name
        if arguments is not None:
            self.had_string = True
            if arguments:
                self.pieces.append(arguments)
                self.scanner.feed(arguments)

    def finished(self) -> ToolCall:
        return ToolCall(self.id, self.name, "".join(self.pieces), not self.had_string)


class CallAssembler:
    """Collects the calls of one reply.

    A new id, or a name at another index, begins a new call; a piece with neither belongs to the call that was open last,
    unless its index is that of an earlier call whose arguments are not complete yet.
    """

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def all_closed(self) -> bool:
        """Whether there are calls and each one's arguments are a complete object."""
        self._drop_ghost()
        return bool(self._calls) and all(call.closed for call in self._calls)

    def feed(self, entry: JSON) -> list[CallReady]:
        """Take an entry of a delta's `tool_calls` in, and announce the calls that are complete now."""
        piece = object_of(entry)
        function = object_of(piece.get("function"))
        call_id, name = text_of(piece.get("id")), text_of(function.get("name"))
        arguments = _arguments(function.get("arguments"))
        index = piece.get("index")
        ready: list[CallReady] = []
        call = self._target(call_id, name, index, arguments)
        if call is None:
            if not (call_id or name or arguments):
                return ready
            self._drop_ghost()
            ready = [self._announce(earlier) for earlier in self._calls if _is_due(earlier)]
            repeated = (
                bool(self._calls) and not arguments and name == self._calls[-1].name and call_id in ("", self._calls[-1].id)
            )
            call = _OpenCall(len(self._calls), index=index, doubtful=repeated)
            self._calls.append(call)
        call.take(call_id=call_id, name=name, arguments=arguments)
        call.extra = object_of(piece.get("extra_content")) or call.extra
        if call.closed and call.name and not call.announced:
            ready.append(self._announce(call))
        return ready

    def finished(self) -> tuple[ToolCall, ...]:
        """Give the calls as the model wrote them."""
        self._drop_ghost()
        return tuple(call.finished() for call in self._calls)

    def extras(self) -> JSONObject:
        """Give what a provider attached to calls and wants back with them, by position."""
        return {str(call.position): call.extra for call in self._calls if call.extra}

    def _drop_ghost(self) -> None:
        """Forget a last call that was only the one before, said again."""
        if self._calls and self._calls[-1].doubtful and not self._calls[-1].pieces:
            self._calls.pop()

    def _announce(self, call: _OpenCall) -> CallReady:
        call.announced = True
        return CallReady(call.position, call.finished())

    def _target(self, call_id: str, name: str, index: object, arguments: str | None) -> _OpenCall | None:
        """Find the call that a piece belongs to; None when it begins a new one."""
        if not self._calls:
            return None
        last = self._calls[-1]
        if not name and (not call_id or call_id == last.id):
            return self._by_index(index, last)
        if call_id and call_id != last.id:
            return self._by_id(call_id, name, index, last)
        if not last.name and not last.pieces:
            return last  # its name comes later than its head
        if name == last.name and (index is None or index == last.index):
            # Said again, or the same tool once more: then its arguments were complete.
            return None if last.closed else last
        return None

    def _by_index(self, index: object, last: _OpenCall) -> _OpenCall:
        if index is None or index == last.index:
            return last
        same = next((call for call in reversed(self._calls) if call.index == index), last)
        return last if same.closed else same

    def _by_id(self, call_id: str, name: str, index: object, last: _OpenCall) -> _OpenCall | None:
        """Place a piece whose id is not that of the last call."""
        known = next((call for call in reversed(self._calls) if call.id == call_id), None)
        if known is not None:
            continues = not name or (name == known.name and index == known.index and index is not None and not known.closed)
            return known if continues else None
        late_id = not last.id and name in ("", last.name) and not last.closed and index in (None, last.index)
        return last if late_id else None


def _is_due(call: _OpenCall) -> bool:
    """Whether a call that another one follows is complete: its object closed, or there are no arguments at all."""
    return not call.announced and (call.closed or not call.pieces)


def _arguments(value: object) -> str | None:
    """Give the argument text of a piece; some servers send the object itself."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
