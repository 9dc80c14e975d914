from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.exchange import CallReady
from prudent.messages import ToolCall
from prudent.models.openai_calls import CallAssembler, ObjectScanner
from prudent.types import JSON

PLACES = ("Nice", "Gent")
WHOLE = [json.dumps({"city": place}) for place in PLACES]


def assemble(*entries: JSON) -> tuple[list[CallReady], tuple[ToolCall, ...]]:
    assembler = CallAssembler()
    ready = [event for entry in entries for event in assembler.feed(entry)]
    return ready, assembler.finished()


def entry(arguments: JSON = None, **more: Any) -> dict[str, JSON]:
    name = more.pop("name", None)
    function: dict[str, JSON] = {"arguments": arguments}
    if name is not None:
        function["name"] = name
    return {"function": function, **more}


def pieces(text: str, **more: Any) -> list[JSON]:
    return [entry(text[at : at + 5], **more) for at in range(0, len(text), 5)]


DROPPED = object()

STYLES: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "plain": ({}, {}),
    "no_index": ({"index": DROPPED}, {"index": DROPPED}),
    "no_index_no_id": ({"index": DROPPED, "id": DROPPED}, {"index": DROPPED}),
    "null_id": ({"id": None}, {}),
    "same_id": ({"id": "dup"}, {}),
    "same_id_each": ({"id": "dup"}, {"id": "dup"}),
    "id_each": ({}, {"id": "c{}"}),
    "second_head_zero": ({"index": 0}, {}),
    "tails_zero": ({}, {"index": 0}),
    "empty_later": ({}, {"id": "", "name": ""}),
    "name_each": ({}, {"name": "weather"}),
    "number_ids": ({"id": 1000}, {}),
}
"""How a server's heads and tails of calls differ from what is usual."""


def heads_and_tails(style: str) -> list[JSON]:
    """Two calls of one tool, as servers of a certain habit stream them."""
    entries: list[JSON] = []
    for number, text in enumerate(WHOLE):
        head, tail = (
            {name: _numbered(value, number) for name, value in (usual | odd).items() if value is not DROPPED}
            for usual, odd in zip(({"index": number, "id": "c{}"}, {"index": number}), STYLES[style], strict=True)
        )
        entries += [entry("", name="weather", **head), *pieces(text, **tail)]
    return entries


def _numbered(value: object, number: int) -> object:
    if isinstance(value, str):
        return value.format(number)
    return value + number if value == 1000 and isinstance(value, int) else value


@pytest.mark.parametrize("style", STYLES)
def test_two_calls_stay_two_whatever_the_server_s_habit(style: str) -> None:
    ready, calls = assemble(*heads_and_tails(style))
    assert [(call.name, call.arguments) for call in calls] == [("weather", text) for text in WHOLE]
    assert [event.position for event in ready] == [0, 1]
    assert [event.call for event in ready] == list(calls)


@pytest.mark.parametrize("ids", [("a", "b"), ("dup", "dup"), (None, ""), ("", "b"), ("a", None)])
def test_whole_calls_that_all_have_index_zero(ids: tuple[str | None, str | None]) -> None:
    _, calls = assemble(*(entry(text, index=0, id=call_id, name="weather") for text, call_id in zip(WHOLE, ids, strict=True)))
    assert [(call.id, call.arguments) for call in calls] == [
        (call_id or "", text) for call_id, text in zip(ids, WHOLE, strict=True)
    ]


def test_ids_come_through_as_they_are() -> None:
    _, calls = assemble(*heads_and_tails("id_each"))
    assert [call.id for call in calls] == ["c0", "c1"]
    assert [call.id for call in assemble(*heads_and_tails("same_id_each"))[1]] == ["dup", "dup"]
    assert [call.id for call in assemble(*heads_and_tails("number_ids"))[1]] == ["1000", "1001"]


def test_a_name_may_come_after_the_id() -> None:
    for second_index in (0, 1):
        ready, calls = assemble(
            entry("", id="a", index=0),
            entry("", name="echo", index=second_index),
            *pieces('{"text": "tea"}', index=second_index),
        )
        assert calls == (ToolCall("a", "echo", '{"text": "tea"}'),)
        assert [event.call for event in ready] == list(calls)


def test_an_id_may_come_after_the_name() -> None:
    _, calls = assemble(entry("", name="echo", index=0), entry('{"text": "x"}', id="a", index=0))
    assert calls == (ToolCall("a", "echo", '{"text": "x"}'),)


def test_a_call_said_twice_with_the_same_id_is_one() -> None:
    _, calls = assemble(entry("", id="0", index=0, name="version"), entry("{}", id="0", index=0, name="version"))
    assert calls == (ToolCall("0", "version", "{}"),)


@pytest.mark.parametrize("call_id", ["0", None])
def test_a_head_repeated_after_the_arguments_is_no_call(call_id: str | None) -> None:
    again = entry("", id=call_id, index=0, name="x")
    first = entry('{"a": 1}', id="0", index=0, name="x")
    assert assemble(first, again)[1] == (ToolCall("0", "x", '{"a": 1}'),)
    _, calls = assemble(first, again, entry("{}", id="1", index=1, name="y"))
    assert [call.name for call in calls] == ["x", "y"]
    ready, calls = assemble(first, again, entry('{"a": 2}', index=0))
    assert [call.arguments for call in calls] == ['{"a": 1}', '{"a": 2}']
    assert [event.position for event in ready] == [0, 1]


def test_a_call_without_a_name_is_a_call() -> None:
    ready, calls = assemble(
        entry("", id="a", index=0, name=""), *pieces('{"a": 1}', index=0), entry("{}", id="b", index=1, name="x")
    )
    assert calls == (ToolCall("a", "", '{"a": 1}'), ToolCall("b", "x", "{}"))
    assert [event.position for event in ready] == [0, 1]


def test_calls_that_stream_side_by_side_do_not_mix() -> None:
    heads = [entry("", id=f"c{n}", index=n, name="weather") for n in (0, 1)]
    tails = [piece for pair in zip(pieces(WHOLE[0], index=0), pieces(WHOLE[1], index=1), strict=True) for piece in pair]
    _, calls = assemble(*heads, *tails)
    assert [call.arguments for call in calls] == WHOLE
    by_id = [{**piece, "id": f"c{piece['index']}"} for piece in tails if isinstance(piece, dict)]
    assert [call.arguments for call in assemble(*heads, *by_id)[1]] == WHOLE


def test_no_arguments_are_told_from_empty_ones() -> None:
    _, calls = assemble(
        entry(None, id="a", index=0, name="x"),
        {"id": "b", "index": 1, "function": {"name": "y"}},
        entry("", id="c", index=2, name="z"),
        entry("{}", id="d", index=3, name="w"),
    )
    assert [(call.arguments, call.arguments_were_null) for call in calls] == [
        ("", True),
        ("", True),
        ("", False),
        ("{}", False),
    ]


def test_arguments_given_as_an_object_become_a_string() -> None:
    _, calls = assemble(entry({"城市": "北京"}, id="a", index=0, name="x"), entry([1], id="b", index=1, name="x"))
    assert [call.arguments for call in calls] == ['{"城市": "北京"}', "[1]"]


def test_joined_objects_stay_one_broken_string() -> None:
    ready, calls = assemble(entry('{"q":1}', id="a", index=0, name="x"), entry('{"q":2}', index=0))
    assert [call.arguments for call in calls] == ['{"q":1}{"q":2}']
    assert [event.call.arguments for event in ready] == ['{"q":1}']


def test_a_call_is_announced_when_its_object_closes_or_the_next_begins() -> None:
    assembler = CallAssembler()
    assert assembler.feed(entry("", id="a", index=0, name="now")) == []
    [ready] = assembler.feed(entry('{"a": ', id="b", index=1, name="add"))
    assert (ready.position, ready.call) == (0, ToolCall("a", "now", ""))
    assert assembler.feed(entry("{", index=1)) == []
    assert assembler.feed(entry("}", index=1)) == []
    [ready] = assembler.feed(entry("}", index=1))
    assert (ready.position, ready.call) == (1, ToolCall("b", "add", '{"a": {}}'))


def test_a_call_whose_arguments_broke_off_is_not_announced() -> None:
    ready, calls = assemble(entry('{"a": 1', id="a", index=0, name="add"), entry("{}", id="b", index=1, name="x"))
    assert [event.position for event in ready] == [1]
    assert calls[0].arguments == '{"a": 1'


def test_what_is_attached_to_a_call_is_kept() -> None:
    assembler = CallAssembler()
    assembler.feed(entry("{}", id="a", index=0, name="x"))
    assembler.feed(entry("{}", id="b", index=1, name="x", extra_content={"google": {"thought_signature": "s"}}))
    assert assembler.extras() == {"1": {"google": {"thought_signature": "s"}}}


@pytest.mark.parametrize("junk", [None, 3, "x", [], {}, {"index": 0}, {"function": None}, {"function": {"name": None}}])
def test_junk_is_no_call(junk: JSON) -> None:
    assert assemble(junk) == ([], ())


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=4), st.integers(1, 7), st.booleans())
def test_an_object_closes_exactly_at_its_end(value: dict[str, JSON], size: int, ascii_only: bool) -> None:
    text = " " + json.dumps(value, ensure_ascii=ascii_only)
    scanner = ObjectScanner()
    for at in range(0, len(text), size):
        assert not scanner.closed
        scanner.feed(text[at : at + size])
    assert scanner.closed
    scanner.feed(" \n")
    assert scanner.closed
    scanner.feed("}")
    assert not scanner.closed


@pytest.mark.parametrize("text", ["", "   ", "[1]", '"{}"', '{"a": 1', '{"a": "}', "```json\n{}\n```", "{} {}", "null"])
def test_what_is_not_one_object_never_closes(text: str) -> None:
    scanner = ObjectScanner()
    scanner.feed(text)
    assert not scanner.closed
