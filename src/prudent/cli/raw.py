"""What went over the wire, call by call: the bytes where they were kept, else the messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prudent.cli.text import as_json
from prudent.events import Event, ModelCallEnded, ModelCallFailed, ModelCallStarted
from prudent.exchange import RawExchange
from prudent.journal.codec import describe


def raw_exchanges(events: Sequence[Event]) -> Iterator[bytes]:
    """Give each model call's request and response, as pieces to be written as they are."""
    request: ModelCallStarted | None = None
    for event in events:
        if isinstance(event, ModelCallStarted):
            request = event
        elif isinstance(event, ModelCallEnded):
            yield _title(f"turn {event.turn} ({event.purpose})")
            yield from _bytes(event.raw) if event.raw else _messages(request, event)
        elif isinstance(event, ModelCallFailed):
            yield _title(f"turn {event.turn} ({event.purpose}) failed: {event.reason}")
            yield from _messages(request, None)


def _bytes(raw: RawExchange) -> Iterator[bytes]:
    yield f"--- request to {raw.url}, its messages apart\n".encode()
    yield raw.request_head + b"\n"
    for number, message in enumerate(raw.request_messages):
        yield f"--- message {number}\n".encode()
        yield message + b"\n"
    yield b"--- response\n"
    yield raw.response + b"\n"


def _messages(request: ModelCallStarted | None, reply: ModelCallEnded | None) -> Iterator[bytes]:
    if request:
        yield b"--- request (its bytes were not kept)\n"
        yield as_json(describe(request, lambda message: message), indent=1).encode() + b"\n"
    if reply:
        yield b"--- reply (its bytes were not kept)\n"
        yield as_json(describe(reply, lambda message: message), indent=1).encode() + b"\n"


def _title(text: str) -> bytes:
    return f"=== {text}\n".encode()
