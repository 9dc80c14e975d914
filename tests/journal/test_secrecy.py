"""Secret parameters: nowhere in the file but, while the call is open, in `open_arguments`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    MessageAdded,
    ModelCallEnded,
    ModelCallStarted,
    RunEnded,
    RunStarted,
)
from prudent.exchange import RawExchange
from prudent.journal.database import Database
from prudent.journal.redact import HIDDEN, Redactor
from prudent.journal.replay import replay
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.messages import Message, ToolCall
from prudent.state import RunState
from prudent.types import JSONObject, Usage

Start = Callable[..., RunStarted]
WORD, PIN = "open-sesame", "4711"
TRUE: JSONObject = {"user": "ann", "password": WORD, "pin": 4711}
REPLY = Message("assistant", f"Log in with {WORD}.", (ToolCall("c1", "login", json.dumps(TRUE)),), opaque=f'{{"pin":{PIN}}}')
KEY = "sk-proj-" + "A1b2C3d4E5f6G7h8I9j0" * 2


def raw(*messages: Message) -> RawExchange:
    sent = (json.dumps({"text": m.text, "arguments": [c.arguments for c in m.calls]}).encode() for m in messages)
    return RawExchange("http://x", b'{"tools":[{"password":{"type":"string"}}]}', tuple(sent), b'"open-" "sesame"')


def until_running() -> list[Event]:
    return [
        ModelCallEnded(
            turn=1, purpose="turn", message=REPLY, finish_reason="tool_calls", usage=Usage(1, 0, 1), seconds=1, raw=raw()
        ),
        CallPrepared(turn=1, position=0, call_id="c1", tool_name="login", arguments=TRUE, secret=("password", "pin")),
        ApprovalAsked(
            call_id="c1", kind="call", tool_name="login", arguments=TRUE, preview=f"ann / {WORD} / {PIN}", binding="b"
        ),
        CallStarted(turn=1, call_id="c1"),
    ]


def until_ended() -> list[Event]:
    answer = Message("tool", f"welcome, {PIN} {WORD}", call_id="c1")
    second = Message("assistant", f"{WORD} worked")
    return [
        CallEnded(turn=1, call_id="c1", status="ok", shown=answer.text),
        ModelCallStarted(turn=2, purpose="turn", messages=(REPLY, answer), tools=(), settings={}),
        ModelCallEnded(
            turn=2,
            purpose="turn",
            message=second,
            finish_reason="stop",
            usage=Usage(1, 0, 1),
            seconds=1,
            raw=raw(REPLY, answer),
        ),
        RunEnded(status="completed", output=f"{WORD} worked"),
    ]


def tables_with(path: Path, word: str) -> set[str]:
    """Name the tables that hold a word anywhere."""
    database = Database(path)
    names = [str(name) for (name,) in database.query("SELECT name FROM sqlite_master WHERE type='table'")]
    found = {name for name in names if word in str(database.query(f"SELECT * FROM {name}"))}
    database.close()
    return found


def files_with(path: Path, word: str) -> set[str]:
    return {file.name for file in path.parent.iterdir() if word.encode() in file.read_bytes()}


@pytest.fixture(params=["told before", "told by the call"])
def journal(request: pytest.FixtureRequest, store: JournalStore, start: Start) -> RunJournal:
    ahead = {"login": ["password", "pin"]} if request.param == "told before" else {}
    return store.begin(start(), secret_parameters=ahead)


def test_a_secret_parameter_is_written_nowhere_else(journal: RunJournal, path: Path) -> None:
    journal.append_all(until_running())
    for word in (WORD, "sesame", PIN):
        assert tables_with(path, word) == {"open_arguments"}
    journal.append_all(until_ended())
    assert tables_with(path, WORD) == tables_with(path, PIN) == set()


def test_its_bytes_do_not_linger_in_the_file_or_its_log(journal: RunJournal, path: Path) -> None:
    for event in until_running():
        journal.append(event)
    assert files_with(path, WORD)
    for event in until_ended():
        journal.append(event)
    assert files_with(path, WORD) == set()


def test_told_before_it_is_hidden_from_the_first_moment(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start(), secret_parameters={"login": ["password", "pin"]})
    journal.append(until_running()[0])
    assert tables_with(path, WORD) == {"open_arguments"}
    state = replay(store, "run-1")
    assert state.transcript[-1].calls == REPLY.calls


def test_the_tables_show_that_something_is_hidden(journal: RunJournal, store: JournalStore) -> None:
    journal.append_all(until_running())
    (call,) = store.tool_calls("run-1")
    assert json.loads(call.arguments) == {"user": "ann", "password": HIDDEN, "pin": HIDDEN}
    (asked,) = store.approvals("run-1")
    assert json.loads(asked.arguments) == {"user": "ann", "password": HIDDEN, "pin": HIDDEN}
    assert asked.preview == f"ann / {HIDDEN} / {HIDDEN}"
    (model_call,) = store.model_calls("run-1") or [None]
    assert model_call is None or WORD not in str(model_call)


def test_an_open_call_is_resumed_with_its_true_arguments(journal: RunJournal, store: JournalStore) -> None:
    live = RunState()
    live.apply(next(iter(store.read("run-1"))))
    for event in until_running():
        journal.append(event)
        live.apply(event)
    state = replay(store, "run-1")
    record, expected = state.calls["c1"], live.calls["c1"]
    assert record.arguments == expected.arguments == TRUE
    assert record.question
    assert expected.question
    assert record.question.arguments == TRUE
    assert state.transcript[-1].calls == live.transcript[-1].calls


def test_an_ended_call_is_read_back_redacted(journal: RunJournal, store: JournalStore) -> None:
    journal.append_all([*until_running(), *until_ended()])
    state = replay(store, "run-1")
    assert state.calls["c1"].arguments == {"user": "ann", "password": HIDDEN, "pin": HIDDEN}
    assert json.loads(state.transcript[0].calls[0].arguments) == {"user": "ann", "password": HIDDEN, "pin": HIDDEN}
    assert state.transcript[1].text == f"welcome, {HIDDEN} {HIDDEN}"
    assert state.output == f"{HIDDEN} worked"


def test_who_resumes_the_run_keeps_its_secrets(journal: RunJournal, store: JournalStore, path: Path) -> None:
    journal.append_all(until_running())
    resumed = store.seize("run-1")
    for event in until_ended():
        resumed.append(event)
    assert tables_with(path, WORD) == tables_with(path, PIN) == set()
    assert files_with(path, WORD) == set()


def test_a_raw_reply_that_held_a_secret_is_not_kept(journal: RunJournal, store: JournalStore) -> None:
    journal.append_all([*until_running(), *until_ended()])
    (_, _, first), (_, _, second) = store.raw_exchanges("run-1")
    assert first.response == b"[redacted: this reply held a secret]"
    assert second.request_messages[0] == b'"[redacted: held a secret]"'
    assert b"password" in second.request_head


def test_the_name_of_a_secret_parameter_is_remembered_for_the_next_call(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    journal.append_all(until_running())
    again = Message("assistant", "", (ToolCall("c2", "login", '{"password":"another-word"}'),))
    journal.append(
        ModelCallEnded(turn=2, purpose="turn", message=again, finish_reason="tool_calls", usage=Usage(1, 0, 1), seconds=1)
    )
    assert tables_with(path, "another-word") == {"open_arguments"}


def test_exported_events_are_redacted_too(journal: RunJournal) -> None:
    events = [*until_running(), *until_ended()]
    journal.append_all(until_running())
    exported = json.dumps([journal.export(event) for event in events])
    assert WORD not in exported
    assert json.loads(exported)[1]["event"] == "CallPrepared"


def test_keys_in_arguments_are_kept_apart_like_secret_parameters(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    arguments: JSONObject = {"text": f"use {KEY}"}
    reply = Message("assistant", "", (ToolCall("c1", "note", json.dumps(arguments)),))
    journal.append(
        ModelCallEnded(turn=1, purpose="turn", message=reply, finish_reason="tool_calls", usage=Usage(1, 0, 1), seconds=1)
    )
    journal.append(CallPrepared(turn=1, position=0, call_id="c1", tool_name="note", arguments=arguments))
    assert tables_with(path, KEY) == {"open_arguments"}
    assert replay(store, "run-1").calls["c1"].arguments == arguments
    journal.append(CallEnded(turn=1, call_id="c1", status="ok", shown="noted"))
    assert tables_with(path, KEY) == set()
    journal.append(RunEnded(status="completed"))
    assert files_with(path, KEY) == set()


def test_keys_and_known_secrets_never_reach_the_file(path: Path, start: Start) -> None:
    own = "the-provider's own key"
    with JournalStore(path, redactor=Redactor([own])) as store:
        journal = store.begin(start(base_url="https://user:hunter22@example.com"))
        message = Message("user", f"{KEY} {own}", reasoning=KEY, opaque=json.dumps({"x": own}))
        journal.append(MessageAdded(message=message))
        journal.append(
            ModelCallEnded(
                turn=1,
                purpose="turn",
                message=Message("assistant", "x"),
                finish_reason="stop",
                usage=Usage(1, 0, 1),
                seconds=1,
                raw=RawExchange("http://x", own.encode(), (KEY.encode(),), json.dumps([KEY, own]).encode()),
            )
        )
        journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="t", arguments={}))
        journal.append(CallEnded(turn=1, call_id="c", status="ok", shown=f"{KEY} {own}"))
        journal.artifacts.keep("c", "text/plain", f"{KEY} {own}")
        journal.append(RunEnded(status="failed", error=f"{KEY} {own}", output={"a": KEY}))
        for word in (KEY, own, "hunter22"):
            assert tables_with(path, word) == set()
            assert files_with(path, word) == set()


def test_edited_secret_arguments_are_hidden_like_the_first(store: JournalStore, path: Path, start: Start) -> None:
    journal = store.begin(start())
    journal.append_all(until_running()[:3])
    edited: JSONObject = {"user": "ann", "password": "edited-word", "pin": 9}
    journal.append(ApprovalDecided(call_id="c1", decision="edit", decided_by="ann", arguments=edited))
    for owner in (journal, store.seize("run-1")):
        text = json.dumps(owner.export(CallEnded(turn=1, call_id="c1", status="ok", shown="edited-word worked")))
        assert "edited-word" not in text
    assert tables_with(path, "edited-word") == {"open_arguments"}
    assert replay(store, "run-1").calls["c1"].arguments == edited


def test_the_runtimes_own_words_and_numbers_stay_as_they_are(store: JournalStore, start: Start) -> None:
    """A secret may be a word such as `ok`, which must not make the record unreadable."""
    journal = store.begin(start())
    arguments: JSONObject = {"a": "completed", "b": "login", "c": 1234, "d": "c1"}
    ended = CallEnded(turn=1, call_id="c1", status="ok", shown="1234 c1 done", result_chars=1234, result_hash="c1")
    journal.append(
        CallPrepared(turn=1, position=0, call_id="c1", tool_name="login", arguments=arguments, secret=("a", "b", "c", "d"))
    )
    journal.append(ended)
    journal.append(RunEnded(status="completed", output="login completed"))
    events = list(store.read("run-1"))
    assert isinstance(events[1], CallPrepared)
    assert events[1].tool_name == "login"
    assert events[2] == replace(ended, shown=f"{HIDDEN} c1 done")
    assert events[3] == RunEnded(status="completed", output=f"login {HIDDEN}")


def test_an_argument_that_only_mentions_secrets_does_not_stop_a_claim(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    arguments: JSONObject = {"secret": ["x"], "text": '"secret": []'}
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="note", arguments=arguments))
    journal.release()
    store.claim("run-1").append(CallEnded(turn=1, call_id="c", status="ok", shown="x"))


def test_what_only_the_provider_reads_stays_json(journal: RunJournal, store: JournalStore) -> None:
    journal.append_all([*until_running(), *until_ended()])
    assert json.loads(replay(store, "run-1").transcript[0].opaque) == {"pin": HIDDEN}


def test_two_runs_with_the_same_reply_both_hide_it(store: JournalStore, path: Path, start: Start) -> None:
    journals = [store.begin(start(run_id)) for run_id in ("a", "b")]
    for event in until_running():
        for journal in journals:
            journal.append(event)
    assert tables_with(path, WORD) == {"open_arguments"}
    for run_id in ("a", "b"):
        assert replay(store, run_id).transcript[-1].calls == REPLY.calls
