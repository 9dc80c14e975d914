"""A run as it is written, event by event, for the tests of the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    MessageAdded,
    ModeChanged,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    ModelCallStarted,
    RunEnded,
    RunResumed,
    RunStarted,
    ThoughtRecorded,
    Warned,
)
from prudent.journal.store import JournalStore
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.types import Usage

TOOLS = (ToolSpec("add", "Add two numbers.", {"type": "object"}), ToolSpec("delete", "Delete.", {"type": "object"}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".prudent" / "agent.db"


@pytest.fixture
def store(path: Path) -> Iterator[JournalStore]:
    with JournalStore(path) as opened:
        yield opened


@pytest.fixture
def start() -> Callable[..., RunStarted]:
    def make(run_id: str = "run-1", **more: Any) -> RunStarted:
        return RunStarted(at=100.0, run_id=run_id, agent="clerk", task="删除记录 7", model="scripted", **more)

    return make


@pytest.fixture
def whole_run() -> Sequence[Event]:
    """A run of two turns and a closing call, with everything that can happen, but for its start."""
    system, user = Message("system", "You are a clerk."), Message("user", "删除记录 7")
    calls = (
        ToolCall("t1c0", "think_and_plan", '{"plan":"1. add"}'),
        ToolCall("t1c1", "add", '{"a":1,"b":"二"}'),
        ToolCall("t1c2", "addd", "{}"),
        ToolCall("t1c3", "delete", '{"id":7}'),
    )
    first = Message("assistant", "", calls, reasoning="Let me think.", opaque='{"sig":"x"}', opaque_by="openai")
    answers = tuple(
        Message("tool", shown, call_id=call.id, images=images)
        for call, shown, images in zip(
            calls, ("Go on.", "3", "No such tool.", "deleted"), ((), (Image("image/png", b"\x89PNG"),), (), ()), strict=True
        )
    )
    second = Message("assistant", "It is done.")
    return [
        MessageAdded(at=101, message=system),
        MessageAdded(at=101, message=user),
        ModelCallStarted(at=102, turn=1, purpose="turn", messages=(system, user), tools=TOOLS, settings={"temperature": 0.3}),
        ModelCallRetried(at=103, turn=1, attempt=1, wait_seconds=0.5, reason="429", counted=False),
        ModelCallRetried(at=103, turn=1, attempt=2, wait_seconds=0.5, reason="broke off", counted=True),
        ModelCallEnded(
            at=104,
            turn=1,
            purpose="turn",
            message=first,
            finish_reason="tool_calls",
            usage=Usage(100, 20, 10),
            seconds=2.0,
            cost=0.25,
            largest_message=0,
        ),
        CallPrepared(
            at=105, turn=1, position=0, call_id="t1c0", tool_name="think_and_plan", arguments={"plan": "1. add"}, is_task=False
        ),
        CallStarted(at=105, turn=1, call_id="t1c0", effect="read"),
        ThoughtRecorded(at=105, turn=1, number="1", thought="I need a number.", plan="1. add", action="call add"),
        CallEnded(at=105, turn=1, call_id="t1c0", status="ok", shown="Go on.", result_chars=6),
        CallPrepared(
            at=106, turn=1, position=1, call_id="t1c1", tool_name="add", arguments={"a": 1, "b": "二"}, repairs=("'1' for 1",)
        ),
        CallPrepared(at=106, turn=1, position=2, call_id="t1c2", tool_name="addd", arguments={}),
        CallEnded(at=106, turn=1, call_id="t1c2", status="refused", error_kind="unknown_tool", shown="No such tool."),
        CallPrepared(at=106, turn=1, position=3, call_id="t1c3", tool_name="delete", arguments={"id": 7}),
        ApprovalAsked(
            at=106, call_id="t1c3", kind="call", tool_name="delete", arguments={"id": 7}, preview="would delete 7", binding="b1"
        ),
        CallStarted(at=106, turn=1, call_id="t1c1", planned=True, effect="read", idempotent=True),
        CallEnded(
            at=107,
            turn=1,
            call_id="t1c1",
            status="ok",
            shown="3",
            seconds=0.5,
            result_chars=5000,
            artifact="r1",
            result_hash="h1",
            images=answers[1].images,
        ),
        RunEnded(at=108, status="awaiting_approval", seconds=8.0),
        RunResumed(at=200),
        ApprovalDecided(at=201, call_id="t1c3", decision="edit", decided_by="ann", reason="not 7", arguments={"id": 8}),
        CallStarted(at=202, turn=1, call_id="t1c3", planned=True, effect="destructive", asked=True),
        CallEnded(at=203, turn=1, call_id="t1c3", status="ok", shown="deleted", seconds=1.0, result_chars=7, result_hash="h2"),
        ModeChanged(at=203, mode="plan"),
        Warned(at=203, text="many tools"),
        ModelCallStarted(at=204, turn=2, purpose="turn", messages=(system, user, first, *answers), tools=TOOLS, settings={}),
        ModelCallFailed(at=205, turn=2, purpose="turn", reason="no connection", seconds=1.0, counted=False),
        ModelCallStarted(at=206, turn=2, purpose="closing", messages=(system, user, first, *answers), tools=(), settings={}),
        ModelCallEnded(
            at=207, turn=2, purpose="closing", message=second, finish_reason="stop", usage=Usage(200, 0, 30, True), seconds=1.0
        ),
        RunEnded(
            at=208, status="incomplete", reason="seconds", output={"answer": "十四天"}, error="60 s are over", seconds=7.0
        ),
    ]
