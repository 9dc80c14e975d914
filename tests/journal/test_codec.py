from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent import events
from prudent.errors import ErrorKind
from prudent.events import (
    ApprovalKind,
    CallEnded,
    CallStatus,
    Decision,
    Event,
    IncompleteReason,
    MessageAdded,
    ModelCallEnded,
    Purpose,
    RunEnded,
    RunStatus,
)
from prudent.exchange import FinishReason, RawExchange
from prudent.journal.codec import compact_json, decode, describe, encode, read_message, write_message
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.standing import StandingRule
from prudent.types import JSON, JSONObject, Usage

TEXT = st.text(max_size=20)
NUMBER = st.floats(0, 1e9)
COUNT = st.integers(-1, 1 << 40)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON_VALUES, max_size=3)
IMAGES = st.builds(Image, TEXT, st.binary(max_size=8))
CALLS = st.builds(ToolCall, TEXT, TEXT, TEXT, st.booleans())
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    TEXT,
    st.lists(CALLS, max_size=2).map(tuple),
    TEXT,
    st.lists(IMAGES, max_size=1).map(tuple),
    TEXT,
    TEXT,
    TEXT,
)
TOOLS = st.builds(ToolSpec, TEXT, TEXT, OBJECTS)
RAW = st.builds(
    RawExchange, TEXT, st.binary(max_size=8), st.lists(st.binary(max_size=4), max_size=3).map(tuple), st.binary(max_size=8)
)
BY_TYPE = {
    "float": NUMBER,
    "int": COUNT,
    "str": TEXT,
    "bool": st.booleans(),
    "JSON": JSON_VALUES,
    "JSONObject": OBJECTS,
    "JSONObject | None": st.none() | OBJECTS,
    "float | None": st.none() | NUMBER,
    "Message": MESSAGES,
    "Usage": st.builds(Usage, COUNT, COUNT, COUNT, st.booleans()),
    "tuple[Message, ...]": st.lists(MESSAGES, max_size=3).map(tuple),
    "tuple[ToolSpec, ...]": st.lists(TOOLS, max_size=2).map(tuple),
    "tuple[str, ...]": st.lists(TEXT, max_size=2).map(tuple),
    "tuple[Image, ...]": st.lists(IMAGES, max_size=1).map(tuple),
    "RawExchange | None": st.none() | RAW,
    "ErrorKind | None": st.none() | st.sampled_from(get_args(ErrorKind)),
    "IncompleteReason | None": st.none() | st.sampled_from(get_args(IncompleteReason)),
    "StandingRule | None": st.none()
    | st.builds(StandingRule, TEXT, TEXT, st.dictionaries(TEXT, TEXT, max_size=2), st.booleans()),
    "RunStatus": st.sampled_from(get_args(RunStatus)),
    "CallStatus": st.sampled_from(get_args(CallStatus)),
    "ApprovalKind": st.sampled_from(get_args(ApprovalKind)),
    "Decision": st.sampled_from(get_args(Decision)),
    "Purpose": st.sampled_from(get_args(Purpose)),
    "FinishReason": st.sampled_from(get_args(FinishReason)),
}
CLASSES: list[type[Event]] = [
    value for value in vars(events).values() if isinstance(value, type) and issubclass(value, Event) and value is not Event
]


def _strategy(event_class: type[Event]) -> st.SearchStrategy[Event]:
    return st.builds(event_class, **{field.name: BY_TYPE[str(field.type)] for field in fields(event_class)})


EVENTS: st.SearchStrategy[Event] = st.one_of([_strategy(event_class) for event_class in CLASSES])


class Memory:
    """Keeps parts in a list; a reference is a place in it. Both a `Keeper` and, by `found`, a `Source`."""

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.found = Found(self.parts)

    def message(self, message: Message) -> JSON:
        return self._keep(json.dumps(write_message(message, self)))

    def messages(self, messages: Sequence[Message]) -> JSON:
        return [self.message(message) for message in messages]

    def tools(self, tools: Sequence[ToolSpec]) -> JSON:
        return self._keep(tools)

    def blob(self, data: bytes) -> JSON:
        return self._keep(data)

    def raw(self, raw: RawExchange) -> JSON:
        return self._keep(raw)

    def _keep(self, part: object) -> JSON:
        self.parts.append(part)
        return len(self.parts) - 1


class Found:
    """What `Memory` keeps."""

    def __init__(self, parts: list[Any]) -> None:
        self._parts = parts

    def message(self, reference: JSON) -> Message:
        return read_message(json.loads(self._find(reference)), self)

    def messages(self, reference: JSON) -> tuple[Message, ...]:
        assert isinstance(reference, list)
        return tuple(self.message(item) for item in reference)

    def tools(self, reference: JSON) -> tuple[ToolSpec, ...]:
        return self._find(reference)

    def blob(self, reference: JSON) -> bytes:
        return self._find(reference)

    def raw(self, reference: JSON) -> RawExchange | None:
        return self._find(reference)

    def _find(self, reference: JSON) -> Any:
        assert isinstance(reference, int)
        return self._parts[reference]


def test_every_event_is_drawn() -> None:
    assert {events.RunStarted, events.TextArrived, events.RunEnded} < set(CLASSES)


@given(EVENTS)
def test_events_survive_being_written_as_json(event: Event) -> None:
    memory = Memory()
    data = json.loads(compact_json(encode(event, memory)))
    assert decode(type(event).__name__, event.at, data, memory.found) == event


@given(EVENTS)
def test_any_event_can_be_described_as_json(event: Event) -> None:
    described = describe(event, lambda message: message)
    assert json.loads(compact_json(described))["event"] == type(event).__name__


def test_what_has_its_default_is_not_written() -> None:
    event = CallEnded(at=1, turn=1, call_id="c", status="ok", shown="x")
    assert encode(event, Memory()) == {"turn": 1, "call_id": "c", "status": "ok", "shown": "x"}


def test_a_description_is_whole_but_for_raw_bytes_and_redacted_messages() -> None:
    message = Message("assistant", "secret", (ToolCall("c", "add", "{}"),), images=(Image("image/png", b"ab"),))
    raw = RawExchange("http://x", b"h", (b"m",), b"r")
    event = ModelCallEnded(
        at=2, turn=1, purpose="turn", message=message, finish_reason="stop", usage=Usage(1, 0, 2), seconds=1, raw=raw
    )
    described = describe(event, lambda m: Message(m.role, m.text.replace("secret", "***"), m.calls, images=m.images))
    assert described == {
        "event": "ModelCallEnded",
        "at": 2,
        "turn": 1,
        "purpose": "turn",
        "message": {
            "role": "assistant",
            "text": "***",
            "calls": [{"id": "c", "name": "add", "arguments": "{}"}],
            "images": [{"media_type": "image/png", "data": "YWI="}],
        },
        "finish_reason": "stop",
        "usage": {"in": 1, "cached": 0, "out": 2},
        "seconds": 1,
    }


def test_nan_and_infinity_become_text() -> None:
    output: JSON = {"a": [math.nan, math.inf, -math.inf, 1.5]}
    assert compact_json(encode(RunEnded(status="completed", output=output), Memory())) == (
        '{"status":"completed","output":{"a":["NaN","Infinity","-Infinity",1.5]}}'
    )


def test_chinese_is_not_escaped() -> None:
    assert "十四天" in compact_json(encode(RunEnded(status="completed", output="十四天"), Memory()))


def test_fields_of_a_newer_version_are_passed_over() -> None:
    memory = Memory()
    data = encode(MessageAdded(message=Message("user", "x")), memory)
    read = decode("MessageAdded", 1.0, {**data, "mood": "good"}, memory.found)
    assert read == MessageAdded(at=1.0, message=Message("user", "x"))


@pytest.mark.parametrize(("kind", "data"), [("Dreamt", {}), ("MessageAdded", {}), ("RunEnded", {"at": 1})])
def test_what_is_no_event_is_refused(kind: str, data: JSONObject) -> None:
    with pytest.raises((KeyError, TypeError)):
        decode(kind, 1.0, data, Memory().found)
