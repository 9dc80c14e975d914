"""Whatever the history, what goes out is valid; and what is valid goes out untouched."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prudent.context.transcript import NO_OUTPUT, TranscriptView, is_json_object, repair
from prudent.messages import Image, Message, ToolCall
from prudent.state import RunState

PIXEL = Image("image/png", b"\x89PNG")


def faults(messages: Sequence[Message]) -> list[str]:
    """Check a history by the rules that strict providers hold it to. Written apart from the code under test."""
    found: list[str] = []
    ids: list[str] = []
    due: list[str] = []
    for place, message in enumerate(messages):
        if message.role == "tool":
            found += [f"{place}: {fault}" for fault in result_faults(message, due)]
            due = due[1:]
            continue
        if due:
            found.append(f"{place}: {message.role} before the results of {due}")
        if message.role == "system" and any(earlier.role != "system" for earlier in messages[:place]):
            found.append(f"{place}: late system message")
        found += [f"{place}: {fault}" for fault in message_faults(message)]
        due = [call.id for call in message.calls]
        ids += due
    if len(set(ids)) != len(ids) or "" in ids:
        found.append(f"ids are empty or come twice: {ids}")
    return [*found, f"no results of {due}"] if due else found


def result_faults(message: Message, due: list[str]) -> list[str]:
    found = [] if due and message.call_id == due[0] else [f"result of {message.call_id!r}, due was {due[:1]}"]
    if message.calls:
        found.append("calls in a result")
    return found if message.text.strip() or message.images else [*found, "empty result"]


def message_faults(message: Message) -> list[str]:
    found: list[str] = []
    if not message.text.strip() and not message.calls and not (message.role == "user" and message.images):
        found.append(f"empty {message.role}")
    if message.calls and message.role != "assistant":
        found.append(f"calls by {message.role}")
    for call in message.calls:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call.name):
            found.append(f"name {call.name!r}")
        if not isinstance(json.loads(call.arguments), dict) or "NaN" in call.arguments:
            found.append(f"arguments {call.arguments!r}")
    return found


IDS = st.sampled_from(["a", "b", "c", "a_2", ""])
TEXTS = st.sampled_from(["", " \n", "hello", "你好"])
CALLS = st.builds(
    ToolCall,
    IDS,
    st.sampled_from(["look", "", "fs.read", "x" * 80, "查找"]),
    st.sampled_from(["{}", '{"q": 1}', "", "[1]", '{"a": ', '{"a": NaN}', "null", "[" * 5000]),
)
ANY_MESSAGE = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    TEXTS,
    st.lists(CALLS, max_size=3).map(tuple),
    IDS,
    st.sampled_from([(), (PIXEL,)]),
)


@st.composite
def valid_histories(draw: st.DrawFn) -> list[Message]:
    messages = [Message("system", "Be careful.")] * draw(st.integers(0, 2)) + [Message("user", "Do it.")]
    number = 0
    for calls in draw(st.lists(st.integers(0, 3), max_size=8)):
        made = tuple(ToolCall(f"c{number + at}", "look", '{"q":1}') for at in range(calls))
        number += calls
        if not made:
            messages.append(Message(draw(st.sampled_from(["user", "assistant"])), "a text"))
            continue
        messages.append(Message("assistant", draw(TEXTS), made, opaque='{"signature":"x"}', opaque_by="some"))
        messages.extend(Message("tool", f"result of {call.id}", call_id=call.id) for call in made)
    return messages


@st.composite
def damaged_histories(draw: st.DrawFn) -> list[Message]:
    """Histories as faults leave them: cut, with messages lost, doubled, or in another order."""
    messages = draw(valid_histories())
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(messages) - 1)) if messages else 0
        match draw(st.sampled_from(["drop", "double", "cut", "behead", "swap", "blank"])):
            case "drop":
                messages = messages[:place] + messages[place + 1 :]
            case "double":
                messages = messages[: place + 1] + messages[place:]
            case "cut":
                messages = messages[:place]
            case "behead":
                messages = messages[place:]
            case "swap":
                messages = messages[:place] + messages[place : place + 2][::-1] + messages[place + 2 :]
            case _:
                messages = [replace(each, text="") if at == place else each for at, each in enumerate(messages)]
    return messages


@given(st.lists(ANY_MESSAGE, max_size=12))
@example(
    [
        Message("assistant", calls=(ToolCall("a", "look", "{}"), ToolCall("a", "look", "{}"))),
        Message("tool", "one", call_id="a"),
    ]
)
def test_any_messages_at_all_become_valid(messages: list[Message]) -> None:
    repaired = repair(messages)
    assert faults(repaired) == []
    assert repair(repaired) == repaired


@given(damaged_histories())
def test_a_damaged_history_becomes_valid_and_keeps_what_is_sound(messages: list[Message]) -> None:
    repaired = repair(messages)
    assert faults(repaired) == []
    assert repair(repaired) == repaired
    spoken = [each.text for each in messages if each.role == "user" and each.text.strip()]
    late = ("Be careful.",)  # what the system says too late becomes a user message
    assert [each.text for each in repaired if each.role == "user" and each.text not in late] == spoken


@given(valid_histories())
def test_a_valid_history_is_left_as_it_is(messages: list[Message]) -> None:
    assert faults(messages) == []
    repaired = repair(messages)
    assert len(repaired) == len(messages)
    assert all(new is old for new, old in zip(repaired, messages, strict=True))
    state = RunState(transcript=messages)
    assert TranscriptView().view(state) is messages


@given(st.lists(st.one_of(valid_histories(), damaged_histories(), st.lists(ANY_MESSAGE, max_size=4)), max_size=4))
@settings(max_examples=60)
def test_the_view_of_a_growing_transcript_is_valid_at_every_moment(pieces: list[list[Message]]) -> None:
    view, state = TranscriptView(), RunState()
    for piece in pieces:
        for message in piece:
            state.transcript.append(message)
            shown = view.view(state)
            assert faults(shown) == []
            assert list(shown) == repair(state.transcript)
            assert shown is not state.transcript or faults(state.transcript) == []


def test_results_are_put_in_call_order_directly_behind_their_message() -> None:
    asked = Message("assistant", calls=(ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}")))
    late, first, user = Message("tool", "A", call_id="a"), Message("tool", "B", call_id="b"), Message("user", "and?")
    assert repair([asked, first, user, late]) == [asked, late, first, user]


def test_what_a_call_id_means_is_decided_by_what_came_last_before_the_result() -> None:
    one = Message("assistant", calls=(ToolCall("a", "look", '{"n":1}'),))
    two = Message("assistant", calls=(ToolCall("a", "look", '{"n":2}'),))
    fixed = repair([one, Message("tool", "first", call_id="a"), two, Message("tool", "second", call_id="a")])
    assert [each.text for each in fixed if each.role == "tool"] == ["first", "second"]
    assert fixed[2].calls[0].id == fixed[3].call_id != "a"


def test_a_second_answer_and_an_answer_to_nothing_are_dropped() -> None:
    asked = Message("assistant", calls=(ToolCall("a", "look", "{}"),))
    answer = Message("tool", "yes", call_id="a")
    assert repair([Message("tool", "early", call_id="a"), asked, answer, replace(answer, text="no")]) == [asked, answer]


def test_a_call_without_an_answer_gets_an_error_that_says_so() -> None:
    fixed = repair([Message("assistant", calls=(ToolCall("a", "look", "{}"),))])
    assert json.loads(fixed[1].text)["error"]["kind"] == "stopped"


def test_an_empty_result_says_that_it_is_empty_but_a_picture_is_enough() -> None:
    asked = Message("assistant", calls=(ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}")))
    fixed = repair([asked, Message("tool", "  ", call_id="a"), Message("tool", "", call_id="b", images=(PIXEL,))])
    assert [(each.text, each.images) for each in fixed[1:]] == [(NO_OUTPUT, ()), ("", (PIXEL,))]


def test_a_late_system_message_keeps_its_place_and_loses_its_role() -> None:
    head = [Message("system", "One."), Message("system", "Two."), Message("user", "Go.")]
    assert repair([*head, Message("system", "Note.")]) == [*head, Message("user", "Note.")]


def test_reasoning_without_text_or_calls_is_an_empty_message() -> None:
    assert repair([Message("user", "Go."), Message("assistant", reasoning="hm", opaque="{}", opaque_by="x")]) == [
        Message("user", "Go.")
    ]


ASKED = Message("assistant", calls=(ToolCall("a", "look", "{}"),))
ANSWER = Message("tool", "yes", call_id="a")


@pytest.mark.parametrize(
    "messages",
    [
        [ASKED, Message("user", "and?"), ANSWER],
        [ASKED, replace(ANSWER, text=" \n")],
        [ASKED, replace(ANSWER, calls=ASKED.calls)],
        [ASKED, ANSWER, ANSWER],
        [ASKED, ANSWER, ASKED, ANSWER],
        [ASKED],
        [ANSWER],
        [Message("user", "Go."), Message("system", "Late.")],
        [Message("system", " ")],
        [Message("user", "")],
        [Message("assistant", "  ")],
        [Message("user", "Go.", calls=ASKED.calls), ANSWER],
    ],
)
def test_a_fault_is_seen_however_the_transcript_grew(messages: list[Message]) -> None:
    assert faults(messages)
    state, view = RunState(), TranscriptView()
    for message in messages:
        state.transcript.append(message)
        assert faults(view.view(state)) == []


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": Infinity}', "[]", "", "{", "nul", "[" * 100_000])
def test_what_is_no_json_object(text: str) -> None:
    assert not is_json_object(text)
