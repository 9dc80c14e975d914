"""Writes a recorded run to standard output: to read, as JSON, or as it went over the wire."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from prudent.cli.discretion import Discretion
from prudent.cli.ending import cost_line
from prudent.cli.raw import raw_exchanges
from prudent.cli.terminals import is_lively
from prudent.cli.text import as_json, visible
from prudent.cli.timeline import Timeline
from prudent.events import Event, RunStarted
from prudent.result import result_of
from prudent.state import RunState
from prudent.types import JSONObject


def write_timeline(events: Sequence[Event]) -> None:
    """Write the run to be read, in colours where the terminal has them."""
    discretion = _knowing(events)
    lines = [*Timeline().lines(events), cost_line(_result(events))]
    if is_lively(sys.stdout):
        from rich.console import Console  # slow to import, and needed only in a terminal

        from prudent.cli.live import as_text

        console = Console(file=sys.stdout, highlight=False, emoji=False)
        for text in lines:
            console.print(as_text(text.changed(discretion.text)))
        return
    for text in lines:
        sys.stdout.write(text.changed(discretion.text).text + "\n")


def run_json(events: Sequence[Event]) -> str:
    """Give the run's result and its events as one JSON object."""
    discretion = _knowing(events)
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    facts: JSONObject = {"agent": started.agent, "task": started.task, "started_at": started.at} if started else {}
    listed = [discretion.event_json(event) for event in events]
    return as_json({**discretion.mapping({**_result(events), **facts}), "events": listed})


def write_raw(events: Sequence[Event]) -> None:
    """Write the bytes of each model call; in a terminal with control characters spelled out."""
    for piece in raw_exchanges(events):
        if sys.stdout.isatty():
            sys.stdout.write(visible(piece.decode(errors="replace")))
        else:
            sys.stdout.buffer.write(piece)


def _knowing(events: Sequence[Event]) -> Discretion:
    discretion = Discretion()
    for event in events:
        discretion.notice(event)
    return discretion


def _result(events: Sequence[Event]) -> JSONObject:
    state = RunState()
    for event in events:
        state.apply(event)
    return result_of(state).as_json()
