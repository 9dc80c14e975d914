"""What a run learns of its tools: those that a search found, and the steps of macros. The events, and what they tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from prudent.events import Event

StepStatus = Literal["started", "done", "failed", "not_run", "undone", "undo_failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsFound(Event):
    """A search for tools found some; they stay on the surface, in the order in which they were found."""

    call_id: str
    query: str
    found: tuple[str, ...]
    """Registered names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecorded(Event):
    """A step of a macro is about to run, was done, failed, did not run, or was undone."""

    call_id: str
    number: int
    """From 1."""

    of: int
    step: str
    status: StepStatus
    detail: str = ""
    """What came of it, in a line."""


@dataclass(slots=True)
class Toolbox:
    """What is known of a run's tools beyond its calls."""

    found: tuple[str, ...] = ()
    """Tools that a search brought to the surface, in the order in which they were found."""

    steps: dict[str, list[StepRecorded]] = field(default_factory=dict[str, list[StepRecorded]])
    """The steps of macros, by call."""

    def see(self, event: Event) -> None:
        """Take the next event in."""
        if isinstance(event, ToolsFound):
            self.found += tuple(name for name in event.found if name not in self.found)
        elif isinstance(event, StepRecorded):
            self.steps.setdefault(event.call_id, []).append(event)
