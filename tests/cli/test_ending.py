"""How a run ended, in words."""

from __future__ import annotations

from typing import Any

import pytest

from prudent.cli.board import Board, CallView
from prudent.cli.ending import ending_lines, place_in
from prudent.types import JSONObject


def result(**changes: Any) -> JSONObject:
    whole: dict[str, Any] = {
        "run_id": "r1",
        "status": "completed",
        "reason": None,
        "error": None,
        "output": "30 days.",
        "model": "m",
        "turns": 2,
        "model_calls": 3,
        "tool_calls": 1,
        "usage": {"input_tokens": 1000, "cached_tokens": 400, "output_tokens": 50},
        "cost": None,
        "seconds": 3.21,
        "artifacts": [],
        "pending": [],
    }
    return {**whole, **changes}


def words(given: JSONObject, board: Board | None = None, database: str = "") -> str:
    return "\n".join(line.text for line in ending_lines(given, board or Board(), database=database))


def board_with(status: Any) -> Board:
    board = Board()
    board.calls["c1"] = CallView("c1", "search", {"query": "plans"}, status=status)
    return board


def test_an_answer_stands_on_its_grounds_and_says_what_it_cost():
    text = words(result(), board_with("ok"))
    assert "30 days." in text
    assert 'Source: search query="plans"' in text
    last = text.splitlines()[-1]
    assert (
        last
        == "completed · 2 turns · 1 call · 1,050 tokens (1,000 read, 400 of them cached, 50 written) · 3.2 s · cost unknown"
    )


def test_an_answer_without_tools_says_so():
    assert "Source: none; no tool was used" in words(result())


@pytest.mark.parametrize(
    ("shown", "place"),
    [
        (
            "2 of 7 passages:\n[4] Returns › Yearly plan (returns.md, line 5; score 8.77)\n[2] (plans.md, line 1)",
            "returns.md, line 5",
        ),
        ("[10] 常见问题 (常见问题.md, line 5; score 23)", "常见问题.md, line 5"),
        ("Returns (sub folder/returns.pdf, page 3)\nText", "sub folder/returns.pdf, page 3"),
        ('{"hits": 2, "source": "handbook/a.html"}', "handbook/a.html"),
        ("see https://example.com/a?b=1) for more", "https://example.com/a?b=1"),
        ("1299 * 19% = 246.81 (exact)", ""),
        ("about 3.5 (or 4.5)", ""),
    ],
)
def test_the_place_that_a_result_names_first_is_the_source(shown: str, place: str):
    assert place_in(shown) == place
    board = board_with("ok")
    board.calls["c1"].shown = shown
    expected = f'Source: {place}  (search query="plans")' if place else 'Source: search query="plans"'
    assert expected in words(result(), board)


def test_structured_output_is_shown_as_json():
    assert '"城市": "北京"' in words(result(output={"城市": "北京"}))


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("model_calls", "--max-model-calls"),
        ("seconds", "--seconds"),
        ("tokens", "[budget]"),
        ("cost", "[budget]"),
        ("repetition", "prudent show r1"),
        ("truncated", "max_tokens"),
        ("empty", "prudent show r1 --raw"),
    ],
)
def test_a_partial_result_never_looks_finished(reason: str, hint: str):
    text = words(result(status="incomplete", reason=reason, output="half"))
    assert text.lstrip().startswith("Incomplete:")
    assert "What is known so far:" in text
    assert hint in text


def test_what_waits_is_shown_with_the_commands_that_answer_it():
    pending = [
        {"kind": "call", "call_id": "c1", "tool_name": "send", "arguments": {"to": "ann"}, "preview": "would send to ann"},
        {"kind": "unknown_outcome", "call_id": "c2", "tool_name": "pay", "arguments": {"amount": 5}, "preview": "pay: …"},
    ]
    text = words(result(status="awaiting_approval", output=None, pending=pending), database="other.db")
    for part in (
        "Waiting for a decision about 2 calls",
        "would send to ann",
        "prudent approve r1 c1 --db other.db",
        'prudent approve r1 c1 --reject "REASON" --db other.db',
        "prudent approve r1 c2 --happened --db other.db",
        "prudent approve r1 c2 --retry --db other.db",
        "prudent resume r1 --db other.db",
    ):
        assert part in text


def test_a_stop_says_what_was_under_way():
    text = words(result(status="stopped", output=None, error="Ctrl-C"), board_with("stopped"))
    assert "Stopped. Ctrl-C" in text
    assert 'search query="plans"' in text
    assert "prudent resume r1" in text


def test_a_stop_in_the_middle_of_a_model_call_says_so():
    assert "the model (thinking)" in words(result(status="stopped", output=None), Board(activity="thinking"))


def test_a_failure_says_why_and_where_to_look():
    text = words(result(status="failed", output=None, error="openai answered 401"))
    assert "Failed: openai answered 401" in text
    assert "prudent show r1" in text
