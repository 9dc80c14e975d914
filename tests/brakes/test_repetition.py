from __future__ import annotations

import pytest

from prudent.brakes.repetition import RepetitionBrake
from prudent.errors import CallRefused
from prudent.events import CallEnded, CallPrepared, CallStarted, CallStatus
from prudent.ports import Candidate, End
from prudent.state import RunState
from prudent.tools.definition import Tool
from prudent.types import JSON

TOOLS = {
    name: Tool(name, print, name, {}, repeatable=name == "poll", is_task=name != "think")
    for name in ("a", "b", "c", "poll", "think")
}


def ran(state: RunState, name: str, n: int = 1, *, result: str = "", status: CallStatus = "ok") -> None:
    turn = state.turn = state.turn + 1
    call_id = f"c{turn}"
    state.apply(
        CallPrepared(turn=turn, position=0, call_id=call_id, tool_name=name, arguments={"n": n}, is_task=name != "think")
    )
    state.apply(CallStarted(turn=turn, call_id=call_id))
    state.apply(CallEnded(turn=turn, call_id=call_id, status=status, shown=f"{name}{n}", result_hash=result or f"{name}{n}"))


def refused(state: RunState, name: str, shown: str) -> None:
    turn = state.turn = state.turn + 1
    call_id = f"c{turn}"
    state.apply(CallPrepared(turn=turn, position=0, call_id=call_id, tool_name=name, arguments={}))
    state.apply(CallEnded(turn=turn, call_id=call_id, status="refused", shown=shown, error_kind="invalid_json"))


def candidate(name: str, n: int = 1, earlier: tuple[Candidate, ...] = ()) -> Candidate:
    arguments: dict[str, JSON] = {"n": n}
    return Candidate(TOOLS[name], "new", arguments, 99, len(earlier), earlier)


def brake(on: str = "end") -> RepetitionBrake:
    return RepetitionBrake(TOOLS.get, "nudge" if on == "nudge" else "end")


def history(*names: str, result: str = "") -> RunState:
    state = RunState()
    for name in names:
        ran(state, name, result=result)
    return state


def test_the_same_call_twice_in_a_row_ends_the_run() -> None:
    assert brake().before_call(candidate("a", 2), history("a")) is None
    assert isinstance(brake().before_call(candidate("a"), history("a")), End)


@pytest.mark.parametrize("status", ["stopped", "abandoned"])
def test_a_call_that_was_cut_off_may_be_asked_for_again(status: CallStatus) -> None:
    state = history("b")
    ran(state, "a", status=status)
    assert brake().before_call(candidate("a"), state) is None
    assert isinstance(brake().before_call(candidate("b"), state), End), "what ran before it still counts"
    ran(state, "a")
    assert isinstance(brake().before_call(candidate("a"), state), End)


@pytest.mark.parametrize("status", ["error", "timeout"])
def test_a_call_that_failed_by_itself_counts(status: CallStatus) -> None:
    state = RunState()
    ran(state, "a", status=status)
    assert isinstance(brake().before_call(candidate("a"), state), End)


def test_something_else_in_between_is_no_repetition() -> None:
    assert brake().before_call(candidate("a"), history("a", "b")) is None
    assert brake().before_call(candidate("a", earlier=(candidate("b"),)), history("a")) is None


def test_thoughts_and_repeatable_tools_do_not_stand_between() -> None:
    assert isinstance(brake().before_call(candidate("a"), history("a", "think")), End)
    assert isinstance(brake().before_call(candidate("a"), history("a", "poll")), End)
    assert brake().before_call(candidate("poll"), history("poll", "poll", "poll")) is None


def test_a_circle_completed_twice_ends_the_run() -> None:
    assert brake().before_call(candidate("a"), history("a", "b", "a", "b")) is not None
    assert brake().before_call(candidate("a"), history("a", "b", "c", "a", "b", "c")) is not None
    assert brake().before_call(candidate("c"), history("a", "b", "a", "b")) is None, "it leaves the circle"


def test_a_circle_with_new_results_goes_on() -> None:
    state = RunState()
    for result in ("1", "2"):
        ran(state, "a", result=result)
        ran(state, "b", result=result)
    assert brake().before_call(candidate("a"), state) is None


def test_nudge_tells_the_earlier_result_once() -> None:
    state = history("a")
    verdict = brake("nudge").before_call(candidate("a"), state)
    assert isinstance(verdict, CallRefused)
    assert "a1" in verdict.reason
    state.apply(CallPrepared(turn=2, position=0, call_id="n", tool_name="a", arguments={"n": 1}))
    state.apply(CallEnded(turn=2, call_id="n", status="refused", shown="x", error_kind="repetition"))
    assert isinstance(brake("nudge").before_call(candidate("a"), state), End)


def test_three_equal_refusals_in_a_row_end_the_run() -> None:
    state = RunState()
    for _ in range(2):
        refused(state, "a", "bad json")
    assert brake().before_model(state) is None
    refused(state, "a", "bad json")
    end = brake().before_model(state)
    assert end
    assert end.reason == "repetition"


def test_different_refusals_or_a_success_between_do_not() -> None:
    state = RunState()
    refused(state, "a", "bad json")
    ran(state, "b")
    refused(state, "a", "bad json")
    refused(state, "a", "out of range")
    assert brake().before_model(state) is None
