from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.loopback import call_piece, chunk, frames, usage_chunk

from prudent.errors import ModelError, ModelOverloaded, ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ReasoningDelta, Reply, TextDelta
from prudent.messages import ToolCall
from prudent.models.failures import Speaker
from prudent.models.openai_decode import ReplyReader
from prudent.models.wire import DataLines
from prudent.types import Usage

SPEAKER = Speaker("test server")
NOTHING: dict[str, Any] = {}


def read(*chunks: object, done: bool = True, **facts: Any) -> tuple[list[ModelEvent], Reply]:
    return read_bytes(frames(*chunks, done=done), **facts)


def read_bytes(*pieces: bytes, **facts: Any) -> tuple[list[ModelEvent], Reply]:
    reader, lines = ReplyReader(SPEAKER, provider="test", **facts), DataLines()
    events = [
        found
        for pair in itertools.chain.from_iterable((*map(lines.feed, pieces), lines.finish()))
        for found in reader.feed(*pair)
    ]
    return events, reader.reply(request_bytes=400)


def whole(body: object, **facts: Any) -> Reply:
    return read_bytes(json.dumps(body).encode(), **facts)[1]


def message(finish: str | None = "stop", **fields: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": fields, "finish_reason": finish}], "model": "m-1"}


MIXED = (
    chunk(role="assistant", content=""),
    chunk(reasoning_content="想一"),
    chunk(reasoning_content="想"),
    chunk(content="天气 "),
    chunk(content="😀"),
    chunk(**call_piece("", index=0, call_id="a", name="weather")),
    chunk(**call_piece('{"city": "北', index=0)),
    chunk(**call_piece('京"}', index=0)),
    chunk(**call_piece("{}", index=1, call_id="b", name="now")),
    chunk("tool_calls"),
    usage_chunk(12, 7),
)
MIXED_CALLS = (ToolCall("a", "weather", '{"city": "北京"}'), ToolCall("b", "now", "{}"))


def test_a_stream_becomes_deltas_and_a_reply() -> None:
    events, reply = read(*MIXED)
    assert events == [
        ReasoningDelta("想一"),
        ReasoningDelta("想"),
        TextDelta("天气 "),
        TextDelta("😀"),
        CallReady(0, MIXED_CALLS[0]),
        CallReady(1, MIXED_CALLS[1]),
    ]
    assert (reply.message.role, reply.message.text, reply.message.reasoning) == ("assistant", "天气 😀", "想一想")
    assert reply.message.calls == MIXED_CALLS
    assert (reply.finish_reason, reply.usage, reply.model) == ("tool_calls", Usage(12, 0, 7), "m-1")


@given(st.lists(st.integers(0, 10_000), max_size=40), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_reply_is_the_same_however_the_bytes_are_cut(places: list[int], eol: str, keepalive: bool) -> None:
    data = frames(*MIXED, eol=eol)
    if keepalive:
        data = data.replace(b"data: ", f": ping{eol}{eol}data:".encode())
    edges = [0, *sorted(place % len(data) for place in places), len(data)]
    assert read_bytes(*(data[start:end] for start, end in itertools.pairwise(edges))) == read(*MIXED)


@given(st.text(), st.integers(1, 5), st.booleans())
def test_text_comes_through_whatever_it_is(text: str, size: int, ascii_only: bool) -> None:
    text = "-" + text
    units = "".join(chr(unit) for unit in memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H"))
    chunks = [chunk(content=units[at : at + size]) for at in range(0, len(units), size)]
    data = b"".join(b"data: " + json.dumps(c, ensure_ascii=True).encode() + b"\n\n" for c in (*chunks, chunk("stop")))
    events, reply = read_bytes(data)
    assert reply.message.text == text
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text


def test_odd_chunks_are_no_errors() -> None:
    _, reply = read(
        {"choices": []},
        {"choices": None},
        {"id": "x"},
        {"choices": [NOTHING]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": NOTHING}]},
        chunk(content=None, tool_calls=None, reasoning=None),
        chunk(content="ok", refusal=None, function_call=None),
        {"choices": [{"finish_reason": "stop"}]},
        chunk(content=""),
        done=False,
    )
    assert (reply.message.text, reply.finish_reason, reply.message.calls) == ("ok", "stop", ())


def test_json_over_several_data_lines_is_joined() -> None:
    pretty = json.dumps(chunk(content="ok"), indent=1).replace("\n", "\ndata: ")
    _, reply = read_bytes(f"data: {pretty}\n\ndata: not json\n\n".encode(), frames(chunk("stop")))
    assert reply.message.text == "ok"


class TestUsage:
    @pytest.mark.parametrize(
        ("usage", "expected"),
        [
            ({"prompt_tokens": 10, "completion_tokens": 5}, Usage(10, 0, 5)),
            ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}, Usage(10, 4, 5)),
            ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": None}, Usage(10, 0, 5)),
            ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 3}, Usage(10, 3, 5)),
            ({"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 2}, Usage(10, 2, 5)),
            ({"prompt_tokens": 10, "completion_tokens": 5, "num_cached_tokens": 99}, Usage(10, 10, 5)),
            ({"prompt_tokens": None, "completion_tokens": "5"}, Usage(0, 0, 0)),
        ],
    )
    def test_figures_have_many_names(self, usage: object, expected: Usage) -> None:
        assert read(chunk("stop", usage=usage))[1].usage == expected

    def test_figures_may_come_anywhere(self) -> None:
        figures = {"prompt_tokens": 1, "completion_tokens": 2}
        for chunks in (
            (chunk(content="x", usage=figures), chunk("stop")),
            (chunk("stop", usage=figures), chunk(usage={"prompt_tokens": 0})),
            (chunk("stop"), {"usage": figures}),
            ({"choices": [{"delta": {}, "usage": figures}]}, chunk("stop")),
            (chunk(content="x", usage={"prompt_tokens": 1, "completion_tokens": 1}), chunk("stop", usage=figures)),
        ):
            assert read(*chunks)[1].usage == Usage(1, 0, 2)

    def test_reasoning_that_is_counted_apart_is_added(self) -> None:
        figures = {"prompt_tokens": 1, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 30}}
        assert read(chunk("stop", usage=figures))[1].usage == Usage(1, 0, 2)
        assert read(chunk("stop", usage=figures), reasoning_apart=True)[1].usage == Usage(1, 0, 32)

    def test_without_figures_they_are_estimated(self) -> None:
        _, reply = read(chunk(content="x" * 39), chunk(**call_piece("{}", name="ab")), chunk("stop"))
        assert reply.usage == Usage(100, 0, 11, estimated=True)


class TestTheEnd:
    @pytest.mark.parametrize(
        ("word", "reason"),
        [
            ("stop", "stop"),
            ("end_turn", "stop"),
            ("eos", "stop"),
            ("length", "length"),
            ("max_tokens", "length"),
            ("MAX_TOKENS", "length"),
            ("model_length", "length"),
            ("content_filter", "content_filter"),
            ("SAFETY", "content_filter"),
            ("something_new", "other"),
            ("tool_calls", "stop"),
            ("function_call", "stop"),
        ],
    )
    def test_a_text_ends_for_many_reasons(self, word: str, reason: str) -> None:
        assert read(chunk(content="x"), chunk(word))[1].finish_reason == reason

    @pytest.mark.parametrize(("word", "reason"), [("tool_calls", "tool_calls"), ("tool_use", "tool_calls"), ("stop", "stop")])
    def test_calls_may_end_with_stop(self, word: str, reason: str) -> None:
        _, reply = read(chunk(**call_piece("{}", name="x")), chunk(word))
        assert reply.finish_reason == reason
        assert len(reply.message.calls) == 1

    @pytest.mark.parametrize("word", ["error", "network_error", "MALFORMED_FUNCTION_CALL"])
    def test_some_ends_are_none(self, word: str) -> None:
        with pytest.raises(ReplyBroken, match=f"test server ended its reply with '{word}'") as caught:
            read(chunk(content="x"), chunk(word))
        assert caught.value.tokens_came

    def test_running_out_of_resources_is_overload(self) -> None:
        with pytest.raises(ModelOverloaded, match="ran out of resources"):
            read(chunk("insufficient_system_resource"))

    @pytest.mark.parametrize("done", [True, False])
    @pytest.mark.parametrize("delta", [{"content": "The total is"}, call_piece("{}", name="x"), {}])
    def test_a_stream_without_a_finish_reason_is_broken(self, delta: dict[str, Any], done: bool) -> None:
        with pytest.raises(ReplyBroken, match="ended its reply without a finish reason") as caught:
            read(chunk(**delta), usage_chunk(), done=done)
        assert caught.value.tokens_came == bool(delta)

    def test_where_it_is_known_complete_calls_may_end_with_the_closing_mark(self) -> None:
        calls = chunk(**call_piece('{"a": 1}', name="x"))
        assert read(calls, done_is_an_end=True)[1].finish_reason == "tool_calls"
        for chunks, done in (
            ([calls], False),
            ([chunk(**call_piece('{"a": 1', name="x"))], True),
            ([chunk(content="text")], True),
        ):
            with pytest.raises(ReplyBroken):
                read(*chunks, done=done, done_is_an_end=True)


class TestErrorsInside:
    @pytest.mark.parametrize(
        "failure",
        [
            {"error": {"message": "upstream failed", "code": 502}},
            {"error": "upstream failed", "choices": [{"delta": NOTHING, "finish_reason": "stop"}]},
            {"object": "error", "message": "upstream failed"},
            {"base_resp": {"status_code": 1002}, "message": "upstream failed", "choices": None},
        ],
    )
    def test_an_error_in_a_chunk_is_an_error(self, failure: object) -> None:
        with pytest.raises(ModelError, match=r"test server broke its reply off with error.*: upstream failed") as caught:
            read(chunk(content="Half an ans"), failure, chunk("stop"))
        assert caught.value.tokens_came
        assert caught.value.retryable

    def test_an_error_event_is_an_error(self) -> None:
        data = b'event: error\ndata: {"message": "boom"}\n\n' + frames(chunk("stop"))
        with pytest.raises(ReplyBroken, match="boom") as caught:
            read_bytes(data)
        assert not caught.value.tokens_came

    def test_a_refused_call_is_taken_as_the_model_wrote_it(self) -> None:
        written = json.dumps({"name": "find", "arguments": {"wrong": 1}})
        failure = {"error": {"message": "x", "code": "tool_use_failed", "failed_generation": written, "status_code": 400}}
        events, reply = read(chunk(reasoning="hm"), failure, done=False)
        assert reply.message.calls == (ToolCall("", "find", '{"wrong": 1}'),)
        assert reply.finish_reason == "tool_calls"
        assert events[-1] == CallReady(0, reply.message.calls[0])

    @pytest.mark.parametrize("written", ["", "no json", "{}", "[1]"])
    def test_a_refused_call_that_cannot_be_read_is_tried_again(self, written: str) -> None:
        failure = {"error": {"message": "x", "code": "tool_use_failed", "failed_generation": written}}
        with pytest.raises(ReplyBroken):
            read(failure)

    def test_endless_rubbish_is_given_up(self) -> None:
        with pytest.raises(ReplyBroken, match="not JSON"):
            read_bytes(*(b"data: " + b"x" * 100_000 + b"\n" for _ in range(12)))


class TestWholeAnswers:
    def test_a_document_is_read_like_a_stream(self) -> None:
        calls = [{"id": "a", "type": "function", "function": {"name": "x"}}]
        reply = whole(message("tool_calls", content="so", tool_calls=calls, reasoning="hm") | {"usage": {"prompt_tokens": 3}})
        assert (reply.message.text, reply.message.reasoning, reply.usage) == ("so", "hm", Usage(3, 0, 0))
        assert reply.message.calls == (ToolCall("a", "x", "", arguments_were_null=True),)

    @pytest.mark.parametrize("finish", ["", None])
    def test_a_document_is_complete_without_a_finish_reason(self, finish: str | None) -> None:
        assert whole(message(finish, content="hi")).finish_reason == "stop"
        calls = [{"function": {"name": "x", "arguments": {"a": 1}}}]
        assert whole(message(finish, tool_calls=calls)).finish_reason == "tool_calls"

    def test_a_message_after_its_own_deltas_adds_nothing(self) -> None:
        _, reply = read(chunk(content="once"), message("stop", content="once"))
        assert reply.message.text == "once"

    def test_old_function_calls_are_calls(self) -> None:
        reply = whole(message("function_call", content=None, function_call={"name": "x", "arguments": "{}"}))
        assert reply.message.calls == (ToolCall("", "x", "{}"),)
        assert whole(message(content="a", function_call={"name": "", "arguments": ""})).message.calls == ()

    def test_a_refusal_is_the_text(self) -> None:
        assert whole(message(content=None, refusal="I will not.")).message.text == "I will not."


class TestReasoning:
    def opaque(self, reply: Reply) -> dict[str, Any]:
        return json.loads(reply.message.opaque) if reply.message.opaque else {}

    def test_plain_replies_keep_nothing(self) -> None:
        _, reply = read(chunk(content="x"), chunk("stop"))
        assert (reply.message.opaque, reply.message.opaque_by) == ("", "")

    @pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
    def test_a_field_is_kept_under_its_name(self, name: str) -> None:
        _, reply = read(chunk(**{name: "a "}), chunk(**{name: "b"}), chunk("stop"))
        assert reply.message.reasoning == "a b"
        assert self.opaque(reply) == {"provider": "test", "fields": {name: "a b"}}
        assert reply.message.opaque_by == "openai_chat"

    def test_an_empty_field_is_kept_too(self) -> None:
        _, reply = read(chunk(reasoning_content=""), chunk("stop"))
        assert self.opaque(reply)["fields"] == {"reasoning_content": ""}

    def test_the_same_text_under_two_names_is_shown_once(self) -> None:
        _, reply = read(chunk(reasoning="hm", reasoning_content="hm"), chunk("stop"))
        assert reply.message.reasoning == "hm"

    def test_details_are_put_together_with_their_signature(self) -> None:
        events, reply = read(
            chunk(reasoning_details=[]),
            chunk(reasoning="A", reasoning_details=[{"type": "reasoning.text", "text": "A", "signature": "", "index": 0}]),
            chunk(reasoning="B", reasoning_details=[{"type": "reasoning.text", "text": "B", "format": "f", "index": 0}]),
            chunk(reasoning=None, reasoning_details=[{"type": "reasoning.text", "signature": "S", "index": 0}]),
            chunk(reasoning_details=[{"type": "reasoning.encrypted", "data": "xyz", "id": "r1", "index": 1}]),
            chunk(reasoning_details=[{"type": "reasoning.summary", "summary": "C"}]),
            chunk(reasoning_details=[{"type": "reasoning.summary", "summary": "D"}]),
            chunk("stop"),
        )
        assert self.opaque(reply)["fields"] == {
            "reasoning_details": [
                {"type": "reasoning.text", "text": "AB", "signature": "S", "index": 0, "format": "f"},
                {"type": "reasoning.encrypted", "data": "xyz", "id": "r1", "index": 1},
                {"type": "reasoning.summary", "summary": "CD"},
            ]
        }
        assert reply.message.reasoning == "ABCD"
        assert events == [ReasoningDelta(text) for text in "ABCD"]

    def test_thinking_parts_of_the_content(self) -> None:
        _, reply = read(
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}]),
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "m"}]}]),
            chunk(content="ans"),
            chunk(content=[{"type": "text", "text": "wer"}, {"type": "reference", "reference_ids": [1]}]),
            chunk("stop"),
        )
        assert (reply.message.reasoning, reply.message.text) == ("hm", "answer")
        assert self.opaque(reply)["content"] == [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "answer"},
        ]

    def test_thinking_in_tags_at_the_head(self) -> None:
        events, reply = read(chunk(content="<th"), chunk(content="ink>\nhm\n</think>\n\nso"), chunk(content="!"), chunk("stop"))
        assert (reply.message.reasoning, reply.message.text) == ("hm", "so!")
        assert events == [ReasoningDelta("\nhm\n"), TextDelta("so"), TextDelta("!")]
        assert self.opaque(reply)["content"] == "<think>\nhm\n</think>\n\nso!"

    def test_thinking_that_was_cut_is_no_answer(self) -> None:
        _, reply = read(chunk(content="<think>still at"), chunk("length"))
        assert (reply.message.text, reply.message.reasoning, reply.finish_reason) == ("", "still at", "length")

    def test_signatures_beside_calls(self) -> None:
        signed = call_piece("{}", name="x")
        signed["tool_calls"] = [{**signed["tool_calls"][0], "extra_content": {"google": {"thought_signature": "s"}}}]
        _, reply = read(chunk(**signed), chunk(extra_content={"google": {"thought": True}}), chunk("tool_calls"))
        assert self.opaque(reply) == {
            "provider": "test",
            "fields": {"extra_content": {"google": {"thought": True}}},
            "calls": {"0": {"google": {"thought_signature": "s"}}},
        }
