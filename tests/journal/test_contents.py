from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from prudent.events import MessageAdded, ModelCallEnded, ModelCallStarted, RunStarted
from prudent.exchange import RawExchange
from prudent.journal.contents import RAW_LIMIT_BYTES
from prudent.journal.database import Database
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.types import Usage

Start = Callable[..., RunStarted]
TOOLS = (ToolSpec("add", "Add.", {"type": "object"}),)


def started(turn: int, messages: list[Message]) -> ModelCallStarted:
    return ModelCallStarted(turn=turn, purpose="turn", messages=tuple(messages), tools=TOOLS, settings={})


def ended(turn: int, message: Message, raw: RawExchange | None = None) -> ModelCallEnded:
    return ModelCallEnded(
        turn=turn, purpose="turn", message=message, finish_reason="stop", usage=Usage(1, 0, 1), seconds=0.1, raw=raw
    )


def as_sent(message: Message) -> bytes:
    return json.dumps({"role": message.role, "content": message.text}).encode()


def play_turns(journal: RunJournal, turns: int) -> None:
    """Call a model again and again, each time with two messages more, which are sent and kept raw."""
    messages = [Message("system", "You are a clerk."), Message("user", "question")]
    for turn in range(1, turns + 1):
        journal.append(started(turn, messages))
        reply = Message("assistant", f"step {turn:03}", (ToolCall(f"c{turn:03}", "add", "{}"),))
        raw = RawExchange("http://x", b"head", tuple(map(as_sent, messages)), f"response {turn:03}".encode())
        journal.append(ended(turn, reply, raw))
        messages += [reply, Message("tool", f"result {turn:03} " * 150, call_id=f"c{turn:03}")]


def test_a_turn_costs_the_same_however_many_went_before(store: JournalStore, path: Path, start: Start) -> None:
    play_turns(store.begin(start()), 60)
    database = Database(path)
    sizes = [
        cast(int, size)
        for (size,) in database.query("SELECT length(data) FROM events WHERE kind='ModelCallStarted' ORDER BY seq")
    ]
    assert len(sizes) == 60
    assert max(sizes[1:]) <= min(sizes[1:]) + 3  # digits of the turn's number and of how many messages stay
    ends = [
        cast(int, size)
        for (size,) in database.query("SELECT length(data) FROM events WHERE kind='ModelCallEnded' ORDER BY seq")
    ]
    assert max(ends[1:]) <= min(ends[1:]) + 4
    assert database.query("SELECT COUNT(*) FROM messages") == [(2 + 60 + 59,)]
    # The tools, the head, each reply, and each message as it was sent.
    assert database.query("SELECT COUNT(*) FROM blobs") == [(1 + 1 + 60 + 2 + 2 * 59,)]
    requests = [cast(int, size) for (size,) in database.query("SELECT length(request) FROM model_calls ORDER BY turn")]
    assert requests[-1] - requests[-2] == 2 * 35


def test_each_message_is_written_as_json_once(store: JournalStore, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from prudent.journal import contents

    written: list[Message] = []
    real = contents.write_message

    def counting(message: Message, keeper: contents.Contents) -> object:
        written.append(message)
        return real(message, keeper)

    monkeypatch.setattr(contents, "write_message", counting)
    play_turns(store.begin(start()), 20)
    assert len(written) == len(set(written)) == 2 + 20 + 19


def test_what_was_sent_and_came_is_read_back(store: JournalStore, start: Start) -> None:
    play_turns(store.begin(start()), 5)
    exchanges = list(store.raw_exchanges("run-1"))
    assert [turn for turn, _, _ in exchanges] == [1, 2, 3, 4, 5]
    _, purpose, last = exchanges[-1]
    assert purpose == "turn"
    assert last == RawExchange("http://x", b"head", tuple(map(as_sent, store.request_messages("run-1", 5))), b"response 005")


def test_raw_bytes_are_read_only_when_asked_for(store: JournalStore, start: Start) -> None:
    play_turns(store.begin(start()), 1)
    assert [e.raw for e in store.read("run-1") if isinstance(e, ModelCallEnded)] == [None]
    assert all(e.raw for e in store.read("run-1", with_raw=True) if isinstance(e, ModelCallEnded))


def test_raw_bytes_can_be_left_out(path: Path, start: Start) -> None:
    with JournalStore(path, record_raw=False) as store:
        play_turns(store.begin(start()), 2)
        assert list(store.raw_exchanges("run-1")) == []
        assert store.database.query("SELECT COUNT(*) FROM blobs") == [(1,)]


def test_a_huge_reply_is_cut_and_says_so(store: JournalStore, start: Start) -> None:
    huge = b"x" * (RAW_LIMIT_BYTES + 5)
    store.begin(start()).append(ended(1, Message("assistant", "x"), RawExchange("http://x", b"", (huge,), huge)))
    ((_, _, raw),) = store.raw_exchanges("run-1")
    for piece in (raw.response, *raw.request_messages):
        assert piece == b"x" * RAW_LIMIT_BYTES + b"\n[cut here: 1000005 bytes in all]"


def test_a_shortened_or_folded_request_is_read_back_right(store: JournalStore, start: Start) -> None:
    messages = [Message("user", str(i)) for i in range(6)]
    requests = [
        messages, messages[:3], [messages[0], Message("user", "summary"), *messages[4:]], [], messages, list(messages),
        [Message("user", str(i)) for i in range(6)], [messages[5], *messages],
    ]  # fmt: skip
    journal = store.begin(start())
    for turn, request in enumerate(requests, 1):
        journal.append(started(turn, request))
        if turn == 4:
            journal.release()
            journal = store.claim("run-1")
    read = [list(event.messages) for event in store.read("run-1") if isinstance(event, ModelCallStarted)]
    assert read == requests
    assert [list(store.request_messages("run-1", turn)) for turn in range(1, 9)] == requests


def test_pictures_are_kept_once(store: JournalStore, path: Path, start: Start) -> None:
    picture = Image("image/png", b"\x89PNG" * 500)
    messages = [Message("user", "a", images=(picture,)), Message("user", "b", images=(picture,))]
    journal = store.begin(start())
    for message in messages:
        journal.append(MessageAdded(message=message))
    assert [e.message for e in store.read("run-1") if isinstance(e, MessageAdded)] == messages
    assert Database(path).query("SELECT COUNT(*), SUM(length(data)) FROM blobs") == [(1, 2000)]


def test_runs_share_equal_messages(store: JournalStore, path: Path, start: Start) -> None:
    for run_id in ("a", "b"):
        store.begin(start(run_id)).append(MessageAdded(message=Message("system", "the same")))
    assert Database(path).query("SELECT COUNT(*) FROM messages") == [(1,)]
