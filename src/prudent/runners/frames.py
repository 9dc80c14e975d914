"""Messages between the program and a worker: a kind, a mark, a length, and so many bytes."""

from __future__ import annotations

import socket
import struct
from enum import IntEnum
from typing import Final

HEADER: Final = struct.Struct("!BBQ")
"""Kind, whether the worker is spent, length of the body."""

MOST_BYTES: Final = 256 << 20
"""A longer body is refused by whoever would send it, and taken for garbage by whoever gets it."""

CHUNK_BYTES: Final = 1 << 20


class Kind(IntEnum):
    """What a message is."""

    LOAD = 1
    """To the worker: import this tool."""

    CALL = 2
    """To the worker: run it."""

    READY = 3
    """From the worker: imported."""

    RESULT = 4
    """From the worker: what the tool returned, pickled."""

    FAILURE = 5
    """From the worker: what the tool raised, as `passing.pack_failure` gives it."""

    CRASH = 6
    """From the worker: why there is neither, in UTF-8."""


KINDS: Final = frozenset(Kind)


def frame(kind: Kind, body: bytes, *, spent: bool = False) -> bytes:
    """Put a message together."""
    return HEADER.pack(kind, spent, len(body)) + body


def receive(channel: socket.socket) -> tuple[Kind, bytearray] | None:
    """Wait for the next message, blocking; None when the other side is gone."""
    header = _receive_exactly(channel, HEADER.size)
    if header is None:
        return None
    kind, _, length = HEADER.unpack(header)
    body = _receive_exactly(channel, length)
    return None if body is None else (Kind(kind), body)


def _receive_exactly(channel: socket.socket, size: int) -> bytearray | None:
    data = bytearray(size)
    rest = memoryview(data)
    while rest:
        count = channel.recv_into(rest, min(len(rest), CHUNK_BYTES))
        if not count:
            return None
        rest = rest[count:]
    return data
