"""OpenAI Responses and Gemini, as far as they differ from the wire that `test_providers_model.py` tries in full."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.models.loopback import Loopback, Played, serving

from prudent.errors import ContextOverflow, ModelError, ModelOverloaded, ModelRefusedRequest, ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ModelRequest, ModelSettings, Reply, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.providers import open_provider
from prudent.models.providers_model import ProviderModel
from prudent.models.retrying import RetryingModel
from prudent.types import Usage

pytestmark = pytest.mark.anyio

ADD = ToolSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
HI = Message("user", "hi")


@asynccontextmanager
async def playing(name: str, *answers: Played) -> AsyncGenerator[tuple[ProviderModel, Loopback]]:
    async with serving(*answers) as server:
        url = server.url if name.startswith("openai") else server.url.removesuffix("/v1")
        model = open_provider(name, base_url=url, api_key="sk-test-0123456789")
        assert isinstance(model, RetryingModel)
        assert isinstance(model.inner, ProviderModel)
        try:
            yield model.inner, server
        finally:
            await model.aclose()


async def events_of(model: ProviderModel, *messages: Message, **request: Any) -> list[ModelEvent]:
    return [event async for event in model.stream(ModelRequest(messages or (HI,), **request))]


async def error_of(model: ProviderModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await events_of(model)
    return caught.value


def as_reply(event: ModelEvent) -> Reply:
    assert isinstance(event, Reply)
    return event


# OpenAI Responses


def response(status: str, output: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 20,
        "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 29,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-served",
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
        "error": None,
        "incomplete_details": None,
        **more,
    }


REASONING: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA-secret"}
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "add",
    "arguments": '{"a":1}',
    "status": "completed",
}
SAID: dict[str, Any] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}


def streamed(*items: dict[str, Any], end: str | None = "completed", **more: Any) -> Played:
    """An answer that streams these items; without an end it only stops."""
    events: list[dict[str, Any]] = [{"type": "response.created", "response": response("in_progress", [], usage=None)}]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", **place, "item": {**item, "arguments": "", "content": []}})
        if item["type"] == "function_call":
            events += [
                {"type": "response.function_call_arguments.delta", **place, "delta": piece}
                for piece in (item["arguments"][:3], item["arguments"][3:])
            ]
            events.append({"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]})
        if item["type"] == "message":
            said: dict[str, Any] = {**place, "content_index": 0, "logprobs": []}
            events.append({"type": "response.output_text.delta", **said, "delta": "Hel"})
            events.append({"type": "response.output_text.delta", **said, "delta": "lo"})
        events.append({"type": "response.output_item.done", **place, "item": item})
    if end:
        events.append({"type": f"response.{end}", "response": response(end, list(items), **more)})
    lines = [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
        for number, event in enumerate(events)
    ]
    return Played(["".join(lines).encode()])


async def test_responses_come_with_reasoning_items_that_go_back() -> None:
    async with playing("openai-responses:gpt-5", streamed(REASONING, CALL), streamed(SAID)) as (model, server):
        settings = ModelSettings(temperature=0.3, max_tokens=50, parallel_tool_calls=False)
        ready, first = await events_of(model, Message("system", "Be good."), HI, tools=[ADD], settings=settings)
        reply = as_reply(first)
        result = Message("tool", "1", call_id="call_1")
        *deltas, second = await events_of(model, HI, reply.message, result, tools=[ADD])
    assert ready == CallReady(0, ToolCall("call_1", "add", '{"a":1}'))
    assert (reply.finish_reason, reply.usage, reply.model) == ("tool_calls", Usage(20, 8, 9), "gpt-served")
    assert deltas == [TextDelta("Hel"), TextDelta("lo")]
    assert (as_reply(second).message.text, as_reply(second).finish_reason) == ("Hello", "stop")
    asked, again = (received.body for received in server.received)
    assert asked["max_output_tokens"] == 50
    assert asked["parallel_tool_calls"] is False
    assert "temperature" not in asked
    assert "previous_response_id" not in again
    _, reasoning, call, output = again["input"]
    assert (reasoning["id"], reasoning["encrypted_content"], reasoning["summary"]) == ("rs_1", "gAAAA-secret", [])
    assert (call["id"], call["call_id"], call["arguments"]) == ("fc_1", "call_1", '{"a":1}')
    assert (output["call_id"], output["output"]) == ("call_1", "1")


async def test_an_item_whose_call_got_another_id_goes_without_its_own() -> None:
    async with playing("openai-responses:gpt-5", streamed(REASONING, CALL), streamed(SAID)) as (model, server):
        *_, first = await events_of(model, tools=[ADD])
        kept = as_reply(first).message
        renamed = Message("assistant", calls=(ToolCall("c2", "add", '{"a":1}'),), opaque=kept.opaque, opaque_by=kept.opaque_by)
        await events_of(model, HI, renamed, Message("tool", "1", call_id="c2"), tools=[ADD])
    _, reasoning, call, output = server.received[1].body["input"]
    assert reasoning["id"] == "rs_1"
    assert "id" not in call
    assert call["call_id"] == output["call_id"] == "c2"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (streamed(SAID, end=None), ReplyBroken),
        (streamed(SAID, end="incomplete"), ReplyBroken),
        (streamed(SAID, end="failed"), ReplyBroken),
        (streamed(SAID, end="failed", error={"code": "server_error", "message": "Sorry"}), ModelOverloaded),
        (streamed(SAID, end="failed", error={"code": "rate_limit_exceeded", "message": "Slow"}), ModelOverloaded),
        (streamed(SAID, end="failed", error={"code": "invalid_prompt", "message": "No"}), ReplyBroken),
    ],
    ids=["no end", "no reason", "failed", "server error", "rate limit", "other error"],
)
async def test_responses_without_an_end(answer: Played, kind: type[ModelError]) -> None:
    async with playing("openai-responses:gpt-4o", answer) as (model, _):
        assert type(await error_of(model)) is kind


async def test_responses_that_ended_for_length() -> None:
    answer = streamed(SAID, end="incomplete", incomplete_details={"reason": "max_output_tokens"})
    async with playing("openai-responses:gpt-4o", answer) as (model, _):
        assert as_reply((await events_of(model))[-1]).finish_reason == "length"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"code": "context_length_exceeded", "message": "Your input exceeds the context window"}, ContextOverflow),
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}, ModelRefusedRequest),
        (429, {"code": "rate_limit_exceeded", "message": "Slow down"}, ModelOverloaded),
        (401, {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-test-0123456789"}, ModelRefusedRequest),
    ],
)
async def test_refusals_of_responses(status: int, error: dict[str, str], kind: type[ModelError]) -> None:
    answer = Played([json.dumps({"error": error}).encode()], status, content_type="application/json")
    async with playing("openai-responses:gpt-4o", answer) as (model, server):
        found = await error_of(model)
    assert type(found) is kind
    assert "0123456789" not in str(found)
    assert len(server.received) == 1


# Gemini


def chunk(*parts: dict[str, Any], finish: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 15, "cachedContentTokenCount": 5, "candidatesTokenCount": 6, "thoughtsTokenCount": 3}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-served", "responseId": "r1"}
    return f"data: {json.dumps(body)}\r\n\r\n".encode()


async def test_gemini_s_calls_have_no_ids_and_keep_their_signatures() -> None:
    called = {"functionCall": {"name": "add", "args": {"a": 1}}, "thoughtSignature": "c2lnbmF0dXJl"}
    said = Played([chunk({"text": "Hm.", "thought": True}), chunk(called, finish="STOP")])
    done = Played([chunk({"text": "1"}, finish="STOP")])
    async with playing("google:gemini-2.5-flash", said, done) as (model, server):
        *_, ready, first = await events_of(model, Message("system", "Be good."), HI, tools=[ADD])
        reply = as_reply(first)
        ours = Message(
            "assistant", "", (ToolCall("call_t1_1", "add", '{"a":1}'),), opaque=reply.message.opaque, opaque_by="pydantic_ai"
        )
        await events_of(model, HI, ours, Message("tool", "1", call_id="call_t1_1"), tools=[ADD], tool_choice="none")
    assert ready == CallReady(0, ToolCall("", "add", '{"a": 1}'))
    assert (reply.message.reasoning, reply.finish_reason) == ("Hm.", "tool_calls")
    assert reply.usage == Usage(15, 5, 9)
    first_body, second_body = (received.body for received in server.received)
    assert first_body["systemInstruction"]["parts"] == [{"text": "Be good."}]
    assert server.received[0].headers["x-goog-api-key"] == "sk-test-0123456789"
    assert reply.raw is not None
    assert "0123456789" not in repr(reply.raw)
    assert second_body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"
    _, model_turn, results = second_body["contents"]
    assert model_turn["parts"][-1]["thoughtSignature"] == "c2lnbmF0dXJl"
    assert model_turn["parts"][-1]["functionCall"]["args"] == {"a": 1}
    assert results["parts"][0]["functionResponse"]["name"] == "add"


@pytest.mark.parametrize("finish", [None, "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
async def test_gemini_without_an_end(finish: str | None) -> None:
    async with playing("google:gemini-2.5-flash", Played([chunk({"text": "Half"}, finish=finish)])) as (model, _):
        assert type(await error_of(model)) is ReplyBroken


async def test_gemini_says_when_to_come_back() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "14s"}]
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded", "details": details}}
    answer = Played([json.dumps(body).encode()], 429, content_type="application/json")
    async with playing("google:gemini-2.5-flash", answer) as (model, server):
        error = await error_of(model)
    assert isinstance(error, ModelOverloaded)
    assert error.retry_after_seconds == 14
    assert "answered 429: Quota exceeded" in str(error)
    assert len(server.received) == 1
