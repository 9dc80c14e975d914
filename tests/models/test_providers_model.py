from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.models import anthropic_frames as frames
from tests.models.loopback import HANG_UP, Loopback, Played, serving

from prudent.errors import (
    ContextOverflow,
    ModelError,
    ModelOverloaded,
    ModelRefusedRequest,
    ModelStalled,
    ModelUnreachable,
    ReplyBroken,
)
from prudent.exchange import (
    CallReady,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    ReasoningDelta,
    Reply,
    Retrying,
    TextDelta,
)
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.models.providers import open_provider
from prudent.models.providers_model import ProviderModel
from prudent.models.retrying import RetryingModel
from prudent.types import Usage

pytestmark = pytest.mark.anyio

KEY = "sk-ant-test-key-0123456789"
ADD = ToolSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
HI = Message("user", "hi")


def opened(server: Loopback, name: str = "anthropic:claude-x", **options: Any) -> ProviderModel:
    model = open_provider(name, base_url=server.url, api_key=KEY, **options)
    assert isinstance(model, RetryingModel)
    assert isinstance(model.inner, ProviderModel)
    return model.inner


@asynccontextmanager
async def playing(
    *answers: Played, name: str = "anthropic:claude-x", **options: Any
) -> AsyncGenerator[tuple[ProviderModel, Loopback]]:
    async with serving(*answers) as server:
        model = opened(server, name, **options)
        try:
            yield model, server
        finally:
            await model.aclose()


async def events_of(model: ProviderModel, *messages: Message, **request: Any) -> list[ModelEvent]:
    return [event async for event in model.stream(ModelRequest(messages or (HI,), **request))]


async def reply_to(model: ProviderModel, *messages: Message, **request: Any) -> Reply:
    reply = (await events_of(model, *messages, **request))[-1]
    assert isinstance(reply, Reply)
    return reply


async def error_of(model: ProviderModel, **request: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await events_of(model, **request)
    return caught.value


async def test_a_reply_streams_and_ends_with_its_figures() -> None:
    answer = Played(
        [frames.start(cache_read_input_tokens=5, cache_creation_input_tokens=3), frames.text(0, "Hel", "lo 世"), frames.end()]
    )
    async with playing(answer) as (model, _):
        *deltas, reply = await events_of(model)
    assert deltas == [TextDelta("Hel"), TextDelta("lo 世")]
    assert isinstance(reply, Reply)
    assert reply.message.text == "Hello 世"
    assert (reply.finish_reason, reply.model) == ("stop", "claude-served")
    assert reply.usage == Usage(input_tokens=11 + 5 + 3, cached_tokens=5, output_tokens=7)


async def test_what_is_sent() -> None:
    system, settings = Message("system", "Be good."), ModelSettings(temperature=0.3, max_tokens=99, parallel_tool_calls=False)
    async with playing(frames.say("ok")) as (model, server):
        await events_of(model, system, HI, tools=[ADD], settings=settings)
    [received] = server.received
    body = received.body
    assert received.path.startswith("/v1/messages")
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["max_tokens"], body["temperature"], body["stream"]) == ("claude-x", 99, 0.3, True)
    assert body["system"][0]["text"] == "Be good."
    assert (body["tools"][0]["name"], body["tools"][0]["input_schema"]) == ("add", ADD.parameters)
    assert body["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
    assert body["messages"][0]["content"][0]["text"] == "hi"


async def test_the_prefix_is_cached() -> None:
    async with playing(frames.say("ok")) as (model, server):
        await events_of(model, Message("system", "Be good."), HI, tools=[ADD])
    body = server.received[0].body
    assert "cache_control" not in body
    for place in (body["system"][0], body["tools"][0], body["messages"][0]["content"][0]):
        assert place["cache_control"]["type"] == "ephemeral"


async def test_the_closing_call_keeps_its_tools() -> None:
    async with playing(frames.say("ok")) as (model, server):
        await events_of(model, tools=[ADD], tool_choice="none", settings=ModelSettings(parallel_tool_calls=False))
    body = server.received[0].body
    assert body["tool_choice"] == {"type": "none"}
    assert len(body["tools"]) == 1


async def test_a_call_is_ready_when_its_own_arguments_are_complete() -> None:
    first = [frames.call(0, "add", '{"a": ', '{"b": 1}', "}", call_id="toolu_a")]
    open_block = frames.frame(
        "content_block_start", index=1, content_block={"type": "tool_use", "id": "toolu_b", "name": "x", "input": {}}
    )
    rest = frames.frame("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": "{}"})
    answer = Played(
        [frames.start(), *first, 0.4, open_block, rest, frames.frame("content_block_stop", index=1), frames.end("tool_use")]
    )
    arrived: list[tuple[float, ModelEvent]] = []
    async with playing(answer) as (model, _):
        async for event in model.stream(ModelRequest([HI], [ADD])):
            arrived.append((time.monotonic(), event))
    (first_at, first_ready), (second_at, second_ready), (_, reply) = arrived
    assert first_ready == CallReady(0, ToolCall("toolu_a", "add", '{"a": {"b": 1}}'))
    assert second_ready == CallReady(1, ToolCall("toolu_b", "x", "{}"))
    assert second_at - first_at > 0.3
    assert isinstance(reply, Reply)
    assert reply.finish_reason == "tool_calls"
    assert [call.id for call in reply.message.calls] == ["toolu_a", "toolu_b"]


async def test_calls_without_arguments_and_with_the_same_id() -> None:
    answer = frames.message(frames.call(0, "now"), frames.call(1, "now", "", call_id="toolu_1"), reason="tool_use")
    async with playing(answer) as (model, _):
        *ready, reply = await events_of(model)
    assert isinstance(reply, Reply)
    assert reply.message.calls == (ToolCall("toolu_1", "now", "", arguments_were_null=True),) * 2
    # Nothing tells that the last one is complete but the reply itself.
    assert ready == [CallReady(0, reply.message.calls[0])]


async def test_arguments_that_were_cut_off_are_not_ready() -> None:
    async with playing(frames.message(frames.call(0, "add", '{"a": 1'), reason="max_tokens")) as (model, _):
        [reply] = await events_of(model)
    assert isinstance(reply, Reply)
    assert reply.finish_reason == "length"
    assert reply.message.calls[0].arguments == '{"a": 1'


async def test_thinking_goes_back_with_its_signature_and_our_calls() -> None:
    said = frames.message(
        frames.thinking(0, "Hm, 世.", "c2lnbmF0dXJl"),
        frames.thinking(1, "", "ZW1wdHk="),
        frames.block(2, {"type": "redacted_thinking", "data": "c2VjcmV0"}),
        frames.text(3, "\n\n"),
        frames.text(4, "I add."),
        frames.call(5, "add", '{"a": 1,}', call_id="same"),
        frames.call(6, "add", '{"a": 2}', call_id="same"),
        reason="tool_use",
    )
    async with playing(said, frames.say("3")) as (model, server):
        events = await events_of(model, HI, tools=[ADD])
        reply = events[-1]
        assert isinstance(reply, Reply)
        calls = (ToolCall("same", "add", '{"a":1}'), ToolCall("call_t1_2", "add", '{"a": 2}'))
        ours = Message("assistant", reply.message.text, calls, opaque=reply.message.opaque, opaque_by=reply.message.opaque_by)
        results = (Message("tool", "1", call_id="same"), Message("tool", "2", call_id="call_t1_2"))
        await events_of(model, HI, ours, *results, tools=[ADD])
    assert ReasoningDelta("Hm, 世.") in events
    assert reply.message.reasoning == "Hm, 世."
    _, assistant, user = server.received[1].body["messages"]
    assert assistant["content"] == [
        {"type": "thinking", "thinking": "Hm, 世.", "signature": "c2lnbmF0dXJl"},
        {"type": "thinking", "thinking": "", "signature": "ZW1wdHk="},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "text", "text": "I add."},
        {"type": "tool_use", "id": "same", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "call_t1_2", "name": "add", "input": {"a": 2}},
    ]
    assert [part["tool_use_id"] for part in user["content"]] == ["same", "call_t1_2"]


async def test_what_another_adapter_wrote_is_built_from_what_it_says() -> None:
    written = Message(
        "assistant", "I add.", (ToolCall("c1", "add", '{"a": 1}'),), opaque='{"provider": "x"}', opaque_by="openai_chat"
    )
    broken = Message("assistant", "Done.", opaque='{"parts": "[redacted', opaque_by="pydantic_ai")
    async with playing(frames.say("ok")) as (model, server):
        await events_of(model, HI, written, Message("tool", "1", call_id="c1"), broken, HI, tools=[ADD])
    _, first, _, second, _ = server.received[0].body["messages"]
    assert frames.kinds(first["content"]) == ["text", "tool_use"]
    assert second["content"] == [{"type": "text", "text": "Done."}]


async def test_server_tools_that_were_not_asked_for_do_no_harm() -> None:
    use: dict[str, Any] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    said = frames.message(
        frames.text(0, "I look."), frames.block(1, use), frames.block(2, found), frames.text(3, "Found", " it.")
    )
    async with playing(said, frames.say("ok")) as (model, server):
        *deltas, reply = await events_of(model)
        assert isinstance(reply, Reply)
        await events_of(model, HI, reply.message, HI)
    assert (
        reply.message.text == "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "I look.\n\nFound it."
    )
    assert (reply.message.calls, reply.finish_reason) == ((), "stop")
    assert frames.kinds(server.received[1].body["messages"][1]["content"]) == ["text", "text"]


async def test_pictures_go_along() -> None:
    picture = Image("image/png", b"\x89PNG")
    called = Message("assistant", "", (ToolCall("c1", "look", "{}"),))
    result = Message("tool", "Here.", call_id="c1", images=(picture,))
    async with playing(frames.say("ok")) as (model, server):
        assert model.profile.takes_images
        await events_of(model, Message("user", "What is it?", images=(picture,)), called, result, tools=[ADD])
    first, _, last = server.received[0].body["messages"]
    assert frames.kinds(first["content"]) == ["text", "image"]
    assert frames.kinds(last["content"][0]["content"]) == ["text", "image"]


@pytest.mark.parametrize(
    ("blocks", "kind"),
    [
        ([frames.start(), frames.text(0, "Half")], ReplyBroken),
        ([frames.start(), frames.text(0, "Half"), frames.frame("message_stop")], ReplyBroken),
        ([frames.start(), frames.text(0, "Half"), frames.end(None)], ReplyBroken),
        ([frames.start(), frames.text(0, "Half"), HANG_UP], ModelUnreachable),
        ([], ReplyBroken),
    ],
    ids=["ends early", "no stop reason", "stop reason null", "cut", "nothing"],
)
async def test_a_stream_without_an_end_is_no_reply(blocks: list[Any], kind: type[ModelError]) -> None:
    async with playing(Played(blocks)) as (model, _):
        error = await error_of(model)
    assert type(error) is kind
    assert error.provider == "anthropic"


async def test_a_page_is_no_reply() -> None:
    async with playing(Played([b"<html><h1>Welcome</h1></html>"], content_type="text/html")) as (model, _):
        assert isinstance(await error_of(model), ReplyBroken)


async def test_an_error_inside_a_stream() -> None:
    error_frame = frames.frame("error", error={"type": "overloaded_error", "message": "Overloaded"})
    async with playing(Played([frames.start(), frames.text(0, "Half"), error_frame])) as (model, _):
        error = await error_of(model)
    assert isinstance(error, ModelOverloaded)
    assert error.status == 529
    assert "broke its reply off with error 529: Overloaded" in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "words", "expected"),
    [
        (400, "invalid_request_error", "messages: unexpected role", ModelRefusedRequest),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", ContextOverflow),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API", ModelRefusedRequest),
        (401, "authentication_error", f"invalid x-api-key {KEY}", ModelRefusedRequest),
        (404, "not_found_error", "model: claude-x", ModelRefusedRequest),
        (413, "request_too_large", "Request exceeds the maximum size", ContextOverflow),
        (429, "rate_limit_error", "slow down", ModelOverloaded),
        (500, "api_error", "Internal server error", ModelOverloaded),
        (529, "overloaded_error", "Overloaded", ModelOverloaded),
    ],
)
async def test_errors_say_who_must_act_and_never_the_key(
    status: int, kind: str, words: str, expected: type[ModelError]
) -> None:
    async with playing(frames.refusal(status, kind, words)) as (model, server):
        error = await error_of(model)
    assert type(error) is expected
    assert error.status == status
    assert f"answered {status}: " in str(error)
    assert KEY not in str(error)
    assert ("ANTHROPIC_API_KEY" in str(error)) == (status == 401)
    # Trying again is for the wrapper: the library does not.
    assert len(server.received) == 1


async def test_a_server_says_when_to_come_back() -> None:
    async with playing(frames.refusal(429, "rate_limit_error", "slow down", {"retry-after": "7"})) as (model, _):
        assert (await error_of(model)).retry_after_seconds == 7


async def test_a_lost_server_is_tried_again_by_the_wrapper() -> None:
    async with serving(
        Played([HANG_UP]), frames.refusal(529, "overloaded_error", "Overloaded", {"retry-after": "0"}), frames.say("ok")
    ) as server:
        model = open_provider("anthropic:claude-x", base_url=server.url, api_key=KEY)
        events = [event async for event in model.stream(ModelRequest([HI]))]
        await model.aclose()
    assert [type(event) for event in events] == [Retrying, Retrying, TextDelta, Reply]


async def test_no_server() -> None:
    async with serving() as server:
        pass
    model = opened(server)
    error = await error_of(model)
    await model.aclose()
    assert isinstance(error, ModelUnreachable)
    assert "Connection refused" in str(error)


@pytest.mark.parametrize("pieces", [[5.0], [frames.start(), frames.text(0, "Half"), 5.0]], ids=["head", "stream"])
async def test_silence_is_a_stall(pieces: list[Any]) -> None:
    began = time.monotonic()
    async with playing(Played(pieces)) as (model, _):
        error = await error_of(model, settings=ModelSettings(stall_seconds=0.3))
        assert type(error) is ModelStalled
        assert time.monotonic() - began < 3
        assert "no byte for 0.3 s" in str(error)


async def test_what_a_server_refuses_by_name_is_left_out_from_then_on() -> None:
    refused = frames.refusal(400, "invalid_request_error", "`temperature` is not supported by this model")
    async with playing(refused, frames.say("ok")) as (model, server):
        retrying, *_ = await events_of(model)
        await events_of(model)
    assert isinstance(retrying, Retrying)
    assert (retrying.wait_seconds, retrying.tokens_came) == (0.0, False)
    assert "refuses temperature" in retrying.reason
    assert ["temperature" in received.body for received in server.received] == [True, False, False]


async def test_a_server_that_knows_no_cache() -> None:
    refused = frames.refusal(400, "invalid_request_error", "system.0.cache_control: Extra inputs are not permitted")
    async with playing(refused, frames.say("ok")) as (model, server):
        await events_of(model, Message("system", "Be good."), HI, tools=[ADD])
    assert [b"cache_control" in received.raw for received in server.received] == [True, False]


async def test_an_answer_can_be_held_to_a_schema() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    refused = frames.refusal(400, "invalid_request_error", "output_config.format: not supported with this model")
    async with playing(frames.say('{"n": 1}'), refused, frames.say("ok"), name="anthropic:claude-opus-4-8") as (model, server):
        await events_of(model, output_schema=schema, tools=[ADD])
        await events_of(model, output_schema=schema, tools=[ADD])
    first, second, third = (received.body for received in server.received)
    assert first["output_config"]["format"]["schema"] == schema
    assert "output_config" in second
    assert "output_config" not in third


async def test_reasoning_is_asked_for_without_a_temperature() -> None:
    async with playing(frames.say("ok"), name="anthropic:claude-3-7-sonnet") as (model, server):
        await events_of(model, settings=ModelSettings(reasoning="low"))
    body = server.received[0].body
    assert body["thinking"]["type"] == "enabled"
    assert "temperature" not in body


async def test_the_bytes_are_kept_without_the_key() -> None:
    async with playing(frames.say("ok")) as (model, server):
        reply = await reply_to(model, Message("system", "Be good."), HI, tools=[ADD])
    assert reply.raw is not None
    assert reply.raw.url == f"{server.url.removesuffix('/v1')}/v1/messages"
    assert json.loads(reply.raw.request_messages[0])["content"][0]["text"] == "hi"
    assert json.loads(reply.raw.request_head)["messages"] == []
    assert b"Be good." in reply.raw.request_head
    assert reply.raw.response == b"".join(piece for piece in server.answers[0].pieces if isinstance(piece, bytes))
    assert KEY.encode() not in repr(reply.raw).encode()


async def test_a_reply_in_one_piece() -> None:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": [{"type": "text", "text": "One"}, {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    answer = Played([json.dumps(body).encode()], content_type="application/json")
    async with playing(answer, frames.refusal(529, "overloaded_error", "Overloaded"), stream=False) as (model, server):
        [reply] = await events_of(model, tools=[ADD])
        assert isinstance(await error_of(model), ModelOverloaded)
    assert isinstance(reply, Reply)
    assert server.received[0].body["stream"] is False
    assert (reply.message.text, reply.message.calls) == ("One", (ToolCall("toolu_1", "add", '{"a": 1}'),))
    assert reply.usage == Usage(3, 0, 4)


async def test_closing_the_generator_ends_the_request() -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + frames.start() + frames.text(0, "Half"))
        await writer.drain()
        while await reader.read(65536):
            pass
        gone.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    model = open_provider("anthropic:claude-x", base_url=url, api_key=KEY)
    stream = model.stream(ModelRequest([HI]))
    assert await anext(stream) == TextDelta("Half")
    await stream.aclose()
    await asyncio.wait_for(gone.wait(), 2)
    await model.aclose()
    server.close()


async def test_many_calls_at_once_keep_apart() -> None:
    async with playing(*(frames.say(f"answer {number}") for number in range(12))) as (model, server):
        replies = await asyncio.gather(*(reply_to(model, Message("user", f"question {number}")) for number in range(12)))
    for number, reply in enumerate(replies):
        assert reply.raw is not None
        assert f"question {number}".encode() in reply.raw.request_messages[0]
        assert reply.message.text.encode() in reply.raw.response
    assert len(server.received) == 12


def test_one_model_works_in_several_event_loops() -> None:
    async def ask(server: Loopback, model: ProviderModel) -> None:
        served = await asyncio.start_server(server.serve, "127.0.0.1", port)
        await reply_to(model)
        await model.aclose()
        await reply_to(model)
        await model.aclose()
        served.close()
        server.close()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Loopback([frames.say("ok")])
    server.url = f"http://127.0.0.1:{port}"
    model = opened(server)
    for _ in range(2):
        asyncio.run(ask(server, model))
    assert len(server.received) == 4
