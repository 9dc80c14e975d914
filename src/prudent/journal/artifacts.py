"""Full raw results, kept redacted beside the run's record and read in pieces by a short handle."""

from __future__ import annotations

from typing import Final, cast

from prudent.journal.database import Database
from prudent.journal.ownership import lost
from prudent.journal.secrecy import Secrecy
from prudent.ports import Artifact

ARTIFACT_LIMIT: Final = 20_000_000
"""Longest result that is kept, in characters or bytes; what is longer is cut, and says so."""


class JournalArtifacts:
    """The results of one run. Its `Artifacts` port."""

    def __init__(self, database: Database, run_id: str, fence: int, secrecy: Secrecy) -> None:
        self._database = database
        self._run_id = run_id
        self._fence = fence
        self._secrecy = secrecy
        rows = database.query("SELECT COUNT(*) FROM artifacts WHERE run_id=?", (run_id,))
        self._count = cast(int, rows[0][0])

    def keep(self, call_id: str, media_type: str, content: str | bytes) -> str:
        """Keep a result and return its handle, such as `r3`: unique in the run, also after a restart."""
        if len(content) > ARTIFACT_LIMIT:
            content, media_type = _cut(content), f"{media_type}; cut"
        content = self._secrecy.result(call_id, content)
        handle = f"r{self._count + 1}"
        with self._database.transaction():
            stored = self._database.execute(
                "INSERT INTO artifacts (run_id, handle, call_id, media_type, content) SELECT ?, ?, ?, ?, ?"
                " WHERE EXISTS (SELECT 1 FROM owners WHERE run_id=? AND fence=?)",
                (self._run_id, handle, call_id, media_type, content, self._run_id, self._fence),
            ).rowcount
            if not stored:
                raise lost(self._run_id)
        self._count += 1
        return handle

    def find(self, handle: str) -> Artifact | None:
        """Give a kept result back, None when there is none."""
        return find_artifact(self._database, self._run_id, handle)

    def handles(self) -> list[str]:
        """List the handles of the run's results, in the order they were kept."""
        rows = self._database.query("SELECT handle FROM artifacts WHERE run_id=? ORDER BY rowid", (self._run_id,))
        return [cast(str, row[0]) for row in rows]


def find_artifact(database: Database, run_id: str, handle: str) -> Artifact | None:
    """Give a result of any run back, None when there is none."""
    row = database.first("SELECT media_type, content FROM artifacts WHERE run_id=? AND handle=?", (run_id, handle))
    return Artifact(handle, cast(str, row[0]), cast(str | bytes, row[1])) if row else None


def _cut(content: str | bytes) -> str | bytes:
    if isinstance(content, bytes):
        return content[:ARTIFACT_LIMIT]
    return f"{content[:ARTIFACT_LIMIT]}\n[cut here: {len(content)} characters in all]"
