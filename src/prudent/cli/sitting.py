"""One command's sitting with one run after another: how it is shown, who answers its questions, and how it is driven."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, cast

from prudent.cli import exits
from prudent.cli.approver import NoApprover, TerminalApprover, YesApprover
from prudent.cli.discretion import Discretion
from prudent.cli.faces import Face
from prudent.cli.machine import JsonFace, take_stdout
from prudent.cli.mishaps import tell
from prudent.cli.narration import Narrator
from prudent.cli.options import database_words, only_one
from prudent.cli.outside import FromOutside
from prudent.cli.plain import PlainFace
from prudent.cli.records import open_records
from prudent.cli.sentry import Sentry
from prudent.cli.terminals import is_lively, is_terminal, somebody_there
from prudent.errors import JournalError, OwnershipLost
from prudent.events import Event, RunResumed, RunStatus
from prudent.journal.replay import replay
from prudent.journal.run_journal import RunJournal
from prudent.ports import Approver
from prudent.result import EXIT_STATUS, result_of
from prudent.runs import Run
from prudent.types import JSONObject


@dataclass(slots=True)
class Sitting:
    """Shows runs, answers for them or has a person answer, and drives them to their end."""

    face: Face
    narrator: Narrator
    discretion: Discretion
    database: Path
    shows_events: bool = True
    """False where only the end is shown, so that the rest costs nothing."""

    approver: Approver | None = field(default=None, init=False)
    run: Run | None = field(default=None, init=False)
    _blind: bool = field(default=False, init=False)
    """True when showing has failed; the run goes on unseen."""

    def drive(self, run: Run, *, process_ends: bool = True) -> int:
        """Work the run to its end, show how it ended, and give the exit status."""
        self.run, self._blind = run, not self.shows_events
        journal = run.loop.parts.recorder.journal
        self.discretion.journal = journal if isinstance(journal, RunJournal) else None
        self._catch_up()
        loop = _quiet_loop()
        outside = FromOutside(run, loop, self.face, self.narrator.board, self.database)
        with closing(outside), Sentry(outside, last=process_ends) as sentry:
            try:
                result = loop.run_until_complete(run.work(self._watch)).as_json()
            except JournalError as error:
                result = self._without_record(error)
            finally:
                sentry.dismiss()
        self._show_end(result)
        return self._leave(loop, EXIT_STATUS[cast("RunStatus", result["status"])], process_ends=process_ends)

    def stop(self, reason: str) -> None:
        """Stop the run that is being driven."""
        if self.run:
            self.run.stop(reason)

    def _catch_up(self) -> None:
        """Show what is on record already: all of a new run, of a resumed one what came since."""
        if self.run is None or (self._blind and not self.run.state.calls):
            return
        with open_records(self.database) as store:
            events = [*store.read(self.run.run_id)]
        resumed = max((place for place, event in enumerate(events) if isinstance(event, RunResumed)), default=0)
        for event in events[:resumed]:
            self.discretion.notice(event)
            self.narrator.board.apply(event)
        for event in events[resumed:]:
            self._watch(event)

    def _without_record(self, error: JournalError) -> JSONObject:
        """Tell how a run stands that can no longer be recorded; when another process has ended it, that one's record counts."""
        assert self.run is not None
        tell(str(error))
        if isinstance(error, OwnershipLost):
            with suppress(JournalError), open_records(self.database) as store:
                return result_of(replay(store, self.run.run_id)).as_json()
        return {**result_of(self.run.state).as_json(), "status": "failed", "error": str(error)}

    def _leave(self, loop: asyncio.AbstractEventLoop, status: int, *, process_ends: bool) -> int:
        """Give the status; where something does not listen to its cancellation, end the process, and it with it."""
        left = bool(asyncio.all_tasks(loop))
        if process_ends and (left or exits.others_alive()):
            exits.leave_at_once(status)
        if not left:
            loop.close()
        return status

    def _watch(self, event: Event) -> None:
        """Show an event. Whatever goes wrong with showing must not reach the run, but for a reader who has left."""
        self.discretion.notice(event)
        if self._blind:
            return
        try:
            self.face.watch(event)
        except BrokenPipeError:
            self._blind = True
            exits.silence_stdout()
            self.stop("nobody reads its output any more")
        except Exception as error:  # the run is worth more than its picture
            self._blind = True
            self.face.close()
            tell(f"showing the run failed ({type(error).__name__}: {error}); the run goes on, `prudent show` has it")

    def _show_end(self, result: JSONObject) -> None:
        try:
            self.face.end(result)
        except BrokenPipeError:
            exits.silence_stdout()


def open_sitting(database: Path, *, yes: bool, no: bool, json: bool = False, jsonl: bool = False) -> Sitting:
    """Choose how runs are shown and who answers, from the options and from what the terminal can do."""
    only_one(yes=yes, no=no)
    only_one(json=json, jsonl=jsonl)
    narrator, discretion = Narrator(), Discretion()
    face = (
        _machine_face(narrator, discretion, database, events=jsonl)
        if json or jsonl
        else _people_face(sys.stdout, narrator, discretion, database)
    )
    sitting = Sitting(face, narrator, discretion, database, shows_events=not json or is_terminal(sys.stderr))
    if yes or no:
        sitting.approver = YesApprover() if yes else NoApprover()
    elif somebody_there(sys.stderr if json or jsonl else sys.stdout):
        sitting.approver = TerminalApprover(face, narrator.board, sitting.stop)
    return sitting


def _machine_face(narrator: Narrator, discretion: Discretion, database: Path, *, events: bool) -> Face:
    """JSON for a program; people see the progress on standard error, if that is a terminal."""
    out = take_stdout()
    people = _people_face(sys.stderr, narrator, discretion, database, ending=False) if is_terminal(sys.stderr) else None
    return JsonFace(out, people, redact=discretion.mapping, event_json=discretion.event_json if events else None)


def _people_face(stream: TextIO, narrator: Narrator, discretion: Discretion, database: Path, *, ending: bool = True) -> Face:
    words, redact = database_words(database), discretion.text
    if not is_lively(stream):
        narrator.starts = True
        return PlainFace(stream, narrator, database=words, redact=redact, ending=ending)
    from prudent.cli.live import LiveFace  # rich is slow to import, and needed only in a terminal

    return LiveFace(stream, narrator, database=words, redact=redact, ending=ending)


def _quiet_loop() -> asyncio.AbstractEventLoop:
    """Make a loop that does not print tracebacks of tasks that nobody waits for any more."""
    loop = asyncio.new_event_loop()
    if os.environ.get("PRUDENT_DEBUG") != "1":
        loop.set_exception_handler(lambda _loop, _context: None)
    return loop
