"""The live face: what has happened scrolls by as lines, and below it stands what is going on at this moment."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from prudent.cli.board import Board, CallView
from prudent.cli.ending import ending_lines
from prudent.cli.narration import Line, Narrator, Style
from prudent.cli.text import arguments_line, count, one_line, seconds_text, visible
from prudent.events import Event
from prudent.types import JSONObject

STYLES: dict[Style, str] = {
    "": "",
    "dim": "dim",
    "strong": "bold",
    "good": "green",
    "bad": "red",
    "warn": "yellow",
    "name": "cyan",
}
FRAMES_PER_SECOND = 8
TEXT_LINES = 8
_SHOW_CURSOR = b"\x1b[?25h"


def as_text(text: Line) -> Text:
    """Give a line its styles."""
    return Text.assemble(*((part, STYLES[style]) for style, part in text.parts), overflow="fold")


class LiveFace:
    """Shows a run in a terminal. Finished things are printed once; only the last few rows change."""

    def __init__(
        self,
        out: TextIO,
        narrator: Narrator,
        *,
        database: str = "",
        redact: Callable[[str], str],
        ending: bool = True,
        console: Console | None = None,
    ) -> None:
        self._out = out
        self._narrator = narrator
        self._database = database
        self._redact = redact
        self._ending = ending
        self._console = console or Console(file=out, highlight=False, emoji=False)
        self._spinner = Spinner("dots")
        self._live: Live | None = None
        self._held: list[Line] | None = None
        """Lines that wait until a question is answered; None while nothing is asked."""

    def watch(self, event: Event) -> None:
        """Print what has happened; what goes on is drawn by itself, several times a second."""
        lines = self._narrator.tell(event)
        if self._held is not None:
            self._held += lines
            return
        if self._live is None:
            self._live = self._started()
        self._print(lines)

    def say(self, text: Line) -> None:
        """Print a line above what goes on."""
        self._print([text])

    @contextmanager
    def paused(self) -> Generator[None]:
        """Take the moving rows off the screen while somebody is asked; what happens meanwhile is told afterwards."""
        self._stop()
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            self._print(held)

    def end(self, result: JSONObject) -> None:
        """Print the answer, on what grounds, and what it cost."""
        self._stop()
        if self._ending:
            self._print(ending_lines(result, self._narrator.board, database=self._database))

    def close(self) -> None:
        """Stop drawing and show the cursor again, whatever state the drawing is in."""
        with contextlib.suppress(Exception):
            if self._live:
                self._live.auto_refresh = False
            os.write(self._out.fileno(), _SHOW_CURSOR)

    def _print(self, lines: Sequence[Line]) -> None:
        """Print lines in one go, so that what moves below is drawn once."""
        if lines:
            self._console.print(Group(*(as_text(text.changed(self._redact)) for text in lines)))

    def _stop(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def _started(self) -> Live:
        live = Live(
            console=self._console,
            get_renderable=self._now,
            refresh_per_second=FRAMES_PER_SECOND,
            transient=True,
        )
        live.start()
        return live

    def _now(self) -> RenderableType:
        """Draw what goes on: running calls, the end of the streaming text, and one row of figures."""
        board, width = self._narrator.board, self._console.width
        rows: list[RenderableType] = [self._call_row(call, width) for call in board.running]
        rows += [Text(row, style="dim") for row in text_rows(self._redact(board.text), width)]
        rows.append(self._status_row(board, width))
        return Group(*rows)

    def _call_row(self, call: CallView, width: int) -> Text:
        took = seconds_text(max(0.0, time.time() - call.started_at))
        note = f"  {one_line(call.note, 60)}" if call.note else ""
        words = f"{visible(call.tool_name)} {arguments_line(call.arguments, 60)}{note}"
        return Text.assemble(
            self._frame(), " ", (fit(self._redact(words), width - cell_len(took) - 5), "cyan"), "  ", (took, "dim")
        )

    def _status_row(self, board: Board, width: int) -> Text:
        parts = [
            board.activity or ("working" if board.turn else "starting"),
            f"turn {board.turn}" if board.turn else "",
            count(board.usage.total_tokens, "token") if board.usage.total_tokens else "",
            seconds_text(max(0.0, time.time() - board.started_at)) if board.started_at else "",
            "Ctrl-C stops",
        ]
        return Text.assemble(self._frame(), (fit(" " + " · ".join(part for part in parts if part), width - 2).rstrip(), "dim"))

    def _frame(self) -> Text:
        frame = self._spinner.render(time.monotonic())
        return frame if isinstance(frame, Text) else Text("·")


def fit(text: str, cells: int) -> str:
    """Cut a text to so many cells of the terminal; a Chinese character takes two."""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, max(1, cells - 1)).rstrip() + "…"


def text_rows(text: str, width: int) -> list[str]:
    """Give the last rows of a text as they stand in the terminal."""
    rows: list[str] = []
    for paragraph in visible(text).expandtabs(4).splitlines()[-TEXT_LINES:]:
        rest = paragraph
        while cell_len(rest) > width:
            head = _head(rest, width)
            rows.append(head)
            rest = rest[len(head) :]
        rows.append(rest)
    return rows[-TEXT_LINES:]


def _head(text: str, cells: int) -> str:
    """Give the longest beginning that fits into so many cells, at least one character."""
    end, used = 0, 0
    for character in text:
        used += cell_len(character)
        if used > cells:
            break
        end += 1
    return text[: max(1, end)]
