"""How a live run is kept: its ownership renewed, its orders from other processes read."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import cast

from prudent.errors import JournalError
from prudent.events import ApprovalDecided, Decision
from prudent.journal.inbox import InboxEntry
from prudent.journal.run_journal import RunJournal

RENEW_SECONDS = 4.0
"""How often the owner gives a sign of life; the lease lasts several times as long."""


class JournalKeeper:
    """Keeps one run through its journal; `runs.Keeper`."""

    def __init__(self, journal: RunJournal) -> None:
        self._journal = journal
        self._renewed = time.monotonic()
        self._stop: str | None = None
        self._decisions: list[ApprovalDecided] = []

    def renew(self) -> None:
        """Say that the owner is alive, when that is due. Raises OwnershipLost when the run is another's by now."""
        if time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._journal.renew()
            self._renewed = time.monotonic()

    def stop_requested(self) -> str | None:
        """Tell whether another process asked for a stop, with its reason."""
        self._read()
        return self._stop

    def decisions(self) -> list[ApprovalDecided]:
        """Give the decisions that were not given before."""
        self._read()
        decisions, self._decisions = self._decisions, []
        return decisions

    def close(self) -> None:
        """Let go of the run, if its end has not done so already. Where that fails the lease runs out by itself."""
        with suppress(JournalError):
            self._journal.release()

    def _read(self) -> None:
        for entry in self._journal.take():
            if entry.kind == "stop":
                self._stop = str(entry.data.get("reason") or "stopped from another process")
            elif entry.kind == "decision":
                self._decisions.append(decision_of(entry))


def decision_of(entry: InboxEntry) -> ApprovalDecided:
    """Read a decision off a note."""
    data = entry.data
    arguments, asked_at = data.get("arguments"), data.get("asked_at")
    return ApprovalDecided(
        call_id=str(data.get("call_id", "")),
        decision=cast(Decision, data.get("decision", "reject")),
        decided_by=str(data.get("decided_by", "")),
        reason=str(data.get("reason") or ""),
        arguments=arguments if isinstance(arguments, dict) else None,
        result=data.get("result"),
        asked_at=asked_at if isinstance(asked_at, float) else None,
    )
