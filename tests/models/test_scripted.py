from __future__ import annotations

import time

import pytest

from prudent.errors import ModelOverloaded, ModelUnreachable
from prudent.exchange import CallReady, ModelEvent, ModelRequest, ReasoningDelta, Reply, Retrying, TextDelta
from prudent.messages import Message, ToolSpec
from prudent.models.scripted import ScriptedModel, call, failing, raw_call, reply, slow, think
from prudent.types import Usage

pytestmark = pytest.mark.anyio

TOOLS = (ToolSpec("add", "Adds.", {"type": "object"}),)


def ask(text: str = "hi", *, tools: tuple[ToolSpec, ...] = TOOLS) -> ModelRequest:
    return ModelRequest([Message("user", text)], tools)


async def play(
    model: ScriptedModel, request: ModelRequest | None = None, *, seen: list[ModelEvent] | None = None
) -> list[ModelEvent]:
    seen = [] if seen is None else seen
    async for event in model.stream(request or ask()):
        seen.append(event)
    return seen


async def last(model: ScriptedModel, request: ModelRequest | None = None) -> Reply:
    event = (await play(model, request))[-1]
    assert isinstance(event, Reply)
    return event


async def test_a_text_and_a_call() -> None:
    model = ScriptedModel([call("add", a=1, b=2), "It is 3."])
    first = await last(model)
    assert first.finish_reason == "tool_calls"
    assert [(c.name, c.arguments) for c in first.message.calls] == [("add", '{"a": 1, "b": 2}')]
    second = await last(model)
    assert (second.message.text, second.finish_reason) == ("It is 3.", "stop")
    model.assert_finished()


async def test_unused_replies_are_an_error() -> None:
    model = ScriptedModel(["one", "two"])
    await play(model)
    with pytest.raises(AssertionError, match="1 of 2 scripted replies were not used; the next was 'two'"):
        model.assert_finished()


async def test_requests_beyond_the_script_are_an_error() -> None:
    model = ScriptedModel(["one"])
    await play(model)
    with pytest.raises(AssertionError, match="request 2 came after the last of 1"):
        await play(model)


async def test_the_last_reply_can_be_repeated() -> None:
    model = ScriptedModel(["one", "two"], repeat_last=True)
    assert [(await last(model)).message.text for _ in range(4)] == ["one", "two", "two", "two"]


async def test_several_calls_text_and_thought_in_one_reply() -> None:
    model = ScriptedModel([[think("Two sums.", plan="1. add"), "Now:", call("add", a=1), call("add", a=2)]])
    events = await play(model)
    assert events[0] == TextDelta("Now:")
    ready = [event for event in events if isinstance(event, CallReady)]
    assert [(event.position, event.call.name) for event in ready] == [(0, "think_and_plan"), (1, "add"), (2, "add")]
    assert '"plan": "1. add"' in ready[0].call.arguments
    assert '"thoughtNumber": "1"' in ready[0].call.arguments
    assert len({event.call.id for event in ready}) == 3


async def test_raw_arguments_ids_and_null() -> None:
    model = ScriptedModel([[raw_call("add", '{"a": 1', call_id="dup"), raw_call("now", None), call("add").with_id("dup")]])
    calls = (await last(model)).message.calls
    assert [c.id for c in calls] == ["dup", "call_1_1", "dup"]
    assert [c.arguments for c in calls] == ['{"a": 1', "", "{}"]
    assert [c.arguments_were_null for c in calls] == [False, True, False]


async def test_pieces_reasoning_usage_and_finish_reason() -> None:
    model = ScriptedModel([reply("abcde", reasoning="xyz", piece_chars=2, usage=Usage(5, 1, 2), finish_reason="length")])
    events = await play(model)
    assert events[:-1] == [
        ReasoningDelta("xy"),
        ReasoningDelta("z"),
        TextDelta("ab"),
        TextDelta("cd"),
        TextDelta("e"),
    ]
    final = events[-1]
    assert isinstance(final, Reply)
    assert (final.usage, final.finish_reason, final.message.reasoning) == (Usage(5, 1, 2), "length", "xyz")


async def test_failures_at_a_place_or_at_once() -> None:
    broken = failing(reply("abcd", piece_chars=1), ModelUnreachable("gone"), after=2)
    model = ScriptedModel([broken, failing("abcd", ModelUnreachable("at the end")), ModelOverloaded("busy"), "fine"])
    seen: list[ModelEvent] = []
    with pytest.raises(ModelUnreachable, match="gone"):
        await play(model, seen=seen)
    assert seen == [TextDelta("a"), TextDelta("b")]
    with pytest.raises(ModelUnreachable, match="at the end"):
        await play(model)
    with pytest.raises(ModelOverloaded, match="busy"):
        await play(model)
    assert (await last(model)).message.text == "fine"
    model.assert_finished()


async def test_a_request_without_tools_gets_its_own_reply() -> None:
    model = ScriptedModel([call("add", a=1), "end"], when_no_tools="closing")
    await play(model)
    closing = ModelRequest([Message("user", "x")], TOOLS, tool_choice="none")
    assert (await last(model, closing)).message.text == "closing"
    assert (await last(model, ask(tools=()))).message.text == "closing"
    assert (await last(model)).message.text == "end"
    model.assert_finished()


async def test_functions_see_the_request() -> None:
    async def late(request: ModelRequest) -> str:
        return f"late {request.messages[0].text}"

    model = ScriptedModel([lambda request: call("echo", text=request.messages[-1].text), late])
    assert '"text": "ping"' in (await last(model, ask("ping"))).message.calls[0].arguments
    assert (await last(model, ask("pong"))).message.text == "late pong"
    assert [request.messages[0].text for request in model.requests] == ["ping", "pong"]


async def test_slow_replies_take_their_time() -> None:
    model = ScriptedModel([slow(["a", call("add")], delay_seconds=0.03, gap_seconds=0.02)])
    began = time.monotonic()
    await play(model)
    assert time.monotonic() - began >= 0.07


async def test_retried_attempts_come_first() -> None:
    retrying = Retrying(1, 0.0, "busy", tokens_came=True)
    assert (await play(ScriptedModel([reply("ok", retrying=[retrying])])))[0] == retrying


async def test_closing_is_noted() -> None:
    model = ScriptedModel([])
    await model.aclose()
    assert model.closed
