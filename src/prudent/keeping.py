"""How a live run is kept: its ownership renewed, its orders from other processes read."""

from __future__ import annotations

import time
from contextlib import suppress

from prudent.answers import answers, with_rule
from prudent.errors import JournalError
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.journal.decisions import decision_of
from prudent.journal.run_journal import RunJournal
from prudent.journal.standing_rules import FORGET

RENEW_SECONDS = 4.0
"""How often the owner gives a sign of life; the lease lasts several times as long."""


class JournalKeeper:
    """Keeps one run through its journal; `runs.Keeper`."""

    def __init__(self, journal: RunJournal) -> None:
        self._journal = journal
        self._renewed = time.monotonic()
        self._stop: str | None = None
        self._decisions: list[ApprovalDecided] = []
        self.forgotten: set[str] = set()
        """Ids of the standing rules that were taken back since the run was taken up."""

    def renew(self) -> None:
        """Say that the owner is alive, when that is due. Raises OwnershipLost when the run is another's by now."""
        if time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._journal.renew()
            self._renewed = time.monotonic()

    def stop_requested(self) -> str | None:
        """Tell whether another process asked for a stop, with its reason."""
        self._read()
        return self._stop

    def decision_on(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Give the first decision that somebody made about this question; all others about its call have had their time."""
        self._read()
        about = [decision for decision in self._decisions if decision.call_id == question.call_id]
        self._decisions = [decision for decision in self._decisions if decision.call_id != question.call_id]
        first = next((decision for decision in about if answers(question, decision)), None)
        return with_rule(question, first) if first else None

    def close(self) -> None:
        """Let go of the run, if its end has not done so already. Where that fails the lease runs out by itself."""
        with suppress(JournalError):
            self._journal.release()

    def _read(self) -> None:
        for entry in self._journal.take():
            if entry.kind == "stop":
                self._stop = str(entry.data.get("reason") or "stopped from another process")
            elif entry.kind == "decision":
                self._decisions.append(decision_of(entry.data))
            elif entry.kind == FORGET:
                self.forgotten.add(str(entry.data.get("rule_id")))
