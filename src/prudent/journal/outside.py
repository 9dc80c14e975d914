"""Ends a run that its owner cannot end: it is dead, or it hangs."""

from __future__ import annotations

import time
from pathlib import Path

from prudent.events import CallEnded, CallStatus, Event, IncompleteReason, RunEnded, RunStatus
from prudent.journal.codec import compact_json
from prudent.journal.rows import ToolCallRow
from prudent.journal.store import JournalStore
from prudent.types import JSON

_OPEN: frozenset[CallStatus] = frozenset({"pending", "running"})
_ENDED: frozenset[RunStatus] = frozenset({"completed", "incomplete", "stopped", "failed"})


def end_from_outside(
    path: Path | str,
    run_id: str,
    *,
    status: RunStatus = "stopped",
    reason: IncompleteReason | None = None,
    output: JSON = None,
    seconds: float = 0.0,
    error: str = "",
    patience_seconds: float = 1.0,
) -> bool:
    """End a run over its own connection, from any thread or process; whoever owned the run can write nothing afterwards.

    Calls that wait or run become `stopped`; those of unknown outcome stay so, since stopping tells nothing about them.
    Runs of sub-agents that worked for it end, too.

    Args:
        path: The journal's file.
        run_id: The run's whole id.
        status: What the run ends as.
        reason: Why it is incomplete, where that is the status.
        output: The partial answer, where there is one.
        seconds: Working time of this sitting.
        error: What a person should know about it.
        patience_seconds: How long to wait for somebody else's write.

    Returns:
        False when the run had ended already, and nothing was written.
    """
    with JournalStore(path, must_exist=True, patience_seconds=patience_seconds) as store:
        end = RunEnded(at=time.time(), status=status, reason=reason, output=output, error=error, seconds=seconds)
        ended = _end(store, run_id, end)
        end_sub_runs(store, run_id)
        return ended


def end_sub_runs(store: JournalStore, run_id: str) -> None:
    """Stop what sub-agents left behind when the run they worked for ended: nobody will ask for their answers."""
    for sub_run_id in store.open_sub_runs(run_id):
        _end(store, sub_run_id, RunEnded(at=time.time(), status="stopped", error=f"the run {run_id} it worked for has ended"))


def _end(store: JournalStore, run_id: str, end: RunEnded) -> bool:
    if store.run(run_id).status in _ENDED:
        return False
    journal = store.seize(run_id, owner="ended from outside")
    if store.run(run_id).status in _ENDED:
        journal.release()
        return False
    calls = [_ended(call, end.at) for call in store.tool_calls(run_id) if call.status in _OPEN]
    events: list[Event] = [*calls, end]
    journal.append_all(events)
    return True


def _ended(call: ToolCallRow, now: float) -> CallEnded:
    ran = call.status == "running"
    reason = (
        "the run was stopped while this call ran; it may have had its effect" if ran else "the run was stopped before this call"
    )
    shown = compact_json({"error": {"kind": "stopped", "reason": reason, "fix": "look before you do it again"}})
    seconds = max(0.0, now - call.started_at) if ran and call.started_at else 0.0
    return CallEnded(
        at=now, turn=call.turn, call_id=call.call_id, status="stopped", error_kind="stopped", shown=shown, seconds=seconds
    )
