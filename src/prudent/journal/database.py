"""One SQLite file: opened safely, written in short transactions, its errors said in one sentence."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TypeAlias

from prudent.errors import JournalError

Value: TypeAlias = str | bytes | int | float | None
"""What a column can hold."""

Row: TypeAlias = tuple[Value, ...]

PATIENCE_SECONDS = 5.0
"""How long a write waits while another process writes."""

_PAGES_BETWEEN_CHECKPOINTS = 4000
"""A checkpoint holds everything up for milliseconds, so there are few; the log stays under about 16 MB."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Database:
    """A connection to the journal's file. One may serve a whole process; another thread may open its own."""

    def __init__(self, path: Path, *, must_exist: bool = False, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Open the file, which is made (mode 0600, its folder too) unless it must exist."""
        self.path = path
        self.lock = RLock()
        _make_file(path, must_exist=must_exist)
        try:
            self._connection = sqlite3.connect(
                path, timeout=patience_seconds, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        except sqlite3.Error as error:
            raise explain(error, path) from error
        self._patience_seconds = patience_seconds
        self._place = _place(path)
        self.execute("PRAGMA secure_delete=ON")
        self.execute("PRAGMA synchronous=NORMAL")
        self.execute(f"PRAGMA wal_autocheckpoint={_PAGES_BETWEEN_CHECKPOINTS}")

    def use_write_ahead_log(self) -> None:
        """Switch the file to WAL, so that readers never wait for writers; it stays so."""
        deadline = time.monotonic() + self._patience_seconds
        while True:
            try:
                self.query("PRAGMA journal_mode=WAL")
            except JournalError as error:
                # SQLite does not wait by itself when two processes switch a fresh file at once.
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def execute(self, sql: str, parameters: Sequence[Value] = ()) -> sqlite3.Cursor:
        """Run one statement; raises JournalError with path and fix when the file cannot be read or written."""
        try:
            return self._connection.execute(sql, parameters)
        except sqlite3.Error as error:
            raise explain(error, self.path) from error
        except UnicodeEncodeError:
            # Half a surrogate pair, which a model can write as an escape, is no text for SQLite.
            return self.execute(sql, [_storable(p) if isinstance(p, str) else p for p in parameters])

    def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and fetch all its rows."""
        with self.lock:
            try:
                return self.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise explain(error, self.path) from error

    def first(self, sql: str, parameters: Sequence[Value] = ()) -> Row | None:
        """Run one statement and fetch its first row."""
        rows = self.query(sql, parameters)
        return rows[0] if rows else None

    def transaction(self, *, durable: bool = False) -> Transaction:
        """Begin to write on entering, commit on leaving, roll back on any error. One inside another becomes part of it.

        Args:
            durable: Whether the commit is to be on disk before it returns, and not only in the system's memory.
        """
        return Transaction(self, durable=durable)

    def checkpoint(self) -> bool:
        """Bring the write-ahead log into the file and cut it to nothing; false when somebody still reads it."""
        with self.impatient(0.0):
            try:
                row = self.first("PRAGMA wal_checkpoint(TRUNCATE)")
            except JournalError as error:
                if is_busy(error):
                    return False
                raise
        return row is not None and row[0] == 0

    @contextmanager
    def impatient(self, seconds: float) -> Generator[None]:
        """Wait no longer than this for others: for what need not succeed."""
        with self.lock:
            self.execute(f"PRAGMA busy_timeout={int(seconds * 1000)}")
            try:
                yield
            finally:
                self.execute(f"PRAGMA busy_timeout={int(self._patience_seconds * 1000)}")

    @property
    def in_place(self) -> bool:
        """Whether the file is still where it was opened: SQLite would write on into one that was deleted or moved away."""
        return _place(self.path) == self._place

    def close(self) -> None:
        """Close the connection; the last one leaves no write-ahead log behind."""
        with self.lock:
            self._connection.close()

    @property
    def in_transaction(self) -> bool:
        """Whether something was written and not yet committed."""
        return self._connection.in_transaction


class Transaction:
    """See `Database.transaction`."""

    __slots__ = ("_database", "_durable", "_is_part")

    def __init__(self, database: Database, *, durable: bool) -> None:
        self._database = database
        self._durable = durable
        self._is_part = False

    def __enter__(self) -> None:
        database = self._database
        database.lock.acquire()
        self._is_part = database.in_transaction
        if self._is_part:
            return
        try:
            if not database.in_place:
                raise JournalError(
                    f"the journal {database.path} was deleted or replaced while a run was written to it: put it back and "
                    "resume the run, or begin a new one"
                )
            if self._durable:
                database.execute("PRAGMA synchronous=FULL")
            database.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._leave()
            raise

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        if self._is_part:
            self._database.lock.release()
            return
        try:
            if kind is None:
                self._database.execute("COMMIT")
        finally:
            self._leave()

    def _leave(self) -> None:
        database = self._database
        try:
            if database.in_transaction:
                database.execute("ROLLBACK")
            if self._durable:
                database.execute("PRAGMA synchronous=NORMAL")
        finally:
            database.lock.release()


def explain(error: sqlite3.Error, path: Path) -> JournalError:
    """Say in one sentence what is wrong with the file and what to do about it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _CAUSES:
        return JournalError(f"the journal {path} {_CAUSES[code]}")
    return JournalError(f"the journal {path} cannot be used ({error}): try another file with --db or PRUDENT_DB")


def is_busy(error: JournalError) -> bool:
    """Tell whether an error only says that somebody else is writing."""
    code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


_LOCKED = "is locked by another process: wait until that one has finished or end it, then try again"
_READ_ONLY = "cannot be written: give yourself write permission to it and its folder, or choose another with --db or PRUDENT_DB"
_CAUSES = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: "cannot grow because the disk is full: free some space, then resume the run",
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_AUTH: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that its folder exists and may be written, or choose another with --db",
    sqlite3.SQLITE_IOERR: "cannot be read or written (the disk reports an error): check the disk, or choose another with --db",
    sqlite3.SQLITE_CORRUPT: "is damaged: restore it from a copy, or move it away and a new one is made",
    sqlite3.SQLITE_NOTADB: "is not a database: choose another file with --db or PRUDENT_DB, or move this one away",
}


def _place(path: Path) -> tuple[int, int] | None:
    """Tell a file from any other that may stand under its name."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _make_file(path: Path, *, must_exist: bool) -> None:
    try:
        if must_exist and not path.exists():
            raise JournalError(f"there is no journal at {path}: name the right file with --db or PRUDENT_DB")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Only a new file is touched here: to close any descriptor of an open one would drop SQLite's own locks on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if path.parent.exists() and not path.parent.is_dir():
            raise JournalError(f"the journal {path} cannot be made: {path.parent} is a file, not a folder") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise JournalError(
            f"the journal {path} cannot be made ({reason}): choose another file with --db or PRUDENT_DB"
        ) from error


def _storable(text: str) -> str:
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
