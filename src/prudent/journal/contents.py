"""What events refer to, kept once by the hash of its content: messages, tool blocks, pictures, raw bytes.

A request is the list of its messages' hashes. An event writes only how that list differs from the one before, and each
message is encoded and hashed once a run, so that a turn costs the same however many went before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, cast

from prudent.errors import JournalError
from prudent.exchange import RawExchange
from prudent.journal.codec import compact_json, read_message, read_tools, write_message, write_tools
from prudent.journal.database import Database
from prudent.journal.secrecy import Secrecy
from prudent.messages import Message, ToolSpec, canonical_json
from prudent.types import JSON, JSONObject

RAW_LIMIT_BYTES: Final = 1_000_000
"""Longest piece of a raw exchange that is kept."""

NOT_KEPT: Final = b"[redacted: this reply held a secret]"
"""Stands for a raw reply whose message held a secret, which may lie in it in pieces that no search finds."""


class Contents:
    """Writes the parts of one run's events, inside the transaction of the event. A `Keeper` for `codec.encode`."""

    def __init__(self, database: Database, secrecy: Secrecy, *, record_raw: bool) -> None:
        self._database = database
        self._secrecy = secrecy
        self._record_raw = record_raw
        self.forget()

    def forget(self) -> None:
        """Drop what is known to be stored, after a transaction that failed or when the run is over."""
        self.redacted: dict[Message, Message] = {}
        """Messages in which something had to be hidden, and what was stored instead."""

        self._hashes: dict[Message, str] = {}
        self._chars: dict[str, int] = {}
        self._request: tuple[Message, ...] = ()
        self._tools: Sequence[ToolSpec] = ()
        self._pieces: dict[bytes, str] = {}
        self._raw_request: list[str] = []
        self._latest: Message | None = None
        self.request_hashes: list[str] = []
        """The messages of the request that was kept last."""

        self.tools_hash = ""
        self.tools_chars = 0

    @property
    def request_chars(self) -> int:
        """Characters of the request that was kept last, as they are stored."""
        return self.tools_chars + sum(map(self._chars.__getitem__, self.request_hashes))

    def message(self, message: Message) -> str:
        """Store a message unless it is there; return its hash."""
        self._latest = message
        known = self._hashes.get(message)
        if known is not None:
            return known
        stored = self._secrecy.message(message)
        if stored is not message:
            self.redacted[message] = stored
        text = canonical_json(write_message(stored, self))
        key = _hash(text.encode("utf-8", "surrogatepass"))
        self._database.execute("INSERT OR IGNORE INTO messages (hash, data) VALUES (?, ?)", (key, text))
        self._hashes[message] = key
        self._chars[key] = len(text)
        return key

    def messages(self, messages: Sequence[Message]) -> JSONObject:
        """Store a request's messages; return how many are as in the request before, and the hashes of the rest."""
        before, length = self._request, len(self._request)
        messages = tuple(messages)
        if messages[:length] == before:
            hashes = self.request_hashes + [self.message(message) for message in messages[length:]]
        else:
            hashes = [self.message(message) for message in messages]
        change = _change(self.request_hashes, hashes)
        self._request, self.request_hashes = messages, hashes
        return change

    def tools(self, tools: Sequence[ToolSpec]) -> str:
        """Store a tool block unless it is the one of the request before; return its hash."""
        if self.tools_hash and tools == self._tools:
            return self.tools_hash
        text = self._secrecy.redactor.text(compact_json(write_tools(tools)))
        self._tools, self.tools_chars = tools, len(text)
        self.tools_hash = self.blob(text.encode("utf-8", "surrogatepass"))
        return self.tools_hash

    def blob(self, data: bytes) -> str:
        """Store bytes as they are unless they are there; return their hash."""
        key = _hash(data)
        self._database.execute("INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", (key, data))
        return key

    def raw(self, raw: RawExchange) -> JSONObject | None:
        """Store the bytes of the model call whose reply was stored last; None when the run keeps none."""
        if not self._record_raw:
            return None
        pieces = [self._piece(piece, self._secrecy.raw) for piece in raw.request_messages]
        change = _change(self._raw_request, pieces)
        self._raw_request = pieces
        response = NOT_KEPT if self._latest in self.redacted else self._secrecy.raw(_capped(raw.response))
        head = self._piece(raw.request_head, self._secrecy.redactor.data)
        return {"url": raw.url, "head": head, "messages": change, "response": self.blob(response)}

    def _piece(self, piece: bytes, redact: Callable[[bytes], bytes]) -> str:
        known = self._pieces.get(piece)
        if known is None:
            known = self._pieces[piece] = self.blob(redact(_capped(piece)))
        return known


class Shelf:
    """Reads the parts of one run's events back, in the order of the events. A `Source` for `codec.decode`."""

    def __init__(self, database: Database, *, with_raw: bool = False) -> None:
        self._database = database
        self._with_raw = with_raw
        self._messages: dict[str, Message] = {}
        self._tools: dict[str, tuple[ToolSpec, ...]] = {}
        self._request: list[str] = []
        self._raw_request: list[str] = []

    def message(self, reference: JSON) -> Message:
        """Find a message by its hash."""
        key = str(reference)
        found = self._messages.get(key)
        if found is None:
            row = self._database.first("SELECT data FROM messages WHERE hash=?", (key,))
            if row is None:
                raise self._missing("message", key)
            found = self._messages[key] = read_message(json.loads(cast(str, row[0])), self)
        return found

    def messages(self, reference: JSON) -> tuple[Message, ...]:
        """Find the messages of the next request."""
        self._request = _follow(self._request, reference)
        return tuple(self.message(key) for key in self._request)

    def tools(self, reference: JSON) -> tuple[ToolSpec, ...]:
        """Find a tool block by its hash."""
        key = str(reference)
        if key not in self._tools:
            self._tools[key] = read_tools(json.loads(self.blob(key).decode("utf-8", "surrogatepass")))
        return self._tools[key]

    def blob(self, reference: JSON) -> bytes:
        """Find bytes by their hash."""
        row = self._database.first("SELECT data FROM blobs WHERE hash=?", (str(reference),))
        if row is None:
            raise self._missing("piece", str(reference))
        return cast(bytes, row[0])

    def raw(self, reference: JSON) -> RawExchange | None:
        """Find the bytes of the next model call; None unless this shelf was asked to give them."""
        data = cast(JSONObject, reference)
        self._raw_request = _follow(self._raw_request, data["messages"])
        if not self._with_raw:
            return None
        pieces = tuple(self.blob(key) for key in self._raw_request)
        return RawExchange(str(data["url"]), self.blob(data["head"]), pieces, self.blob(data["response"]))

    def _missing(self, what: str, key: str) -> JournalError:
        return JournalError(f"the journal {self._database.path} is damaged (a {what} {key} is missing): restore it from a copy")


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


def _capped(data: bytes) -> bytes:
    if len(data) <= RAW_LIMIT_BYTES:
        return data
    return data[:RAW_LIMIT_BYTES] + f"\n[cut here: {len(data)} bytes in all]".encode()


def _change(before: list[str], after: list[str]) -> JSONObject:
    """Tell how a list of hashes differs from the one before: what is kept of its beginning, and what follows."""
    keep = len(before)
    if after[:keep] != before:
        keep = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(keep, len(after)))
    return {"keep": keep, "add": list[JSON](after[keep:])}


def _follow(before: list[str], change: JSON) -> list[str]:
    data = cast(JSONObject, change)
    return before[: cast(int, data["keep"])] + cast(list[str], data["add"])
