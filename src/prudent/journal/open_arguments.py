"""The true arguments of calls that have not ended, in a table of their own, so that approval and resume work.

Only what had to be hidden elsewhere is here. A row goes in the transaction that ends its call, and its bytes are
overwritten (`secure_delete`).
"""

from __future__ import annotations

import json
from typing import cast

from prudent.journal.codec import compact_json
from prudent.journal.database import Database
from prudent.types import JSON, JSONObject


class OpenArguments:
    """The rows of one run. Writes happen inside the caller's transaction."""

    def __init__(self, database: Database, run_id: str) -> None:
        self._database = database
        self._run_id = run_id

    def keep(self, call_id: str, source: str, data: JSON) -> None:
        """Keep what was hidden in `source`, such as `event 12` or `inbox 3`."""
        self._database.execute(
            "INSERT OR REPLACE INTO open_arguments (run_id, call_id, source, data) VALUES (?, ?, ?, ?)",
            (self._run_id, call_id, source, compact_json(data)),
        )

    def find(self, call_id: str, source: str) -> JSON:
        """Give the true data back, None when nothing was hidden or the call has ended."""
        row = self._database.first(
            "SELECT data FROM open_arguments WHERE run_id=? AND call_id=? AND source=?", (self._run_id, call_id, source)
        )
        return cast(JSON, json.loads(cast(str, row[0]))) if row else None

    def of_call(self, call_id: str) -> list[JSONObject]:
        """Give all argument objects that are kept of a call: as prepared, as asked about, as edited."""
        rows = self._database.query("SELECT data FROM open_arguments WHERE run_id=? AND call_id=?", (self._run_id, call_id))
        kept = [cast(JSON, json.loads(cast(str, data))) for (data,) in rows]
        return [data for data in kept if isinstance(data, dict)]

    def drop(self, call_id: str) -> bool:
        """Forget a call that has ended; tell whether anything was kept of it."""
        sql = "DELETE FROM open_arguments WHERE run_id=? AND call_id=?"
        return self._database.execute(sql, (self._run_id, call_id)).rowcount > 0

    def drop_all(self) -> bool:
        """Forget the run's calls, but those of unknown outcome, which may be run again; tell whether anything was kept."""
        sql = """DELETE FROM open_arguments WHERE run_id=? AND call_id NOT IN
            (SELECT call_id FROM tool_calls WHERE run_id=? AND status='unknown')"""
        return self._database.execute(sql, (self._run_id, self._run_id)).rowcount > 0
