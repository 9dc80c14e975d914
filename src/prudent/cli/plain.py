"""The plain face: lines, as they happen. For pipes, files, and terminals that cannot do more."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from prudent.cli.ending import ending_lines
from prudent.cli.narration import Line, Narrator
from prudent.events import Event
from prudent.types import JSONObject


class PlainFace:
    """Writes one line after another to `out`."""

    def __init__(
        self, out: TextIO, narrator: Narrator, *, database: str = "", redact: Callable[[str], str], ending: bool = True
    ) -> None:
        self._out = out
        self._narrator = narrator
        self._database = database
        self._redact = redact
        self._ending = ending

    def watch(self, event: Event) -> None:
        """Write what there is to tell of the event."""
        for text in self._narrator.tell(event):
            self.say(text)

    def say(self, text: Line) -> None:
        """Write a line."""
        self._write(text.changed(self._redact).text)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Nothing moves here."""
        yield

    def end(self, result: JSONObject) -> None:
        """Write the answer, on what grounds, and what it cost."""
        if not self._ending:
            return
        for text in ending_lines(result, self._narrator.board, database=self._database):
            self.say(text)

    def close(self) -> None:
        """Nothing was changed."""

    def _write(self, text: str) -> None:
        try:
            self._out.write(text + "\n")
        except UnicodeEncodeError:
            encoding = self._out.encoding or "ascii"
            self._out.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        self._out.flush()
