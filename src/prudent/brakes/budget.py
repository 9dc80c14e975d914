"""The budget: model calls (a number, or as many turns as the plan needs), tokens and cost.

Seconds are watched by the run itself, since they must end a call under way. Rule of the automatic budget: DESIGN section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from prudent.errors import ConfigurationError
from prudent.ports import Candidate, End, Verdict
from prudent.state import RunState
from prudent.types import JSONObject

_Number = TypeVar("_Number", int, float)

LEAST_TURNS = 3
MOST_TURNS = 8


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend. A run that spends it all ends `incomplete` with a partial answer."""

    model_calls: int | Literal["auto"] = "auto"
    """Every model call counts. `auto`: turns that executed a task call, capped by the steps in the plan, 3 to 8."""

    seconds: float = 60.0
    """Of the whole run, summed over resumes; waiting for a person does not count."""

    tokens: int | None = None
    """Read and written together; None for no limit."""

    cost: float | None = None
    """US dollars; None for no limit. A model of unknown price cannot have one."""

    def __post_init__(self) -> None:
        for name, value in (
            ("model_calls", self.model_calls),
            ("seconds", self.seconds),
            ("tokens", self.tokens),
            ("cost", self.cost),
        ):
            if not (value is None or value == "auto" or (not isinstance(value, str) and value > 0)):
                raise ConfigurationError(f"budget.{name} is {value!r}: give a number above 0")

    def as_json(self) -> JSONObject:
        """Give the budget as it stands in the journal."""
        return {"model_calls": self.model_calls, "seconds": self.seconds, "tokens": self.tokens, "cost": self.cost}

    def within(self, outer: Budget) -> Budget:
        """Give this budget as far as an outer one has room for it. Model calls are counted for each run by itself."""
        return replace(
            self,
            seconds=min(self.seconds, outer.seconds),
            tokens=_least(self.tokens, outer.tokens),
            cost=_least(self.cost, outer.cost),
        )

    @property
    def closing_seconds(self) -> float:
        """How long the closing call may take: a tenth of `seconds`, 5 s at least."""
        return max(5.0, self.seconds / 10)


@dataclass(frozen=True, slots=True)
class BudgetBrake:
    """Ends the run before a model call that the budget does not cover."""

    budget: Budget
    count_steps: Callable[[str], int]
    """Tells how many steps a plan's text has, 0 when none can be read from it."""

    def before_model(self, state: RunState) -> End | None:
        """Compare what was spent with the budget."""
        return self._calls(state) or self._tokens(state) or self._cost(state)

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Nothing to see here: a call is bounded by its own limit and by the run's deadline."""
        del candidate, state

    def _calls(self, state: RunState) -> End | None:
        if self.budget.model_calls != "auto":
            return _exceeded("model_calls", "model calls", state.model_calls, self.budget.model_calls, "the agent's budget")
        turns = self.turns_allowed(state)
        return _exceeded("model_calls", "turns with a task call", state.task_turns, turns, "the automatic budget") or _exceeded(
            "model_calls", "model calls", state.model_calls, 2 * turns + 2, "the automatic budget"
        )

    def turns_allowed(self, state: RunState) -> int:
        """Tell how many turns may execute a task call: the plan's steps and one more, 3 to 8, 3 when nothing new comes."""
        steps = max((self.count_steps(thought.plan) for thought in state.thoughts), default=0)
        last = max((record.turn for record in state.executed_calls), default=0)
        if steps == 0 or (last and last not in state.turns_with_news):
            return LEAST_TURNS
        return min(max(steps + 1, LEAST_TURNS), MOST_TURNS)

    def _tokens(self, state: RunState) -> End | None:
        if self.budget.tokens is None:
            return None
        return _exceeded("tokens", "tokens", state.usage.total_tokens, self.budget.tokens, "the agent's budget")

    def _cost(self, state: RunState) -> End | None:
        if self.budget.cost is None or state.cost is None or state.cost < self.budget.cost:
            return None
        return End("cost", f"cost is {state.cost:.4f} of {self.budget.cost:.4f} US dollars (the agent's budget)")


def _least(mine: _Number | None, outer: _Number | None) -> _Number | None:
    return min((value for value in (mine, outer) if value is not None), default=None)


def _exceeded(reason: Literal["model_calls", "tokens"], what: str, value: int, limit: int, source: str) -> End | None:
    return End(reason, f"{what}: {value} of {limit} ({source})") if value >= limit else None
