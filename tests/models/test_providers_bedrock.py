"""Amazon Bedrock, which speaks no HTTP client of ours: a library in threads, and a stream in frames of its own."""

from __future__ import annotations

import json
import struct
import time
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.models.loopback import Loopback, Played, serving

from prudent.errors import ContextOverflow, ModelError, ModelOverloaded, ModelRefusedRequest, ModelStalled, ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ModelRequest, ModelSettings, Reply, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.providers import open_provider
from prudent.models.providers_model import ProviderModel
from prudent.models.retrying import RetryingModel
from prudent.types import Usage

pytestmark = pytest.mark.anyio

ADD = ToolSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
HI = Message("user", "hi")
STREAM = "application/vnd.amazon.eventstream"


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id-0123456789")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-0123456789")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")


def frame(kind: str, **payload: Any) -> bytes:
    """Write one event as Amazon frames it: lengths, checksum, headers, payload, checksum."""
    names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in names.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    checked = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return checked + struct.pack(">I", zlib.crc32(checked))


def delta(index: int, **piece: Any) -> bytes:
    return frame("contentBlockDelta", contentBlockIndex=index, delta=piece)


def call(index: int, call_id: str, *pieces: str) -> bytes:
    start = frame("contentBlockStart", contentBlockIndex=index, start={"toolUse": {"toolUseId": call_id, "name": "add"}})
    deltas = [delta(index, toolUse={"input": piece}) for piece in pieces]
    return b"".join([start, *deltas, frame("contentBlockStop", contentBlockIndex=index)])


def answer(*pieces: Any, stop: str | None = "end_turn") -> Played:
    start = frame("messageStart", role="assistant")
    end = frame("messageStop", stopReason=stop) if stop else b""
    usage = {"inputTokens": 9, "outputTokens": 4, "totalTokens": 16, "cacheReadInputTokens": 3, "cacheWriteInputTokens": 0}
    figures = frame("metadata", usage=usage, metrics={"latencyMs": 1})
    return Played([start, *pieces, end + figures], content_type=STREAM)


@asynccontextmanager
async def playing(*answers: Played) -> AsyncGenerator[tuple[ProviderModel, Loopback]]:
    async with serving(*answers) as server:
        model = open_provider("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", base_url=server.url.removesuffix("/v1"))
        assert isinstance(model, RetryingModel)
        assert isinstance(model.inner, ProviderModel)
        try:
            yield model.inner, server
        finally:
            await model.aclose()


async def events_of(model: ProviderModel, *messages: Message, **request: Any) -> list[ModelEvent]:
    return [event async for event in model.stream(ModelRequest(messages or (HI,), **request))]


async def error_of(model: ProviderModel, **request: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await events_of(model, **request)
    return caught.value


async def test_a_conversation() -> None:
    thought = [delta(0, reasoningContent={"text": "Hm."}), delta(0, reasoningContent={"signature": "c2ln"})]
    calls = answer(*thought, call(1, "tooluse_a", '{"a":', "1}"), call(2, "tooluse_b", '{"a": 2}'), stop="tool_use")
    async with playing(calls, answer(delta(0, text="Hello"))) as (model, server):
        settings = ModelSettings(parallel_tool_calls=False)
        *deltas, first = await events_of(model, Message("system", "Be good."), HI, tools=[ADD], settings=settings)
        assert isinstance(first, Reply)
        results = (Message("tool", "1", call_id="tooluse_a"), Message("tool", "2", call_id="tooluse_b"))
        *_, second = await events_of(model, HI, first.message, *results, tools=[ADD], tool_choice="none")
    ready = [event for event in deltas if isinstance(event, CallReady)]
    assert ready == [
        CallReady(0, ToolCall("tooluse_a", "add", '{"a":1}')),
        CallReady(1, ToolCall("tooluse_b", "add", '{"a": 2}')),
    ]
    assert (first.finish_reason, first.message.reasoning) == ("tool_calls", "Hm.")
    assert first.usage == Usage(12, 3, 4)
    assert isinstance(second, Reply)
    assert (second.message.text, second.finish_reason) == ("Hello", "stop")
    asked, again = (received.body for received in server.received)
    assert asked["system"][0] == {"text": "Be good."}
    assert "cachePoint" in asked["system"][1]
    _, assistant, user = again["messages"]
    assert assistant["content"][0]["reasoningContent"]["reasoningText"] == {"text": "Hm.", "signature": "c2ln"}
    assert [part["toolResult"]["toolUseId"] for part in user["content"] if "toolResult" in part] == ["tooluse_a", "tooluse_b"]
    assert again["additionalModelRequestFields"]["tool_choice"] == {"type": "none"}
    assert second.raw is not None
    assert b"Hello" in second.raw.response
    assert "0123456789" not in repr(second.raw)


async def test_a_stream_without_an_end_is_no_reply() -> None:
    async with playing(answer(delta(0, text="Half"), stop=None)) as (model, _):
        assert type(await error_of(model)) is ReplyBroken


@pytest.mark.parametrize(
    ("status", "code", "words", "kind"),
    [
        (400, "ValidationException", "The model is odd", ModelRefusedRequest),
        (400, "ValidationException", "Input is too long for requested model.", ContextOverflow),
        (403, "AccessDeniedException", "You may not", ModelRefusedRequest),
        (429, "ThrottlingException", "Too many requests", ModelOverloaded),
        (503, "ServiceUnavailableException", "Busy", ModelOverloaded),
    ],
)
async def test_errors(status: int, code: str, words: str, kind: type[ModelError]) -> None:
    refusal = Played([json.dumps({"message": words}).encode()], status, {"x-amzn-errortype": code}, "application/json")
    async with playing(refusal) as (model, server):
        error = await error_of(model)
    assert type(error) is kind
    assert f"answered {status}: " in str(error)
    assert len(server.received) == 1


async def test_an_account_that_cannot_be_used_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "key-0123456789")
    async with playing(answer()) as (model, server):
        error = await error_of(model)
    assert type(error) is ModelRefusedRequest
    assert "requires an HTTPS endpoint" in str(error)
    assert not server.received


async def test_silence_is_a_stall() -> None:
    began = time.monotonic()
    async with playing(answer(delta(0, text="Half"), 3.0)) as (model, _):
        error = await error_of(model, settings=ModelSettings(stall_seconds=0.3))
    assert type(error) is ModelStalled
    assert time.monotonic() - began < 2


async def test_closing_the_generator_does_not_wait() -> None:
    async with playing(answer(delta(0, text="Half"), 3.0)) as (model, _):
        stream = model.stream(ModelRequest([HI]))
        assert await anext(stream) == TextDelta("Half")
        began = time.monotonic()
        await stream.aclose()
        assert time.monotonic() - began < 1
