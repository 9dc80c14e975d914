from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallPrepared,
    CallStarted,
    Event,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    SubRunWorked,
)
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.types import Usage

Query = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def query(path: Path) -> Iterator[Query]:
    """Ask as a person does: with a connection of one's own that knows nothing of Prudent."""
    connection: list[sqlite3.Connection] = []

    def ask(sql: str) -> list[tuple[Any, ...]]:
        connection.append(sqlite3.connect(f"file:{path}?mode=ro", uri=True))
        return connection[-1].execute(sql).fetchall()

    yield ask
    for opened in connection:
        opened.close()


def write(store: JournalStore, start: RunStarted, events: Sequence[Event]) -> None:
    journal = store.begin(start)
    for event in events:
        journal.append(event)
        if isinstance(event, RunEnded):
            journal = store.claim(start.run_id)


def test_a_run_as_it_stands_while_parked(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run[:18])
    assert query("SELECT status, ended_at, output FROM runs") == [("awaiting_approval", None, None)]
    assert query("SELECT decision, decided_at FROM approvals") == [(None, None)]
    assert [row.call_id for row in store.approvals(undecided=True)] == ["t1c3"]


def test_runs(store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]) -> None:
    write(store, start(agent_file="a.toml", agent_hash="h", base_url="http://x", budget={"seconds": 60}), whole_run)
    assert query("SELECT * FROM runs") == [
        ("run-1", "clerk", "a.toml", "h", "删除记录 7", "scripted", "http://x", "plan", '{"seconds":60}', "incomplete",
         "seconds", '{"answer":"十四天"}', "60 s are over", 100.0, 208.0, 3, 300, 20, 40, None)
    ]  # fmt: skip


def test_the_price_is_unknown_as_soon_as_one_call_has_none(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run[:6])
    assert query("SELECT cost, model_calls FROM runs") == [(0.25, 2)]


@pytest.mark.parametrize(("cost", "expected"), [(0.5, 0.75), (0.0, 0.25), (None, None)])
def test_what_a_sub_agent_took_is_added(
    store: JournalStore,
    query: Query,
    start: Callable[..., RunStarted],
    whole_run: Sequence[Event],
    cost: float | None,
    expected: float | None,
) -> None:
    begun = SubRunWorked(call_id="t1c1", run_id="run-1.1", agent="helper")
    worked = replace(begun, ended=True, usage=Usage(7, 3, 2), cost=cost)
    write(store, start(), [*whole_run[:6], begun, worked])
    tokens = query("SELECT input_tokens, cached_tokens, output_tokens, cost FROM runs")
    assert tokens == [(107, 23, 12, expected)]
    state = replay(store, "run-1")
    assert (*tokens[0][:3], expected) == (
        state.usage.input_tokens, state.usage.cached_tokens, state.usage.output_tokens, state.cost
    )  # fmt: skip


def test_model_calls(store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]) -> None:
    write(store, start(), whole_run)
    columns = "turn, purpose, started_at, seconds, input_tokens, cached_tokens, output_tokens, finish_reason"
    assert query(f"SELECT {columns} FROM model_calls") == [
        (1, "turn", 102.0, 2.0, 100, 20, 10, "tool_calls"),
        (2, "turn", 204.0, 1.0, None, None, None, "error"),
        (2, "closing", 206.0, 1.0, 200, 0, 30, "stop"),
    ]
    assert query("SELECT SUM(input_tokens), SUM(output_tokens) FROM model_calls") == [(300, 40)]
    (first,), (failed,), _ = query("SELECT response FROM model_calls")
    assert json.loads(first)["message"]["calls"][1] == {"id": "t1c1", "name": "add", "arguments": '{"a":1,"b":"二"}'}
    assert json.loads(failed) == {"error": "no connection"}
    requests = [json.loads(request) for (request,) in query("SELECT request FROM model_calls")]
    assert [len(request["messages"]) for request in requests] == [2, 7, 7]
    assert requests[0]["settings"] == {"temperature": 0.3}
    assert requests[1]["messages"][:2] == requests[0]["messages"]
    assert all(len(key) == 32 for key in requests[1]["messages"])


def test_a_request_can_be_seen_whole(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run)
    rows = query("SELECT turn, purpose, messages, tools, settings FROM requests")
    assert [message.get("text") for message in json.loads(rows[1][2])] == [
        "You are a clerk.", "删除记录 7", None, "Go on.", "3", "No such tool.", "deleted"
    ]  # fmt: skip
    assert [tool["name"] for tool in json.loads(rows[0][3])] == ["add", "delete"]
    assert json.loads(rows[2][3]) == []
    assert "删除" in rows[0][2]


def test_request_chars_count_messages_and_tools(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run)
    rows = query(
        "SELECT request_chars, (SELECT SUM(length(data)) FROM messages"
        " WHERE hash IN (SELECT value FROM json_each(request, '$.messages')))"
        " + (SELECT length(data) FROM blobs WHERE hash = json_extract(request, '$.tools')) FROM model_calls"
    )
    assert all(counted == stored for counted, stored in rows)


def test_tool_calls(store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]) -> None:
    write(store, start(), whole_run)
    assert query("SELECT * FROM tool_calls ORDER BY position") == [
        ("run-1", 1, 0, "t1c0", "think_and_plan", '{"plan":"1. add"}', "ok", None, 105.0, 0.0, 6, 6, "Go on.", None),
        ("run-1", 1, 1, "t1c1", "add", '{"a":1,"b":"二"}', "ok", None, 106.0, 0.5, 5000, 1, "3", "r1"),
        ("run-1", 1, 2, "t1c2", "addd", "{}", "refused", "unknown_tool", None, 0.0, 0, 13, "No such tool.", None),
        ("run-1", 1, 3, "t1c3", "delete", '{"id":8}', "ok", None, 202.0, 1.0, 7, 7, "deleted", None),
    ]
    assert query("SELECT tool_name, COUNT(*) c FROM tool_calls GROUP BY tool_name ORDER BY c DESC, tool_name")[0] == ("add", 1)
    assert query("SELECT tool_name, calls, ok, refused FROM tool_usage WHERE tool_name='addd'") == [("addd", 1, 0, 1)]


def test_the_status_of_a_call_goes_with_its_events(store: JournalStore, query: Query, start: Callable[..., RunStarted]) -> None:
    journal = store.begin(start())

    def status() -> str:
        return query("SELECT status FROM tool_calls")[0][0]

    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="pay", arguments={"amount": 80}))
    assert status() == "pending"
    journal.append(CallStarted(turn=1, call_id="c"))
    assert status() == "running"
    question = ApprovalAsked(call_id="c", kind="unknown_outcome", tool_name="pay", arguments={}, preview="", binding="b")
    journal.append(question)
    assert status() == "unknown"
    journal.append(replace(question, kind="call"))
    assert status() == "pending"


def test_thoughts_and_approvals(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run)
    assert query("SELECT * FROM thoughts") == [("run-1", 1, "1", "I need a number.", "1. add", "call add")]
    assert query("SELECT * FROM approvals") == [
        ("run-1", "t1c3", "call", "delete", '{"id":7}', "would delete 7", "edit", "ann", "not 7", 106.0, 201.0)
    ]
    assert [row.thought for row in store.thoughts("run-1")] == ["I need a number."]
    assert [row.decision for row in store.approvals()] == ["edit"]
    assert store.approvals(undecided=True) == []


def test_a_second_question_about_a_call_gets_its_own_answer(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    asked, decided = whole_run[14], whole_run[19]
    assert isinstance(decided, ApprovalDecided)
    write(store, start(), [*whole_run[:15], decided, asked])
    assert query("SELECT decision FROM approvals ORDER BY rowid") == [("edit",), (None,)]
    store.seize("run-1").append(replace(decided, decision="reject"))
    assert query("SELECT decision FROM approvals ORDER BY rowid") == [("edit",), ("reject",)]


def test_a_plain_answer_is_plain_text(store: JournalStore, query: Query, start: Callable[..., RunStarted]) -> None:
    store.begin(start()).append(RunEnded(at=1, status="completed", output="十四天"))
    assert query("SELECT output, error FROM runs") == [("十四天", None)]


def test_a_model_call_that_nobody_lived_to_end_has_no_outcome(
    store: JournalStore, query: Query, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    started, ended = whole_run[2], whole_run[5]
    assert isinstance(started, ModelCallStarted)
    write(store, start(), [started, started, ended])
    assert query("SELECT finish_reason FROM model_calls ORDER BY rowid") == [(None,), ("tool_calls",)]


def test_requests_and_messages_are_read_back(
    store: JournalStore, start: Callable[..., RunStarted], whole_run: Sequence[Event]
) -> None:
    write(store, start(), whole_run)
    second = whole_run[24]
    assert isinstance(second, ModelCallStarted)
    assert store.request("run-1", 2) == (second.messages, second.tools)
    assert store.request_messages("run-1", 2, purpose="closing") == second.messages
    assert store.request_messages("run-1", 9) == ()
    assert [row.purpose for row in store.model_calls("run-1")] == ["turn", "turn", "closing"]


def test_the_public_columns_keep_their_names(store: JournalStore, query: Query) -> None:
    expected = {
        "runs": "run_id agent agent_file agent_hash task model base_url mode budget status reason output error"
        " started_at ended_at model_calls input_tokens cached_tokens output_tokens cost",
        "model_calls": "run_id turn purpose started_at seconds input_tokens cached_tokens output_tokens finish_reason"
        " request_chars request response",
        "tool_calls": "run_id turn position call_id tool_name arguments status error_kind started_at seconds result_chars"
        " shown_chars shown artifact",
        "thoughts": "run_id turn number thought plan action",
        "approvals": "run_id call_id kind tool_name arguments preview decision decided_by reason asked_at decided_at",
        "events": "run_id seq at kind data",
    }
    for table, columns in expected.items():
        assert [name for (name,) in query(f"SELECT name FROM pragma_table_info('{table}')")] == columns.split()
