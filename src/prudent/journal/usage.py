"""What many runs did with their tools, read in a few queries: for those who judge tools and not runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, cast

from prudent.errors import ErrorKind, JournalError
from prudent.events import CallStatus
from prudent.journal.contents import Shelf
from prudent.journal.database import Database
from prudent.messages import ToolSpec
from prudent.types import JSONObject

SHOWN_CHARS = 4_000
"""So much is read of what the model saw of a result."""

_MAX_ARGUMENT_CHARS = 20_000
_RUNS_A_QUERY = 200


@dataclass(frozen=True, slots=True)
class UsedCall:
    """A call with the beginning of its result."""

    run_id: str
    turn: int
    tool_name: str
    arguments: JSONObject
    """Empty where they are no object, or very long."""

    status: CallStatus
    error_kind: ErrorKind | None
    shown: str


@dataclass(frozen=True, slots=True)
class SentBlock:
    """A tool block as one run's model calls carried it."""

    run_id: str
    tools: str
    """Its hash; `Usage.tools` gives the definitions."""

    model_calls: int
    input_tokens: int
    cached_tokens: int


class Usage:
    """Reads how tools were used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._shelf = Shelf(database)

    def runs(self, *, since: float = 0.0, agent: str | None = None, limit: int) -> list[tuple[str, str, float]]:
        """List id, agent and start of the newest runs, the oldest first."""
        rows = self._database.query(
            "SELECT run_id, agent, started_at FROM runs WHERE started_at>=? AND (? IS NULL OR agent=?)"
            " ORDER BY started_at DESC, rowid DESC LIMIT ?",
            (since, agent, agent, limit),
        )
        return cast(list[tuple[str, str, float]], rows[::-1])

    def agents(self) -> list[str]:
        """List the names of all agents that ever ran."""
        return [str(name) for (name,) in self._database.query("SELECT DISTINCT agent FROM runs ORDER BY agent")]

    def calls(self, run_ids: Collection[str]) -> Iterator[UsedCall]:
        """Give the calls of these runs, thoughts included, in the order of each run."""
        sql = """SELECT run_id, CAST(turn AS INTEGER), tool_name,
            CASE WHEN length(arguments)<=? THEN arguments ELSE '{}' END, status, error_kind, substr(coalesce(shown, ''), 1, ?)
            FROM tool_calls WHERE run_id IN (SELECT value FROM json_each(?))
            ORDER BY run_id, turn, position, rowid"""
        for some in _portions(run_ids):
            rows = self._database.query(sql, (_MAX_ARGUMENT_CHARS, SHOWN_CHARS, some))
            for run_id, turn, name, arguments, status, kind, shown in cast(list[tuple[Any, ...]], rows):
                yield UsedCall(run_id, turn, name, _object(arguments), status, kind, shown)

    def blocks(self, run_ids: Collection[str]) -> Iterator[SentBlock]:
        """Give the tool blocks that the model calls of these runs carried, one for each run and block."""
        sql = """SELECT run_id, json_extract(request, '$.tools') AS tools, COUNT(*), SUM(coalesce(input_tokens, 0)),
            SUM(coalesce(cached_tokens, 0)) FROM model_calls
            WHERE run_id IN (SELECT value FROM json_each(?)) AND request IS NOT NULL
            GROUP BY run_id, tools ORDER BY MAX(rowid)"""
        for some in _portions(run_ids):
            for row in cast(list[tuple[Any, ...]], self._database.query(sql, (some,))):
                if row[1]:
                    yield SentBlock(*row)

    def tools(self, block: str) -> tuple[ToolSpec, ...]:
        """Give the definitions of a block; none where they are lost or cannot be read."""
        try:
            return self._shelf.tools(block)
        except (JournalError, ValueError, TypeError, AttributeError):
            return ()

    def own_tools(self) -> frozenset[str]:
        """Name the tools that were the runtime's own when they were called last."""
        rows = self._database.query(
            """SELECT last.tool_name FROM (SELECT tool_name, MAX(rowid) AS place FROM tool_calls GROUP BY tool_name) AS last
            JOIN tool_calls AS c ON c.rowid=last.place
            JOIN events AS e ON e.run_id=c.run_id AND e.kind='CallPrepared' AND json_extract(e.data, '$.call_id')=c.call_id
            WHERE json_extract(e.data, '$.is_task')=0"""
        )
        return frozenset(str(name) for (name,) in rows)

    def effects(self) -> dict[str, str]:
        """Tell what each tool did to the world when it was called last."""
        rows = self._database.query(
            """SELECT last.tool_name, coalesce(json_extract(e.data, '$.effect'), 'write') FROM
                (SELECT tool_name, MAX(rowid) AS place FROM tool_calls WHERE started_at IS NOT NULL GROUP BY tool_name) AS last
            JOIN tool_calls AS c ON c.rowid=last.place
            JOIN events AS e ON e.run_id=c.run_id AND e.kind='CallStarted' AND json_extract(e.data, '$.call_id')=c.call_id"""
        )
        return {str(name): str(effect) for name, effect in rows}


def _portions(run_ids: Collection[str]) -> Iterator[str]:
    ordered = [*run_ids]
    for at in range(0, len(ordered), _RUNS_A_QUERY):
        yield json.dumps(ordered[at : at + _RUNS_A_QUERY])


def _object(text: str) -> JSONObject:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast(JSONObject, value) if isinstance(value, dict) else {}
