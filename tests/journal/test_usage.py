"""Calls and tool blocks of many runs, as an audit reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prudent.events import CallEnded, CallPrepared, CallStarted, Event, RunResumed, RunStarted
from prudent.journal.store import JournalStore
from prudent.journal.usage import SHOWN_CHARS, Usage


@pytest.fixture
def usage(store: JournalStore, start: Callable[..., RunStarted], whole_run: Sequence[Event]) -> Usage:
    journal = store.begin(start())
    for event in whole_run:
        if isinstance(event, RunResumed):
            journal = store.claim("run-1")
        journal.append(event)
    return Usage(store.database)


def test_calls_come_in_their_order_with_what_was_shown(usage: Usage):
    calls = [*usage.calls(["run-1", "nobody"])]
    assert [(call.tool_name, call.status, call.error_kind) for call in calls] == [
        ("think_and_plan", "ok", None),
        ("add", "ok", None),
        ("addd", "refused", "unknown_tool"),
        ("delete", "ok", None),
    ]
    assert calls[1].arguments == {"a": 1, "b": "二"}
    assert calls[1].shown == "3"


def test_blocks_are_counted_once_a_run_and_their_definitions_found(usage: Usage):
    blocks = [*usage.blocks(["run-1"])]
    assert [[spec.name for spec in usage.tools(block.tools)] for block in blocks] == [["add", "delete"], []]
    assert [(block.model_calls, block.input_tokens, block.cached_tokens) for block in blocks] == [(2, 100, 20), (1, 200, 0)]
    assert usage.tools("lost") == ()


def test_the_runtimes_own_tools_and_effects_are_told(usage: Usage):
    assert usage.own_tools() == {"think_and_plan"}
    assert usage.effects() == {"think_and_plan": "read", "add": "read", "delete": "destructive"}


def test_runs_are_the_newest_and_can_be_narrowed(store: JournalStore, start: Callable[..., RunStarted]):
    for at in range(4):
        store.begin(RunStarted(at=100.0 + at, run_id=f"r{at}", agent="a" if at % 2 else "b", task="t", model="m"))
    usage = Usage(store.database)
    assert [run_id for run_id, _, _ in usage.runs(limit=2)] == ["r2", "r3"]
    assert usage.runs(since=103.0, limit=9) == [("r3", "a", 103.0)]
    assert [run_id for run_id, _, _ in usage.runs(agent="b", limit=9)] == ["r0", "r2"]
    assert usage.agents() == ["a", "b"]


def test_what_is_huge_or_broken_does_not_come(store: JournalStore, path: Path, start: Callable[..., RunStarted]):
    journal = store.begin(start())
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="x", arguments={"text": "y" * 30_000}))
    journal.append(CallStarted(turn=1, call_id="c"))
    journal.append(CallEnded(turn=1, call_id="c", status="ok", shown="z" * 9_000))
    (call,) = Usage(store.database).calls(["run-1"])
    assert (call.arguments, len(call.shown)) == ({}, SHOWN_CHARS)
    for broken in ("[1]", "{", "[" * 5_000):
        store.database.execute("UPDATE tool_calls SET arguments=?", (broken,))
        assert [row.arguments for row in Usage(store.database).calls(["run-1"])] == [{}]
