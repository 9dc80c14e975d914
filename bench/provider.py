"""A model server on loopback for benchmarks, in a process of its own: it streams the same replies to everybody.

The model's name says what it plays: `calls-N` asks for N - 1 tool calls, one a reply, then answers; `wait-S-calls-N` waits S
seconds before each reply; `five` streams five calls 0.4 s apart.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECE = 7


def frame(delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
    return _chunked(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _chunked(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def tail(finish: str, tokens: int) -> bytes:
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
    last = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [], "usage": usage}
    return (
        frame({}, finish)
        + _chunked(b"data: " + json.dumps(last).encode() + b"\n\n")
        + _chunked(b"data: [DONE]\n\n")
        + b"0\r\n\r\n"
    )


def call_frames(index: int, call_id: str, arguments: dict) -> list[bytes]:
    text = json.dumps(arguments)
    head = {"index": index, "id": call_id, "type": "function", "function": {"name": "look", "arguments": ""}}
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    return [
        frame({"tool_calls": [head]}),
        *[frame({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces],
    ]


def answer_frames() -> list[bytes]:
    words = re.findall(r"\w+ ", "All of it was looked at and nothing is missing from the list that was asked for ")
    return [frame({"role": "assistant", "content": ""}), *[frame({"content": word}) for word in words]]


def notes_frames() -> list[bytes]:
    """The summary that a runtime asks for when it folds old turns."""
    text = "SUMMARY: Shelf after shelf is looked at; nothing is missing.\nFACTS:\n- every shelf is in order [call_0]"
    return [frame({"content": word}) for word in re.findall(r"\S+\s*", text)] + [tail("stop", 3000)]


def turns_played(messages: list[dict]) -> int:
    """Tell how far the conversation has come, also where old turns are no longer in it: by the number of its last call."""
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    return int(ids[-1].removeprefix("call_")) + 1 if ids else 0


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)[1])
            await play(json.loads(await reader.readexactly(length)), writer)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def play(body: dict, writer: asyncio.StreamWriter) -> None:
    name, done = body["model"], turns_played(body["messages"])
    if wait := re.search(r"wait-([\d.]+)", name):
        await asyncio.sleep(float(wait[1]))
    writer.write(HEAD)
    if not body.get("tools"):
        writer.write(b"".join(notes_frames()))
    elif name == "five" and not done:
        for position in range(5):
            seconds = 2.0 if position == 0 else 0.1
            writer.write(b"".join(call_frames(position, f"call_{position}", {"at": f"place {position}", "seconds": seconds})))
            await writer.drain()
            await asyncio.sleep(0.4)
        writer.write(tail("tool_calls", 100))
    elif name != "five" and done < int(re.search(r"calls-(\d+)", name)[1]) - 1:
        frames = call_frames(0, f"call_{done}", {"at": f"shelf number {done}", "seconds": 0})
        writer.write(b"".join(frames) + tail("tool_calls", 100 + 50 * done))
    else:
        writer.write(b"".join(answer_frames()) + tail("stop", 900))
    await writer.drain()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**24, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running() -> Iterator[str]:
    """Start the server in a process of its own and give its base URL."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    asyncio.run(main())
