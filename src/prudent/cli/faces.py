"""How a run shows itself: lines, a live view, or machine-readable JSON. One is chosen at the start of a command."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from prudent.cli.narration import Line
from prudent.events import Event
from prudent.types import JSONObject


class Face(Protocol):
    """Shows one run."""

    def watch(self, event: Event) -> None:
        """Show an event; called in the run's own loop, so it must be quick."""
        ...

    def say(self, text: Line) -> None:
        """Show a line that is not an event: a notice, a question."""
        ...

    def paused(self) -> AbstractContextManager[None]:
        """Give a context in which nothing moves on the screen, since somebody is asked."""
        ...

    def end(self, result: JSONObject) -> None:
        """Show how it ended; `result` is the object of `--json`."""
        ...

    def close(self) -> None:
        """Leave the terminal as it was; may be called from any thread, and twice."""
        ...
