"""Standing rules in the journal: kept with the decision that made them, until somebody takes them back."""

from __future__ import annotations

from typing import cast

from prudent.journal.codec import compact_json
from prudent.journal.database import Database
from prudent.standing import holds_hidden
from prudent.types import JSONObject

FORGET = "forget"
"""Kind of the note by which a run under way learns that a rule was taken back."""


def keep_rule(database: Database, run_id: str, at: float, decision: JSONObject) -> None:
    """Write the rule of an encoded `ApprovalDecided`, in the transaction that records that.

    A rule about a call of a sub-agent's run is that agent's: it is written with the decision in that run. One whose
    patterns held a secret is not written: what is left of them would never match.
    """
    rule, call_id = cast(JSONObject, decision["rule"]), str(decision["call_id"])
    globs = cast(JSONObject, rule["globs"])
    of_sub_agent = database.first(
        "SELECT json_extract(data, '$.sub_call') FROM events WHERE run_id=? AND kind='ApprovalAsked'"
        " AND json_extract(data, '$.call_id')=? ORDER BY seq DESC LIMIT 1",
        (run_id, call_id),
    )
    if (of_sub_agent and of_sub_agent[0]) or any(holds_hidden(str(glob)) for glob in globs.values()):
        return
    database.execute(
        "INSERT OR IGNORE INTO standing_rules SELECT ?, agent, ?, ?, ?, ?, ?, NULL, run_id, ? FROM runs WHERE run_id=?",
        (
            str(rule["rule_id"]),
            str(rule["tool_name"]),
            compact_json(globs),
            int(bool(rule.get("exact"))),
            str(decision["decided_by"]),
            at,
            call_id,
            run_id,
        ),
    )
