"""What the journal tells of runs: typed rows of the public tables, events, requests as they were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from prudent.errors import JournalError, RunNotFound
from prudent.events import ApprovalAsked, ApprovalDecided, CallPrepared, Event, ModelCallEnded, Purpose
from prudent.exchange import RawExchange
from prudent.journal.artifacts import find_artifact
from prudent.journal.codec import EVENT_CLASSES, decode
from prudent.journal.contents import Shelf
from prudent.journal.database import Database, Value
from prudent.journal.rows import ApprovalRow, ModelCallRow, RunRow, StandingRuleRow, ThoughtRow, ToolCallRow
from prudent.messages import Message, ToolSpec
from prudent.ports import Artifact
from prudent.types import JSON

_PAGE = 500
"""Events that are read at once."""

_R = TypeVar("_R", RunRow, ModelCallRow, ToolCallRow, ThoughtRow, ApprovalRow, StandingRuleRow)


class Records:
    """Reads the journal. Nothing here needs ownership of a run."""

    def __init__(self, database: Database) -> None:
        self.database = database
        """The open file."""

    def find(self, prefix: str) -> str:
        """Complete the beginning of a run's id; `last` is the newest run. Raises RunNotFound when none or several fit.

        A sub-agent's run, whose id has a dot after its parent's, is found by its whole beginning only.
        """
        path = self.database.path
        if prefix == "last":
            rows = self.database.query(
                "SELECT run_id FROM runs WHERE instr(run_id, '.')=0 ORDER BY started_at DESC, rowid DESC LIMIT 1"
            )
            if not rows:
                raise RunNotFound(f"there is no run in {path} yet")
            return str(rows[0][0])
        rows = self.database.query(
            "SELECT run_id FROM runs WHERE substr(run_id, 1, length(?))=? AND (instr(?, '.') OR NOT instr(run_id, '.'))"
            " ORDER BY run_id=? DESC, run_id LIMIT 4",
            (prefix, prefix, prefix, prefix),
        )
        found = [str(run_id) for (run_id,) in rows]
        if not prefix or not found:
            raise RunNotFound(f"there is no run whose id begins with '{prefix}' in {path}: see prudent runs")
        if len(found) > 1 and found[0] != prefix:
            raise RunNotFound(f"several runs in {path} begin with '{prefix}' ({', '.join(found[:3])}): give more of the id")
        return found[0]

    def runs(self, *, limit: int = 50, status: str | None = None, agent: str | None = None) -> list[RunRow]:
        """List runs, the newest first."""
        sql = """SELECT * FROM runs WHERE (? IS NULL OR status=?) AND (? IS NULL OR agent=?)
            ORDER BY started_at DESC, rowid DESC LIMIT ?"""
        return self._rows(RunRow, sql, status, status, agent, agent, limit)

    def run(self, run_id: str) -> RunRow:
        """Give one run by its whole id; raises RunNotFound."""
        rows = self._rows(RunRow, "SELECT * FROM runs WHERE run_id=?", run_id)
        if not rows:
            raise RunNotFound(f"there is no run {run_id} in {self.database.path}: see prudent runs")
        return rows[0]

    def has(self, run_id: str) -> bool:
        """Whether there is a run by this whole id."""
        return bool(self.database.query("SELECT 1 FROM runs WHERE run_id=?", (run_id,)))

    def open_sub_runs(self, run_id: str) -> list[str]:
        """List the runs of sub-agents, and of theirs, that worked for a run and have no end."""
        beginning = f"{run_id}."
        rows = self.database.query(
            "SELECT run_id FROM runs WHERE substr(run_id, 1, ?)=? AND status IN ('running', 'awaiting_approval')",
            (len(beginning), beginning),
        )
        return [str(found) for (found,) in rows]

    def session(self, name: str) -> list[str]:
        """List the ids of a session's runs, the oldest first."""
        rows = self.database.query(
            "SELECT run_id FROM sessions JOIN runs USING (run_id) WHERE session=? ORDER BY started_at, runs.rowid", (name,)
        )
        return [str(run_id) for (run_id,) in rows]

    def model_calls(self, run_id: str) -> list[ModelCallRow]:
        """List a run's model calls in order."""
        return self._rows(ModelCallRow, "SELECT * FROM model_calls WHERE run_id=? ORDER BY rowid", run_id)

    def tool_calls(self, run_id: str) -> list[ToolCallRow]:
        """List a run's calls in order."""
        return self._rows(ToolCallRow, "SELECT * FROM tool_calls WHERE run_id=? ORDER BY turn, position, rowid", run_id)

    def thoughts(self, run_id: str) -> list[ThoughtRow]:
        """List a run's thoughts in order."""
        return self._rows(ThoughtRow, "SELECT * FROM thoughts WHERE run_id=? ORDER BY rowid", run_id)

    def approvals(self, run_id: str | None = None, *, undecided: bool = False) -> list[ApprovalRow]:
        """List what was asked, in one run or in all, in order; only what still waits for an answer if `undecided`.

        Nothing waits any more in a run that has ended, about a call that has ended, or where something else is asked since.
        """
        sql = "SELECT * FROM approvals AS a WHERE (? IS NULL OR run_id=?)"
        if undecided:
            sql += """ AND decision IS NULL
                AND run_id IN (SELECT run_id FROM runs WHERE status IN ('running', 'awaiting_approval'))
                AND rowid=(SELECT MAX(rowid) FROM approvals AS b WHERE b.run_id=a.run_id AND b.call_id=a.call_id)
                AND NOT EXISTS (SELECT 1 FROM tool_calls AS c WHERE c.run_id=a.run_id AND c.call_id=a.call_id
                    AND c.status NOT IN ('pending', 'running', 'unknown'))"""
        return self._rows(ApprovalRow, sql + " ORDER BY rowid", run_id, run_id)

    def standing_rules(self, agent: str | None = None, *, limit: int = 1000) -> list[StandingRuleRow]:
        """List the standing rules that were not forgotten, of one agent or of all, the newest first."""
        sql = """SELECT * FROM standing_rules WHERE (? IS NULL OR agent=?) AND forgotten_at IS NULL
            ORDER BY created_at DESC, rowid DESC LIMIT ?"""
        return self._rows(StandingRuleRow, sql, agent, agent, limit)

    def artifact(self, run_id: str, handle: str) -> Artifact | None:
        """Give a kept result back, None when there is none."""
        return find_artifact(self.database, run_id, handle)

    def artifact_handles(self, run_id: str) -> list[str]:
        """List the handles of a run's kept results, in order."""
        rows = self.database.query("SELECT handle FROM artifacts WHERE run_id=? ORDER BY rowid", (run_id,))
        return [str(handle) for (handle,) in rows]

    def request(
        self, run_id: str, turn: int, *, purpose: Purpose = "turn"
    ) -> tuple[tuple[Message, ...], tuple[ToolSpec, ...]] | None:
        """Give the messages and tools that a model call was made with, None when there was no such call."""
        row = self.database.first(
            "SELECT request FROM model_calls WHERE run_id=? AND turn=? AND purpose=? ORDER BY rowid DESC",
            (run_id, turn, purpose),
        )
        if row is None:
            return None
        shelf, request = Shelf(self.database), cast(dict[str, Any], json.loads(cast(str, row[0])))
        return tuple(shelf.message(key) for key in request["messages"]), shelf.tools(request["tools"])

    def request_messages(self, run_id: str, turn: int, *, purpose: Purpose = "turn") -> tuple[Message, ...]:
        """Give the messages that a model call was made with; none when there was no such call."""
        request = self.request(run_id, turn, purpose=purpose)
        return request[0] if request else ()

    def raw_exchanges(self, run_id: str) -> Iterator[tuple[int, Purpose, RawExchange]]:
        """Give turn, purpose and bytes of each model call whose bytes were kept, in order."""
        for event in self.read(run_id, with_raw=True):
            if isinstance(event, ModelCallEnded) and event.raw:
                yield event.turn, event.purpose, event.raw

    def read(self, run_id: str, *, with_raw: bool = False) -> Iterator[Event]:
        """Decode a run's events in order; raises RunNotFound.

        A call that has not ended has its true arguments, one that has ended shows what may be shown. Raw bytes are left
        out unless asked for.
        """
        self.run(run_id)
        shelf, true_arguments = Shelf(self.database, with_raw=with_raw), self._true_arguments(run_id)
        last, rows = 0, [()]
        while rows:
            rows = self.database.query(
                "SELECT seq, at, kind, data FROM events WHERE run_id=? AND seq>? ORDER BY seq LIMIT ?", (run_id, last, _PAGE)
            )
            for seq, at, kind, data in cast(list[tuple[int, float, str, str]], rows):
                event = self._decode(run_id, (seq, at, kind, data), shelf)
                yield _with_true_arguments(event, true_arguments[seq]) if seq in true_arguments else event
                last = seq

    def _decode(self, run_id: str, row: tuple[int, float, str, str], shelf: Shelf) -> Event:
        seq, at, kind, data = row
        path = self.database.path
        if kind not in EVENT_CLASSES:
            raise JournalError(
                f"the journal {path} holds an event of a newer Prudent ({kind}): update with pip install -U prudent"
            )
        try:
            return decode(kind, at, json.loads(data), shelf)
        except (KeyError, TypeError, ValueError) as error:
            place = f"event {seq} of run {run_id}"
            raise JournalError(f"the journal {path} is damaged ({place} cannot be read): restore it from a copy") from error

    def _true_arguments(self, run_id: str) -> dict[int, dict[str, JSON]]:
        """Give what was hidden, by the number of the event and the call."""
        rows = self.database.query(
            "SELECT source, call_id, data FROM open_arguments WHERE run_id=? AND source LIKE 'event %'", (run_id,)
        )
        found: dict[int, dict[str, JSON]] = {}
        for source, call_id, data in cast(list[tuple[str, str, str]], rows):
            found.setdefault(int(source.split()[1]), {})[call_id] = json.loads(data)
        return found

    def _rows(self, row_class: type[_R], sql: str, *parameters: Value) -> list[_R]:
        width = len(fields(row_class))
        return [row_class(*cast(tuple[Any, ...], row[:width])) for row in self.database.query(sql, parameters)]


def _with_true_arguments(event: Event, hidden: dict[str, JSON]) -> Event:
    match event:
        case ModelCallEnded():
            calls = tuple(replace(c, arguments=str(hidden.get(c.id, c.arguments))) for c in event.message.calls)
            return replace(event, message=replace(event.message, calls=calls))
        case CallPrepared() | ApprovalAsked() | ApprovalDecided():
            return replace(event, arguments=cast(dict[str, JSON], hidden[event.call_id]))
        case _:
            return event
