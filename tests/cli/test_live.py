"""The live view: finished things scroll by, the moving rows fit the terminal, also in Chinese."""

from __future__ import annotations

import io
import re
from typing import TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from prudent.cli.live import LiveFace, fit, text_rows
from prudent.cli.narration import Narrator, line
from prudent.events import CallEnded, CallPrepared, CallStarted, ModelCallStarted, RunStarted, TextArrived

WIDTH = 60


def face_into(stream: TextIO, narrator: Narrator) -> LiveFace:
    console = Console(file=stream, force_terminal=True, width=WIDTH, height=24, highlight=False, emoji=False, color_system=None)
    return LiveFace(stream, narrator, redact=lambda text: text.replace("hunter2", "[redacted]"), console=console)


def frame(narrator: Narrator) -> list[str]:
    """Draw the moving rows once, as they stand on the screen."""
    stream = io.StringIO()
    face = face_into(stream, narrator)
    console = Console(file=stream, force_terminal=True, width=WIDTH, color_system=None)
    console.print(face._now())  # pyright: ignore[reportPrivateUsage] what is drawn is what is tested
    return stream.getvalue().splitlines()


def test_finished_things_are_printed_and_the_cursor_comes_back():
    stream = io.StringIO()
    face = face_into(stream, Narrator())
    face.watch(RunStarted(run_id="r1", agent="a", task="t", model="m", at=1.0))
    face.watch(CallPrepared(turn=1, position=0, call_id="c1", tool_name="search", arguments={"q": "hunter2"}))
    face.watch(CallStarted(turn=1, call_id="c1"))
    face.watch(CallEnded(turn=1, call_id="c1", status="ok", shown="two hits", seconds=1.5))
    face.end({"run_id": "r1", "status": "completed", "output": "Answer: hunter2", "usage": {}, "cost": 0.0})
    text = stream.getvalue()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    for part in ("a · m · run r1", "✓ search", "two hits", "Answer: [redacted]", "no cost"):
        assert part in plain
    assert "hunter2" not in plain
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


def test_running_calls_text_and_figures_are_drawn():
    narrator = Narrator()
    for event in (
        RunStarted(run_id="r1", agent="a", task="t", model="m", at=1.0),
        ModelCallStarted(turn=3, purpose="turn", messages=(), tools=(), settings={}),
        TextArrived(turn=3, text="年费套餐在购买后三十天内可以退。" * 6),
        CallPrepared(turn=3, position=0, call_id="c1", tool_name="search", arguments={"query": "年费套餐" * 20}),
        CallStarted(turn=3, call_id="c1", at=1.0),
    ):
        narrator.tell(event)
    rows = frame(narrator)
    assert "search" in rows[0]
    assert rows[0].rstrip().endswith(" s") or rows[0].rstrip().endswith("min")
    assert "turn 3" in rows[-1]
    assert "Ctrl-C stops" in rows[-1]
    assert all(cell_len(row.rstrip()) <= WIDTH for row in rows)


def test_nothing_moves_while_somebody_is_asked():
    stream = io.StringIO()
    face = face_into(stream, Narrator())
    face.watch(RunStarted(run_id="r1", agent="a", task="t", model="m", at=1.0))
    with face.paused():
        before = stream.getvalue()
        face.watch(CallPrepared(turn=1, position=0, call_id="c1", tool_name="search", arguments={}))
        face.watch(CallEnded(turn=1, call_id="c1", status="ok", shown="two hits"))
        assert stream.getvalue() == before
        face.say(line("a question"))
        assert "a question" in stream.getvalue()
    assert "two hits" in stream.getvalue()
    face.end({"status": "completed", "output": ""})


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_fit_fits(text: str, cells: int):
    assert cell_len(fit(text, cells)) <= cells


@given(st.text(alphabet="ab 中文，\n\t"), st.integers(min_value=2, max_value=30))
def test_rows_fit_and_are_few(text: str, width: int):
    rows = text_rows(text, width)
    assert len(rows) <= 8
    assert all(cell_len(row) <= width for row in rows)


def test_the_last_rows_are_shown():
    assert text_rows("\n".join("abcdefghijkl"), 10)[-1] == "l"


@pytest.mark.parametrize("text", ["", "\n", "   "])
def test_no_text_needs_no_care(text: str):
    assert all(not row.strip() for row in text_rows(text, 20))
