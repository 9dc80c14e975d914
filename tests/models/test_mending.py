"""Tools written in their provider's dialect, their arguments read back."""

from __future__ import annotations

from typing import Any

import pytest

from prudent.exchange import CallReady, ModelRequest, Reply
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.mending import MendingModel
from prudent.models.names import resolve
from prudent.models.scripted import ScriptedModel, call, raw_call, reply
from prudent.tools.dialects import DIALECTS

pytestmark = pytest.mark.anyio

PLAIN = ToolSpec("look", "Look.", {"type": "object", "properties": {"at": {"type": "string"}}})
OPEN = ToolSpec(
    "sift", "Sift.", {"type": "object", "properties": {"by": {"type": "object"}, "top": {"type": "integer", "enum": [1, 2]}}}
)


async def ask(model: MendingModel, tools: tuple[ToolSpec, ...], *messages: Message) -> list[Any]:
    request = ModelRequest([Message("user", "go"), *messages], tools)
    return [event async for event in model.stream(request)]


async def test_the_model_sees_the_dialect_and_the_runtime_does_not() -> None:
    inner = ScriptedModel([call("sift", by='{"a": 1}', top="2"), "Done."])
    model = MendingModel(inner, DIALECTS["gemini"])
    events = await ask(model, (PLAIN, OPEN))
    ready = next(event for event in events if isinstance(event, CallReady))
    reply = events[-1]
    assert isinstance(reply, Reply)
    for got in (ready.call, reply.message.calls[0]):
        assert got.arguments == '{"by": {"a": 1}, "top": 2}'
    shown = inner.requests[0].tools
    assert shown[0] is PLAIN
    assert shown[1].parameters["properties"] == {
        "by": {"type": "string", "description": "Written as the text of a JSON object."},
        "top": {"type": "string", "enum": ["1", "2"]},
    }
    await ask(model, (PLAIN, OPEN), reply.message)
    sent = inner.requests[1]
    assert sent.tools[1] is shown[1], "the same definition every time, so that the tool block stays in the cache"
    assert sent.messages[1].calls[0].arguments == '{"by": "{\\"a\\":1}", "top": "2"}'


async def test_where_nothing_is_refused_nothing_is_touched() -> None:
    inner = ScriptedModel([call("look", at="a")])
    model = MendingModel(inner, DIALECTS["openai"])
    said = Message("assistant", calls=(ToolCall("c", "look", '{"at" : "b"}'),))
    tools = (PLAIN, OPEN)
    await ask(model, tools, said)
    assert inner.requests[0].tools is tools
    assert inner.requests[0].messages[1] is said


async def test_arguments_that_are_no_json_pass_as_they_are() -> None:
    said = reply(raw_call("sift", '{"by": '), raw_call("sift", "[1]"))
    inner = ScriptedModel([said])
    events = await ask(MendingModel(inner, DIALECTS["gemini"]), (OPEN,))
    assert [one.arguments for one in events[-1].message.calls] == ['{"by": ', "[1]"]


@pytest.mark.parametrize(
    ("name", "dialect"), [("openai:gpt-4.1", "common"), ("openai:google/gemini-2.5-pro", "gemini"), ("ollama:qwen3", "ollama")]
)
async def test_a_model_found_by_name_speaks_its_dialect(name: str, dialect: str) -> None:
    model = resolve(name, base_url="http://127.0.0.1:1/v1")
    assert isinstance(model, MendingModel)
    assert model.dialect.name == dialect
    await model.aclose()
