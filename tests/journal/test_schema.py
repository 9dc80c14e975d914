from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from prudent.errors import JournalError
from prudent.journal import schema
from prudent.journal.database import Database
from prudent.journal.store import JournalStore


def test_a_fresh_file_gets_all_migrations_once(path: Path) -> None:
    JournalStore(path).close()
    JournalStore(path).close()
    database = Database(path)
    assert [name for (name,) in database.query("SELECT name FROM migrations")] == [name for name, _ in schema.MIGRATIONS]
    assert database.query("PRAGMA journal_mode") == [("wal",)]
    database.close()


def test_an_older_file_gets_what_it_lacks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    JournalStore(path).close()

    def add_table(database: Database) -> None:
        database.execute("CREATE TABLE more (x)")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("9001_more", add_table)))
    JournalStore(path).close()
    database = Database(path)
    assert database.query("SELECT * FROM more") == []
    database.close()


def test_a_migration_that_fails_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    JournalStore(path).close()

    def add_half(database: Database) -> None:
        database.execute("CREATE TABLE half (x)")
        database.execute("CREATE TABLE runs (x)")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("9001_half", add_half)))
        with pytest.raises(JournalError):
            JournalStore(path)
    JournalStore(path).close()
    database = Database(path)
    assert database.query("SELECT name FROM sqlite_master WHERE name='half'") == []
    database.close()


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    JournalStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations VALUES ('0999_future', 0)")
    connection.commit()
    connection.close()
    with pytest.raises(JournalError, match=r"agent.db was written by a newer Prudent: update with pip"):
        JournalStore(path)


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE runs (mine)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="is a database of another program: choose another file"):
        JournalStore(path)
    assert path.read_bytes() == before


def test_migrations_are_numbered_in_order() -> None:
    names = [name for name, _ in schema.MIGRATIONS]
    assert [int(name.partition("_")[0]) for name in names] == list(range(1, len(names) + 1))
