from __future__ import annotations

import json
from typing import Any

import pytest

from prudent.exchange import ModelRequest, ModelSettings
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.models import openai_encode
from prudent.models.facts import OTHER, PROVIDERS, ProviderFacts
from prudent.models.openai_encode import RequestWriter
from prudent.types import JSONObject

TOOL = ToolSpec("weather", "天气", {"type": "object", "properties": {"city": {"type": "string"}}})
PNG = Image("image/png", b"\x89PNG")
CLOSED: JSONObject = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


def write(
    *messages: Message, facts: ProviderFacts = OTHER, model: str = "m", writer: RequestWriter | None = None, **request: Any
) -> dict[str, Any]:
    writer = writer or RequestWriter(facts, model)
    settings = ModelSettings(**request.pop("settings", {}))
    made = ModelRequest(messages or (Message("user", "hi"),), settings=settings, **request)
    return json.loads(writer.write(made, stream=True).body)


def opaque(provider: str = OTHER.name, **kept: Any) -> dict[str, Any]:
    return {"opaque": json.dumps({"provider": provider, **kept}), "opaque_by": "openai_chat"}


def calling(**more: Any) -> Message:
    return Message("assistant", calls=(ToolCall("c1", "weather", '{"city": "北京"}'),), **more)


def test_a_plain_request() -> None:
    assert write(Message("system", "Be brief."), Message("user", "你好")) == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.3,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "你好"}],
    }


def test_a_conversation_with_calls() -> None:
    body = write(
        Message("user", "x"), calling(), Message("tool", "晴", call_id="c1"), Message("tool", "", call_id="c2"), tools=[TOOL]
    )
    assert body["tools"] == [
        {"type": "function", "function": {"name": "weather", "description": "天气", "parameters": TOOL.parameters}}
    ]
    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "北京"}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "晴"},
        {"role": "tool", "tool_call_id": "c2", "content": "(no output)"},
    ]
    assert "tool_choice" not in body
    assert "parallel_tool_calls" not in body


def test_chinese_is_never_escaped_and_half_characters_do_no_harm() -> None:
    made = ModelRequest([Message("user", "北京\ud83d"), calling()], [TOOL])
    body = RequestWriter(OTHER, "m").write(made, stream=True).body
    assert "北京" in body.decode()
    assert b"\\u" not in body


def test_the_body_is_its_head_with_the_messages_put_in() -> None:
    written = RequestWriter(OTHER, "m").write(ModelRequest([Message("user", "a"), Message("user", "b")], [TOOL]), stream=True)
    head, body = json.loads(written.head), json.loads(written.body)
    assert head["messages"] == []
    assert body["messages"] == [json.loads(message) for message in written.messages]
    assert head | {"messages": body["messages"]} == body


def test_each_message_and_tool_block_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RequestWriter(OTHER, "m")
    messages = [Message("user", "a"), calling()]
    first = writer.write(ModelRequest(messages, [TOOL]), stream=True)

    def written_again(_self: object, message: Message) -> None:
        pytest.fail(f"written again: {message}")

    monkeypatch.setattr(RequestWriter, "_message", written_again)
    again = writer.write(ModelRequest([*messages, Message("user", "a")], [TOOL]), stream=True)
    assert [id(message) for message in again.messages[:2]] == [id(message) for message in first.messages]
    assert again.messages[2] is first.messages[0]


def test_what_is_kept_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_encode, "KEPT_BYTES", 2000)
    monkeypatch.setattr(openai_encode, "KEPT_MESSAGES", 20)
    writer = RequestWriter(OTHER, "m")
    for number in range(100):
        assert write(Message("user", f"{number} " + "x" * (number * 10)), writer=writer)["messages"][0]["content"].startswith(
            f"{number} "
        )
    kept = writer.__dict__
    assert len(kept["_written"]) <= 20
    assert len(kept["_recent"]) <= 20
    assert sum(map(len, kept["_written"].values())) == kept["_written_bytes"] <= 2000


class TestParameters:
    def test_settings_go_by_the_provider_s_names(self) -> None:
        settings = {"temperature": 0.0, "max_tokens": 100}
        assert write(settings=settings)["max_tokens"] == 100
        assert write(settings=settings)["temperature"] == 0.0
        assert write(settings=settings, facts=PROVIDERS["openai"])["max_completion_tokens"] == 100
        assert "temperature" not in write(settings={"temperature": None})

    @pytest.mark.parametrize("model", ["o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5.1-mini"])
    def test_models_that_refuse_a_temperature_get_none(self, model: str) -> None:
        assert "temperature" not in write(facts=PROVIDERS["openai"], model=model)

    @pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest", "gpt-4.1"])
    def test_other_models_get_theirs(self, model: str) -> None:
        assert write(facts=PROVIDERS["openai"], model=model)["temperature"] == 0.3

    def test_parallel_calls_are_mentioned_only_where_they_can_be(self) -> None:
        settings = {"parallel_tool_calls": False}
        assert write(tools=[TOOL], settings=settings)["parallel_tool_calls"] is False
        assert "parallel_tool_calls" not in write(settings=settings)
        assert "parallel_tool_calls" not in write(tools=[TOOL], settings=settings, facts=PROVIDERS["cerebras"])
        assert "parallel_tool_calls" not in write(tools=[TOOL], settings=settings, facts=PROVIDERS["openai"], model="o4-mini")

    def test_the_closing_call_keeps_the_tools_where_none_may_be_called(self) -> None:
        body = write(tools=[TOOL], tool_choice="none", settings={"parallel_tool_calls": True})
        assert body["tool_choice"] == "none"
        assert len(body["tools"]) == 1
        assert "tool_choice" not in write(tool_choice="none")
        body = write(tools=[TOOL], tool_choice="none", settings={"parallel_tool_calls": True}, facts=PROVIDERS["ollama"])
        assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(body)

    def test_figures_are_asked_for_where_one_has_to(self) -> None:
        assert "stream_options" not in write(facts=PROVIDERS["mistral"])
        made = ModelRequest([Message("user", "x")])
        body = json.loads(RequestWriter(OTHER, "m").write(made, stream=False).body)
        assert body["stream"] is False
        assert "stream_options" not in body

    @pytest.mark.parametrize(
        ("provider", "low", "off"),
        [
            ("openai", {"reasoning_effort": "low"}, {"reasoning_effort": "none"}),
            ("openrouter", {"reasoning": {"effort": "low"}}, {"reasoning": {"enabled": False}}),
            ("zai", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
            ("qwen", {"enable_thinking": True}, {"enable_thinking": False}),
            ("vllm", {"chat_template_kwargs": {"enable_thinking": True}}, {"chat_template_kwargs": {"enable_thinking": False}}),
            ("mistral", {}, {}),
        ],
    )
    def test_reasoning_goes_by_the_provider_s_words(self, provider: str, low: dict[str, Any], off: dict[str, Any]) -> None:
        plain = write(facts=PROVIDERS[provider])
        assert write(facts=PROVIDERS[provider], settings={"reasoning": "low"}) == plain | low
        assert write(facts=PROVIDERS[provider], settings={"reasoning": "off"}) == plain | off

    def test_a_schema_holds_the_answer_where_it_can(self) -> None:
        expected = {"type": "json_schema", "json_schema": {"name": "answer", "schema": CLOSED, "strict": True}}
        assert write(output_schema=CLOSED)["response_format"] == expected
        assert "response_format" not in write(output_schema=CLOSED, tools=[TOOL])
        assert write(output_schema=CLOSED, tools=[TOOL], facts=PROVIDERS["openai"])["response_format"] == expected
        assert "response_format" not in write(output_schema=CLOSED, facts=PROVIDERS["deepseek"])

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {**CLOSED, "required": []},
            {**CLOSED, "additionalProperties": True},
            {**CLOSED, "properties": {"a": {"type": "object", "properties": {}}}},
            {**CLOSED, "properties": {"a": {"anyOf": [{"type": "object"}]}}},
        ],
    )
    def test_strictness_is_not_asked_for_an_open_schema(self, schema: JSONObject) -> None:
        assert "strict" not in write(output_schema=schema)["response_format"]["json_schema"]


class TestRefusals:
    def test_what_was_refused_is_left_out(self) -> None:
        writer = RequestWriter(OTHER, "m")
        settings = {"parallel_tool_calls": True, "max_tokens": 5}
        body = write(writer=writer, tools=[TOOL], settings=settings)
        for parameter in ("temperature", "stream_options", "parallel_tool_calls"):
            assert parameter in body
            writer.refuse(parameter)
        body = write(writer=writer, tools=[TOOL], settings=settings)
        assert set(body) == {"model", "stream", "max_tokens", "tools", "messages"}

    def test_the_limit_of_tokens_has_two_names(self) -> None:
        writer = RequestWriter(OTHER, "m")
        writer.refuse("max_tokens")
        body = write(writer=writer, settings={"max_tokens": 5})
        assert body["max_completion_tokens"] == 5
        assert "max_tokens" not in body
        writer.refuse("max_completion_tokens")
        assert not {"max_tokens", "max_completion_tokens"} & set(write(writer=writer, settings={"max_tokens": 5}))

    def test_without_tool_choice_the_closing_call_has_no_tools(self) -> None:
        writer = RequestWriter(OTHER, "m")
        writer.refuse("tool_choice")
        assert "tools" not in write(writer=writer, tools=[TOOL], tool_choice="none")
        assert "tools" in write(writer=writer, tools=[TOOL])

    def test_reasoning_fields_and_pictures_can_be_refused(self) -> None:
        writer = RequestWriter(OTHER, "gpt-4o")
        messages = [Message("user", "look", images=(PNG,)), calling(**opaque(fields={"reasoning_content": "hm"}))]
        written = writer.write(ModelRequest(messages), stream=True)
        assert {"reasoning_content", "image_url"} <= written.parameters
        writer.refuse("reasoning_content")
        writer.refuse("image_url")
        written = writer.write(ModelRequest(messages), stream=True)
        assert not {"reasoning_content", "image_url"} & written.parameters
        first, second = json.loads(written.body)["messages"]
        assert first["content"] == "look\n[picture, image/png, 4 bytes, cannot be shown to this model]"
        assert "reasoning_content" not in second


class TestReasoning:
    @pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
    @pytest.mark.parametrize("text", ["想", ""])
    def test_it_goes_back_as_it_came(self, name: str, text: str) -> None:
        [message] = write(calling(**opaque(fields={name: text})))["messages"]
        assert message[name] == text
        assert message["content"] is None

    def test_details_and_signatures_go_back(self) -> None:
        details = [{"type": "reasoning.text", "text": "", "signature": "S"}]
        extra = {"google": {"thought_signature": "s"}}
        [message] = write(calling(**opaque(fields={"reasoning_details": details}, calls={"0": extra})))["messages"]
        assert message["reasoning_details"] == details
        assert message["tool_calls"][0]["extra_content"] == extra

    def test_content_goes_back_with_its_thinking(self) -> None:
        [message] = write(calling(text="so", **opaque(content="<think>hm</think>so")))["messages"]
        assert message["content"] == "<think>hm</think>so"

    def test_only_messages_with_calls_take_it_back_unless_the_provider_wants_all(self) -> None:
        kept = Message("assistant", "done", **opaque(fields={"reasoning_content": "hm"}))
        assert write(kept)["messages"] == [{"role": "assistant", "content": "done"}]
        kept = Message("assistant", "done", **opaque("openrouter", fields={"reasoning": "hm"}))
        assert write(kept, facts=PROVIDERS["openrouter"])["messages"][0]["reasoning"] == "hm"
        kept = calling(**opaque("openai", fields={"reasoning": "hm"}))
        assert "reasoning" not in write(kept, facts=PROVIDERS["openai"])["messages"][0]

    def test_what_others_wrote_stays_here(self) -> None:
        other_provider = calling(**opaque("groq", fields={"reasoning": "hm"}))
        other_adapter = calling(opaque='[{"type": "thinking"}]', opaque_by="anthropic")
        assert all("reasoning" not in message for message in write(other_provider, other_adapter)["messages"])


class TestPictures:
    def test_a_user_s_picture_is_a_data_url(self) -> None:
        [message] = write(Message("user", "look", images=(PNG,)), model="gpt-4o")["messages"]
        assert message["content"] == [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        ]

    def test_where_pictures_are_not_taken_they_are_mentioned(self) -> None:
        [message] = write(Message("user", "look", images=(PNG,)), model="qwen2.5-coder")["messages"]
        assert message["content"] == "look\n[picture, image/png, 4 bytes, cannot be shown to this model]"

    def results(self) -> list[Message]:
        return [
            Message("assistant", calls=(ToolCall("a", "x", "{}"), ToolCall("b", "x", "{}"))),
            Message("tool", "one", call_id="a", images=(PNG,)),
            Message("tool", "", call_id="b", images=(PNG,)),
        ]

    def test_pictures_of_results_follow_all_results(self) -> None:
        for after in ([], [Message("assistant", "ok")]):
            messages = write(*self.results(), *after, model="gpt-4o")["messages"]
            assert [message["role"] for message in messages[:4]] == ["assistant", "tool", "tool", "user"]
            assert messages[2]["content"] == "[picture, image/png, 4 bytes, follows after the results]"
            assert [part["type"] for part in messages[3]["content"]] == ["text", "image_url", "image_url"]
            assert len(messages) == 4 + len(after)

    def test_where_no_user_may_follow_results_something_stands_between(self) -> None:
        mistral = PROVIDERS["mistral"]
        messages = write(*self.results(), facts=mistral, model="pixtral-12b")["messages"]
        assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "assistant", "user"]
        messages = write(*self.results(), Message("user", "go on"), facts=mistral, model="devstral")["messages"]
        assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "assistant", "user"]
        messages = write(*self.results(), Message("assistant", "so"), facts=mistral, model="devstral")["messages"]
        assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "assistant"]


def test_content_beside_calls_is_null_or_empty_as_the_provider_likes() -> None:
    assert write(calling())["messages"][0]["content"] is None
    assert write(calling(), facts=PROVIDERS["ollama"])["messages"][0]["content"] == ""
    assert write(calling(text="so"))["messages"][0]["content"] == "so"
    assert write(Message("assistant", ""))["messages"][0]["content"] == ""


def test_ids_of_nine_letters_are_the_same_everywhere() -> None:
    body = write(
        Message("assistant", calls=(ToolCall("call_t1_1", "x", "{}"), ToolCall("abcDEF123", "x", "{}"))),
        Message("tool", "r", call_id="call_t1_1"),
        Message("tool", "r", call_id="abcDEF123"),
        facts=PROVIDERS["mistral"],
    )
    asked = [call["id"] for call in body["messages"][0]["tool_calls"]]
    assert [message["tool_call_id"] for message in body["messages"][1:]] == asked
    assert asked[1] == "abcDEF123"
    assert len(asked[0]) == 9
    assert asked[0].isalnum()
