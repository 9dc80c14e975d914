"""Standing rules for people: written down, in words, in a list, and taken back."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from prudent.answers import standing_rule
from prudent.cli.narration import Line, line
from prudent.cli.records import open_records
from prudent.cli.text import visible, when_text
from prudent.errors import ConfigurationError
from prudent.events import ApprovalAsked
from prudent.journal.decisions import forget_rule
from prudent.journal.rows import StandingRuleRow
from prudent.standing import StandingRule
from prudent.types import JSONObject


def read_globs(words: Sequence[str]) -> dict[str, str]:
    """Read `name=GLOB` words; raises ConfigurationError for one that is none."""
    pairs = [word.partition("=") for word in words]
    for name, equals, glob in pairs:
        if not (name and equals and glob):
            raise ConfigurationError(f"{name + equals + glob!r} names no pattern: write name=GLOB, such as path=docs/*")
    return {name: glob for name, _, glob in pairs}


def new_rule(question: ApprovalAsked, words: Sequence[str] | None) -> StandingRule:
    """Make the rule that an `always` saves, for the arguments that were named, else for exactly those of the call.

    Raises:
        ConfigurationError: No rule may answer this question, or this one does not cover its call.
    """
    return standing_rule(question, read_globs(words) if words else None)


def rule_line(rule: StandingRule) -> Line:
    """Write a standing rule as it is shown before it is saved."""
    return line(("warn", f"  from now on {visible(rule.words)}"))


def standing_rules(database: Path) -> list[JSONObject]:
    """List the rules that stand, the newest first."""
    with open_records(database) as store:
        return [_as_json(row) for row in store.standing_rules()]


def rule_lines(rules: Sequence[JSONObject], database: str) -> list[Line]:
    """Write a list of rules, each with the command that ends it."""
    if not rules:
        return [line("no standing rules: whatever asks by default, asks")]
    lines: list[Line] = []
    for rule in rules:
        forget = f"prudent approvals --forget {rule['rule_id']}{f' --db {database}' if database else ''}"
        since = f"{when_text(float(str(rule['created_at'])))} by {visible(str(rule['decided_by']))}, run {rule['run_id']}"
        lines += [
            line(("strong", f"rule {rule['rule_id']}"), f"  agent {visible(str(rule['agent']))}"),
            line("    ", visible(str(rule["words"]))),
            line(("dim", f"    since {since}")),
            line(("dim", "    end it: "), ("strong", forget)),
        ]
    return lines


def forget_rules(database: Path, rule_id: str) -> list[JSONObject]:
    """Take a rule back by the beginning of its id, and give it; raises JournalError when that names none or several."""
    with open_records(database) as store:
        return [_as_json(forget_rule(store, rule_id, time.time()))]


def forgotten_lines(rules: Sequence[JSONObject]) -> list[Line]:
    """Write what was taken back."""
    return [
        line(f"forgotten, so such calls of {visible(str(rule['agent']))} ask again: {visible(str(rule['words']))}")
        for rule in rules
    ]


def _as_json(row: StandingRuleRow) -> JSONObject:
    return {
        "rule_id": row.rule_id,
        "agent": row.agent,
        "tool_name": row.tool_name,
        "arguments": json.loads(row.arguments),
        "exact": bool(row.exact),
        "words": row.rule.words,
        "decided_by": row.decided_by,
        "created_at": row.created_at,
        "run_id": row.run_id,
        "call_id": row.call_id,
    }
