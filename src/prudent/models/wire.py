"""HTTP as model servers speak it: a post, a watch for stalls, and what streams back cut into its data lines."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx2

from prudent.errors import ConfigurationError, ModelError, ModelStalled, ModelUnreachable, ReplyBroken
from prudent.models.connections import Server, acquire, release

CONNECT_SECONDS = 10.0
"""How long a server may take to accept a connection."""

ANSWER_MAX_BYTES = 64 * 1024 * 1024
"""The longest answer that is read."""

_LINE_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer whose body still streams."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""

    pieces: AsyncGenerator[bytes]
    """The body as it comes. Raises ModelStalled and ModelUnreachable."""

    async def whole(self) -> bytes:
        """Read the body to its end."""
        return b"".join([piece async for piece in self.pieces])


class Wire:
    """Posts to one URL. Works in several event loops, one after the other or at once."""

    def __init__(self, url: str, *, speaker: str, headers: Iterable[tuple[str, str]] = (), unix_socket: str = "") -> None:
        try:
            self._url = httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise ConfigurationError(f"{url!r} is no URL: {error}") from error
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise ConfigurationError(f"{url!r} is no URL of a model server; it begins with http:// or https://")
        self._speaker = speaker
        self._server = Server(f"{self._url.scheme}://{self._url.netloc.decode('ascii')}", unix_socket)
        self._headers = [
            (b"content-type", b"application/json"),
            (b"accept", b"text/event-stream, application/json"),
            # Compressing servers hold small pieces of a stream back.
            (b"accept-encoding", b"identity"),
            (b"user-agent", b"prudent"),
            *((name.encode("ascii"), value.encode("ascii")) for name, value in headers),
        ]
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}

    @asynccontextmanager
    async def post(self, body: bytes, *, stall_seconds: float) -> AsyncGenerator[Answer]:
        """Send a body and give the answer as soon as its head is there. `stall_seconds`: the longest time without a byte."""
        timeouts = {"connect": CONNECT_SECONDS, "read": stall_seconds, "write": stall_seconds, "pool": None}
        request = httpx2.Request("POST", self._url, headers=self._headers, content=body, extensions={"timeout": timeouts})
        try:
            response = await self._client().send(request, stream=True)
        except httpx2.HTTPError as error:
            raise self._failure(error, stall_seconds) from error
        async with aclosing(self._pieces(response, stall_seconds)) as pieces:
            try:
                yield Answer(response.status_code, response.headers, pieces)
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        """Close the running loop's connections, unless another model uses them too."""
        if self._clients.pop(asyncio.get_running_loop(), None) is not None:
            await release(self._server)

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            for dead in [known for known in self._clients if known.is_closed()]:
                del self._clients[dead]
            client = self._clients[loop] = acquire(self._server)
        return client

    async def _pieces(self, response: httpx2.Response, stall_seconds: float) -> AsyncGenerator[bytes]:
        encoded = "content-encoding" in response.headers
        left = ANSWER_MAX_BYTES
        async with aclosing(response.aiter_bytes() if encoded else response.aiter_raw()) as pieces:
            try:
                async for piece in pieces:
                    left -= len(piece)
                    if left < 0:
                        raise ReplyBroken(f"{self._speaker} sent more than {ANSWER_MAX_BYTES:,} bytes in one answer")
                    yield piece
            except httpx2.HTTPError as error:
                raise self._failure(error, stall_seconds) from error

    def _failure(self, error: httpx2.HTTPError, stall_seconds: float) -> ModelError:
        if isinstance(error, httpx2.ReadTimeout):
            return ModelStalled(f"{self._speaker} sent no byte for {stall_seconds:g} s")
        if isinstance(error, httpx2.ConnectTimeout):
            return ModelUnreachable(f"{self._speaker} did not accept a connection within {CONNECT_SECONDS:g} s")
        if isinstance(error, httpx2.ConnectError):
            return ModelUnreachable(f"{self._speaker} cannot be reached: {cause_of(error)}")
        return ModelUnreachable(f"{self._speaker} lost the connection: {cause_of(error)}")


def cause_of(error: BaseException) -> str:
    """Name the operating system's reason, which the client's own message often leaves out."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.errno:
            # Names that cannot be resolved have numbers of their own, below zero.
            return os.strerror(inner.errno) if inner.errno > 0 else str(inner.strerror)
        inner = inner.__cause__ or inner.__context__
    return str(error) or type(error).__name__


class DataLines:
    """Cuts a streamed answer into pairs of an event's name and its data, however the bytes were cut.

    Server-sent events give a pair for each `data:` line. An answer that begins as JSON does gives one pair at the end,
    named `whole`. Whatever is neither gives none.
    """

    def __init__(self) -> None:
        self.head = b""
        """How the answer begins, for saying what it is when it is no reply."""

        self._held: list[bytes] = []
        self._held_bytes = 0
        self._is_whole: bool | None = None
        self._event = ""

    def feed(self, piece: bytes) -> list[tuple[str, bytes]]:
        """Take the next bytes in, and give the pairs that they complete."""
        if self._is_whole is None:
            piece = self._begin(piece)
        if self._is_whole is not False:
            if piece:
                self._held.append(piece)
            return []
        if b"\n" not in piece:
            return self._hold(piece)
        if self._held:
            piece = b"".join((*self._held, piece))
            self._held.clear()
            self._held_bytes = 0
        lines = piece.split(b"\n")
        rest = lines.pop()
        if rest:
            self._hold(rest)
        return self._pairs(lines)

    def finish(self) -> list[tuple[str, bytes]]:
        """Give what is left when the answer has ended."""
        rest = b"".join(self._held)
        self._held.clear()
        if self._is_whole:
            return [("whole", rest)]
        return self._pairs(rest.replace(b"\r", b"\n").split(b"\n")) if rest and self._is_whole is False else []

    def _begin(self, piece: bytes) -> bytes:
        """Find out what kind of answer it is, from its first byte that is no blank."""
        piece = self.head + piece
        self.head = piece[:200]
        start = piece.lstrip(b"\xef\xbb\xbf \t\r\n")
        if start:
            self._is_whole = start[:1] in (b"{", b"[")
            return start
        return b""

    def _hold(self, piece: bytes) -> list[tuple[str, bytes]]:
        self._held.append(piece)
        self._held_bytes += len(piece)
        if self._held_bytes > _LINE_MAX_BYTES:
            raise ReplyBroken(f"a line of the reply is longer than {_LINE_MAX_BYTES:,} bytes")
        return []

    def _pairs(self, lines: list[bytes]) -> list[tuple[str, bytes]]:
        pairs: list[tuple[str, bytes]] = []
        for line in lines:
            line = line.strip()
            if line.startswith(b"data:"):
                pairs.append((self._event, line[5:].lstrip()))
            elif not line:
                self._event = ""
            elif line.startswith(b"event:"):
                self._event = line[6:].strip().decode("utf-8", "replace")
        return pairs
