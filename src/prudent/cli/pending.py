"""Calls that wait for a decision: those of all runs, and the decision about one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from prudent.answers import OUTCOME_DECISIONS, answers
from prudent.cli.ending import choice_lines, pending_lines
from prudent.cli.narration import Line, line
from prudent.cli.records import open_records
from prudent.cli.text import visible
from prudent.errors import ConfigurationError
from prudent.events import ApprovalDecided
from prudent.journal.decisions import Asked, asked_about, decision_of, leave_decision, open_questions
from prudent.journal.rows import ApprovalRow
from prudent.journal.store import JournalStore
from prudent.types import JSONObject

TAKEN_SECONDS = 3.0
"""How long a run that is under way may need to take a decision; it looks several times a second."""

LOOK_SECONDS = 0.05


def waiting_calls(database: Path) -> list[JSONObject]:
    """List what waits in runs that are parked or under way, the oldest question first."""
    with open_records(database) as store:
        return [_as_json(asked) for asked in open_questions(store)]


def waiting_lines(calls: Sequence[JSONObject], database: str) -> list[Line]:
    """Write what waits, with the commands that answer it."""
    if not calls:
        return [line("nothing waits for a decision")]
    lines: list[Line] = []
    for call in calls:
        lines += [line(("strong", f"run {call['run_id']}")), *pending_lines(call)]
        if call["noted"]:
            noted = f"noted: {visible(str(call['noted']))}; the run goes on with it when it is resumed"
            lines.append(line(("dim", f"  {noted}")))
        else:
            lines += choice_lines(call, str(call["run_id"]), database)
    return lines


def find_question(database: Path, run: str, call: str) -> Asked:
    """Find what was asked about a call by the beginnings of the ids.

    Raises:
        ConfigurationError: Nothing waits there by that name, or somebody has decided already.
    """
    with open_records(database) as store:
        run_id = store.find(run)
        rows = store.approvals(run_id)
        waiting = store.approvals(run_id, undecided=True)
        row = _named(waiting, call) or _named([row for row in rows if row.decision], call)
        asked = asked_about(store, run_id, row.call_id) if row else None
        if asked is None:
            there = f"\n    what waits there: {', '.join(row.call_id for row in waiting) or 'nothing'}"
            raise ConfigurationError(f"no call {call!r} of run {run_id} waits for a decision{there}")
        if asked.answer:
            raise too_late(asked, asked.answer)
        return asked


def decide(database: Path, asked: Asked, note: JSONObject) -> bool:
    """Leave a decision for the run, and tell whether a run under way has taken it.

    Raises:
        ConfigurationError: It cannot answer that question, or somebody else was first.
        JournalError: Something else is asked by now.
    """
    note = {**note, "call_id": asked.question.call_id, "asked_at": asked.question.at}
    decision = decision_of(note)
    refuse_misfit(asked, decision)
    with open_records(database) as store:
        if earlier := leave_decision(store, asked.run_id, note):
            raise too_late(asked, earlier)
        taken = _taken(store, asked)
    if taken and (taken.decided_by, taken.decision) != (decision.decided_by, decision.decision):
        raise too_late(asked, taken)
    return taken is not None


def noted_lines(asked: Asked, decision: str, database: str, *, taken: bool) -> list[Line]:
    """Say what was noted, and what has to be done for the run to go on."""
    question, root = asked.question, asked.run_id.partition(".")[0]
    goes_on = f"run {root} goes on with it"
    resume = f"next: prudent resume {root}{f' --db {database}' if database else ''}"
    return [line(f"noted: {decision} {visible(question.tool_name)} ({question.call_id})"), line(goes_on if taken else resume)]


def too_late(asked: Asked, answer: ApprovalDecided) -> ConfigurationError:
    """Tell who decided what."""
    why = f" ({answer.reason})" if answer.reason else ""
    what = f"{asked.question.tool_name} ({asked.question.call_id})"
    return ConfigurationError(f"{what} was decided already: {answer.decision} by {answer.decided_by}{why}")


def refuse_misfit(asked: Asked, decision: ApprovalDecided) -> None:
    """An unknown outcome takes the decisions about outcomes, any other question the rest."""
    question, given = asked.question, decision.decision
    if answers(question, decision):
        return
    if given in OUTCOME_DECISIONS:
        raise ConfigurationError(
            f"{question.tool_name} ({question.call_id}) has not run yet: --{given} does not fit; approve or reject it"
        )
    raise ConfigurationError(
        f"nobody knows whether {question.tool_name} ({question.call_id}) took effect, so it cannot be answered by {given}: "
        "look, then give --happened, --retry or --skip"
    )


def _taken(store: JournalStore, asked: Asked) -> ApprovalDecided | None:
    """Wait a moment for the process that works on the run, if there is one, and give what it recorded."""
    until = time.monotonic() + TAKEN_SECONDS
    while True:
        # Whether it is alive is looked at first: a run that takes the decision may be over a moment later.
        waits = store.is_alive(asked.run_id) and time.monotonic() < until
        rows = [row for row in store.approvals(asked.run_id) if row.call_id == asked.question.call_id]
        if rows and rows[-1].decision:
            now = asked_about(store, asked.run_id, asked.question.call_id)
            return now.answer if now else None
        if not waits:
            return None
        time.sleep(LOOK_SECONDS)


def _named(rows: Sequence[ApprovalRow], call: str) -> ApprovalRow | None:
    """Find the row of the call of that id, or of the only one whose id begins so."""
    exact = [row for row in rows if row.call_id == call]
    begun = {row.call_id: row for row in rows if call and row.call_id.startswith(call)}
    return exact[-1] if exact else next(iter(begun.values())) if len(begun) == 1 else None


def _as_json(asked: Asked) -> JSONObject:
    question, answer = asked.question, asked.answer
    return {
        "run_id": asked.run_id,
        "kind": question.kind,
        "call_id": question.call_id,
        "tool_name": question.tool_name,
        "arguments": question.arguments,
        "preview": question.preview,
        "asked_at": question.at,
        "each_time": question.each_time,
        "noted": f"{answer.decision} by {answer.decided_by}" if answer else None,
    }
