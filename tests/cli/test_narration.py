"""What a person is told of a run, from hand-made events."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from prudent.cli.narration import Narrator, plan_lines, result_lines
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallNoted,
    CallPrepared,
    CallStarted,
    Event,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    ModelCallStarted,
    RunResumed,
    RunStarted,
    TextArrived,
    ThoughtRecorded,
    Warned,
)
from prudent.journal.redact import HIDDEN
from prudent.messages import Message
from prudent.types import Usage


def told(events: Sequence[Event], *, starts: bool = False) -> list[str]:
    narrator = Narrator(starts=starts)
    return [line.text for event in events for line in narrator.tell(event)]


def prepared(call_id: str = "c1", tool: str = "search", **options: object) -> CallPrepared:
    values = {"turn": 1, "position": 0, "call_id": call_id, "tool_name": tool, "arguments": {"query": "plans"}, **options}
    return CallPrepared(**values)  # pyright: ignore[reportArgumentType] the options are of mixed types


def ended(call_id: str = "c1", status: str = "ok", shown: str = "two hits", seconds: float = 0.25) -> CallEnded:
    return CallEnded(turn=1, call_id=call_id, status=status, shown=shown, seconds=seconds)  # pyright: ignore[reportArgumentType] a literal


def test_a_run_from_start_to_end():
    assert told(
        [
            RunStarted(run_id="r1", agent="starter", task="Plans?", model="local", at=1.0),
            ModelCallStarted(turn=1, purpose="turn", messages=(), tools=(), settings={}),
            ThoughtRecorded(turn=1, number="1", thought="I have to look.", plan="1. search 2. answer", action="search"),
            prepared(),
            CallStarted(turn=1, call_id="c1"),
            ended(),
        ]
    ) == [
        "starter · local · run r1",
        "Plan  I have to look.",
        "  1. search",
        "  2. answer",
        '✓ search query="plans"  0.2 s',
        "    two hits",
    ]


def test_the_same_plan_is_not_told_twice():
    thought = ThoughtRecorded(turn=1, number="1", thought="Start.", plan="1. look", action="look")
    again = ThoughtRecorded(turn=2, number="2", thought="It was there.", plan="1. look", action="answer")
    assert told([thought, again]) == ["Plan  Start.", "  1. look", "· It was there."]


def test_the_planning_tool_is_told_as_a_thought_only():
    events = [prepared(tool="think_and_plan", is_task=False), CallStarted(turn=1, call_id="c1"), ended()]
    assert told(events, starts=True) == []


def test_where_nothing_moves_starts_and_progress_are_told():
    note = CallNoted(call_id="c1", note="progress", data={"text": "page 2 of 9"})
    assert told([prepared(), CallStarted(turn=1, call_id="c1"), note, ended()], starts=True) == [
        '→ search query="plans"',
        "  search: page 2 of 9",
        '✓ search query="plans"  0.2 s',
        "    two hits",
    ]


@pytest.mark.parametrize(
    ("status", "mark"), [("error", "✗"), ("timeout", "✗"), ("refused", "⊘"), ("stopped", "■"), ("unknown", "?")]
)
def test_every_state_of_a_call_is_marked_and_named(status: str, mark: str):
    line = told([prepared(), ended(status=status)])[0]
    assert line.startswith(f"{mark} search")
    assert status in line


def test_secrets_and_escape_sequences_are_not_shown():
    lines = told([prepared(arguments={"key": "hunter2"}, secret=("key",)), ended(shown="\x1b[2Jgone")])
    assert HIDDEN in lines[0]
    assert "hunter2" not in lines[0]
    assert lines[1] == "    \\x1b[2Jgone"


def test_what_goes_wrong_is_told():
    assert told(
        [
            ModelCallRetried(turn=1, attempt=1, wait_seconds=2.0, reason="openai answered 503", counted=False),
            ModelCallFailed(turn=1, purpose="turn", reason="openai answered 401", seconds=0.1),
            Warned(text="16 tools are many"),
            RunResumed(),
        ]
    ) == ["! openai answered 503; trying again in 2 s", "! openai answered 401", "! 16 tools are many", "resumed"]


def test_questions_and_answers_are_told():
    asked = ApprovalAsked(call_id="c1", kind="call", tool_name="send", arguments={}, preview="", binding="")
    answer = ApprovalDecided(call_id="c1", decision="reject", decided_by="ann", reason="not now")
    assert told([prepared(tool="send"), asked, answer]) == ["? send waits for approval", "  send rejected by ann: not now"]


def test_the_board_knows_what_goes_on():
    narrator = Narrator()
    for event in (
        RunStarted(run_id="r1", agent="a", task="t", model="m", at=5.0),
        ModelCallStarted(turn=2, purpose="turn", messages=(), tools=(), settings={}),
        TextArrived(turn=2, text="The "),
        TextArrived(turn=2, text="answer"),
    ):
        narrator.tell(event)
    board = narrator.board
    assert (board.turn, board.text, board.activity, board.started_at) == (2, "The answer", "answering", 5.0)
    narrator.tell(
        ModelCallEnded(
            turn=2, purpose="turn", message=Message("assistant", "x"), finish_reason="stop", usage=Usage(10, 2, 3), seconds=1.0
        )
    )
    assert (board.usage.total_tokens, board.model_calls, board.activity) == (13, 1, "")
    narrator.tell(prepared())
    narrator.tell(CallStarted(turn=2, call_id="c1", at=7.0))
    assert [call.call_id for call in board.running] == ["c1"]
    narrator.tell(ended())
    assert board.running == []
    assert [call.tool_name for call in board.grounds] == ["search"]


def test_events_about_unknown_calls_are_passed_over():
    assert told([CallStarted(turn=1, call_id="x"), CallNoted(call_id="x", note="n", data={}), ended("x")], starts=True) == []


@pytest.mark.parametrize(
    ("plan", "lines"),
    [
        ("1. search 2. compute 3. answer", ["1. search", "2. compute", "3. answer"]),
        ("1) search\n2) answer", ["1) search", "2) answer"]),
        ("第一步 查询；第二步 计算", ["第一步 查询", "第二步 计算"]),
        ("- search\n- answer", ["- search", "- answer"]),
        ("look up version 2.5 of the plan", ["look up version 2.5 of the plan"]),
        ("", []),
    ],
)
def test_a_plan_has_a_line_a_step(plan: str, lines: list[str]):
    assert plan_lines(plan) == lines


def test_long_results_are_cut_with_a_mark():
    assert result_lines("a\n\nb\nc\nd\ne") == ["a", "b", "c", "… 2 more lines"]
