"""The database's tables, as numbered migrations: only ever added to, and applied by name.

The public ones (`runs`, `model_calls`, `tool_calls`, `thoughts`, `approvals`, `standing_rules`, `events`) keep names and
columns for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from prudent.errors import JournalError
from prudent.journal.database import Database

APPLICATION_ID = 0x50525544
"""Marks the file as a journal of Prudent ("PRUD")."""

_PUBLIC_TABLES = """
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, agent TEXT NOT NULL, agent_file TEXT NOT NULL, agent_hash TEXT NOT NULL, task TEXT NOT NULL,
    model TEXT NOT NULL, base_url TEXT NOT NULL, mode TEXT NOT NULL, budget TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT, output TEXT, error TEXT, started_at REAL NOT NULL, ended_at REAL, model_calls INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, cost REAL DEFAULT 0);
CREATE INDEX runs_by_time ON runs (started_at);
CREATE TABLE model_calls (
    run_id TEXT NOT NULL, turn INTEGER NOT NULL, purpose TEXT NOT NULL, started_at REAL NOT NULL, seconds REAL,
    input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER, finish_reason TEXT,
    request_chars INTEGER, request TEXT, response TEXT);
CREATE INDEX model_calls_by_run ON model_calls (run_id, turn);
CREATE TABLE tool_calls (
    run_id TEXT NOT NULL, turn INTEGER NOT NULL, position INTEGER NOT NULL, call_id TEXT NOT NULL, tool_name TEXT NOT NULL,
    arguments TEXT NOT NULL, status TEXT NOT NULL, error_kind TEXT, started_at REAL, seconds REAL,
    result_chars INTEGER, shown_chars INTEGER, shown TEXT, artifact TEXT, PRIMARY KEY (run_id, call_id));
CREATE TABLE thoughts (
    run_id TEXT NOT NULL, turn INTEGER NOT NULL, number TEXT NOT NULL, thought TEXT NOT NULL, plan TEXT NOT NULL,
    action TEXT NOT NULL);
CREATE INDEX thoughts_by_run ON thoughts (run_id, turn);
CREATE TABLE approvals (
    run_id TEXT NOT NULL, call_id TEXT NOT NULL, kind TEXT NOT NULL, tool_name TEXT NOT NULL, arguments TEXT NOT NULL,
    preview TEXT NOT NULL, decision TEXT, decided_by TEXT, reason TEXT, asked_at REAL NOT NULL, decided_at REAL);
CREATE INDEX approvals_by_run ON approvals (run_id, call_id);
CREATE TABLE events (
    run_id TEXT NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)) WITHOUT ROWID;
"""

_INNER_TABLES = """
CREATE TABLE messages (hash TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE artifacts (
    run_id TEXT NOT NULL, handle TEXT NOT NULL, call_id TEXT NOT NULL, media_type TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (run_id, handle));
CREATE TABLE open_arguments (
    run_id TEXT NOT NULL, call_id TEXT NOT NULL, source TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run_id, call_id, source)) WITHOUT ROWID;
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, kind TEXT NOT NULL, call_id TEXT NOT NULL,
    data TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX inbox_by_run ON inbox (run_id);
CREATE TABLE owners (
    run_id TEXT PRIMARY KEY, owner TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL, pid_started TEXT NOT NULL,
    fence INTEGER NOT NULL, lease_until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (session TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (session, run_id)) WITHOUT ROWID;
"""

_VIEWS = """
CREATE VIEW requests AS
    SELECT run_id, turn, purpose, started_at,
        (SELECT json_group_array(json(data)) FROM (
            SELECT messages.data AS data FROM json_each(request, '$.messages') AS ref JOIN messages ON messages.hash = ref.value
            ORDER BY ref.key)) AS messages,
        (SELECT CAST(data AS TEXT) FROM blobs WHERE hash = json_extract(request, '$.tools')) AS tools,
        json_extract(request, '$.settings') AS settings
    FROM model_calls;
CREATE VIEW tool_usage AS
    SELECT tool_name, COUNT(*) AS calls, SUM(status = 'ok') AS ok, SUM(status IN ('error', 'timeout')) AS failed,
        SUM(status IN ('refused', 'rejected')) AS refused, AVG(seconds) AS mean_seconds, AVG(result_chars) AS mean_result_chars
    FROM tool_calls GROUP BY tool_name ORDER BY calls DESC;
"""


def _first_tables(database: Database) -> None:
    for script in (_PUBLIC_TABLES, _INNER_TABLES, _VIEWS):
        for statement in script.split(";\n"):
            if statement.strip():
                database.execute(statement)


def _standing_rules(database: Database) -> None:
    database.execute(
        """CREATE TABLE standing_rules (
            rule_id TEXT PRIMARY KEY, agent TEXT NOT NULL, tool_name TEXT NOT NULL, arguments TEXT NOT NULL,
            exact INTEGER NOT NULL, decided_by TEXT NOT NULL, created_at REAL NOT NULL, forgotten_at REAL,
            run_id TEXT NOT NULL, call_id TEXT NOT NULL)"""
    )
    database.execute("CREATE INDEX standing_rules_by_agent ON standing_rules (agent)")


MIGRATIONS: tuple[tuple[str, Callable[[Database], None]], ...] = (
    ("0001_first_tables", _first_tables),
    ("0002_standing_rules", _standing_rules),
)
"""All migrations in order. Append; never change or remove one that was released."""


def migrate(database: Database) -> None:
    """Bring the file to the newest schema; raises JournalError when it is newer still, or somebody else's."""
    complete = _applied(database) == [name for name, _ in MIGRATIONS]
    database.use_write_ahead_log()
    if complete:
        return
    with database.transaction():
        # Looked at again inside the transaction: another process may have done it meanwhile.
        applied = _applied(database)
        if not applied:
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL NOT NULL)")
        for name, apply in MIGRATIONS[len(applied) :]:
            apply(database)
            database.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))


def _applied(database: Database) -> list[str]:
    """List the migrations that the file has, after making sure that they are all known."""
    path = database.path
    mark = database.query("PRAGMA application_id")[0][0]
    if mark != APPLICATION_ID:
        if database.first("SELECT 1 FROM sqlite_master"):
            raise JournalError(f"{path} is a database of another program: choose another file with --db or PRUDENT_DB")
        return []
    names = [str(name) for (name,) in database.query("SELECT name FROM migrations ORDER BY name")]
    known = [name for name, _ in MIGRATIONS]
    if names != known[: len(names)]:
        raise JournalError(f"the journal {path} was written by a newer Prudent: update with pip install -U prudent")
    return names
