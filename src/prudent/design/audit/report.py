"""The whole audit: what was found, what is proposed, and what a reader has to know to judge it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prudent.design.audit.confusion import TwinPair, find_twins
from prudent.design.audit.corrections import Corrections, find_corrections
from prudent.design.audit.facts import Facts
from prudent.design.audit.proposals import Proposal, propose
from prudent.design.audit.sequences import Repeated, find_sequences
from prudent.design.audit.usage import ENOUGH_CALLS, ToolUse, UnknownName, tool_uses, unknown_names
from prudent.design.twins import Embed
from prudent.types import JSON, JSONObject


@dataclass(frozen=True, slots=True)
class Totals:
    """How much was looked at."""

    runs: int
    agents: tuple[str, ...]
    first_at: float
    """When the first of the runs began, in seconds since 1970."""

    last_at: float
    task_calls: int
    model_calls: int
    """Model calls that carried tools."""

    input_tokens: int
    cached_tokens: int
    definition_tokens: int
    """Tokens of definitions in all model calls together; estimated."""

    unused_tokens: int
    """Those of `definition_tokens` that belong to tools that were never called."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found."""

    totals: Totals
    uses: tuple[ToolUse, ...]
    unknown: tuple[UnknownName, ...]
    corrections: tuple[Corrections, ...]
    twins: tuple[TwinPair, ...]
    sequences: tuple[Repeated, ...]
    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...]

    @property
    def long_tail(self) -> list[ToolUse]:
        """The tools that are called in less than 1 % of their chances."""
        return [use for use in self.uses if use.is_long_tail]

    @property
    def unused(self) -> list[ToolUse]:
        """The tools that models had and never called, the costliest first."""
        return sorted((use for use in self.uses if use.is_unused), key=lambda use: (-use.paid, use.name))

    @property
    def tokens_saved_a_call(self) -> float:
        """What all firm proposals to remove and merge would save in an average model call; estimated."""
        saved = sum(proposal.tokens for proposal in self.proposals if proposal.is_firm and proposal.kind != "macro")
        return saved / self.totals.model_calls if self.totals.model_calls else 0.0

    def as_json(self) -> JSONObject:
        """Give all of it as JSON."""
        totals = self.totals
        return {
            "runs": totals.runs,
            "agents": [*totals.agents],
            "first_at": totals.first_at,
            "last_at": totals.last_at,
            "task_calls": totals.task_calls,
            "model_calls": totals.model_calls,
            "input_tokens": totals.input_tokens,
            "cached_tokens": totals.cached_tokens,
            "definition_tokens_estimated": totals.definition_tokens,
            "unused_definition_tokens_estimated": totals.unused_tokens,
            "tokens_saved_a_model_call_estimated": round(self.tokens_saved_a_call, 1),
            "notes": [*self.notes],
            "tools": [_use(use) for use in self.uses],
            "long_tail": [use.name for use in self.long_tail],
            "never_called": [use.name for use in self.unused],
            "unknown_names": [{"name": row.name, "calls": row.calls, "instead": {**row.instead}} for row in self.unknown],
            "corrections": [_correction(row) for row in self.corrections],
            "twins": [_twin(pair) for pair in self.twins],
            "sequences": [_sequence(found) for found in self.sequences],
            "proposals": [_proposal(proposal) for proposal in self.proposals],
        }


def audit(facts: Facts, *, embed: Embed | None = None) -> Audit:
    """Look through what was gathered.

    Args:
        facts: calls and definitions, see `prudent.auditing.gather`.
        embed: turns descriptions into vectors, to find twins by meaning as well as by words.
    """
    uses, corrections, sequences = tool_uses(facts), find_corrections(facts), find_sequences(facts)
    twins = find_twins(facts, corrections, embed=embed)
    totals = _totals(facts, uses)
    return Audit(
        totals=totals,
        uses=tuple(uses),
        unknown=tuple(unknown_names(facts)),
        corrections=tuple(corrections),
        twins=tuple(twins),
        sequences=tuple(sequences),
        proposals=tuple(propose(facts, uses, twins, sequences)),
        notes=tuple(_notes(facts, totals)),
    )


def _totals(facts: Facts, uses: Sequence[ToolUse]) -> Totals:
    times = [run.started_at for run in facts.runs]
    return Totals(
        runs=len(facts.runs),
        agents=tuple(sorted({run.agent for run in facts.runs})),
        first_at=min(times, default=0.0),
        last_at=max(times, default=0.0),
        task_calls=len(facts.calls),
        model_calls=facts.model_calls,
        input_tokens=sum(block.input_tokens for block in facts.blocks),
        cached_tokens=sum(block.cached_tokens for block in facts.blocks),
        definition_tokens=sum(use.paid for use in uses),
        unused_tokens=sum(use.paid for use in uses if use.is_unused),
    )


def _notes(facts: Facts, totals: Totals) -> list[str]:
    notes = [*facts.notes]
    if totals.task_calls < ENOUGH_CALLS:
        notes.append(
            f"only {totals.task_calls} task calls: fewer than {ENOUGH_CALLS} are too few to conclude what is used rarely"
        )
    if not facts.specs:
        notes.append("no model call carried a tool of the agents' own")
    if totals.cached_tokens:
        share = totals.cached_tokens / totals.input_tokens if totals.input_tokens else 0.0
        notes.append(f"{share:.0%} of the tokens read came from the provider's cache, so that they cost less than others")
    return notes


def _use(use: ToolUse) -> JSON:
    return {
        "name": use.name,
        "calls": use.calls,
        "share": round(use.share, 5),
        "chances": use.chances,
        "share_of_chances": round(use.share_of_chances, 5),
        "highest_share_95": round(use.highest_share, 5),
        "failed": use.failed,
        "failure_rate": round(use.failure_rate, 4),
        "failures": {**use.failures},
        "held_back": use.held_back,
        "definition_tokens_estimated": use.tokens,
        "model_calls": use.carried,
        "tokens_paid_estimated": use.paid,
        "run_ids": [*use.run_ids],
    }


def _correction(row: Corrections) -> JSON:
    return {
        "first": row.first,
        "then": row.then,
        "count": row.count,
        "causes": {**row.causes},
        "same_question": row.same_question,
        "run_ids": [*row.run_ids],
    }


def _twin(pair: TwinPair) -> JSON:
    return {
        "tools": [pair.one, pair.other],
        "score": round(pair.likeness.score, 3),
        "compared": pair.likeness.compared,
        "by_meaning": pair.by_meaning,
        "by_confusion": pair.by_confusion,
        "there": pair.there,
        "back": pair.back,
        "at_once": pair.at_once,
        "run_ids": [*pair.run_ids],
    }


def _sequence(found: Repeated) -> JSON:
    steps: list[JSON] = [
        {
            "tool": step.tool,
            "arguments": {
                name: {"from": origin.kind, "step": origin.step + 1, "name": origin.name}
                if origin.kind in ("argument", "result")
                else {"from": origin.kind, **({"value": origin.value} if origin.kind == "constant" else {})}
                for name, origin in step.arguments
            },
        }
        for step in found.steps
    ]
    return {
        "tools": [*found.tools],
        "count": found.count,
        "runs": found.runs,
        "followed": round(found.followed, 4),
        "model_calls_saved": found.turns_saved,
        "steps": steps,
        "run_ids": [*found.run_ids],
    }


def _proposal(proposal: Proposal) -> JSON:
    return {
        "kind": proposal.kind,
        "title": proposal.title,
        "tools": [*proposal.tools],
        "firm": proposal.is_firm,
        "evidence": [*proposal.evidence],
        "run_ids": [*proposal.run_ids],
        "tokens_saved_a_model_call_estimated": round(proposal.tokens_a_call, 1),
        "tokens_saved_estimated": round(proposal.tokens),
        "model_calls_saved": proposal.model_calls,
        "definition": proposal.definition.as_json() if proposal.definition else None,
        "steps": [*proposal.steps],
        "python": proposal.code or None,
    }
