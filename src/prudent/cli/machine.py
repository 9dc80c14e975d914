"""Standard output for machines: one JSON object, or events as JSON lines and the object last; nothing else gets there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from typing import TextIO

from prudent.cli.discretion import Pieces
from prudent.cli.faces import Face
from prudent.cli.narration import Line
from prudent.cli.text import as_json
from prudent.events import Event
from prudent.types import JSONObject


def fill_missing_streams() -> None:
    """Open standard streams that were closed by whoever started us on nothing, so that no file of ours takes their number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))


def take_stdout() -> TextIO:
    """Keep standard output for ourselves: whatever else is written there from now on goes to standard error.

    So a `print` in a tool, or in a program that a tool starts, cannot spoil the JSON.
    """
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
        own = os.dup(number)
    except (OSError, ValueError):  # no real file behind it, as under a test runner
        return sys.stdout
    os.dup2(sys.stderr.fileno(), number)
    return os.fdopen(own, "w", encoding="utf-8", errors="backslashreplace")


class JsonFace:
    """Writes JSON to `out`; people see the run in `people`, if there are any."""

    def __init__(
        self,
        out: TextIO,
        people: Face | None = None,
        *,
        redact: Callable[[JSONObject], JSONObject],
        event_json: Callable[[Event], JSONObject] | None = None,
    ) -> None:
        self._out = out
        self._redact = redact
        self._people = people
        self._event_json = event_json
        self._pieces = Pieces()

    def watch(self, event: Event) -> None:
        """Write the event as a line, where events were asked for; `event_json` has redacted it."""
        if self._people:
            self._people.watch(event)
        if self._event_json:
            for ready in self._pieces.settle(event):
                self._out.write(as_json(self._event_json(ready)) + "\n")
            self._out.flush()

    def say(self, text: Line) -> None:
        """Tell people."""
        if self._people:
            self._people.say(text)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Hold what people see."""
        with self._people.paused() if self._people else nullcontext():
            yield

    def end(self, result: JSONObject) -> None:
        """Write the object."""
        if self._people:
            self._people.end(result)
        self._out.write(as_json(self._redact(result)) + "\n")
        self._out.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._people:
            self._people.close()
