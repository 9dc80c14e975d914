"""The one way a run changes: an event is recorded, applied to the state, and shown to those who watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from prudent.events import Event
from prudent.ports import Journal
from prudent.state import RunState
from prudent.types import Clock, SystemClock

Watcher = Callable[[Event], None]


@dataclass(slots=True)
class Recorder:
    """Records first, then applies: what the state knows is on record."""

    journal: Journal
    state: RunState
    clock: Clock = field(default_factory=SystemClock)
    watchers: list[Watcher] = field(default_factory=list[Watcher])

    def emit(self, event: Event) -> None:
        """Stamp, record, apply and show one event."""
        event = replace(event, at=self.clock.now())
        if event.recorded:
            self.journal.append(event)
        self.state.apply(event)
        for watch in self.watchers:
            watch(event)
