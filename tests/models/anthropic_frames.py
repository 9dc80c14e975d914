"""Answers of an Anthropic server, for the loopback server to play."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.models.loopback import Played


def frame(kind: str, **data: Any) -> bytes:
    """Write one event of a stream."""
    body = json.dumps({"type": kind, **data}, ensure_ascii=False)
    return f"event: {kind}\ndata: {body}\n\n".encode()


def start(**usage: int) -> bytes:
    """Begin a message."""
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 1, **usage},
    }
    return frame("message_start", message=message)


def block(index: int, content: Mapping[str, Any], *deltas: Mapping[str, Any]) -> bytes:
    """Write a whole content block."""
    pieces = [frame("content_block_start", index=index, content_block=content)]
    pieces += [frame("content_block_delta", index=index, delta=delta) for delta in deltas]
    return b"".join([*pieces, frame("content_block_stop", index=index)])


def text(index: int, *pieces: str) -> bytes:
    """Write a block of text."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def call(index: int, name: str, *pieces: str, call_id: str = "toolu_1") -> bytes:
    """Write a block that calls a tool."""
    head: dict[str, Any] = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return block(index, head, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def thinking(index: int, thought: str, signature: str) -> bytes:
    """Write a signed block of thinking."""
    deltas = [{"type": "thinking_delta", "thinking": thought}] if thought else []
    signed = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def end(reason: str | None = "end_turn", output_tokens: int = 7) -> bytes:
    """End a message; without a reason it only stops."""
    delta: dict[str, Any] = {"stop_reason": reason, "stop_sequence": None}
    return frame("message_delta", delta=delta, usage={"output_tokens": output_tokens}) + frame("message_stop")


def message(*blocks: bytes, reason: str = "end_turn") -> Played:
    """An answer that streams these blocks."""
    return Played([start(), *blocks, end(reason)])


def say(words: str) -> Played:
    """An answer that says something."""
    return message(text(0, words))


def refusal(status: int, kind: str, words: str, headers: Mapping[str, str] | None = None) -> Played:
    """An answer that is an error."""
    body: dict[str, Any] = {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}
    return Played([json.dumps(body).encode()], status, headers or {}, "application/json")


def kinds(content: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Name the kinds of the blocks of a message."""
    return [part["type"] for part in content]
