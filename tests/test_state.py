from __future__ import annotations

from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    MessageAdded,
    ModelCallEnded,
    RunEnded,
    RunResumed,
    RunStarted,
    ThoughtRecorded,
)
from prudent.messages import Message, ToolCall
from prudent.state import RunState
from prudent.types import Usage


def replied(turn: int, *ids: str, kept: bool = True, purpose: str = "turn", cost: float | None = 0.01) -> ModelCallEnded:
    message = Message("assistant", calls=tuple(ToolCall(call_id, "t", "{}") for call_id in ids))
    return ModelCallEnded(
        turn=turn,
        purpose=purpose,  # pyright: ignore[reportArgumentType]
        message=message,
        finish_reason="tool_calls",
        usage=Usage(10, 2, 3),
        seconds=0.1,
        kept=kept,
        cost=cost,
    )


def prepared(turn: int, call_id: str, position: int = 0) -> CallPrepared:
    return CallPrepared(turn=turn, position=position, call_id=call_id, tool_name="t", arguments={})


def test_results_join_the_transcript_in_call_order_once_all_are_there() -> None:
    state = RunState()
    state.apply(RunStarted(run_id="r", agent="a", task="x", model="m"))
    state.apply(MessageAdded(message=Message("user", "x")))
    state.apply(replied(1, "a", "b"))
    state.apply(prepared(1, "a"))
    state.apply(prepared(1, "b", 1))
    state.apply(CallStarted(turn=1, call_id="a"))
    state.apply(CallStarted(turn=1, call_id="b"))
    state.apply(CallEnded(turn=1, call_id="b", status="ok", shown="B", result_hash="2"))
    assert [m.role for m in state.transcript] == ["user", "assistant"]
    assert state.open_calls == ("a", "b")
    state.apply(CallEnded(turn=1, call_id="a", status="ok", shown="A", result_hash="1"))
    assert [(m.role, m.text) for m in state.transcript[2:]] == [("tool", "A"), ("tool", "B")]
    assert state.open_calls == ()
    assert state.turns_with_news == {1}


def test_a_thought_counts_until_the_next_results() -> None:
    state = RunState()
    state.apply(replied(1, "a"))
    state.apply(prepared(1, "a"))
    state.apply(ThoughtRecorded(turn=1, number="1", thought="", plan="", action=""))
    assert state.planned
    state.apply(CallEnded(turn=1, call_id="a", status="refused", shown="no"))
    assert state.planned, "a refusal is no result"
    state.apply(replied(2, "b"))
    state.apply(prepared(2, "b"))
    state.apply(CallStarted(turn=2, call_id="b"))
    state.apply(CallEnded(turn=2, call_id="b", status="ok", shown="x"))
    assert not state.planned


def test_a_question_waits_until_it_is_decided() -> None:
    state = RunState()
    state.apply(replied(1, "a"))
    state.apply(prepared(1, "a"))
    state.apply(ApprovalAsked(call_id="a", kind="call", tool_name="t", arguments={}, preview="p", binding="h"))
    assert [record.call_id for record in state.waiting] == ["a"]
    state.apply(ApprovalDecided(call_id="a", decision="edit", decided_by="ann", arguments={"n": 2}))
    assert not state.waiting
    assert state.calls["a"].arguments == {"n": 2}
    state.apply(CallStarted(turn=1, call_id="a"))
    state.apply(ApprovalAsked(call_id="a", kind="unknown_outcome", tool_name="t", arguments={}, preview="p", binding=""))
    assert state.calls["a"].status == "unknown"
    assert state.waiting


def test_cost_is_unknown_as_soon_as_one_call_is() -> None:
    state = RunState()
    state.apply(replied(1))
    state.apply(replied(2))
    assert state.cost == 0.02
    state.apply(replied(3, cost=None))
    state.apply(replied(4))
    assert state.cost is None


def test_the_closing_call_counts_but_is_no_turn() -> None:
    state = RunState()
    state.apply(replied(1))
    state.apply(replied(1, purpose="closing"))
    assert (state.turn, state.model_calls, len(state.transcript)) == (1, 2, 1)
    assert state.usage == Usage(20, 4, 6)


def test_empty_replies_stay_out_and_are_counted_in_a_row() -> None:
    state = RunState()
    state.apply(replied(1, kept=False))
    state.apply(replied(2, kept=False))
    assert state.empty_replies == 2
    assert state.transcript == []
    state.apply(replied(3))
    assert state.empty_replies == 0


def test_working_time_sums_up_over_sittings() -> None:
    state = RunState()
    state.apply(RunEnded(status="awaiting_approval", seconds=2.0))
    state.apply(RunResumed())
    assert state.status == "running"
    state.apply(RunEnded(status="completed", output="x", seconds=3.0))
    assert (state.status, state.output, state.working_seconds) == ("completed", "x", 5.0)
