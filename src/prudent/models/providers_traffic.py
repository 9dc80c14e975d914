"""What goes over HTTP while a library makes a call for us: its bytes are kept, and a stall is noticed.

The libraries take an HTTP client, and this gives them one. Which call a request belongs to is known from the context
it is made in.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from contextvars import ContextVar, Token
from datetime import timedelta
from typing import cast

import httpx2

from prudent.errors import ReplyBroken
from prudent.models.connections import KEPT_CONNECTIONS, KEPT_SECONDS
from prudent.models.wire import ANSWER_MAX_BYTES, CONNECT_SECONDS


class Traffic:
    """The bytes of one call. Where a library tries again by itself, those of the last attempt.

    Used as a context manager, it makes the requests that start inside those of this call. A generator may not yield
    meanwhile.
    """

    def __init__(self, *, stall_seconds: float, kept_bytes: int) -> None:
        self.stall_seconds = stall_seconds
        self.url = ""
        """Where the request went, without anything that could be a secret."""

        self.request = b""
        self._kept_bytes = kept_bytes
        self._pieces: list[bytes] = []
        self._came = 0
        self._token: Token[Traffic | None] | None = None

    def __enter__(self) -> None:
        self._token = _current.set(self)

    def __exit__(self, *_error: object) -> None:
        if self._token is not None:
            _current.reset(self._token)

    @property
    def response(self) -> bytes:
        """What came, cut to what is kept."""
        return b"".join(self._pieces)[: self._kept_bytes]

    def begin(self, url: httpx2.URL, request: bytes) -> None:
        """Begin an attempt."""
        self.url = f"{url.scheme}://{url.netloc.decode('ascii')}{url.path}"
        self.request = request
        self._pieces.clear()
        self._came = 0

    def take(self, piece: bytes) -> None:
        """Keep a piece of the answer. Raises ReplyBroken when there is no end to it."""
        if self._came < self._kept_bytes:
            self._pieces.append(piece)
        self._came += len(piece)
        if self._came > ANSWER_MAX_BYTES:
            raise ReplyBroken(f"the answer is longer than {ANSWER_MAX_BYTES:,} bytes")


_current: ContextVar[Traffic | None] = ContextVar("prudent_traffic", default=None)


def new_client() -> httpx2.AsyncClient:
    """Make an HTTP client for a library, for one event loop."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(600, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_keepalive_connections=KEPT_CONNECTIONS, keepalive_expiry=KEPT_SECONDS),
        event_hooks={"request": [_on_request], "response": [_on_response]},
    )


async def _on_request(request: httpx2.Request) -> None:
    traffic = _current.get()
    if traffic is None:
        return
    # Compressing servers hold small pieces of a stream back.
    request.headers["accept-encoding"] = "identity"
    seconds = traffic.stall_seconds
    timeouts = {"connect": CONNECT_SECONDS, "read": seconds, "write": seconds, "pool": None}
    request.extensions = {**request.extensions, "timeout": timeouts}
    traffic.begin(request.url, await request.aread())


async def _on_response(response: httpx2.Response) -> None:
    traffic = _current.get()
    if traffic is not None:
        response.stream = _Kept(cast(httpx2.AsyncByteStream, response.stream), traffic)


class _Kept(httpx2.AsyncByteStream):
    """An answer's body on its way to the library."""

    def __init__(self, stream: httpx2.AsyncByteStream, traffic: Traffic) -> None:
        self._stream = stream
        self._traffic = traffic

    @property
    def elapsed(self) -> timedelta | None:
        """How long the exchange took, which the client measures on the stream it made."""
        return getattr(self._stream, "elapsed", None)

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async with aclosing(cast(AsyncGenerator[bytes], aiter(self._stream))) as pieces:
            async for piece in pieces:
                self._traffic.take(piece)
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
