"""Calls that wait for a decision: those of all runs, and the decision about one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from prudent.cli.ending import choice_lines, pending_lines
from prudent.cli.narration import Line, line
from prudent.cli.records import open_records
from prudent.errors import ConfigurationError
from prudent.journal.rows import ApprovalRow
from prudent.types import JSONObject

OUTCOMES = ("happened", "retry", "skip")
"""Decisions about a call whose outcome is unknown; no other decision answers that."""


def waiting_calls(database: Path) -> list[JSONObject]:
    """List what waits in runs that are parked or under way, the oldest question first."""
    with open_records(database) as store:
        alive = {run.run_id for status in ("awaiting_approval", "running") for run in store.runs(status=status, limit=1000)}
        rows = [row for row in store.approvals(undecided=True) if row.run_id in alive]
    return [
        {
            "run_id": row.run_id,
            "kind": row.kind,
            "call_id": row.call_id,
            "tool_name": row.tool_name,
            "arguments": cast("JSONObject", json.loads(row.arguments)),
            "preview": row.preview,
            "asked_at": row.asked_at,
        }
        for row in rows
    ]


def waiting_lines(calls: Sequence[JSONObject], database: str) -> list[Line]:
    """Write what waits, with the commands that answer it."""
    if not calls:
        return [line("nothing waits for a decision")]
    lines: list[Line] = []
    for call in calls:
        lines += [line(("strong", f"run {call['run_id']}")), *pending_lines(call)]
        lines += choice_lines(call, str(call["run_id"]), database)
    return lines


def decide(database: Path, run: str, call: str, note: JSONObject) -> ApprovalRow:
    """Leave a decision for a run; raises ConfigurationError when nothing of that kind waits there."""
    with open_records(database) as store:
        run_id = store.find(run)
        waiting = store.approvals(run_id, undecided=True)
        row = _named(waiting, call)
        if row is None:
            there = f"\n    what waits there: {', '.join(row.call_id for row in waiting) or 'nothing'}"
            raise ConfigurationError(f"no call {call!r} of run {run_id} waits for a decision{there}")
        _refuse_misfit(row, str(note["decision"]))
        store.post(run_id, "decision", {"call_id": row.call_id, **note})
    return row


def _named(waiting: Sequence[ApprovalRow], call: str) -> ApprovalRow | None:
    """Find the waiting call of that id, or the only one whose id begins so."""
    exact = [row for row in waiting if row.call_id == call]
    begun = [row for row in waiting if call and row.call_id.startswith(call)]
    return exact[-1] if exact else begun[0] if len(begun) == 1 else None


def _refuse_misfit(row: ApprovalRow, decision: str) -> None:
    """An unknown outcome takes the decisions about outcomes, any other question the rest."""
    if row.kind == "unknown_outcome" and decision not in OUTCOMES:
        raise ConfigurationError(
            f"nobody knows whether {row.tool_name} ({row.call_id}) took effect, so it cannot be answered by {decision}: "
            "look, then give --happened, --retry or --skip"
        )
    if row.kind != "unknown_outcome" and decision in OUTCOMES:
        raise ConfigurationError(
            f"{row.tool_name} ({row.call_id}) has not run yet: --{decision} does not fit; approve or reject it"
        )
