"""A recorded run, to be read."""

from __future__ import annotations

from prudent.cli.raw import raw_exchanges
from prudent.cli.timeline import Timeline
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    ThoughtRecorded,
)
from prudent.exchange import RawExchange
from prudent.folds import Folded
from prudent.messages import Message
from prudent.toolbox import StepRecorded, StepStatus, ToolsFound
from prudent.types import Usage


def request(turn: int, *messages: Message) -> ModelCallStarted:
    return ModelCallStarted(turn=turn, purpose="turn", messages=messages, tools=(), settings={})


def reply(turn: int, message: Message, *, largest: int = -1, raw: RawExchange | None = None) -> ModelCallEnded:
    return ModelCallEnded(
        turn=turn,
        purpose="turn",
        message=message,
        finish_reason="stop",
        usage=Usage(1200, 800, 30),
        seconds=2.0,
        largest_message=largest,
        raw=raw,
    )


RAW = RawExchange("http://x/v1", b'{"model":"m"}', (b'{"role":"user"}',), b"data: \xff\n")
RESULT = Message("tool", "x" * 500, call_id="c1")
EVENTS: list[Event] = [
    RunStarted(run_id="r1", agent="a", agent_file="agent.toml", task="Plans?", model="m", at=1.0),
    request(1, Message("user", "Plans?")),
    reply(1, Message("assistant", reasoning="Hm.\nSo."), raw=RAW),
    CallPrepared(turn=1, position=0, call_id="c1", tool_name="search", arguments={"query": "x" * 120}),
    ThoughtRecorded(turn=1, number="1", thought="Look.", plan="1. look 2. answer", action="search"),
    ApprovalAsked(call_id="c1", kind="call", tool_name="search", arguments={}, preview="would look", binding=""),
    ApprovalDecided(call_id="c1", decision="approve", decided_by="ann", at=2.0),
    CallStarted(turn=1, call_id="c1", at=3.0),
    CallEnded(turn=1, call_id="c1", status="ok", shown="part", artifact="art-1", result_chars=9000, seconds=0.5),
    request(2, Message("user", "Plans?"), RESULT),
    ModelCallFailed(turn=2, purpose="turn", reason="it broke", seconds=1.0),
    request(2, Message("user", "Plans?"), RESULT),
    reply(2, Message("assistant", "30 days."), largest=1),
    RunEnded(status="completed", output="30 days.", at=9.0),
]


def test_all_of_a_run_can_be_read():
    text = [line.text for line in Timeline().lines(EVENTS)]
    for part in (
        "run r1",
        "task     Plans?",
        "agent    a  agent.toml",
        "Turn 1",
        "  1,200 read (800 cached), 30 written, 2.0 s, stop",
        "  reasoning",
        "    So.",
        "  thought 1  Look.",
        "    plan  2. answer",
        "    next  search",
        "  ? search asked (call)",
        "      would look",
        "      the model saw 4 characters  of 9,000 characters; all of it has the handle art-1",
        "      part",
        "  ! it broke  1.0 s",
        "  asked again",
        "  answer",
        "    30 days.",
        "turn 2        1,200      800       30      2.0  result of search, 500 characters",
    ):
        assert part in text, part
    assert any(line.startswith("    approve by ann") for line in text)
    assert any(line.startswith("  ✓ search") and line.endswith("0.5 s  c1") for line in text)
    assert f'      query: "{"x" * 120}"' in "\n".join(text) or "      query:" in text


def test_raw_is_the_bytes_where_they_were_kept_and_the_messages_elsewhere():
    pieces = b"".join(raw_exchanges(EVENTS))
    assert (
        b'=== turn 1 (turn)\n--- request to http://x/v1, its messages apart\n{"model":"m"}\n--- message 0\n{"role":"user"}\n'
        in pieces
    )
    assert b"--- response\ndata: \xff\n" in pieces
    assert b"=== turn 2 (turn) failed: it broke\n" in pieces
    assert b"--- reply (its bytes were not kept)" in pieces
    assert b'"30 days."' in pieces


def test_a_fold_says_what_it_saved_and_what_the_model_sees_instead():
    asked = ModelCallStarted(turn=4, purpose="folding", messages=(), tools=(), settings={})
    told = ModelCallEnded(
        turn=4,
        purpose="folding",
        message=Message("assistant", "SUMMARY: so far."),
        finish_reason="stop",
        usage=Usage(9, 0, 3),
        seconds=1.0,
    )
    memory = Message("user", "[Turns 1 to 2 were put together]")
    fold = Folded(
        turn=4,
        trigger="window",
        message=memory,
        first_kept=5,
        until=9,
        turns=2,
        before_tokens=9000,
        after_tokens=2000,
        written_by="m",
    )
    text = [line.text for line in Timeline().lines([*EVENTS[:1], asked, told, fold])]
    for part in (
        "Folding  asked for a summary of the oldest turns",
        "  summary",
        "    [Turns 1 to 2 were put together]",
        "folding           9        0        3      1.0",
    ):
        assert any(line.startswith(part) for line in text), part
    assert any("turns 1 to 2 folded: about 9,000 tokens before, 2,000 after, summary by m" in line for line in text)


def test_the_steps_of_a_macro_and_tools_that_were_found_are_shown() -> None:
    def told(number: int, step: str, status: StepStatus, detail: str = "") -> StepRecorded:
        return StepRecorded(call_id="c", number=number, of=3, step=step, status=status, detail=detail)

    events = [
        ToolsFound(call_id="s", query="make a release", found=("release", "tag")),
        told(1, "check", "started"),
        told(1, "check", "done", "clean"),
        told(2, "push", "failed", "refused"),
        told(3, "tell", "not_run"),
        told(1, "check", "undone"),
    ]
    assert [str(line.text) for line in Timeline().lines(events)] == [
        "  found for 'make a release': release, tag",
        "    ✓ 1/3 check  clean",
        "    ✗ 2/3 push  refused",
        "    · 3/3 tell (not run)",
        "    ↶ 1/3 check (undone)",
    ]
