"""Secrets stay out of what is shown, also when they come in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.cli.discretion import Discretion, Pieces
from prudent.events import CallPrepared, Event, ModelCallStarted, ReasoningArrived, TextArrived, Warned
from prudent.messages import Message, ToolSpec

KEY = "sk-proj-Zq81LmNopQ2rStUvWxYz0123456789abcdEFGH"


def texts(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextArrived | ReasoningArrived | Warned))


@given(st.lists(st.text()))
def test_no_text_is_lost_or_moved(parts: list[str]):
    pieces = Pieces()
    shown = [ready for part in parts for ready in pieces.settle(TextArrived(turn=1, text=part))]
    assert texts([*shown, *pieces.settle(Warned(text=""))]) == "".join(parts)


def test_a_key_in_pieces_is_redacted_whole():
    pieces, discretion = Pieces(), Discretion()
    parts = ["The key is ", *(KEY[start : start + 3] for start in range(0, len(KEY), 3)), ", 好的。", "done"]
    ready = [event for part in parts for event in pieces.settle(TextArrived(turn=1, text=part))]
    ready += pieces.settle(Warned(text=""))
    written = "".join(str(discretion.event_json(event)) for event in ready)
    assert KEY[:12] not in written
    assert "好的。" in written
    assert "done" in written


def test_chinese_does_not_wait():
    assert texts(Pieces().settle(TextArrived(turn=1, text="年费套餐"))) == "年费套餐"


def test_text_and_reasoning_are_not_mixed():
    pieces = Pieces()
    events = [*pieces.settle(ReasoningArrived(turn=1, text="hm")), *pieces.settle(TextArrived(turn=1, text="yes "))]
    assert [type(event).__name__ for event in events] == ["ReasoningArrived", "TextArrived"]


def test_values_of_secret_parameters_are_learned():
    discretion = Discretion()
    event = CallPrepared(turn=1, position=0, call_id="c", tool_name="login", arguments={"key": "hunter2!"}, secret=("key",))
    discretion.notice(event)
    assert "hunter2!" not in str(discretion.event_json(event))
    assert "hunter2!" not in discretion.text("it is hunter2!")
    assert "hunter2!" not in str(discretion.mapping({"output": ["hunter2!"]}))


def test_known_keys_of_the_environment_are_hidden(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_API_KEY", "plain-words-as-key")
    assert "plain-words" not in Discretion().text("plain-words-as-key")


def test_of_a_request_only_the_size_is_told():
    event = ModelCallStarted(
        turn=1, purpose="turn", messages=(Message("user", "x" * 1000),), tools=(ToolSpec("t", "d", {}),), settings={}
    )
    assert discretion_json(event) == (1, ["t"])


def discretion_json(event: Event) -> tuple[object, object]:
    data = Discretion().event_json(event)
    return data["messages"], data["tools"]
