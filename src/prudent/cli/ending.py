"""How a run ended, in words: the answer, on what grounds, what it cost, and what can be done next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from prudent.cli.board import Board
from prudent.cli.narration import Line, call_line, line
from prudent.cli.text import arguments_line, as_json, cost_text, count, one_line, seconds_text, visible
from prudent.types import JSON, JSONObject

MOST_SOURCES = 5

_PLACE = re.compile(
    r"""\(([^()\n;]*?[^\s().;/]\.[A-Za-z][A-Za-z0-9]{0,4}(?:,\ [^()\n;]{1,30})?)[;)]   # (returns.md, line 5; …)
    |"(?:source|place|path|file|url)":\s*"([^"\n]{1,200})"                         # "source": "returns.md"
    |(https?://[^\s)>\]"']+)""",
    re.VERBOSE,
)

_WHY_INCOMPLETE = {
    "model_calls": ("the budget of model calls is spent", "give it more: --max-model-calls N, or `model_calls` in [budget]"),
    "seconds": ("the time is up", "give it more: --seconds S, or `seconds` in [budget]"),
    "tokens": ("the budget of tokens is spent", "raise `tokens` in [budget]"),
    "cost": ("the budget of money is spent", "raise `cost` in [budget]"),
    "repetition": ("it was going round in circles", "see which call: {show}"),
    "truncated": ("the model's answer was cut off for length", "raise `max_tokens` in the agent"),
    "empty": ("the model gave no answer, though it was asked twice", "see what it sent: {show} --raw"),
}


def ending_lines(result: JSONObject, board: Board, *, database: str = "") -> Sequence[Line]:
    """Write the end of a run. `database` is named in the commands for what comes next, unless it is the usual one."""
    commands = _Commands(str(result.get("run_id", "")), database)
    status = str(result.get("status", ""))
    lines = [line("")]
    if status == "completed":
        lines += _answer(result.get("output"))
        lines += _sources(board)
    elif status == "incomplete":
        lines += _incomplete(result, commands)
    elif status == "awaiting_approval":
        lines += _waiting(result, commands)
    elif status == "stopped":
        lines += _stopped(result, board, commands)
    else:
        lines += [
            line(("bad", "Failed: "), visible(str(result.get("error") or "no reason was recorded"))),
            commands.line("look at it", "show"),
        ]
    return [*lines, cost_line(result)]


class _Commands:
    """Commands that can be typed as they stand."""

    def __init__(self, run_id: str, database: str) -> None:
        self.run_id = run_id
        self._database = f" --db {database}" if database else ""

    def text(self, command: str, *rest: str) -> str:
        return " ".join(["prudent", command, self.run_id, *rest]) + self._database

    def line(self, purpose: str, command: str, *rest: str) -> Line:
        return line(("dim", f"  {purpose}: "), ("strong", self.text(command, *rest)))


def _answer(output: JSON) -> list[Line]:
    text = output if isinstance(output, str) else as_json(output, indent=2)
    return [line(part) for part in visible(text).splitlines()]


def _sources(board: Board) -> list[Line]:
    """Name the calls that the answer can rest on, each with the place that its result names first."""
    calls = board.grounds[-MOST_SOURCES:]
    if not calls:
        return [line(""), line(("dim", "Source: none; no tool was used, the model answered from what it knows."))]
    lines = [line("")]
    for number, call in enumerate(calls):
        place = place_in(call.shown)
        used = f"{visible(call.tool_name)} {arguments_line(call.arguments, 60)}".strip()
        lines.append(line(("dim", "Source: " if number == 0 else "        "), ("dim", f"{place}  ({used})" if place else used)))
    return lines


def place_in(shown: str) -> str:
    """Find the document or address that a result names first; "" when it names none."""
    found = _PLACE.search(shown)
    return one_line(next(filter(None, found.groups()), "")) if found else ""


def _incomplete(result: JSONObject, commands: _Commands) -> list[Line]:
    why, hint = _WHY_INCOMPLETE.get(str(result.get("reason")), ("a limit was reached", "{show}"))
    detail = str(result.get("error") or "")
    lines = [line(("warn", f"Incomplete: {why}"), f" ({visible(detail)})" if detail else "")]
    if result.get("output") not in (None, ""):
        lines += [line(("dim", "  What is known so far:")), *_answer(result["output"])]
    return [*lines, line(("dim", "  " + hint.format(show=commands.text("show"))))]


def _waiting(result: JSONObject, commands: _Commands) -> list[Line]:
    pending = cast("list[dict[str, Any]]", result.get("pending") or [])
    lines = [line(("warn", f"Waiting for a decision about {count(len(pending), 'call')}:"))]
    for item in pending:
        lines += [*pending_lines(item), *_choice_lines(item, commands)]
    return [*lines, commands.line("then", "resume")]


def pending_lines(item: JSONObject) -> list[Line]:
    """Write one waiting call with its preview."""
    kind = "" if item.get("kind") == "call" else f"  ({str(item.get('kind')).replace('_', ' ')})"
    arguments = cast("JSONObject", item.get("arguments") or {})
    preview = visible(str(item.get("preview") or "")).splitlines()
    head = line("  ", ("name", visible(str(item.get("tool_name")))), f" {arguments_line(arguments, 200)}", ("warn", kind))
    return [head, *(line(("dim", f"    {text}")) for text in preview[:20])]


def choice_lines(item: JSONObject, run_id: str, database: str) -> list[Line]:
    """Write the commands that decide about one waiting call."""
    return _choice_lines(item, _Commands(run_id, database))


def _choice_lines(item: JSONObject, commands: _Commands) -> list[Line]:
    return [commands.line(purpose, "approve", *words) for purpose, words in _choices(item)]


def _choices(item: JSONObject) -> list[tuple[str, list[str]]]:
    call_id = str(item.get("call_id"))
    if item.get("kind") == "unknown_outcome":
        return [
            (purpose, [call_id, option])
            for purpose, option in (("it happened", "--happened"), ("run it again", "--retry"), ("leave it", "--skip"))
        ]
    always = [("always", [call_id, "--always"])] if item.get("kind") == "call" and item.get("each_time") is False else []
    return [("yes", [call_id]), *always, ("no", [call_id, '--reject "REASON"'])]


def _stopped(result: JSONObject, board: Board, commands: _Commands) -> list[Line]:
    cut = [call for call in board.calls.values() if call.status in ("stopped", "abandoned", "running", "pending", "unknown")]
    error = str(result.get("error") or "")
    lines = [line(("warn", "Stopped."), f" {one_line(error, 200)}" if error else "")]
    if cut:
        lines += [line(("dim", "  Under way then:")), *(line("  ", *call_line(call).parts) for call in cut)]
    elif board.activity:
        lines.append(line(("dim", f"  Under way then: the model ({board.activity})")))
    return [*lines, commands.line("go on with it", "resume")]


def cost_line(result: JSONObject) -> Line:
    """Write what a run took, on one line."""
    usage = cast("dict[str, int]", result.get("usage") or {})
    read, written, cached = usage.get("input_tokens", 0), usage.get("output_tokens", 0), usage.get("cached_tokens", 0)
    cache = f", {cached:,} of them cached" if cached else ""
    cost = result.get("cost")
    parts = [
        str(result.get("status")).replace("_", " "),
        count(int(cast("int", result.get("turns") or 0)), "turn"),
        count(int(cast("int", result.get("tool_calls") or 0)), "call"),
        f"{count(read + written, 'token')} ({read:,} read{cache}, {written:,} written)",
        seconds_text(float(cast("float", result.get("seconds") or 0.0))),
        cost_text(float(cost) if isinstance(cost, (int, float)) else None),
    ]
    return line(("dim", " · ".join(parts)))
