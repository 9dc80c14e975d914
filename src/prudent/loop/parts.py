"""What a run is made of: the ports the loop works through, and the settings of the agent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from prudent.exchange import ModelSettings
from prudent.loop.recorder import Recorder
from prudent.ports import Approver, Brake, ContextView, Counter, Folder, Model, Runner, Shaper
from prudent.state import RunState
from prudent.tools.surface import Surface
from prudent.types import JSON, JSONObject


@dataclass(frozen=True, slots=True)
class Correction:
    """What an answer check says of an answer that will not do."""

    reason: str
    """Told to the model."""

    final: str = ""
    """Set when asking again would not help: the run fails with this sentence."""


class AnswerCheck(Protocol):
    """Judges a final answer; the evaluating layer of the loop."""

    async def check(self, text: str, state: RunState) -> Correction | None:
        """Send the answer back with a reason, or let it pass with None."""
        ...

    def value(self, text: str) -> JSON:
        """Give the accepted answer as it goes into the result."""
        ...


class Delegate(Protocol):
    """Lets another agent work for a call of this run."""

    async def __call__(self, call_id: str, agent: Any, task: str) -> object:
        """Give what the agent answers. Raises CallParked when it waits for a person."""
        ...


class Pause(Protocol):
    """Stops the run's clock."""

    def __call__(self) -> AbstractContextManager[None]:
        """Give a context in which time does not count: a person is being waited for."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a run works through."""

    recorder: Recorder
    model: Model
    surface: Surface
    brakes: Sequence[Brake]
    """In the order they look; the first verdict counts."""

    shaper: Shaper
    runner: Runner
    view: ContextView
    folder: Folder
    counter: Counter
    settings: ModelSettings
    answer_check: AnswerCheck
    pause: Pause
    delegate: Delegate
    approver: Approver | None = None
    """None parks the run whenever somebody has to be asked."""

    summary_model: Model | None = None
    """Writes the summaries of folded turns; None has the run's own model do it."""

    output_schema: JSONObject | None = None
    workspace: Path = Path()
    dependencies: object = None
    closing_seconds: float = 6.0

    @property
    def state(self) -> RunState:
        """What is known of the run."""
        return self.recorder.state
