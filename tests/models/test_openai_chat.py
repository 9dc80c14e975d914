from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import anyio
import pytest
from tests.models.loopback import HANG_UP, Loopback, Played, call_piece, chunk, frames, say, serving, stream, usage_chunk, whole

from prudent.errors import (
    ConfigurationError,
    ContextOverflow,
    ModelError,
    ModelOverloaded,
    ModelRefusedRequest,
    ModelStalled,
    ModelUnreachable,
    ReplyBroken,
)
from prudent.exchange import CallReady, ModelEvent, ModelRequest, ModelSettings, Reply, Retrying, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models import openai_chat
from prudent.models.facts import PROVIDERS, facts_for
from prudent.models.openai_chat import OpenAIChat, profile_of

pytestmark = pytest.mark.anyio

TOOL = ToolSpec("add", "Adds.", {"type": "object"})
KEY = "sk-live-9Qz7Lm3Np5Rt8Vx1Ky4Bd6Fg"


@asynccontextmanager
async def talking(*answers: Played, provider: str = "openai", **more: Any) -> AsyncGenerator[tuple[OpenAIChat, Loopback]]:
    async with serving(*answers) as server:
        facts = facts_for(provider, server.url)
        model = OpenAIChat(f"{provider}:m", model="m", facts=facts, api_key=KEY, **more)
        yield model, server
        await model.aclose()


def ask(*messages: Message, stall_seconds: float = 5.0, **settings: Any) -> ModelRequest:
    return ModelRequest(messages or (Message("user", "hi"),), (TOOL,), ModelSettings(stall_seconds=stall_seconds, **settings))


async def events_of(model: OpenAIChat, request: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(request or ask())]


async def reply_of(model: OpenAIChat, request: ModelRequest | None = None) -> Reply:
    last = (await events_of(model, request))[-1]
    assert isinstance(last, Reply)
    return last


async def error_of(model: OpenAIChat, request: ModelRequest | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await events_of(model, request)
    return caught.value


async def test_a_reply_streams_and_a_conversation_goes_on() -> None:
    first = stream(
        chunk(reasoning_content="想"), chunk(**call_piece('{"a": 1}', call_id="c1", name="add")), chunk("tool_calls")
    )
    async with talking(first, say("Done.")) as (model, server):
        [_, ready, reply] = await events_of(model)
        assert ready == CallReady(0, ToolCall("c1", "add", '{"a": 1}'))
        assert isinstance(reply, Reply)
        final = await reply_of(model, ask(Message("user", "hi"), reply.message, Message("tool", "1", call_id="c1")))
        assert (final.message.text, final.model, final.usage.total_tokens) == ("Done.", "m-1", 15)
    assert server.received[0].path == "/v1/chat/completions"
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    sent = server.received[1].body["messages"][1]
    assert sent["reasoning_content"] == "想"
    assert sent["tool_calls"][0]["id"] == "c1"
    assert server.connections == 1


async def test_deltas_come_as_they_arrive() -> None:
    slow = Played([frames(chunk(content="a"), done=False), 0.3, frames(chunk(content="b"), chunk("stop"))])
    async with talking(slow) as (model, _), aclosing(model.stream(ask())) as stream_of_events:
        with anyio.fail_after(0.2):
            assert await anext(stream_of_events) == TextDelta("a")
        assert await anext(stream_of_events) == TextDelta("b")


async def test_the_raw_bytes_are_kept_without_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(say("hello")) as (model, server):
        raw = (await reply_of(model)).raw
        assert raw is not None
        assert raw.url == f"{server.url}/chat/completions"
        assert json.loads(raw.request_head)["messages"] == []
        assert [json.loads(message) for message in raw.request_messages] == server.received[0].body["messages"]
        assert b'"hello"' in raw.response
        assert raw.response.endswith(b"data: [DONE]\n\n")
        assert KEY not in repr(raw)
        again = (await reply_of(model, ask(Message("user", "hi"), Message("user", "more")))).raw
        assert again is not None
        assert again.request_messages[0] is raw.request_messages[0]
        monkeypatch.setattr(openai_chat, "RAW_MAX_BYTES", 20)
        cut = (await reply_of(model)).raw
        assert cut is not None
        assert cut.response == raw.response[:20]


async def test_a_server_that_does_not_stream_is_read_too() -> None:
    body = {"choices": [{"message": {"content": "so"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}
    for answer in (whole(body), Played([json.dumps(body).encode()])):
        async with talking(answer) as (model, _):
            assert await events_of(model) == [TextDelta("so"), await reply_of(model)]


async def test_a_server_that_breaks_when_it_streams_is_not_asked_to() -> None:
    body = {"choices": [{"message": {"content": "so"}, "finish_reason": "stop"}]}
    async with serving(whole(body)) as server:
        model = OpenAIChat("x:m", model="m", facts=replace(facts_for("openai", server.url), stream=False))
        assert (await reply_of(model)).message.text == "so"
        await model.aclose()
    assert server.received[0].body["stream"] is False
    assert "stream_options" not in server.received[0].body


@pytest.mark.parametrize(
    "page", [b"<html><body>Gateway sign-in</body></html>", b"OK", b"", b"[]", b'{"status": "ok"}', b'{"cut', b": ping\n\n"]
)
async def test_what_is_no_reply_is_said_to_be_none(page: bytes) -> None:
    async with talking(Played([page], content_type="text/html")) as (model, _):
        error = await error_of(model)
        assert type(error) is ReplyBroken
        assert "sent what is not a model reply" in str(error)
        assert (page.decode().strip() or "nothing at all") in str(error)
        assert not error.tokens_came


class TestTheEnd:
    async def test_bytes_after_the_end_are_waited_for_only_shortly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(openai_chat, "TAIL_SECONDS", 0.1)
        for ending in ([frames(chunk("stop"), done=False), 30.0], [frames(chunk("stop")), 30.0]):
            async with talking(Played([frames(chunk(content="so"), done=False), *ending])) as (model, _):
                with anyio.fail_after(2):
                    assert (await reply_of(model)).message.text == "so"

    async def test_a_connection_lost_after_the_end_spoils_nothing(self) -> None:
        async with talking(Played([frames(chunk(content="so"), chunk("stop"), done=False), HANG_UP])) as (model, _):
            assert (await reply_of(model)).message.text == "so"

    async def test_figures_after_the_end_are_counted(self) -> None:
        parts = [frames(chunk(content="so"), chunk("stop"), done=False), 0.05, frames(usage_chunk(7, 3))]
        async with talking(Played(parts)) as (model, _):
            assert (await reply_of(model)).usage.total_tokens == 10

    async def test_a_stream_that_ends_early_is_broken(self) -> None:
        async with talking(stream(chunk(content="The total for"), done=False)) as (model, _):
            error = await error_of(model)
            assert (type(error), error.tokens_came, error.provider) == (ReplyBroken, True, "openai-compatible")

    async def test_a_connection_lost_before_the_end_is_unreachable(self) -> None:
        begun = frames(chunk(**call_piece("", call_id="a", name="add")), done=False)
        for pieces, tokens_came in (([begun, HANG_UP], True), ([HANG_UP], False), ([b": ping\n\n", HANG_UP], False)):
            async with talking(Played(pieces)) as (model, _):
                error = await error_of(model)
                assert (type(error), error.tokens_came) == (ModelUnreachable, tokens_came)

    async def test_a_stall_is_a_stall(self) -> None:
        async with talking(Played([frames(chunk(content="so"), done=False), 5.0])) as (model, _):
            error = await error_of(model, ask(stall_seconds=0.1))
            assert (type(error), error.tokens_came, error.retryable) == (ModelStalled, True, False)


class TestErrors:
    @pytest.mark.parametrize(
        ("status", "error", "kind"),
        [
            (400, {"message": "bad request"}, ModelRefusedRequest),
            (400, {"message": "context length exceeded: 9000 > 8192"}, ContextOverflow),
            (401, {"message": f"Incorrect API key provided: {KEY}"}, ModelRefusedRequest),
            (404, {"message": "no such model"}, ModelRefusedRequest),
            (500, {"message": "oops"}, ModelOverloaded),
        ],
    )
    async def test_an_error_names_provider_status_and_cause(
        self, status: int, error: dict[str, str], kind: type[ModelError]
    ) -> None:
        async with talking(whole({"error": error}, status=status)) as (model, server):
            found = await error_of(model)
        assert type(found) is kind
        assert (found.provider, found.status) == ("openai-compatible", status)
        host = server.url.split("/")[2]
        cause = error["message"].replace(KEY, "[key]")
        assert str(found).startswith(f"openai-compatible server at {host} answered {status}: {cause}")
        assert KEY not in str(found)
        assert len(server.received) == 1

    async def test_a_busy_server_says_when_to_come_back(self) -> None:
        async with talking(whole({"error": {"message": "slow"}}, status=429, headers={"Retry-After": "2"})) as (model, _):
            assert (await error_of(model)).retry_after_seconds == 2.0

    async def test_a_redirect_is_not_followed(self) -> None:
        moved = Played([], status=301, headers={"location": "http://example.invalid/"})
        async with talking(moved) as (model, _):
            error = await error_of(model)
            assert type(error) is ModelRefusedRequest
            assert "it redirects to http://example.invalid/" in str(error)

    async def test_an_error_inside_a_reply(self) -> None:
        failure = {"error": {"message": "upstream failed", "type": "server_error", "code": 502}}
        async with talking(stream(chunk(content="Half"), failure, done=False)) as (model, _):
            error = await error_of(model)
            assert (type(error), error.status, error.tokens_came) == (ModelOverloaded, 502, True)

    async def test_a_call_that_the_provider_refused_is_a_reply(self) -> None:
        written = json.dumps({"name": "add", "arguments": {"x": 1}})
        failure = {"error": {"message": "no", "code": "tool_use_failed", "failed_generation": written}}
        async with talking(whole(failure, status=400)) as (model, _):
            reply = await reply_of(model)
            assert reply.message.calls == (ToolCall("", "add", '{"x": 1}'),)

    async def test_nobody_there(self) -> None:
        model = OpenAIChat("openai:m", model="m", facts=facts_for("openai", "http://127.0.0.1:9/v1"))
        error = await error_of(model)
        assert (type(error), error.provider) == (ModelUnreachable, "openai-compatible")
        assert "127.0.0.1:9 cannot be reached: Connection refused" in str(error)
        await model.aclose()

    @pytest.mark.parametrize("key", ["sk live", "sk-lïve", "a\nb"])
    async def test_a_key_that_no_header_can_carry(self, key: str) -> None:
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY holds something that is no key") as caught:
            OpenAIChat("openai:m", model="m", facts=PROVIDERS["openai"], api_key=key)
        assert key not in str(caught.value)


class TestRefusedParameters:
    def refusing(self, message: str, *, status: int = 400, param: str | None = None) -> Played:
        return whole({"error": {"message": message, "type": "invalid_request_error", "param": param}}, status=status)

    @pytest.mark.parametrize(
        ("message", "param", "name"),
        [
            ("Unrecognized request argument supplied: parallel_tool_calls", None, "parallel_tool_calls"),
            ("nope", "parallel_tool_calls", "parallel_tool_calls"),
            ("Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature", "temperature"),
            ("unknown field `stream_options`", None, "stream_options"),
            ("Extra inputs are not permitted", "stream_options.include_usage", "stream_options"),
            ("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", None, "max_tokens"),
            ("reasoning_effort is not supported by this model", None, "reasoning_effort"),
        ],
    )
    async def test_a_refused_parameter_is_dropped_once_and_remembered(self, message: str, param: str | None, name: str) -> None:
        async with talking(self.refusing(message, param=param), say("ok")) as (model, server):
            request = ask(parallel_tool_calls=False, max_tokens=50, reasoning="low")
            events = await events_of(model, request)
            [retrying] = [event for event in events if isinstance(event, Retrying)]
            assert (retrying.attempt, retrying.wait_seconds, retrying.tokens_came) == (1, 0.0, False)
            assert name in retrying.reason
            await events_of(model, request)
        first, *later = [received.body for received in server.received]
        assert name in first
        assert len(later) == 2
        for body in later:
            assert name not in body
            assert set(first) - set(body) == {name}

    async def test_several_are_dropped_one_after_the_other(self) -> None:
        answers = [self.refusing(f"unknown parameter: {name}") for name in ("temperature", "parallel_tool_calls")]
        async with talking(*answers, say("ok")) as (model, _):
            events = await events_of(model, ask(parallel_tool_calls=False))
            assert [event.attempt for event in events if isinstance(event, Retrying)] == [1, 2]

    async def test_a_form_of_fastapi_is_understood(self) -> None:
        refusal = {"detail": [{"loc": ["body", "parallel_tool_calls"], "msg": "Extra inputs are not permitted"}]}
        async with talking(whole(refusal, status=422), say("ok")) as (model, server):
            await events_of(model, ask(parallel_tool_calls=False))
            assert "parallel_tool_calls" not in server.received[1].body

    async def test_a_parameter_that_was_not_sent_cannot_be_dropped(self) -> None:
        async with talking(self.refusing("unknown parameter: parallel_tool_calls")) as (model, server):
            assert type(await error_of(model)) is ModelRefusedRequest
            assert len(server.received) == 1

    @pytest.mark.parametrize(
        ("message", "param"),
        [
            ("The reasoning of the earlier turn must be passed back unchanged with its tool call.", None),
            ("The model `m` does not exist", "model"),
            ("messages[1].temperature is odd", None),
            ("max_tokens is fine", None),
        ],
    )
    async def test_other_refusals_stand(self, message: str, param: str | None) -> None:
        async with talking(self.refusing(message, param=param)) as (model, server):
            assert type(await error_of(model, ask(max_tokens=5))) is ModelRefusedRequest
            assert len(server.received) == 1

    async def test_a_reasoning_field_that_is_refused_is_dropped(self) -> None:
        told = stream(chunk(reasoning_content="hm"), chunk(**call_piece("{}", call_id="a", name="add")), chunk("tool_calls"))
        refusal = self.refusing("'messages.1': property 'reasoning_content' is unsupported")
        async with talking(told, refusal, say("ok")) as (model, server):
            reply = await reply_of(model)
            await events_of(model, ask(Message("user", "x"), reply.message, Message("tool", "r", call_id="a")))
        assert "reasoning_content" in server.received[1].body["messages"][1]
        assert "reasoning_content" not in server.received[2].body["messages"][1]


class TestCancelling:
    async def test_closing_the_generator_ends_the_call(self) -> None:
        endless = Played([frames(chunk(content="a"), done=False), 30.0])
        async with talking(endless, say("ok")) as (model, server):
            with anyio.fail_after(2):
                events = model.stream(ask())
                assert await anext(events) == TextDelta("a")
                await events.aclose()
                assert (await reply_of(model)).message.text == "ok"
            assert server.connections == 2

    async def test_cancelling_while_nothing_comes_ends_the_call(self) -> None:
        async with talking(Played([30.0]), say("ok")) as (model, _):
            with anyio.fail_after(2):
                with anyio.move_on_after(0.1) as scope:
                    await events_of(model)
                assert scope.cancelled_caught
                assert (await reply_of(model)).message.text == "ok"

    async def test_a_cancelled_task_ends_the_call(self) -> None:
        async with talking(Played([frames(chunk(content="a"), done=False), 30.0]), say("ok")) as (model, _):
            task = asyncio.create_task(events_of(model))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await reply_of(model)).message.text == "ok"


async def test_many_calls_at_once_do_not_mix() -> None:
    async with talking(say("ok")) as (model, server):
        async with anyio.create_task_group() as group:
            for number in range(30):
                group.start_soon(events_of, model, ask(Message("user", f"{number}")))
        texts = {received.body["messages"][0]["content"] for received in server.received}
        assert texts == {str(number) for number in range(30)}


class TestProfile:
    def test_what_is_known_of_a_model(self) -> None:
        profile = profile_of(PROVIDERS["openai"], "gpt-4o-mini-2024-07-18")
        assert (profile.provider, profile.context_window_tokens, profile.takes_images) == ("openai", 128_000, True)
        assert (profile.input_price, profile.cached_price, profile.output_price) == (0.15, 0.075, 0.6)

    def test_prices_hold_only_at_home(self) -> None:
        profile = profile_of(facts_for("deepseek", "http://127.0.0.1:1"), "deepseek-v4-flash")
        assert (profile.provider, profile.context_window_tokens) == ("deepseek", 1_000_000)
        assert profile_of(facts_for("groq", "http://127.0.0.1:1"), "llama-3.3-70b-versatile").input_price is None
        assert profile_of(PROVIDERS["groq"], "llama-3.3-70b-versatile").input_price == 0.59

    def test_an_unknown_model_is_taken_for_a_small_one(self) -> None:
        profile = profile_of(facts_for("openai", "http://127.0.0.1:1"), "whatever")
        assert (profile.provider, profile.context_window_tokens, profile.input_price) == ("openai-compatible", 32_768, None)
        assert not profile.takes_images

    def test_what_a_model_refuses(self) -> None:
        assert not profile_of(PROVIDERS["ollama"], "qwen3").takes_tool_choice_none
        assert not profile_of(PROVIDERS["openai"], "o4-mini").takes_parallel_parameter
        assert profile_of(PROVIDERS["openai"], "gpt-4o").takes_parallel_parameter
