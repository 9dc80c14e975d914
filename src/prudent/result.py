"""What a run gives back: the object of the CLI contract (DESIGN section 9)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from prudent.events import IncompleteReason, RunStatus
from prudent.state import RunState
from prudent.types import JSON, JSONObject, Usage

EXIT_STATUS: dict[RunStatus, int] = {
    "completed": 0,
    "incomplete": 3,
    "awaiting_approval": 4,
    "failed": 5,
    "stopped": 6,
    "running": 5,
}
"""How the command line ends, by the run's status. 2 is for usage and configuration errors, 1 for thresholds."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended, or where it stands."""

    run_id: str
    status: RunStatus
    reason: IncompleteReason | None
    error: str
    output: Any
    """The answer: text, or an object of the agent's `output_type`. A partial one when the run is `incomplete`."""

    model: str
    turns: int
    model_calls: int
    """All that were paid for, the closing call included."""

    tool_calls: int
    """Executed task calls."""

    usage: Usage
    cost: float | None
    """US dollars; None when the price is unknown."""

    seconds: float
    """Working time, summed over resumes."""

    artifacts: tuple[str, ...] = ()
    pending: tuple[JSONObject, ...] = field(default=())
    """What waits for a person: kind, call_id, tool_name, arguments, preview."""

    @property
    def exit_status(self) -> int:
        """The command line's exit status."""
        return EXIT_STATUS[self.status]

    def as_json(self) -> JSONObject:
        """Give the object that `--json` prints."""
        usage: JSONObject = {
            "input_tokens": self.usage.input_tokens,
            "cached_tokens": self.usage.cached_tokens,
            "output_tokens": self.usage.output_tokens,
        }
        return {
            "run_id": self.run_id,
            "status": self.status,
            "reason": self.reason,
            "error": self.error or None,
            "output": _plain(self.output),
            "model": self.model,
            "turns": self.turns,
            "model_calls": self.model_calls,
            "tool_calls": self.tool_calls,
            "usage": usage,
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "artifacts": list(self.artifacts),
            "pending": [dict(item) for item in self.pending],
        }


def result_of(state: RunState) -> RunResult:
    """Read the result off a run's state, live or read back."""
    pending: list[JSONObject] = [
        {
            "kind": record.question.kind,
            "call_id": record.call_id,
            "tool_name": record.question.tool_name,
            "arguments": record.question.arguments,
            "preview": record.question.preview,
        }
        for record in state.waiting
        if record.question
    ]
    return RunResult(
        run_id=state.run_id,
        status=state.status,
        reason=state.reason,
        error=state.error,
        output=state.output,
        model=state.model,
        turns=state.turn,
        model_calls=state.model_calls,
        tool_calls=len(state.executed_calls),
        usage=state.usage,
        cost=state.cost,
        seconds=state.working_seconds,
        artifacts=tuple(record.artifact for record in state.calls.values() if record.artifact),
        pending=tuple(pending),
    )


def _plain(output: Any) -> JSON:
    if output is None or isinstance(output, (str, int, float, bool, list, dict)):
        return output  # pyright: ignore[reportUnknownVariableType]
    from pydantic_core import to_jsonable_python  # slow to import, and needed for typed answers only

    return json.loads(json.dumps(to_jsonable_python(output)))
