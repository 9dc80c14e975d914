"""What the index holds: files with their passages, and how they are put in and taken out."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Generator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.words import text_words


@dataclass(frozen=True, slots=True)
class FileState:
    """What the index knows of a file."""

    path: str
    """From the folder, with forward slashes."""

    size: int
    mtime_ns: int
    hash: str = ""
    title: str = ""
    problem: str = ""
    """Why it could not be read, "" when it could."""

    notes: str = ""
    read_at: float = 0.0
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, as it is found and read."""

    passage_id: int
    path: str
    title: str
    heading: str
    """The headings above it, joined by `›`."""

    place: str
    body: str
    notes: str


class Store:
    """An open index. Readers see a state that holds together while another process writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def files(self) -> dict[str, FileState]:
        """Give all files in the index by path."""
        rows = self.connection.execute("SELECT path, size, mtime_ns, hash, title, problem, notes, read_at FROM files")
        return {row[0]: FileState(*row) for row in rows}

    def problems(self) -> list[str]:
        """Name the files that could not be read, each with its reason."""
        rows = self.connection.execute("SELECT path, problem FROM files WHERE problem != '' ORDER BY path")
        return [f"{path} ({problem})" for path, problem in rows]

    def put(self, state: FileState, passages: Sequence[Block]) -> None:
        """Put a file's passages in place of what the index had of it."""
        with self.writing():
            if state.hash and self._hash(state.path) == state.hash:
                # Another process was quicker; its passages are already known by their ids.
                self._touch(state)
                return
            self._forget(state.path)
            cursor = self.connection.execute(
                "INSERT INTO files (path, size, mtime_ns, hash, title, problem, notes, read_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                astuple(state),
            )
            title_words = " ".join(text_words(f"{state.title} {Path(state.path).stem}"))
            for block in passages:
                heading = " › ".join(block.heading)
                passage = self.connection.execute(
                    "INSERT INTO passages (file_id, heading, place, body) VALUES (?, ?, ?, ?)",
                    (cursor.lastrowid, heading, block.place, block.text),
                )
                self.connection.execute(
                    "INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
                    (passage.lastrowid, title_words, " ".join(text_words(heading)), " ".join(text_words(block.text))),
                )
            self.connection.execute("DELETE FROM attempts WHERE path = ?", (state.path,))

    def touch(self, state: FileState) -> None:
        """Note that a file was looked at again and has the same content."""
        with self.writing():
            self._touch(state)

    def forget(self, path: str) -> None:
        """Take a file that is gone out of the index."""
        with self.writing():
            self._forget(path)
            self.connection.execute("DELETE FROM attempts WHERE path = ?", (path,))

    def begin_attempt(self, path: str, size: int, mtime_ns: int, now: float, pause_seconds: float) -> int:
        """Note that reading a file begins, and give how often it has begun without ending.

        Attempts less than `pause_seconds` apart count once: they are other processes reading the same file.
        """
        with self.writing():
            found = self.connection.execute(
                "SELECT count, last_at FROM attempts WHERE path = ? AND size = ? AND mtime_ns = ?", (path, size, mtime_ns)
            ).fetchone()
            count, last_at = found or (0, 0.0)
            if now - last_at < pause_seconds:
                return count
            self.connection.execute(
                "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?)", (path, size, mtime_ns, count + 1, now)
            )
            return count + 1

    def passage(self, passage_id: int) -> Passage | None:
        """Give one passage, None when there is none by that id."""
        found = self.passages([passage_id])
        return found[0] if found else None

    def passages(self, passage_ids: Sequence[int]) -> list[Passage]:
        """Give passages in the order of their ids as they are asked for; those that are gone are left out."""
        rows = self.connection.execute(
            "SELECT passage_id, path, title, heading, place, body, notes FROM passages JOIN files USING (file_id) "
            "WHERE passage_id IN (SELECT value FROM json_each(?))",
            (json.dumps(passage_ids),),
        )
        found = {row[0]: Passage(*row) for row in rows}
        return [found[passage_id] for passage_id in passage_ids if passage_id in found]

    def neighbours(self, passage_id: int) -> tuple[int | None, int | None]:
        """Give the ids of the passages before and behind in the same file."""
        row = self.connection.execute(
            "SELECT (SELECT MAX(p.passage_id) FROM passages p WHERE p.file_id = o.file_id AND p.passage_id < o.passage_id), "
            "(SELECT MIN(p.passage_id) FROM passages p WHERE p.file_id = o.file_id AND p.passage_id > o.passage_id) "
            "FROM passages o WHERE o.passage_id = ?",
            (passage_id,),
        ).fetchone()
        return row or (None, None)

    @contextlib.contextmanager
    def writing(self) -> Generator[None]:
        """Hold the one right to write, so that what is looked up inside stays true until it is written."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _hash(self, path: str) -> str:
        found = self.connection.execute("SELECT hash FROM files WHERE path = ?", (path,)).fetchone()
        return found[0] if found else ""

    def _touch(self, state: FileState) -> None:
        self.connection.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, read_at = ? WHERE path = ? AND hash = ?",
            (state.size, state.mtime_ns, state.read_at, state.path, state.hash),
        )
        self.connection.execute("DELETE FROM attempts WHERE path = ?", (state.path,))

    def _forget(self, path: str) -> None:
        rows = self.connection.execute("SELECT passage_id FROM passages JOIN files USING (file_id) WHERE path = ?", (path,))
        for passage in rows.fetchall():
            self.connection.execute("DELETE FROM words WHERE rowid = ?", passage)
            self.connection.execute("DELETE FROM vectors WHERE passage_id = ?", passage)
            self.connection.execute("DELETE FROM passages WHERE passage_id = ?", passage)
        self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
