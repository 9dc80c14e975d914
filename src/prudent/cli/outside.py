"""What the sentry does about a run from outside its loop: over its own connection to the journal, in its own thread."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from prudent.cli import exits
from prudent.cli.board import Board
from prudent.cli.faces import Face
from prudent.cli.mishaps import tell
from prudent.cli.narration import line
from prudent.errors import PrudentError
from prudent.events import CallEnded
from prudent.journal.database import Database
from prudent.journal.inbox import Inbox
from prudent.journal.outside import end_from_outside
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.result import EXIT_STATUS, result_of
from prudent.runs import Run
from prudent.types import JSONObject

LAST_SECONDS = 0.9
"""How long completing the record and showing the result may take; then the process ends without."""

PATIENCE_SECONDS = 0.5
"""How long a write waits for another process's."""


class FromOutside:
    """Watches one run's inbox, asks the run to stop, and ends it where it does not."""

    def __init__(self, run: Run, face: Face, board: Board, database: Path) -> None:
        self._run = run
        self._board = board
        self._face = face
        self._path = database
        self._inbox: Inbox | None = None
        self._database: Database | None = None

    def stop_requested(self) -> str | None:
        """Look for a stop in the run's inbox. A journal that cannot be read says nothing; the run itself will report it."""
        try:
            if self._inbox is None:
                self._database = Database(self._path, must_exist=True, patience_seconds=PATIENCE_SECONDS)
                self._inbox = Inbox(self._database, self._run.run_id)
            stops = [note for note in self._inbox.take() if note.kind == "stop"]
        except PrudentError:
            return None
        return str(stops[0].data.get("reason") or "prudent stop") if stops else None

    def ask_to_stop(self, reason: str) -> None:
        """Tell the run, and the person."""
        self._run.stop(reason)
        again = "; Ctrl-C again leaves at once" if reason == "Ctrl-C" else ""
        with contextlib.suppress(OSError, ValueError):
            self._face.say(line(("warn", f"stopping ({reason}){again}")))

    def end(self, reason: str) -> None:
        """Complete the record, show the result, and end the process, whatever of that succeeds."""
        last = threading.Timer(LAST_SECONDS, os._exit, (EXIT_STATUS["stopped"],))
        last.daemon = True
        last.start()
        try:
            self._face.close()
            self._face.end(self._recorded_end(reason))
        except Exception as error:  # nothing may keep the process from ending
            tell(f"the end of run {self._run.run_id} could not be shown ({type(error).__name__}: {error})")
        finally:
            exits.leave_at_once(EXIT_STATUS["stopped"])

    def close(self) -> None:
        """Give the connection back."""
        if self._database:
            self._database.close()
            self._database = self._inbox = None

    def _recorded_end(self, reason: str) -> JSONObject:
        run_id = self._run.run_id
        try:
            worked = self._run.clock.worked
            end_from_outside(self._path, run_id, error=reason, seconds=worked, patience_seconds=PATIENCE_SECONDS)
            with JournalStore(self._path, must_exist=True) as store:
                for event in store.read(run_id):
                    if isinstance(event, CallEnded):
                        self._board.apply(event)
                return result_of(replay(store, run_id)).as_json()
        except PrudentError as error:
            tell(f"the stop could not be recorded: {error}")
            return {**self._run.result().as_json(), "status": "stopped", "error": reason}
