"""Notes to a run from anywhere: stops, decisions, edits. Unfenced, since those who post do not own the run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from prudent.journal.codec import compact_json
from prudent.journal.database import Database
from prudent.journal.open_arguments import OpenArguments
from prudent.journal.redact import Redactor, hide_parameters
from prudent.types import JSONObject


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """One note."""

    id: int
    """Rises with each note of the journal."""

    kind: str
    """Such as `stop` or `decision`."""

    data: JSONObject
    """A note about a call names it as `call_id`."""

    at: float


class Inbox:
    """The notes to one run, as its owner reads them: each once a claim, and gone for good when it was acted on."""

    def __init__(self, database: Database, run_id: str) -> None:
        self._database = database
        self._run_id = run_id
        self._open_arguments = OpenArguments(database, run_id)
        self.latest = 0
        """Number of the note that was given last."""

    def take(self) -> list[InboxEntry]:
        """Give the notes that have not been given yet, oldest first."""
        rows = self._database.query(
            "SELECT id, kind, call_id, data, at FROM inbox WHERE run_id=? AND id>? ORDER BY id", (self._run_id, self.latest)
        )
        entries: list[InboxEntry] = []
        for row in rows:
            number, kind, call_id, text, at = cast(tuple[int, str, str, str, float], row)
            true_data = self._open_arguments.find(call_id, f"inbox {number}")
            data = cast(JSONObject, json.loads(text) if true_data is None else true_data)
            entries.append(InboxEntry(number, kind, data, at))
            self.latest = number
        return entries

    def settle(self, call_id: str) -> None:
        """Remove the notes about a call, in the transaction that records what was decided about it.

        So a decision that came second cannot answer a later question about the same call.
        """
        self._database.execute("DELETE FROM inbox WHERE run_id=? AND call_id=?", (self._run_id, call_id))

    def clear(self) -> None:
        """Remove all notes, since the run is over."""
        self._database.execute("DELETE FROM inbox WHERE run_id=?", (self._run_id,))

    def drop_stops(self) -> None:
        """Remove stops that were meant for an earlier sitting, which has ended."""
        self._database.execute("DELETE FROM inbox WHERE run_id=? AND kind='stop'", (self._run_id,))


def post(database: Database, redactor: Redactor, run_id: str, kind: str, data: JSONObject, at: float) -> int:
    """Leave a note for a run and return its number. True arguments in it are kept apart, as everywhere."""
    call_id = str(data.get("call_id", ""))
    hidden: JSONObject = data
    arguments, names = data.get("arguments"), secret_parameters(database, run_id, call_id)
    if names and isinstance(arguments, dict):
        hidden = dict(data)
        hidden["arguments"] = hide_parameters(arguments, names)
    hidden = redactor.mapping(hidden)
    with database.transaction():
        cursor = database.execute(
            "INSERT INTO inbox (run_id, kind, call_id, data, at) VALUES (?, ?, ?, ?, ?)",
            (run_id, kind, call_id, compact_json(hidden), at),
        )
        number = cast(int, cursor.lastrowid)
        if hidden is not data:
            OpenArguments(database, run_id).keep(call_id, f"inbox {number}", data)
    return number


def newest_notes(database: Database) -> dict[str, int]:
    """Give the number of each run's newest note, in one look at an index; most of the time there is none at all."""
    return dict(cast(list[tuple[str, int]], database.query("SELECT run_id, MAX(id) FROM inbox GROUP BY run_id")))


def secret_parameters(database: Database, run_id: str, call_id: str) -> list[str]:
    """Name the secret parameters of what a decision about this call is about: its own, or those of a sub-agent's call."""
    row = database.first(
        "SELECT json_extract(data, '$.secret') FROM events"
        " WHERE run_id=? AND kind='CallPrepared' AND json_extract(data, '$.call_id')=?",
        (run_id, call_id),
    )
    own = cast(list[str], json.loads(cast(str, row[0]))) if row and row[0] else []
    row = database.first(
        "SELECT json_extract(data, '$.sub_call') FROM events"
        " WHERE run_id=? AND kind='ApprovalAsked' AND json_extract(data, '$.call_id')=? ORDER BY seq DESC LIMIT 1",
        (run_id, call_id),
    )
    return [*own, *secret_parameters_below(database, cast(str, row[0]))] if row and row[0] else own


def secret_parameters_below(database: Database, sub_call: str) -> list[str]:
    """Name the secret parameters of a sub-agent's call, given as `RUN/CALL`."""
    run_id, _, call_id = sub_call.rpartition("/")
    return secret_parameters(database, run_id, call_id)
