"""The record of one run, as its owner writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from prudent.errors import OwnershipLost
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    ModelCallEnded,
    RunEnded,
)
from prudent.journal.artifacts import JournalArtifacts
from prudent.journal.codec import describe, encode
from prudent.journal.contents import Contents
from prudent.journal.database import Database
from prudent.journal.inbox import Inbox, InboxEntry, secret_parameters_below
from prudent.journal.late_secrets import hide_in_reply
from prudent.journal.open_arguments import OpenArguments
from prudent.journal.ownership import let_go, lost, renew
from prudent.journal.projections import Entry, project
from prudent.journal.secrecy import Secrecy
from prudent.types import Clock, JSONObject

RELEASE_SECONDS: Final = 0.2
"""How long to wait for others' writes when a run is let go. Its end lets it go anyway, so this is after an error."""

_ADD_EVENT: Final = (
    "INSERT INTO events (run_id, seq, at, kind, data) SELECT ?, ?, ?, ?, ?"
    " WHERE EXISTS (SELECT 1 FROM owners WHERE run_id=? AND fence=?)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that this process owns."""

    run_id: str
    fence: int
    """Rises with every change of owner; whoever holds an older one can write nothing."""

    next_seq: int


class RunJournal:
    """Appends events to a run and keeps its projections. Its `Journal` port; made by `JournalStore.begin` and `claim`.

    After `RunEnded` the run is let go: to go on with it, claim it again.
    """

    def __init__(
        self,
        database: Database,
        claim: Claim,
        secrecy: Secrecy,
        *,
        record_raw: bool,
        clock: Clock,
        when_let_go: Callable[[RunJournal], None],
    ) -> None:
        """Work on a claimed run; `when_let_go` is told when it is no longer this journal's."""
        self.run_id = claim.run_id
        self.fence = claim.fence
        self.artifacts = JournalArtifacts(database, claim.run_id, claim.fence, secrecy)
        """Full results of this run by handle."""

        self.left_traces = False
        """Whether something secret was removed, whose bytes may still lie in the write-ahead log."""

        self._database = database
        self._secrecy = secrecy
        self._contents = Contents(database, secrecy, record_raw=record_raw)
        self._inbox = Inbox(database, claim.run_id)
        self._open_arguments = OpenArguments(database, claim.run_id)
        self._next_seq = claim.next_seq
        self._clock = clock
        self._when_let_go = when_let_go

    def append(self, event: Event) -> None:
        """Write one event and its projections in one transaction, on disk before it returns where the event asks for it.

        Raises OwnershipLost when another process owns the run, JournalError when it cannot be written. Events that are
        not recorded are passed over.
        """
        self.append_all((event,))

    def append_all(self, events: Sequence[Event]) -> None:
        """Write several events in one transaction: all of them, or none."""
        recorded = [event for event in events if event.recorded]
        if not recorded:
            return
        durable = any(isinstance(e, RunEnded) or (isinstance(e, CallStarted) and e.durable) for e in recorded)
        try:
            with self._database.transaction(durable=durable):
                first = self._next_seq or self._count_events() + 1
                for seq, event in enumerate(recorded, first):
                    self._write(seq, event)
        except BaseException as error:
            # What was stored is not certain (an interrupt may come just after the commit), so nothing counts as known.
            self._contents.forget()
            self._next_seq = 0
            if isinstance(error, OwnershipLost):
                self._when_let_go(self)
            raise
        self._next_seq = first + len(recorded)
        if isinstance(recorded[-1], RunEnded):
            self._contents.forget()
            self._when_let_go(self)

    def take(self) -> list[InboxEntry]:
        """Give the new notes to this run, each once; cheap when there are none."""
        return self._inbox.take()

    @property
    def latest_note(self) -> int:
        """Number of the note that `take` gave last."""
        return self._inbox.latest

    def renew(self) -> None:
        """Give a sign of life, due every few seconds; raises OwnershipLost when the run is another's by now."""
        with self._database.transaction():
            renew(self._database, self.run_id, self.fence, self._clock.now())

    def release(self) -> None:
        """Let the run go without an end, so that it can be claimed at once; harmless when it is another's already.

        Where somebody else writes for long this fails, and the run is let go when its lease has run out.
        """
        with self._database.impatient(RELEASE_SECONDS), self._database.transaction():
            let_go(self._database, self.run_id, self.fence)
        self._contents.forget()
        self._when_let_go(self)

    def export(self, event: Event) -> JSONObject:
        """Write an event whole as JSON that may be shown to anybody: redacted, this run's secret parameters too."""
        return self._secrecy.event(describe(event, self._secrecy.message))[0]

    def _count_events(self) -> int:
        return cast(int, self._database.query("SELECT COUNT(*) FROM events WHERE run_id=?", (self.run_id,))[0][0])

    def _write(self, seq: int, event: Event) -> None:
        self._learn(event)
        data, text = self._secrecy.event(encode(event, self._contents))
        kind = type(event).__name__
        parameters = (self.run_id, seq, event.at, kind, text, self.run_id, self.fence)
        if not self._database.execute(_ADD_EVENT, parameters).rowcount:
            raise lost(self.run_id)
        project(self._database, self._contents, Entry(self.run_id, event.at, kind, data))
        self._follow_up(event, data, f"event {seq}")

    def _learn(self, event: Event) -> None:
        match event:
            case CallPrepared() if event.secret:
                came_late = not self._secrecy.knows(event.call_id)
                self._secrecy.learn(event.call_id, event.tool_name, event.secret, event.arguments)
                if came_late and hide_in_reply(self._database, self.run_id, event, self._contents, self._secrecy):
                    self.left_traces = True
            case ApprovalAsked() if event.sub_call:
                names = secret_parameters_below(self._database, event.sub_call)
                if names:
                    self._secrecy.learn(event.call_id, event.tool_name, names, {})
            case ApprovalDecided() if event.arguments and self._secrecy.knows(event.call_id):
                self._secrecy.learn_values(event.call_id, event.arguments)
            case _:
                pass

    def _follow_up(self, event: Event, data: JSONObject, source: str) -> None:
        """Keep true arguments while their call is open, and clear away what the event has settled."""
        match event:
            case ModelCallEnded(kept=True, purpose="turn"):
                stored = self._contents.redacted.get(event.message, event.message)
                for true, written in zip(event.message.calls, stored.calls, strict=True):
                    if written is not true:
                        self._open_arguments.keep(true.id, source, true.arguments)
            case CallPrepared() | ApprovalAsked():
                if data["arguments"] is not event.arguments:
                    self._open_arguments.keep(event.call_id, source, event.arguments)
            case ApprovalDecided():
                if event.arguments is not None and data["arguments"] is not event.arguments:
                    self._open_arguments.keep(event.call_id, source, event.arguments)
                self._inbox.settle(event.call_id)
            case CallEnded():
                self.left_traces |= self._open_arguments.drop(event.call_id)
            case RunEnded():
                self._end(event)
            case _:
                pass

    def _end(self, event: RunEnded) -> None:
        if event.status != "awaiting_approval":
            self.left_traces |= self._open_arguments.drop_all()
            self._inbox.clear()
        let_go(self._database, self.run_id, self.fence)
