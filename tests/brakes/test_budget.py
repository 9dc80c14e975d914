from __future__ import annotations

import pytest

from prudent.brakes.budget import Budget, BudgetBrake
from prudent.errors import ConfigurationError
from prudent.events import CallEnded, CallPrepared, CallStarted, ModelCallEnded, ThoughtRecorded
from prudent.loop.planning import count_steps
from prudent.messages import Message
from prudent.state import RunState
from prudent.types import Usage


def brake(**limits: object) -> BudgetBrake:
    return BudgetBrake(Budget(**limits), count_steps)  # pyright: ignore[reportArgumentType]


def state_after(turns: int, *, plan: str = "", news: bool = True) -> RunState:
    state = RunState()
    for turn in range(1, turns + 1):
        state.apply(
            ModelCallEnded(
                turn=turn,
                purpose="turn",
                message=Message("assistant"),
                finish_reason="stop",
                usage=Usage(100, 0, 20),
                seconds=1,
            )
        )
        if plan:
            state.apply(ThoughtRecorded(turn=turn, number=str(turn), thought="", plan=plan, action=""))
        call_id = f"c{turn}"
        state.apply(CallPrepared(turn=turn, position=0, call_id=call_id, tool_name="t", arguments={"n": turn}))
        state.apply(CallStarted(turn=turn, call_id=call_id))
        result_hash = str(turn) if news else "same"
        state.apply(CallEnded(turn=turn, call_id=call_id, status="ok", shown="x", result_hash=result_hash))
    return state


def test_a_number_counts_every_model_call() -> None:
    assert brake(model_calls=3).before_model(state_after(2)) is None
    end = brake(model_calls=3).before_model(state_after(3))
    assert end
    assert end.reason == "model_calls"
    assert "3 of 3" in end.detail


def test_auto_is_three_turns_without_a_plan() -> None:
    assert brake().before_model(state_after(2)) is None
    assert brake().before_model(state_after(3))


@pytest.mark.parametrize(("steps", "allowed"), [(1, 3), (2, 3), (3, 4), (6, 7), (20, 8)])
def test_auto_follows_the_plan_up_to_eight(steps: int, allowed: int) -> None:
    plan = " ".join(f"{n}. do thing" for n in range(1, steps + 1))
    assert brake().before_model(state_after(allowed - 1, plan=plan)) is None
    assert brake().before_model(state_after(allowed, plan=plan))


def test_auto_is_raised_only_while_turns_bring_something_new() -> None:
    plan = "1. a 2. b 3. c 4. d 5. e"
    assert brake().before_model(state_after(4, plan=plan)) is None
    assert brake().before_model(state_after(4, plan=plan, news=False))


def test_auto_bounds_all_model_calls_too() -> None:
    state = state_after(1)
    state.model_calls = 8
    end = brake().before_model(state)
    assert end
    assert "model calls: 8 of 8" in end.detail


def test_tokens_are_read_and_written_together() -> None:
    assert brake(tokens=250).before_model(state_after(2)) is None
    end = brake(tokens=240).before_model(state_after(2))
    assert end
    assert end.reason == "tokens"


def test_cost_is_watched_while_it_is_known() -> None:
    state = state_after(1)
    state.cost = 0.5
    assert brake(cost=0.6).before_model(state) is None
    end = brake(cost=0.5).before_model(state)
    assert end
    assert end.reason == "cost"


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"model_calls": -1}, {"tokens": 0}, {"model_calls": "many"}])
def test_a_budget_of_nothing_is_a_configuration_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=f"budget.{next(iter(wrong))}"):
        Budget(**wrong)  # pyright: ignore[reportArgumentType]
