"""The index on disk: one SQLite file for one folder. It is a cache: it can be deleted at any time and is made anew."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator
from pathlib import Path

from prudent.errors import ConfigurationError, ToolError
from prudent.toolkits.knowledge.store import Store

_APPLICATION = 0x50724B6E
"""Marks a SQLite file as an index of ours, so that no other file is ever taken for one and emptied."""

_VERSION = 1
"""Of the tables and of how words are made. An index of another version is made anew."""

_BUSY_SECONDS = 15

_TABLES = """
CREATE TABLE files (
    file_id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    hash TEXT NOT NULL,
    title TEXT NOT NULL,
    problem TEXT NOT NULL,
    notes TEXT NOT NULL,
    read_at REAL NOT NULL
);
CREATE TABLE attempts (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, count INTEGER NOT NULL, last_at REAL NOT NULL);
CREATE TABLE passages (
    passage_id INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id INTEGER NOT NULL REFERENCES files,
    heading TEXT NOT NULL,
    place TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX passages_of_file ON passages (file_id);
CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize = "porter unicode61 remove_diacritics 2");
CREATE TABLE vectors (passage_id INTEGER PRIMARY KEY, maker TEXT NOT NULL, vector BLOB NOT NULL);
"""


@contextlib.contextmanager
def open_store(path: Path) -> Generator[Store]:
    """Open the index at `path`, and make it when it is not there, of another version, or damaged.

    Raises:
        ConfigurationError: when the file is something else than an index of ours.
        ToolError: when it cannot be read or written.
    """
    connection = _prepare(path)
    try:
        yield Store(connection)
    except sqlite3.OperationalError as error:
        raise _unusable(path, error) from error
    except sqlite3.DatabaseError as error:
        discard(path)
        raise ToolError(
            f"the index was damaged ({error}) and is made anew", fix="Call again, with the same arguments."
        ) from error
    finally:
        connection.close()


def discard(path: Path) -> None:
    """Delete an index, so that the next search makes it anew."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _prepare(path: Path) -> sqlite3.Connection:
    try:
        _refuse_other_files(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # It holds what the documents hold: for the user's eyes only.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        try:
            return _connect(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            discard(path)
            return _connect(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise _unusable(path, error) from error


def _refuse_other_files(path: Path) -> None:
    """Look at a file's header before it is opened; a damaged index of ours still has one, or is empty."""
    if not path.exists():
        return
    with path.open("rb") as file:
        header = file.read(100)
    ours = header.startswith(b"SQLite format 3\0") and header[68:72] == _APPLICATION.to_bytes(4, "big")
    if header and not ours:
        raise ConfigurationError(f"{path} is no index of documents: give another index_path (the file was left as it is)")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        if not _is_current(connection):
            with Store(connection).writing():
                # Another process may have made it meanwhile.
                if not _is_current(connection):
                    _make_tables(connection)
        with contextlib.suppress(sqlite3.OperationalError):
            # Not while another process is at it; the next one to open it succeeds.
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_current(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA user_version").fetchone()[0] == _VERSION


def _make_tables(connection: sqlite3.Connection) -> None:
    for table in ("words", "vectors", "passages", "attempts", "files"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _unusable(path: Path, error: Exception) -> ToolError:
    return ToolError(
        f"the index {path} cannot be used ({error})",
        fix="Tell the user: index_path must name a file that can be written, on a disk with room.",
    )
