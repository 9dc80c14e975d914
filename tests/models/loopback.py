"""A model server on loopback that plays scripted answers, byte for byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

HANG_UP = object()
"""In an answer's pieces: the connection is cut here."""


@dataclass
class Played:
    """One answer of the server."""

    pieces: Sequence[bytes | float | object] = ()
    """What is sent, piece by piece; a number is a pause in seconds, `HANG_UP` cuts the connection."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str = "text/event-stream"


@dataclass
class Received:
    """One request that the server got."""

    path: str
    headers: dict[str, str]
    raw: bytes
    connection: int
    """Number of the connection it came by."""

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


def frames(*chunks: object, done: bool = True, eol: str = "\n") -> bytes:
    """Write chunks as server-sent events."""
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}{eol}{eol}" for chunk in chunks]
    return "".join([*lines, f"data: [DONE]{eol}{eol}" if done else ""]).encode()


def chunk(finish: str | None = None, *, usage: object = None, **delta: Any) -> dict[str, Any]:
    """Write one chunk of a stream."""
    written: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if usage is not None:
        written["usage"] = usage
    return written


def call_piece(
    arguments: object = None, *, index: int | None = 0, call_id: object = None, name: str | None = None
) -> dict[str, Any]:
    """Write a delta's `tool_calls` with one entry."""
    entry: dict[str, Any] = {"function": {"arguments": arguments} | ({} if name is None else {"name": name})}
    if index is not None:
        entry["index"] = index
    if call_id is not None:
        entry["id"] = call_id
    return {"tool_calls": [entry]}


def stream(*chunks: object, done: bool = True) -> Played:
    """An answer that streams these chunks in one piece."""
    return Played([frames(*chunks, done=done)])


def whole(body: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Played:
    """An answer that is one JSON document."""
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return Played([data], status, headers or {}, "application/json")


def say(text: str, finish: str = "stop") -> Played:
    """An answer that says a text."""
    return stream(chunk(content=text), chunk(finish), usage_chunk())


def usage_chunk(read: int = 10, written: int = 5) -> dict[str, Any]:
    """The last chunk of a stream, with figures and without choices."""
    return {"choices": [], "usage": {"prompt_tokens": read, "completion_tokens": written}}


class Loopback:
    """Plays its answers in order, one for each request; the last one again and again."""

    def __init__(self, answers: Iterable[Played]) -> None:
        self.answers = list(answers)
        self.received: list[Received] = []
        self.connections = 0
        self.url = ""
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        self._open.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
                raw = await reader.readexactly(int(headers["content-length"]))
                self.received.append(Received(head[0].split(" ")[1], headers, raw, number))
                played = self.answers[min(len(self.received), len(self.answers)) - 1]
                if not await self._play(played, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _play(self, played: Played, writer: asyncio.StreamWriter) -> bool:
        """Send an answer; False when the connection was cut."""
        if played.pieces and played.pieces[0] is HANG_UP:
            writer.transport.abort()
            return False
        lines = [f"HTTP/1.1 {played.status} X", f"content-type: {played.content_type}", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in played.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for piece in played.pieces:
            if isinstance(piece, bytes):
                if piece:
                    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    await writer.drain()
            elif isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                await asyncio.sleep(0.01)
                writer.transport.abort()
                return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def close(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()


@asynccontextmanager
async def serving(*answers: Played, port: int = 0) -> AsyncGenerator[Loopback]:
    """Run a server that plays these answers."""
    loopback = Loopback(answers)
    server = await asyncio.start_server(loopback.serve, "127.0.0.1", port, limit=2**26)
    loopback.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield loopback
    finally:
        server.close()
        loopback.close()
        await asyncio.sleep(0)
