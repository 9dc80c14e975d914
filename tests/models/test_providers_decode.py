from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import ModelRequest as LayerTurn
from pydantic_ai.messages import (
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from prudent.errors import ReplyBroken
from prudent.exchange import CallReady, ReasoningDelta, TextDelta
from prudent.messages import ToolCall
from prudent.models.providers_decode import EventReader, opaque, raw_of, raw_without_bytes, reply_of
from prudent.types import Usage


def response(*parts: ModelResponsePart, **fields: Any) -> ModelResponse:
    chosen: dict[str, Any] = {"finish_reason": "stop", **fields}
    return ModelResponse(parts=list(parts), **chosen)


def test_deltas_of_text_and_reasoning() -> None:
    reader = EventReader()
    heard = [
        *reader.feed(PartStartEvent(index=0, part=ThinkingPart("Hm"))),
        *reader.feed(PartDeltaEvent(index=0, delta=ThinkingPartDelta(content_delta="."))),
        *reader.feed(PartDeltaEvent(index=0, delta=ThinkingPartDelta(signature_delta="s"))),
        *reader.feed(PartStartEvent(index=1, part=TextPart(""))),
        *reader.feed(PartDeltaEvent(index=1, delta=TextPartDelta(content_delta="One"))),
        *reader.feed(PartStartEvent(index=2, part=TextPart(" more."))),
        *reader.feed(PartStartEvent(index=3, part=ThinkingPart(""))),
        *reader.feed(PartStartEvent(index=4, part=TextPart(""))),
        *reader.feed(PartDeltaEvent(index=4, delta=TextPartDelta(content_delta="Two."))),
    ]
    assert heard == [
        ReasoningDelta("Hm"),
        ReasoningDelta("."),
        TextDelta("One"),
        TextDelta(" more."),
        TextDelta("\n\nTwo."),
    ]


def test_calls_that_come_whole_or_in_pieces() -> None:
    reader = EventReader()
    whole = ToolCallPart("add", {"a": 1}, "c0")
    pieces = ToolCallPart("add", None, "c1")
    assert reader.feed(PartStartEvent(index=3, part=whole)) == [CallReady(0, ToolCall("c0", "add", '{"a": 1}'))]
    assert reader.feed(PartEndEvent(index=3, part=whole, next_part_kind="tool-call")) == []
    assert reader.feed(PartStartEvent(index=4, part=pieces)) == []
    for piece in ('{"a": {"b": "}', '"}', " "):
        assert reader.feed(PartDeltaEvent(index=4, delta=ToolCallPartDelta(args_delta=piece))) == []
    assert reader.feed(PartDeltaEvent(index=4, delta=ToolCallPartDelta(args_delta="}"))) == [
        CallReady(1, ToolCall("c1", "add", '{"a": {"b": "}"} }'))
    ]
    assert reader.feed(PartDeltaEvent(index=9, delta=ToolCallPartDelta(args_delta="}"))) == []


def test_the_end_of_the_last_part_may_be_a_cut() -> None:
    kinds: list[tuple[Any, int]] = [(None, 0), ("text", 1)]
    for next_kind, ready in kinds:
        reader = EventReader()
        part = ToolCallPart("add", '{"a"', "c0")
        reader.feed(PartStartEvent(index=0, part=part))
        assert len(reader.feed(PartEndEvent(index=0, part=part, next_part_kind=next_kind))) == ready


@pytest.mark.parametrize(
    ("fields", "calls", "reason"),
    [
        ({"finish_reason": "stop"}, False, "stop"),
        ({"finish_reason": "stop"}, True, "tool_calls"),
        ({"finish_reason": "tool_call"}, True, "tool_calls"),
        ({"finish_reason": "tool_call"}, False, "stop"),
        ({"finish_reason": "length"}, True, "length"),
        ({"finish_reason": "content_filter"}, False, "content_filter"),
        ({"finish_reason": None, "provider_details": {"finish_reason": "pause_turn"}}, False, "other"),
    ],
)
def test_finish_reasons(fields: dict[str, Any], calls: bool, reason: str) -> None:
    part = ToolCallPart("add", "{}", "c0") if calls else TextPart("Hello")
    assert reply_of(response(part, **fields), "p", request_bytes=0).finish_reason == reason


@pytest.mark.parametrize("fields", [{"finish_reason": None}, {"finish_reason": "error"}, {"state": "incomplete"}])
def test_no_end_is_no_reply(fields: dict[str, Any]) -> None:
    with pytest.raises(ReplyBroken, match="p ended its reply") as caught:
        reply_of(response(TextPart("Half"), **fields), "p", request_bytes=0)
    assert caught.value.tokens_came


def test_figures_are_estimated_where_there_are_none() -> None:
    figures = RequestUsage(input_tokens=9, cache_read_tokens=4, output_tokens=2)
    known = reply_of(response(TextPart("x"), usage=figures), "p", request_bytes=0)
    assert known.usage == Usage(9, 4, 2)
    unknown = reply_of(response(TextPart("x" * 9)), "p", request_bytes=80)
    assert unknown.usage == Usage(20, 0, 3, estimated=True)


def test_a_refusal_is_said() -> None:
    refused = response(finish_reason="content_filter", provider_details={"refusal": "I will not."})
    assert reply_of(refused, "p", request_bytes=0).message.text == "I will not."


def test_halves_of_server_tools_and_blank_texts_are_not_kept() -> None:
    cited = TextPart("It says so.", provider_name="p", provider_details={"citations": [{"encrypted_index": "x"}]})
    pair = [NativeToolCallPart("web_search", {}, "s1"), NativeToolReturnPart("web_search", "found", "s1")]
    orphan = NativeToolReturnPart("web_search", "found", "s2")
    whole = json.loads(opaque(response(*pair, TextPart("\n"), cited)))["parts"]
    assert [part["part_kind"] for part in whole] == ["builtin-tool-call", "builtin-tool-return", "text"]
    assert "provider_details" in whole[-1]
    halves = json.loads(opaque(response(orphan, cited)))["parts"]
    assert [part["part_kind"] for part in halves] == ["text"]
    assert "provider_details" not in halves[0]


def test_arguments_stand_in_the_message_only() -> None:
    assert "s3cret" not in opaque(response(ToolCallPart("login", '{"password": "s3cret"}', "c0")))


def test_bytes_are_divided_into_messages() -> None:
    raw = raw_of("u", '{"model": "m", "input": [{"a": "世"}, {}], "tools": []}'.encode(), b"came")
    assert (raw.request_head, raw.response) == (b'{"model":"m","tools":[],"input":[]}', b"came")
    assert raw.request_messages == ('{"a":"世"}'.encode(), b"{}")
    assert raw_of("u", b"no json", b"").request_head == b"no json"
    assert raw_of("u", b'{"prompt": "x"}', b"").request_messages == ()


def test_a_call_without_bytes_is_shown_by_what_is_known() -> None:
    raw = raw_without_bytes(response(TextPart("Hello")), [LayerTurn(parts=[UserPromptPart("hi")])])
    assert json.loads(raw.request_messages[0])["parts"][0]["content"] == "hi"
    assert json.loads(raw.response)["parts"][0]["content"] == "Hello"
