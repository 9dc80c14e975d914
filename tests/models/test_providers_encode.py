from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest as LayerTurn,
)
from pydantic_ai.messages import (
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from prudent.exchange import ModelRequest, ModelSettings
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.models.providers_decode import OPAQUE_BY, opaque
from prudent.models.providers_encode import RequestWriter, reply_from
from prudent.models.providers_facts import WIRES

HI = Message("user", "hi")
ADD = ToolSpec("add", "Adds.", {"type": "object", "properties": {}})
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


def written_settings(
    profile: dict[str, Any] | None = None, *, wire: str = "anthropic", unsupported: frozenset[str] = frozenset(), **chosen: Any
) -> dict[str, Any]:
    writer = RequestWriter(WIRES[wire], profile or {}, unsupported=unsupported)
    written = writer.write(ModelRequest([HI], [ADD], ModelSettings(**chosen)))
    return dict(written.settings)


def test_the_library_does_not_try_again_by_itself() -> None:
    assert written_settings()["max_retries"] == 0
    assert "max_retries" not in written_settings(unsupported=frozenset({"max_retries"}))


@pytest.mark.parametrize(
    ("profile", "reasoning", "takes"),
    [
        ({}, None, True),
        ({}, "off", True),
        ({}, "low", False),
        ({"anthropic_disallows_sampling_settings": True}, None, False),
        ({"bedrock_disallows_sampling_settings": True}, None, False),
        ({"openai_supports_reasoning": True}, None, False),
        ({"openai_supports_reasoning": True, "openai_supports_reasoning_effort_none": True}, None, True),
        ({"openai_supports_reasoning": True, "openai_supports_reasoning_effort_none": True}, "low", False),
        (
            {
                "openai_supports_reasoning": True,
                "openai_supports_reasoning_effort_none": True,
                "thinking_enabled_by_default": True,
            },
            None,
            False,
        ),
    ],
)
def test_a_temperature_goes_where_it_is_taken(profile: dict[str, Any], reasoning: str | None, takes: bool) -> None:
    assert ("temperature" in written_settings(profile, reasoning=reasoning)) == takes


@pytest.mark.parametrize(("said", "meant"), [("off", False), ("none", False), ("LOW", "low"), ("on", True), ("weird", None)])
def test_reasoning_in_the_layer_s_words(said: str, meant: object) -> None:
    assert written_settings(reasoning=said).get("thinking") == meant


def test_what_a_model_does_not_know_is_not_sent() -> None:
    assert written_settings(parallel_tool_calls=False)["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in written_settings(parallel_tool_calls=None)
    assert "parallel_tool_calls" not in written_settings(
        {"openai_unsupported_model_settings": ("parallel_tool_calls",)}, parallel_tool_calls=False
    )
    writer = RequestWriter(WIRES["google"], {}, unsupported=frozenset({"parallel_tool_calls"}))
    assert not writer.takes_parallel_parameter
    without_tools = writer.write(ModelRequest([HI], settings=ModelSettings(parallel_tool_calls=True), tool_choice="none"))
    assert not {"parallel_tool_calls", "tool_choice"} & set(without_tools.settings)


def test_cache_points_are_placed_where_a_provider_needs_them() -> None:
    cached = {"supports_cache": True}
    assert written_settings(cached)["cache"] is True
    assert written_settings(cached, wire="bedrock")["cache"] is True
    assert "cache" not in written_settings({})
    assert "cache" not in written_settings(cached, wire="openai-responses")
    elsewhere = RequestWriter(WIRES["anthropic"], cached, at_home=False)
    settings = elsewhere.write(ModelRequest([HI])).settings
    names = {f"anthropic_cache_{part}" for part in ("instructions", "tool_definitions", "messages")}
    assert {name for name in settings if "cache" in name and name.startswith("anthropic")} == names
    elsewhere.refuse("cache")
    assert not names & set(elsewhere.write(ModelRequest([HI])).settings)


def test_an_answer_is_held_to_a_schema_only_where_tools_can_stand_beside_it() -> None:
    able = {"supports_json_schema_output": True}
    for wire, profile, tools, mode in [
        ("anthropic", able, (ADD,), "native"),
        ("anthropic", {}, (), "text"),
        ("google", able, (ADD,), "text"),
        ("google", able, (), "native"),
    ]:
        writer = RequestWriter(WIRES[wire], profile)
        written = writer.write(ModelRequest([HI], tools, output_schema=SCHEMA))
        assert written.parameters.output_mode == mode
        writer.refuse("output_schema")
        assert writer.write(ModelRequest([HI], tools, output_schema=SCHEMA)).parameters.output_mode == "text"


def test_turns_stand_between_replies() -> None:
    called = Message("assistant", "I look.", (ToolCall("c1", "look", "{}"), ToolCall("c2", "look", "{}")))
    messages = [
        Message("system", "Be good."),
        HI,
        called,
        Message("tool", "one", call_id="c1"),
        Message("tool", "", call_id="c2"),
        Message("user", "and?"),
    ]
    first, reply, second = RequestWriter(WIRES["anthropic"], {}).write(ModelRequest(messages)).messages
    assert isinstance(first, LayerTurn)
    assert isinstance(second, LayerTurn)
    assert isinstance(reply, ModelResponse)
    assert [type(part) for part in first.parts] == [SystemPromptPart, UserPromptPart]
    assert [type(part) for part in second.parts] == [ToolReturnPart, ToolReturnPart, UserPromptPart]
    results = [part for part in second.parts if isinstance(part, ToolReturnPart)]
    assert [(part.tool_name, part.tool_call_id, part.content) for part in results] == [
        ("look", "c1", "one"),
        ("look", "c2", "(no output)"),
    ]


def test_pictures_are_mentioned_where_a_model_takes_none() -> None:
    message = Message("user", "Look.", images=(Image("image/png", b"12345"),))
    [turn] = RequestWriter(WIRES["anthropic"], {"supports_image_input": False}).write(ModelRequest([message])).messages
    [part] = turn.parts
    assert isinstance(part, UserPromptPart)
    assert part.content == "Look.\n[picture, image/png, 5 bytes, cannot be shown to this model]"


def test_a_reply_is_built_once() -> None:
    writer = RequestWriter(WIRES["anthropic"], {})
    message = Message("assistant", "Hello.")
    first, second = (writer.write(ModelRequest([HI, message, HI])).messages[1] for _ in range(2))
    assert first is second


def test_a_message_of_another_adapter_is_built_from_what_it_says() -> None:
    message = Message("assistant", "Yes.", (ToolCall("c1", "add", ""),), reasoning="Hm.", opaque="x", opaque_by="other")
    thinking, text, call = reply_from(message).parts
    assert isinstance(thinking, ThinkingPart)
    assert isinstance(text, TextPart)
    assert isinstance(call, ToolCallPart)
    assert (thinking.content, thinking.signature, text.content) == ("Hm.", None, "Yes.")
    assert (call.tool_name, call.args, call.tool_call_id) == ("add", "{}", "c1")


TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
VALUES = st.none() | st.booleans() | TEXTS | st.lists(TEXTS | st.none(), max_size=2)
DETAILS = st.none() | st.dictionaries(TEXTS, VALUES, max_size=3)
PARTS = st.one_of(
    st.builds(
        ThinkingPart,
        TEXTS,
        id=st.none() | TEXTS,
        signature=st.none() | TEXTS,
        provider_name=st.just("anthropic"),
        provider_details=DETAILS,
    ),
    st.builds(TextPart, TEXTS.filter(str.strip), id=st.none() | TEXTS, provider_name=st.just("p"), provider_details=DETAILS),
    st.builds(
        ToolCallPart,
        st.sampled_from(["add", "look"]),
        st.none() | st.just("{}") | st.dictionaries(TEXTS, TEXTS, max_size=2),
        st.sampled_from(["a", "b", ""]),
        provider_name=st.just("p"),
        provider_details=DETAILS,
    ),
)


@settings(max_examples=60)
@given(st.lists(PARTS, max_size=6), DETAILS, st.integers(-1, 1))
def test_what_was_kept_comes_back_whole_with_our_calls(
    parts: list[ModelResponsePart], details: dict[str, Any] | None, more: int
) -> None:
    said = ModelResponse(parts=list(parts), provider_name="anthropic", provider_details=details, finish_reason="stop")
    old = [part for part in parts if isinstance(part, ToolCallPart)]
    ours = tuple(ToolCall(f"ours{number}", f"tool{number}", f'{{"n": {number}}}') for number in range(max(0, len(old) + more)))
    back = reply_from(Message("assistant", calls=ours, opaque=opaque(said), opaque_by=OPAQUE_BY))
    calls = [part for part in back.parts if isinstance(part, ToolCallPart)]
    assert [(part.tool_call_id, part.tool_name, part.args) for part in calls] == [
        (call.id, call.name, call.arguments) for call in ours
    ]
    for came, went in zip(calls, old, strict=False):
        assert (came.provider_name, came.provider_details) == (went.provider_name, went.provider_details)
    others = [part for part in back.parts if not isinstance(part, ToolCallPart)]
    assert others == [part for part in parts if not isinstance(part, ToolCallPart)]
    assert (back.provider_name, back.provider_details, back.finish_reason) == ("anthropic", details, "stop")
