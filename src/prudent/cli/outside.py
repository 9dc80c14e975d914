"""What the sentry does about a run from outside its loop: over its own connection to the journal, in its own thread."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from pathlib import Path
from typing import cast

from prudent.cli import exits
from prudent.cli.board import Board
from prudent.cli.faces import Face
from prudent.cli.mishaps import tell
from prudent.cli.narration import line
from prudent.errors import PrudentError
from prudent.events import CallEnded, RunStatus
from prudent.journal.database import Database
from prudent.journal.inbox import Inbox
from prudent.journal.outside import end_from_outside
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.loop.closing import summary
from prudent.ports import End
from prudent.result import EXIT_STATUS, result_of
from prudent.runs import Run
from prudent.types import JSONObject

LAST_SECONDS = 0.9
"""How long completing the record and showing the result may take; then the process ends without."""

LATE_SECONDS = 0.5
"""How long after its deadline a run is not worried about."""

DEAF_SECONDS = 1.5
"""How long a loop may take to answer after the deadline; a busy machine is slow, a held-up loop is silent."""

PATIENCE_SECONDS = 0.5
"""How long a write waits for another process's."""


class FromOutside:
    """Watches one run's inbox, asks the run to stop, and ends it where it does not."""

    def __init__(self, run: Run, loop: asyncio.AbstractEventLoop, face: Face, board: Board, database: Path) -> None:
        self._run = run
        self._loop = loop
        self._called_at: float | None = None
        """When the loop was last called and has not answered yet."""

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

    def overdue(self) -> bool:
        """Whether the run's time is up and its loop has not answered for a while."""
        clock = self._run.clock
        if clock.worked < clock.seconds + LATE_SECONDS:
            return False
        if self._called_at is None:
            self._called_at = time.monotonic()
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._answered)
        return time.monotonic() - (self._called_at or time.monotonic()) > DEAF_SECONDS

    def end(self, reason: str, *, overdue: bool) -> None:
        """Complete the record, show the result, and end the process, whatever of that succeeds."""
        last = threading.Timer(LAST_SECONDS, os._exit, (EXIT_STATUS["stopped"],))
        last.daemon = True
        last.start()
        status = EXIT_STATUS["stopped"]
        try:
            self._face.close()
            result = self._recorded_end(reason, overdue=overdue)
            status = EXIT_STATUS[cast("RunStatus", result["status"])]
            self._face.end(result)
        except Exception as error:  # nothing may keep the process from ending
            tell(f"the end of run {self._run.run_id} could not be shown ({type(error).__name__}: {error})")
        finally:
            exits.leave_at_once(status)

    def close(self) -> None:
        """Give the connection back."""
        if self._database:
            self._database.close()
            self._database = self._inbox = None

    def _answered(self) -> None:
        """Run by the loop, when it runs anything."""
        self._called_at = None

    def _recorded_end(self, reason: str, *, overdue: bool) -> JSONObject:
        run_id, worked = self._run.run_id, self._run.clock.worked
        try:
            if overdue:
                detail = f"{reason}, and a call held everything up"
                partial = summary(self._run.state, End("seconds", detail))
                end_from_outside(self._path, run_id, status="incomplete", reason="seconds", output=partial, seconds=worked)
            else:
                end_from_outside(self._path, run_id, error=reason, seconds=worked, patience_seconds=PATIENCE_SECONDS)
            return self._recorded()
        except PrudentError as error:
            tell(f"the end of the run could not be recorded: {error}")
            return {**self._run.result().as_json(), "status": "stopped", "error": reason}

    def _recorded(self) -> JSONObject:
        """Read back what stands in the journal now, and let the view know of it."""
        run_id = self._run.run_id
        with JournalStore(self._path, must_exist=True) as store:
            for event in store.read(run_id):
                if isinstance(event, CallEnded):
                    self._board.apply(event)
            return result_of(replay(store, run_id)).as_json()
