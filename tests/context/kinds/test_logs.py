"""Logs: head, tail, and between them what matters."""

from __future__ import annotations

import re

from prudent.context.kinds.diffs import looks_like_diff
from prudent.context.kinds.logs import looks_like_log, shorten_log

QUIET = [
    f"2031-05-04 10:{number // 60 % 60:02d}:{number % 60:02d} INFO request {number} served in {number % 9} ms"
    for number in range(3000)
]


def log_with(place: int, line: str) -> str:
    return "\n".join([*QUIET[:place], line, *QUIET[place:]])


def test_an_error_in_the_middle_is_shown_with_its_place() -> None:
    text = log_with(1500, "2031-05-04 10:25:00 ERROR payment 77 refused: card expired")
    draft = shorten_log(text, 2000, ())
    assert len(draft.body) <= 2000
    assert QUIET[0] in draft.body
    assert QUIET[-1] in draft.body
    found = re.search(r"line 1,501 at start=(\d+): (.*)", draft.body)
    assert found
    assert text[int(found[1]) :].startswith(found[2])


def test_a_line_unlike_the_others_is_shown_even_if_it_names_no_error() -> None:
    draft = shorten_log(log_with(2000, "2031-05-04 10:30:00 INFO door opened by a stranger"), 2000, ())
    assert "door opened by a stranger" in draft.body


def test_lines_with_the_words_of_the_task_are_shown() -> None:
    draft = shorten_log("\n".join(QUIET), 2000, ("request", "1234"))
    assert "request 1234 served" in draft.body


def test_a_rare_error_comes_before_one_that_fills_the_log() -> None:
    noisy = [f"2031-05-04 10:00:00 ERROR cache miss {number}" for number in range(3000)]
    draft = shorten_log("\n".join([*noisy[:1000], "2031-05-04 10:00:01 ERROR disk full", *noisy[1000:]]), 2000, ())
    assert "disk full" in draft.body


def test_reading_goes_on_behind_the_head() -> None:
    text = "\n".join(QUIET)
    draft = shorten_log(text, 2000, ())
    head = draft.body.split("\n… ")[0]
    assert text[: draft.next_start].rstrip("\n") == head
    tail = draft.body.split(" to the end:\n")[1]
    assert draft.left_out == f"{len(text) - len(head) - len(tail) - 2:,} of {len(text):,} characters"


def test_very_long_lines_are_cut() -> None:
    draft = shorten_log("\n".join([*QUIET[:20], "x" * 9000, *QUIET[:20]]), 2000, ())
    assert len(draft.body) <= 2000


def test_logs_are_told_from_other_texts() -> None:
    assert looks_like_log("\n".join(QUIET))
    assert looks_like_log("[10:00:01] start\n" * 20)
    assert looks_like_log("collecting\n" * 60 + "FAILED tests/a.py\nE   assert 1 == 2\n")
    assert not looks_like_log("A story of a man and his dog. " * 100)
    assert not looks_like_log("def f():\n    raise ValueError('error')\n" * 40)
    assert not looks_like_diff("\n".join(QUIET))
