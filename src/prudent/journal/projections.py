"""The public tables, written from events in the same transaction: `runs`, `model_calls`, `tool_calls`, `thoughts`, `approvals`.

Each function takes one kind of event as it was encoded and redacted, so that no table shows more than `events` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from prudent.journal.codec import compact_json
from prudent.journal.contents import Contents
from prudent.journal.database import Database
from prudent.journal.standing_rules import keep_rule
from prudent.types import JSONObject


@dataclass(frozen=True, slots=True)
class Entry:
    """One event as it stands in `events`."""

    run_id: str
    at: float
    kind: str
    data: JSONObject
    """The encoded event, redacted."""


def project(database: Database, contents: Contents, entry: Entry) -> None:
    """Bring the public tables up to date with one event; most kinds touch one row, some none."""
    write = _PROJECTIONS.get(entry.kind)
    if write is not None:
        write(database, contents, entry.run_id, entry.at, cast(dict[str, Any], entry.data))


_Projection = Callable[[Database, Contents, str, float, dict[str, Any]], None]


def _run_started(database: Database, _contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    texts = [data.get(name, "") for name in ("agent", "agent_file", "agent_hash", "task", "model", "base_url")]
    database.execute(
        "INSERT INTO runs (run_id, agent, agent_file, agent_hash, task, model, base_url, mode, budget, status, started_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?)",
        (run_id, *texts, data.get("mode", "act"), compact_json(data.get("budget", {})), at),
    )
    if session := data.get("session"):
        database.execute("INSERT OR IGNORE INTO sessions (session, run_id) VALUES (?, ?)", (session, run_id))


def _run_resumed(database: Database, _contents: Contents, run_id: str, _at: float, _data: dict[str, Any]) -> None:
    database.execute(
        "UPDATE runs SET status='running', reason=NULL, output=NULL, error=NULL, ended_at=NULL WHERE run_id=?", (run_id,)
    )


def _run_ended(database: Database, _contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    output, status = data.get("output"), data["status"]
    text = output if isinstance(output, str) or output is None else compact_json(output)
    database.execute(
        "UPDATE runs SET status=?, reason=?, output=?, error=?, ended_at=? WHERE run_id=?",
        (status, data.get("reason"), text, data.get("error"), None if status == "awaiting_approval" else at, run_id),
    )


def _mode_changed(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    database.execute("UPDATE runs SET mode=? WHERE run_id=?", (data["mode"], run_id))


def _model_call_started(database: Database, contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    request = {"messages": contents.request_hashes, "tools": data["tools"], "settings": data["settings"]}
    database.execute(
        "INSERT INTO model_calls (run_id, turn, purpose, started_at, request_chars, request) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, data["turn"], data["purpose"], at, contents.request_chars, compact_json(cast(JSONObject, request))),
    )


def _model_call_ended(database: Database, contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    usage, raw = data["usage"], data.get("raw")
    tokens = (usage["in"], usage["cached"], usage["out"])
    rest = ',"raw":"' + raw["response"] + '"}' if raw else "}"
    database.execute(
        """UPDATE model_calls SET seconds=?, input_tokens=?, cached_tokens=?, output_tokens=?, finish_reason=?,
            response=(SELECT '{"message":' || data || ? FROM messages WHERE hash=?)
        WHERE rowid=(SELECT MAX(rowid) FROM model_calls WHERE run_id=? AND turn=? AND purpose=?)""",
        (data["seconds"], *tokens, data["finish_reason"], rest, data["message"], run_id, data["turn"], data["purpose"]),
    )
    _model_call_retried(database, contents, run_id, at, {"counted": True})
    _add_usage(database, run_id, tokens, data.get("cost"))


def _model_call_failed(database: Database, contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    database.execute(
        """UPDATE model_calls SET seconds=?, finish_reason='error', response=?
        WHERE rowid=(SELECT MAX(rowid) FROM model_calls WHERE run_id=? AND turn=? AND purpose=?)""",
        (data["seconds"], compact_json({"error": data["reason"]}), run_id, data["turn"], data["purpose"]),
    )
    _model_call_retried(database, contents, run_id, at, {"counted": data.get("counted", True)})


def _model_call_retried(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    if data["counted"]:
        database.execute("UPDATE runs SET model_calls=model_calls+1 WHERE run_id=?", (run_id,))


def _sub_run_worked(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    usage = data.get("usage", {"in": 0, "cached": 0, "out": 0})
    _add_usage(database, run_id, (usage["in"], usage["cached"], usage["out"]), data.get("cost", 0.0))


def _add_usage(database: Database, run_id: str, tokens: tuple[int, int, int], cost: float | None) -> None:
    database.execute(
        """UPDATE runs SET input_tokens=input_tokens+?, cached_tokens=cached_tokens+?, output_tokens=output_tokens+?,
            cost=cost+? WHERE run_id=?""",
        (*tokens, cost, run_id),
    )


def _call_prepared(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    database.execute(
        "INSERT OR REPLACE INTO tool_calls (run_id, turn, position, call_id, tool_name, arguments, status)"
        " VALUES (?, ?, ?, ?, ?, ?, 'pending')",
        (run_id, data["turn"], data["position"], data["call_id"], data["tool_name"], compact_json(data["arguments"])),
    )


def _call_started(database: Database, _contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    database.execute(
        "UPDATE tool_calls SET status='running', started_at=? WHERE run_id=? AND call_id=?", (at, run_id, data["call_id"])
    )


def _call_ended(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    shown = data["shown"]
    sizes = (data.get("seconds", 0.0), data.get("result_chars", 0), len(shown))
    database.execute(
        "UPDATE tool_calls SET status=?, error_kind=?, seconds=?, result_chars=?, shown_chars=?, shown=?, artifact=?"
        " WHERE run_id=? AND call_id=?",
        (data["status"], data.get("error_kind"), *sizes, shown, data.get("artifact"), run_id, data["call_id"]),
    )


def _thought_recorded(database: Database, _contents: Contents, run_id: str, _at: float, data: dict[str, Any]) -> None:
    database.execute(
        "INSERT INTO thoughts (run_id, turn, number, thought, plan, action) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, data["turn"], data["number"], data["thought"], data["plan"], data["action"]),
    )


def _approval_asked(database: Database, _contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    database.execute(
        "INSERT INTO approvals (run_id, call_id, kind, tool_name, arguments, preview, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (run_id, data["call_id"], data["kind"], data["tool_name"], compact_json(data["arguments"]), data["preview"], at),
    )
    status = "unknown" if data["kind"] == "unknown_outcome" else "pending"
    database.execute("UPDATE tool_calls SET status=? WHERE run_id=? AND call_id=?", (status, run_id, data["call_id"]))


def _approval_decided(database: Database, _contents: Contents, run_id: str, at: float, data: dict[str, Any]) -> None:
    call_id = data["call_id"]
    database.execute(
        "UPDATE approvals SET decision=?, decided_by=?, reason=?, decided_at=?"
        " WHERE rowid=(SELECT MAX(rowid) FROM approvals WHERE run_id=? AND call_id=?)",
        (data["decision"], data["decided_by"], data.get("reason"), at, run_id, call_id),
    )
    if data["decision"] == "edit" and data.get("arguments") is not None:
        # An edited plan, or an edited call of a sub-agent's run, is asked about under this call and is not its arguments.
        database.execute(
            """UPDATE tool_calls SET arguments=? WHERE run_id=? AND call_id=? AND ('call', tool_name)=(SELECT kind, tool_name
            FROM approvals WHERE run_id=? AND call_id=? ORDER BY rowid DESC LIMIT 1)""",
            (compact_json(data["arguments"]), run_id, call_id, run_id, call_id),
        )
    if data.get("rule"):
        keep_rule(database, run_id, at, data)


_PROJECTIONS: dict[str, _Projection] = {
    "RunStarted": _run_started,
    "RunResumed": _run_resumed,
    "RunEnded": _run_ended,
    "ModeChanged": _mode_changed,
    "ModelCallStarted": _model_call_started,
    "ModelCallEnded": _model_call_ended,
    "ModelCallFailed": _model_call_failed,
    "ModelCallRetried": _model_call_retried,
    "SubRunWorked": _sub_run_worked,
    "CallPrepared": _call_prepared,
    "CallStarted": _call_started,
    "CallEnded": _call_ended,
    "ThoughtRecorded": _thought_recorded,
    "ApprovalAsked": _approval_asked,
    "ApprovalDecided": _approval_decided,
}
