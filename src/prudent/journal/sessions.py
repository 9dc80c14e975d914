"""Sessions: runs under one name, whose questions and answers the next run of that name knows.

A session is a list of runs. A branch shares the runs of another one up to a point; deleting a session deletes the list and
no run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from prudent.errors import JournalError
from prudent.journal.database import Database

MOST_EXCHANGES = 200

_ROWS = """SELECT session, COUNT(*), MIN(started_at), MAX(started_at), (SELECT task FROM runs AS r JOIN sessions AS s
        USING (run_id) WHERE s.session=sessions.session AND instr(run_id, '.')=0
        ORDER BY r.started_at DESC, r.rowid DESC LIMIT 1)
    FROM sessions JOIN runs USING (run_id) WHERE instr(run_id, '.')=0
    GROUP BY session ORDER BY MAX(started_at) DESC, session"""
_RUNS = """SELECT run_id FROM sessions JOIN runs USING (run_id) WHERE instr(run_id, '.')=0 AND session=?
    ORDER BY started_at, runs.rowid"""
_EXCHANGES = """SELECT run_id, task, output, status FROM sessions JOIN runs USING (run_id)
    WHERE instr(run_id, '.')=0 AND session=? AND TRIM(COALESCE(output, ''))<>''
    AND status IN ('completed', 'incomplete', 'stopped') ORDER BY started_at DESC, runs.rowid DESC LIMIT ?"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question of a session with the answer it got."""

    run_id: str
    question: str
    answer: str
    finished: bool
    """False for the partial answer of a run that did not come to its end."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is listed; times are seconds since 1970."""

    session: str
    runs: int
    started_at: float
    last_at: float
    last_task: str


class Sessions:
    """Lists, reads, branches and deletes the sessions of a journal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self) -> list[SessionRow]:
        """List all sessions, the one used last first."""
        rows = self._database.query(_ROWS)
        return [SessionRow(*cast(tuple[str, int, float, float, str], row)) for row in rows]

    def run_ids(self, name: str) -> list[str]:
        """List a session's runs, the oldest first; none when there is no such session."""
        rows = self._database.query(_RUNS, (name,))
        return [str(run_id) for (run_id,) in rows]

    def exchanges(self, name: str) -> list[Exchange]:
        """Give the latest questions that got an answer, the oldest first."""
        rows = self._database.query(_EXCHANGES, (name, MOST_EXCHANGES))
        found = cast(list[tuple[str, str, str, str]], rows[::-1])
        return [Exchange(run_id, task, output, status == "completed") for run_id, task, output, status in found]

    def branch(self, name: str, new: str, *, at: str = "") -> int:
        """Begin the session `new` with the runs of `name`, up to the run `at` if one is given; return how many."""
        runs = self._existing(name)
        if not new.strip() or self.run_ids(new):
            raise JournalError(f"there is a session {new!r} already: choose another name" if new.strip() else "name the branch")
        if at and at not in runs:
            raise JournalError(f"run {at} is not in session {name!r}: prudent sessions show {name}")
        shared = runs[: runs.index(at) + 1] if at else runs
        with self._database.transaction():
            for run_id in shared:
                self._database.execute("INSERT OR IGNORE INTO sessions (session, run_id) VALUES (?, ?)", (new, run_id))
        return len(shared)

    def delete(self, name: str) -> int:
        """Delete a session and none of its runs; return how many it had."""
        runs = self._existing(name)
        with self._database.transaction():
            self._database.execute("DELETE FROM sessions WHERE session=?", (name,))
        return len(runs)

    def _existing(self, name: str) -> list[str]:
        runs = self.run_ids(name)
        if not runs:
            raise JournalError(f"there is no session {name!r} in {self._database.path}: see prudent sessions")
        return runs
