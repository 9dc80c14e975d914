"""Rows of the public tables, as typed values: one class a table, its fields the columns in their order."""

from __future__ import annotations

import json
from dataclasses import dataclass

from prudent.standing import StandingRule


@dataclass(frozen=True, slots=True)
class RunRow:
    """A row of `runs`; times are seconds since 1970, `budget` is JSON, `output` text or JSON."""

    run_id: str
    agent: str
    agent_file: str
    agent_hash: str
    task: str
    model: str
    base_url: str
    mode: str
    budget: str
    status: str
    reason: str | None
    output: str | None
    error: str | None
    started_at: float
    ended_at: float | None
    model_calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class ModelCallRow:
    """A row of `model_calls`; what came of the call is None while it goes on, or when nobody lived to write it."""

    run_id: str
    turn: int
    purpose: str
    started_at: float
    seconds: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    finish_reason: str | None
    request_chars: int | None
    request: str | None
    """JSON: hashes of the messages, hash of the tools, settings."""

    response: str | None
    """JSON: the message, and the hash of the raw reply where it was kept; or an error."""


@dataclass(frozen=True, slots=True)
class ToolCallRow:
    """A row of `tool_calls`, thoughts and refused calls included; `arguments` is redacted JSON."""

    run_id: str
    turn: int
    position: int
    call_id: str
    tool_name: str
    arguments: str
    status: str
    error_kind: str | None
    started_at: float | None
    seconds: float | None
    result_chars: int | None
    shown_chars: int | None
    shown: str | None
    artifact: str | None


@dataclass(frozen=True, slots=True)
class ThoughtRow:
    """A row of `thoughts`."""

    run_id: str
    turn: int
    number: str
    thought: str
    plan: str
    action: str


@dataclass(frozen=True, slots=True)
class ApprovalRow:
    """A row of `approvals`; `decision` is None while nobody has decided."""

    run_id: str
    call_id: str
    kind: str
    tool_name: str
    arguments: str
    preview: str
    decision: str | None
    decided_by: str | None
    reason: str | None
    asked_at: float
    decided_at: float | None


@dataclass(frozen=True, slots=True)
class StandingRuleRow:
    """A row of `standing_rules`; `arguments` is JSON of patterns by argument, `forgotten_at` is None while it stands."""

    rule_id: str
    agent: str
    tool_name: str
    arguments: str
    exact: int
    """1 where the call may have no other arguments."""

    decided_by: str
    created_at: float
    forgotten_at: float | None
    run_id: str
    call_id: str
    """The call it was made about."""

    @property
    def rule(self) -> StandingRule:
        """The rule itself."""
        return StandingRule(self.rule_id, self.tool_name, json.loads(self.arguments), bool(self.exact))
