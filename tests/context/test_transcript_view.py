"""The view over one run as it grows: what is checked again, and what the run's record adds."""

from __future__ import annotations

import json

import pytest

from prudent.context.transcript import TranscriptView
from prudent.events import CallEnded, CallPrepared, ModelCallEnded
from prudent.messages import Message, ToolCall
from prudent.state import RunState
from prudent.types import Usage


def run_with_two_calls() -> RunState:
    """A run whose second call has no result, while the first one's waits for it."""
    state = RunState(transcript=[Message("user", "Go.")])
    calls = (ToolCall("a", "look", "{}"), ToolCall("b", "send", "{}"))
    asked = Message("assistant", calls=calls)
    state.apply(ModelCallEnded(turn=1, purpose="turn", message=asked, finish_reason="tool_calls", usage=Usage(), seconds=0.1))
    for position, call in enumerate(calls):
        state.apply(CallPrepared(turn=1, position=position, call_id=call.id, tool_name=call.name, arguments={}))
    state.apply(CallEnded(turn=1, call_id="a", status="ok", shown="found it"))
    return state


def test_a_result_that_waits_for_its_neighbours_is_shown_already() -> None:
    state = run_with_two_calls()
    assert len(state.transcript) == 2
    shown = TranscriptView().view(state)
    assert shown[2].text == "found it"
    assert json.loads(shown[3].text)["error"]["kind"] == "stopped"


def test_a_call_of_unknown_outcome_is_said_to_be_one() -> None:
    state = run_with_two_calls()
    state.calls["b"].status = "unknown"
    shown = TranscriptView().view(state)
    assert json.loads(shown[3].text)["error"]["kind"] == "unknown_outcome"


def test_transcripts_that_share_messages_are_told_apart() -> None:
    view, last = TranscriptView(), Message("user", "Go.")
    sound = RunState(transcript=[Message("user", "Hello."), last])
    broken = RunState(transcript=[Message("user", ""), last, Message("user", "On.")])
    assert view.view(sound) is sound.transcript
    assert view.view(broken) == broken.transcript[1:]


def test_a_message_that_was_replaced_is_looked_at_anew() -> None:
    state, view = RunState(transcript=[Message("user", "Go.")]), TranscriptView()
    assert view.view(state) is state.transcript
    state.transcript[0] = Message("user", " ")
    assert view.view(state) == []


def test_one_view_serves_several_runs() -> None:
    view = TranscriptView()
    sound, broken = RunState(transcript=[Message("user", "Go.")]), RunState(transcript=[Message("tool", "?", call_id="x")])
    for _ in range(2):
        assert view.view(sound) is sound.transcript
        assert view.view(broken) == []


def test_a_transcript_that_shrank_is_looked_at_anew() -> None:
    state = RunState(transcript=[Message("user", "Go."), Message("assistant", calls=(ToolCall("a", "look", "{}"),))])
    view = TranscriptView()
    assert len(view.view(state)) == 3
    del state.transcript[1:]
    assert view.view(state) is state.transcript


def test_each_message_of_a_valid_transcript_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def count(text: str) -> bool:
        looked.append(text)
        return True

    monkeypatch.setattr("prudent.context.transcript.is_json_object", count)
    state, view = RunState(transcript=[Message("user", "Go.")]), TranscriptView()
    for number in range(50):
        state.transcript.append(Message("assistant", calls=(ToolCall(f"c{number}", "look", "{}"),)))
        state.transcript.append(Message("tool", "x", call_id=f"c{number}"))
        assert view.view(state) is state.transcript
    assert len(looked) == 50
