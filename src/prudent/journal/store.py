"""The journal of a project: one file that holds the record of all its runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import cast

from prudent.errors import JournalError
from prudent.events import Event, RunStarted
from prudent.journal import ownership
from prudent.journal.database import PATIENCE_SECONDS, Database
from prudent.journal.inbox import Inbox, newest_notes, post, secret_parameters_below
from prudent.journal.open_arguments import OpenArguments
from prudent.journal.ownership import Owner, this_process
from prudent.journal.records import Records
from prudent.journal.redact import Redactor
from prudent.journal.run_journal import Claim, RunJournal
from prudent.journal.schema import migrate
from prudent.journal.secrecy import Secrecy
from prudent.types import Clock, JSONObject, SystemClock

SecretParameters = Mapping[str, Sequence[str]]
"""Secret parameters of tools, by tool name."""


class JournalStore(Records):
    """Opens the journal, begins and claims runs, and reads them. One serves all runs of a process."""

    def __init__(
        self,
        path: Path | str,
        *,
        redactor: Redactor | None = None,
        record_raw: bool = True,
        must_exist: bool = False,
        patience_seconds: float = PATIENCE_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        """Open the file, and make it where it is missing.

        Args:
            path: The file; its folder is made too.
            redactor: Knows the secrets of this process; without one, secrets are known by their form only.
            record_raw: Whether the bytes of model calls are kept, for `show --raw`.
            must_exist: Whether a missing file is an error, as it is for those who only read.
            patience_seconds: How long a write waits for another process.
            clock: Where times come from.
        """
        super().__init__(Database(Path(path), must_exist=must_exist, patience_seconds=patience_seconds))
        self.redactor = redactor or Redactor()
        """Hides secrets in all that is written; `learn` tells it more of them."""

        self._record_raw = record_raw
        self._clock = clock or SystemClock()
        self._open: dict[str, RunJournal] = {}
        self._left_traces = False
        try:
            migrate(self.database)
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> JournalStore:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.close()

    @property
    def at_work(self) -> bool:
        """Whether a run that was begun or claimed here has not been let go."""
        return bool(self._open)

    def close(self) -> None:
        """Close the file. Runs that are open stay this process's until it ends or the lease has run out."""
        if self._left_traces:
            self.database.checkpoint()
        self.database.close()

    def begin(
        self,
        event: RunStarted,
        *,
        opening: Sequence[Event] = (),
        owner: str | None = None,
        secret_parameters: SecretParameters | None = None,
    ) -> RunJournal:
        """Write a new run's first events in one transaction and own the run.

        Args:
            event: The run's start.
            opening: What belongs to the start: a run that lacks a part of it could not be gone on with.
            owner: What people are to see as the one who works on it.
            secret_parameters: Secret parameters of the agent's tools (aliases as names of their own), which are then
                hidden from the first moment; one that is learned from `CallPrepared` only is hidden from there on.
        """
        secrecy = Secrecy(self.redactor, secret_parameters or {})
        with self.database.transaction():
            if self.database.first("SELECT 1 FROM owners WHERE run_id=?", (event.run_id,)):
                raise JournalError(f"there is a run {event.run_id} in {self.database.path} already: use a new id")
            fence = ownership.create(self.database, event.run_id, this_process(owner), self._clock.now())
            journal = self._journal(Claim(event.run_id, fence, next_seq=1), secrecy)
            journal.append_all((event, *opening))
        self._open[event.run_id] = journal
        return journal

    def claim(self, run_id: str, *, owner: str | None = None, secret_parameters: SecretParameters | None = None) -> RunJournal:
        """Own a run to go on with it; raises RunAlive while another owner works on it, RunNotFound.

        An owner is dead when its lease has run out, or when it lived on this machine and its process is gone.
        """
        return self._take_over(run_id, this_process(owner), secret_parameters or {}, by_force=False)

    def seize(self, run_id: str, *, owner: str | None = None) -> RunJournal:
        """Own a run whoever works on it; that one can write nothing from now on. Only for ending a run from outside."""
        return self._take_over(run_id, this_process(owner), {}, by_force=True)

    def owner(self, run_id: str) -> Owner:
        """Give the run's present or last owner; raises RunNotFound."""
        return ownership.find_owner(self.database, run_id)

    def is_alive(self, run_id: str) -> bool:
        """Whether somebody works on the run now; raises RunNotFound."""
        return self.owner(run_id).is_working(self._clock.now())

    def post(self, run_id: str, kind: str, data: JSONObject) -> int:
        """Leave a note for a run, such as `stop` or `decision`, whoever owns it; raises RunNotFound.

        A note about a call names it as `call_id`; it is removed when an `ApprovalDecided` about that call is appended.
        """
        self.run(run_id)
        return post(self.database, self.redactor, run_id, kind, data, self._clock.now())

    def watch(self, run_ids: Collection[str]) -> set[str]:
        """Tell which of these runs have notes that they have not taken yet; one look for all of them."""
        newest = newest_notes(self.database)
        return {run_id for run_id in newest.keys() & set(run_ids) if newest[run_id] > self._latest_note(run_id)}

    def _latest_note(self, run_id: str) -> int:
        journal = self._open.get(run_id)
        return journal.latest_note if journal else 0

    def _take_over(self, run_id: str, owner: Owner, secret_parameters: SecretParameters, *, by_force: bool) -> RunJournal:
        database = self.database
        with database.transaction():
            fence = ownership.take_over(database, run_id, owner, self._clock.now(), by_force=by_force)
            last, status = database.query(
                "SELECT (SELECT MAX(seq) FROM events WHERE run_id=?), (SELECT status FROM runs WHERE run_id=?)",
                (run_id, run_id),
            )[0]
            if status != "running":
                Inbox(database, run_id).drop_stops()
        secrecy = Secrecy(self.redactor, secret_parameters)
        self._learn_again(run_id, secrecy)
        journal = self._open[run_id] = self._journal(Claim(run_id, fence, next_seq=cast(int, last or 0) + 1), secrecy)
        return journal

    def _learn_again(self, run_id: str, secrecy: Secrecy) -> None:
        """Tell a new owner what the run's calls hold that is secret."""
        rows = self.database.query(
            """SELECT data FROM events WHERE run_id=? AND (kind='CallPrepared' AND data LIKE '%"secret":%'
                OR kind='ApprovalAsked' AND data LIKE '%"sub_call":%') ORDER BY seq""",
            (run_id,),
        )
        open_arguments = OpenArguments(self.database, run_id)
        for (text,) in rows:
            data = json.loads(cast(str, text))
            names = data.get("secret") or secret_parameters_below(self.database, data.get("sub_call", ""))
            if names:
                secrecy.learn(data["call_id"], data["tool_name"], names, {})
                for arguments in open_arguments.of_call(data["call_id"]):
                    secrecy.learn_values(data["call_id"], arguments)

    def _journal(self, claim: Claim, secrecy: Secrecy) -> RunJournal:
        return RunJournal(
            self.database,
            claim,
            secrecy,
            record_raw=self._record_raw,
            clock=self._clock,
            when_let_go=self._let_go,
        )

    def _let_go(self, journal: RunJournal) -> None:
        self._left_traces |= journal.left_traces
        if self._open.get(journal.run_id) is journal:
            del self._open[journal.run_id]
        if self._left_traces and not self._open:
            # What was overwritten in the file still stands in the write-ahead log until that is cut.
            self._left_traces = not self.database.checkpoint()
