"""Tools for models that have none of their own: one reply held to one choice."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ModelProfile, ModelRequest, Reply, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.constrained import ConstrainedModel, read_choice, render_messages
from prudent.models.constrained_schema import reply_schema
from prudent.models.constrained_text import AnswerText
from prudent.models.scripted import ScriptedModel, reply

pytestmark = pytest.mark.anyio

ADD = ToolSpec("add", "Add two numbers.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})


async def events_of(model: ConstrainedModel, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(request)]


async def test_a_choice_of_a_tool_becomes_a_call() -> None:
    inner = ScriptedModel(['{"tool": "add", "args": {"a": 1}}'])
    events = await events_of(ConstrainedModel(inner), ModelRequest([Message("user", "1?")], [ADD]))
    assert events[0] == CallReady(0, ToolCall("", "add", '{"a": 1}'))
    last = events[-1]
    assert isinstance(last, Reply)
    assert last.finish_reason == "tool_calls"
    assert last.message.calls == (ToolCall("", "add", '{"a": 1}'),)
    schema = inner.requests[0].output_schema
    assert schema
    assert [option["properties"]["tool"]["const"] for option in schema["anyOf"]] == ["add", "final_answer"]  # pyright: ignore
    assert inner.requests[0].tools == ()
    assert "add: Add two numbers." in inner.requests[0].messages[0].text


async def test_the_final_answer_streams() -> None:
    inner = ScriptedModel([reply('{"tool": "final_answer", "answer": "It \\"is\\" 3 \\u00b0"}', piece_chars=3)])
    events = await events_of(ConstrainedModel(inner), ModelRequest([Message("user", "1?")], [ADD]))
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == 'It "is" 3 °'
    last = events[-1]
    assert isinstance(last, Reply)
    assert (last.message.text, last.finish_reason) == ('It "is" 3 °', "stop")


async def test_the_closing_call_is_plain() -> None:
    inner = ScriptedModel(["Partly."])
    request = ModelRequest([Message("user", "1?")], [ADD], tool_choice="none")
    events = await events_of(ConstrainedModel(inner), request)
    assert inner.requests[0].output_schema is None
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Partly."]


async def test_a_declared_form_holds_for_the_answer() -> None:
    form = {"$ref": "#/$defs/City", "$defs": {"City": {"type": "object", "properties": {"name": {"type": "string"}}}}}
    inner = ScriptedModel(['{"tool": "final_answer", "answer": {"name": "Oslo"}}'])
    request = ModelRequest([Message("user", "where?")], [ADD], output_schema=form)  # pyright: ignore[reportArgumentType]
    last = (await events_of(ConstrainedModel(inner), request))[-1]
    assert isinstance(last, Reply)
    assert json.loads(last.message.text) == {"name": "Oslo"}
    schema = inner.requests[0].output_schema
    assert schema
    assert schema["anyOf"][-1]["properties"]["answer"] == {"$ref": "#/$defs/final_answer.City"}  # pyright: ignore
    assert "final_answer.City" in schema["$defs"]  # pyright: ignore[reportOperatorIssue]


async def test_a_broken_choice_is_a_broken_reply() -> None:
    with pytest.raises(ReplyBroken):
        await events_of(ConstrainedModel(ScriptedModel(['{"tool": "add", "ar'])), ModelRequest([Message("user", "x")], [ADD]))
    assert read_choice("just text").answer == "just text"


async def test_closing_the_stream_closes_the_inner_one() -> None:
    closed: list[bool] = []

    class Endless:
        name = "endless"
        profile = ModelProfile("test")

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
            del request
            try:
                while True:
                    yield TextDelta("x")
            finally:
                closed.append(True)

        async def aclose(self) -> None: ...

    stream = ConstrainedModel(Endless()).stream(ModelRequest([Message("user", "x")]))
    await anext(stream)
    await stream.aclose()
    assert closed == [True]


def test_the_prompt_of_a_longer_conversation_begins_with_that_of_the_shorter() -> None:
    first = [Message("system", "Be brief."), Message("user", "1?")]
    second = [
        *first,
        Message("assistant", "", (ToolCall("c1", "add", '{"a": 1}'),)),
        Message("tool", "2", call_id="c1"),
        Message("assistant", "It is 2."),
        Message("user", "And now?"),
    ]
    rendered = render_messages(second, [ADD])
    assert rendered[: len(first)] == render_messages(first, [ADD])
    assert [(message.role, message.text) for message in rendered[2:]] == [
        ("assistant", '{"tool": "add", "args": {"a": 1}}'),
        ("user", "Result of add:\n2"),
        ("assistant", "It is 2."),
        ("user", "And now?"),
    ]


def test_definitions_of_tools_do_not_mix() -> None:
    def tool(name: str, kind: str) -> ToolSpec:
        item = {"type": "array", "items": {"$ref": "#/$defs/Item"}}
        parameters = {"type": "object", "properties": {"items": item}, "$defs": {"Item": {"type": kind}}}
        return ToolSpec(name, "", parameters)  # pyright: ignore[reportArgumentType]

    schema = reply_schema([tool("one", "string"), tool("two", "integer")], None)
    assert schema["$defs"] == {"one.Item": {"type": "string"}, "two.Item": {"type": "integer"}}


@given(st.text(), st.integers(1, 7))
def test_an_answer_arrives_whole_however_it_is_cut(answer: str, size: int) -> None:
    for ascii_only in (True, False):
        written = json.dumps({"tool": "final_answer", "answer": answer}, ensure_ascii=ascii_only)
        reader = AnswerText()
        came = "".join(reader.take(written[start : start + size]) for start in range(0, len(written), size))
        assert came == answer
