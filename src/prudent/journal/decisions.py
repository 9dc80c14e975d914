"""What people decide from outside a run: about a question that it asked, and that a standing rule is to be forgotten.

The first decision about a question counts, whoever leaves it and from where; whoever comes second is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from prudent.answers import answers
from prudent.errors import JournalError
from prudent.events import ApprovalAsked, ApprovalDecided, Decision
from prudent.journal.codec import decode
from prudent.journal.contents import Shelf
from prudent.journal.records import Records
from prudent.journal.rows import StandingRuleRow
from prudent.journal.standing_rules import FORGET
from prudent.journal.store import JournalStore
from prudent.standing import rule_of
from prudent.types import JSON, JSONObject


@dataclass(frozen=True, slots=True)
class Asked:
    """The latest question about a call, with what answers it so far."""

    run_id: str
    question: ApprovalAsked
    """Its secrets hidden."""

    answer: ApprovalDecided | None
    """Recorded by the run, or noted for it."""


def asked_about(records: Records, run_id: str, call_id: str) -> Asked | None:
    """Give the latest question about a call, None when nobody was asked about it."""
    rows = records.database.query(
        "SELECT at, kind, data FROM events WHERE run_id=? AND kind IN ('ApprovalAsked', 'ApprovalDecided')"
        " AND json_extract(data, '$.call_id')=? ORDER BY seq",
        (run_id, call_id),
    )
    shelf, question, answer = Shelf(records.database), None, None
    for at, kind, data in cast(list[tuple[float, str, str]], rows):
        event = decode(kind, at, json.loads(data), shelf)
        question, answer = (event, None) if isinstance(event, ApprovalAsked) else (question, event)
    if question is None:
        return None
    return Asked(run_id, question, cast(ApprovalDecided | None, answer) or _noted(records, run_id, question))


def open_questions(records: Records) -> list[Asked]:
    """List what waits for a decision in all runs, oldest first; a sub-agent's question where it has surfaced."""
    asked = [asked_about(records, row.run_id, row.call_id) for row in records.approvals(undecided=True)]
    return [question for question in asked if question and not any(_above(records, question))]


def leave_decision(store: JournalStore, run_id: str, data: JSONObject) -> ApprovalDecided | None:
    """Leave a decision for a run, unless somebody was first: then give theirs.

    Where a sub-agent's question has surfaced in the run that it works for, it is left there and handed down.

    Args:
        store: The journal.
        run_id: The run's whole id.
        data: The fields of an `ApprovalDecided`. With `asked_at`, the time of the question that was seen, it is for that
            question only; raises JournalError when something else is asked by now.
    """
    call_id, asked_at = str(data["call_id"]), data.get("asked_at")
    with store.database.transaction():
        asked = asked_about(store, run_id, call_id)
        if asked is None or (asked_at is not None and asked.question.at != asked_at):
            raise JournalError(f"something else is asked about {call_id} of run {run_id} by now: see prudent approvals")
        above = [*_above(store, asked)]
        for place in (asked, *_below(store, asked), *above):
            if place.answer:
                return place.answer
        top = above[-1] if above else asked
        store.post(top.run_id, "decision", {**data, "call_id": top.question.call_id, "asked_at": top.question.at})
    return None


def forget_rule(store: JournalStore, prefix: str, at: float) -> StandingRuleRow:
    """Take a rule back by the beginning of its id. Runs of its agent that are under way learn of it at once.

    Raises:
        JournalError: None or several standing rules begin so.
    """
    with store.database.transaction():
        found = [row for row in store.standing_rules() if prefix and row.rule_id.startswith(prefix)]
        if len(found) != 1:
            several = f"several standing rules begin with {prefix!r}: give more of the id"
            none = f"there is no standing rule {prefix!r}: see prudent approvals --rules"
            raise JournalError(several if found else none)
        (row,) = found
        store.database.execute("UPDATE standing_rules SET forgotten_at=? WHERE rule_id=?", (at, row.rule_id))
        for status in ("running", "awaiting_approval"):
            for run in store.runs(status=status, agent=row.agent, limit=1000):
                store.post(run.run_id, FORGET, {"rule_id": row.rule_id})
    return row


def decision_of(data: JSONObject) -> ApprovalDecided:
    """Read a decision off a note."""
    arguments, asked_at = data.get("arguments"), data.get("asked_at")
    return ApprovalDecided(
        call_id=str(data.get("call_id", "")),
        decision=cast(Decision, data.get("decision", "reject")),
        decided_by=str(data.get("decided_by", "")),
        reason=str(data.get("reason") or ""),
        arguments=arguments if isinstance(arguments, dict) else None,
        result=data.get("result"),
        rule=rule_of(data.get("rule")),
        asked_at=asked_at if isinstance(asked_at, float) else None,
    )


def _noted(records: Records, run_id: str, question: ApprovalAsked) -> ApprovalDecided | None:
    """Find the first decision about the question that waits for the run to take it."""
    rows = records.database.query(
        "SELECT data FROM inbox WHERE run_id=? AND call_id=? AND kind='decision' ORDER BY id", (run_id, question.call_id)
    )
    notes = (decision_of(cast(dict[str, JSON], json.loads(cast(str, data)))) for (data,) in rows)
    return next((note for note in notes if answers(question, note)), None)


def _below(records: Records, asked: Asked) -> Iterator[Asked]:
    """Give the same question as it was asked in sub-agents' runs."""
    while asked.question.sub_call:
        run_id, _, call_id = asked.question.sub_call.rpartition("/")
        below = asked_about(records, run_id, call_id)
        if below is None:
            return
        yield (asked := below)


def _above(records: Records, asked: Asked) -> Iterator[Asked]:
    """Give the same question as it surfaced in the runs that a sub-agent works for, the topmost last."""
    while "." in asked.run_id:
        here = f"{asked.run_id}/{asked.question.call_id}"
        run_id, _, call_id = asked.run_id.rpartition(".")
        above = asked_about(records, run_id, call_id)
        if above is None or above.question.sub_call != here or above.question.at < asked.question.at:
            return
        yield (asked := above)
