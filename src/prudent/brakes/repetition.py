"""Repetition: the same call twice in a row, a circle of two or three calls, the same refusal three times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from prudent.calls import CallRecord
from prudent.errors import CallRefused
from prudent.messages import canonical_json
from prudent.ports import Candidate, End, Verdict
from prudent.state import RunState
from prudent.tools.definition import Tool

EARLIER_RESULT_CHARS = 1000
REFUSALS = 3

_CUT_OFF = ("stopped", "abandoned")
"""A call that a stop cut off brought nothing, so to ask for it again after a resume is no repetition."""


@dataclass(frozen=True, slots=True)
class RepetitionBrake:
    """Ends the run before a call that would only repeat what was done. Repeatable tools are exempt."""

    tools: Callable[[str], Tool | None]
    """Finds a mounted tool by its registered name."""

    on_repetition: Literal["end", "nudge"] = "end"
    """`nudge`: the first time the model gets the earlier result and is told, the second time the run ends."""

    def before_model(self, state: RunState) -> End | None:
        """End the run when the last three turns had the same refusal, or when it was cut off while it ended here before."""
        return self._pulled(state) or self._same_refusals(state)

    def _pulled(self, state: RunState) -> End | None:
        """Look whether the brake was pulled in this turn already, and the process died before the run had ended."""
        refused = [record for record in state.calls.values() if record.error_kind == "repetition"]
        here = [record for record in refused if record.turn == state.turn]
        nudges = 1 if self.on_repetition == "nudge" else 0
        if here and len(refused) > nudges and state.turn > state.repetition_turn:
            return _repetition_of(here[-1].tool_name)
        return None

    def _same_refusals(self, state: RunState) -> End | None:
        turns = [_refusals(state, turn) for turn in range(state.turn - REFUSALS + 1, state.turn + 1)]
        if state.turn < REFUSALS or not turns[0] or any(turn != turns[0] for turn in turns):
            return None
        return End("repetition", f"the same refusal {REFUSALS} times in a row: {turns[0][0][0]}")

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Compare the call with the task calls that ran before."""
        if candidate.tool.repeatable or not candidate.tool.is_task:
            return None
        if any(earlier.tool.is_task for earlier in candidate.earlier):
            return None  # something else stands between, and a copy within one reply is no repetition
        history = [r for r in state.executed_calls if r.call_id != candidate.call_id and self._counts(r)]
        earlier = _repeats(candidate, history)
        if earlier is None:
            return None
        nudged = any(record.error_kind == "repetition" for record in state.calls.values())
        if self.on_repetition == "nudge" and not nudged:
            return CallRefused(
                "repetition",
                f"{candidate.tool.name} was already called with the same arguments; its earlier result was: "
                f"{earlier.shown[:EARLIER_RESULT_CHARS]}",
                fix="use that result: answer, or do something else",
            )
        return _repetition_of(candidate.tool.name)

    def _counts(self, record: CallRecord) -> bool:
        tool = self.tools(record.tool_name)
        return record.status not in _CUT_OFF and (tool is None or not tool.repeatable)


def _repetition_of(tool_name: str) -> End:
    return End("repetition", f"{tool_name} was about to be called again with the same arguments")


def _repeats(candidate: Candidate, history: Sequence[CallRecord]) -> CallRecord | None:
    """Find the earlier call that the candidate only repeats."""
    keys = [f"{r.tool_name} {canonical_json(r.arguments)}" for r in history[-6:]]
    key = f"{candidate.tool.name} {canonical_json(candidate.arguments)}"
    if keys and keys[-1] == key:
        return history[-1]
    results = [f"{k} {r.result_hash}" for k, r in zip(keys, history[-6:], strict=True)]
    for length in (2, 3):
        if len(results) >= 2 * length and results[-length:] == results[-2 * length : -length] and keys[-length] == key:
            return history[-length]
    return None


def _refusals(state: RunState, turn: int) -> list[tuple[str, str]]:
    """List what was refused in a turn, empty when anything else happened in it."""
    records = [record for record in state.calls.values() if record.turn == turn]
    if not all(record.status == "refused" for record in records):
        return []
    return [(record.tool_name, record.shown) for record in records]
