"""Reads a run's state back from its record."""

from __future__ import annotations

from prudent.journal.records import Records
from prudent.state import RunState


def replay(records: Records, run_id: str) -> RunState:
    """Fold a run's events into what the run knew when it wrote the last of them; raises RunNotFound."""
    state = RunState()
    for event in records.read(run_id):
        state.apply(event)
    return state
