"""What to change: tools to remove, to merge, to join to a macro; each with its evidence and what it would save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prudent.design.audit.confusion import LEAST_CONFUSIONS, TwinPair
from prudent.design.audit.facts import Facts, definition_tokens
from prudent.design.audit.macros import draft_macro
from prudent.design.audit.merge import merge
from prudent.design.audit.python_source import python_source
from prudent.design.audit.sequences import Repeated
from prudent.design.audit.usage import ENOUGH_CALLS, LONG_TAIL_SHARE, RUNS_NAMED, ToolUse
from prudent.messages import ToolSpec

MOST_MERGED = 4
"""How many tools one merge takes at most: beyond that, one tool would do too much."""

_EFFECTS = ("read", "write", "destructive")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change."""

    kind: Literal["remove", "merge", "macro"]
    tools: tuple[str, ...]
    title: str
    evidence: tuple[str, ...]
    run_ids: tuple[str, ...]
    tokens_a_call: float
    """Fewer tokens in each model call that carries these tools; estimated."""

    tokens: float
    """Fewer tokens in the whole period, more where it is negative; estimated, cached ones included."""

    model_calls: int = 0
    """Fewer model calls in the whole period."""

    is_firm: bool = True
    """Whether the figures suffice to act on; else it is something to look at."""

    definition: ToolSpec | None = None
    """What comes in the place of the tools, or beside them."""

    steps: tuple[str, ...] = ()
    """Of a macro, in order."""

    code: str = field(default="", repr=False)
    """A merged tool as Python, ready to paste."""


@dataclass(frozen=True, slots=True)
class _Findings:
    """What proposals are made from."""

    facts: Facts
    uses: Mapping[str, ToolUse]
    twins: Sequence[TwinPair]


def propose(facts: Facts, uses: Sequence[ToolUse], twins: Sequence[TwinPair], sequences: Sequence[Repeated]) -> list[Proposal]:
    """Make the proposals that the findings suggest: the firm ones first, of these what saves most first."""
    findings = _Findings(facts, {use.name: use for use in uses}, twins)
    groups = _groups(findings)
    merging = {name for group in groups for name in group}
    made = [
        *(_removal(findings, use) for use in uses if use.is_unused or (use.is_long_tail and use.name not in merging)),
        *(_merge(findings, group) for group in groups),
        *(_macro(facts, found) for found in sequences),
    ]
    return sorted(made, key=lambda proposal: (not proposal.is_firm, -proposal.tokens, proposal.tools))


def _removal(findings: _Findings, use: ToolUse) -> Proposal:
    chances = f"{use.chances:,} task calls of the runs that had it"
    most = f"at most {use.highest_share:.1%} of the calls, with 95 % confidence"
    if use.is_unused:
        evidence = [f"not called once in {chances}: {most}"]
    else:
        evidence = [f"{use.calls:,} of {chances}, {use.share_of_chances:.2%}: {most}"]
        if use.failed == use.calls:
            evidence.append("all of its calls failed")
        else:
            evidence.append("rare is not needless: look at what these runs needed it for")
    evidence += [
        f"{_other(pair, use.name)} reads alike and was called {findings.uses[_other(pair, use.name)].calls:,} times"
        for pair in findings.twins
        if use.name in (pair.one, pair.other) and findings.uses[_other(pair, use.name)].calls > use.calls
    ]
    evidence.append(f"its definition went out with {use.carried:,} model calls")
    title = f"Remove {use.name}" if use.is_unused else f"Remove {use.name}, or put it behind tool search"
    firm = use.is_firm and (use.is_unused or use.highest_share < 3 * LONG_TAIL_SHARE)
    return Proposal("remove", (use.name,), title, tuple(evidence), use.run_ids, use.tokens, use.paid, is_firm=firm)


def _groups(findings: _Findings) -> list[list[str]]:
    """Join pairs that share a tool; leave out what is unused, or does more to the world than its twin."""
    groups: list[list[str]] = []
    for pair in findings.twins:
        if findings.uses[pair.one].is_unused or findings.uses[pair.other].is_unused or not _act_alike(findings.facts, pair):
            continue
        near = [group for group in groups if pair.one in group or pair.other in group]
        joined = sorted({pair.one, pair.other, *(name for group in near for name in group)})
        if len(joined) <= MOST_MERGED:
            groups = [*(group for group in groups if group not in near), joined]
    return groups


def _act_alike(facts: Facts, pair: TwinPair) -> bool:
    one, other = facts.effects.get(pair.one), facts.effects.get(pair.other)
    return one is None or other is None or one == other


def _merge(findings: _Findings, group: Sequence[str]) -> Proposal:
    facts, uses = findings.facts, findings.uses
    names = sorted(group, key=lambda name: (-uses[name].calls, name))
    pairs = [pair for pair in findings.twins if pair.one in group and pair.other in group]
    renames = {(pair.one, mine, pair.other, its): count for pair in pairs for (mine, its), count in pair.renames.items()}
    merged = merge([facts.specs[name] for name in names], taken=facts.specs, renames=renames)
    tokens = definition_tokens(merged.spec)
    saved = sum(uses[name].tokens for name in names) - tokens
    carried = max(uses[name].carried for name in names)
    effects = {effect for name in names if (effect := facts.effects.get(name))}
    effect = max(effects, key=_EFFECTS.index) if effects <= set(_EFFECTS) and effects else ""
    mixed = sum(pair.there + pair.back + pair.at_once for pair in pairs)
    evidence = [*(line for pair in pairs for line in _why_twins(pair)), *_renamed(merged.names)]
    evidence.append(f"definitions of {sum(uses[name].tokens for name in names):,} tokens become one of {tokens:,}")
    run_ids = dict.fromkeys(run_id for pair in pairs for run_id in pair.run_ids)
    return Proposal(
        "merge",
        tuple(names),
        f"Merge {' and '.join(names)} to {merged.spec.name}",
        tuple(evidence),
        tuple(run_ids)[:RUNS_NAMED],
        saved,
        sum(uses[name].paid for name in names) - tokens * carried,
        is_firm=mixed >= LEAST_CONFUSIONS and max(uses[name].chances for name in names) >= ENOUGH_CALLS,
        definition=merged.spec,
        # An undeclared effect is recorded as a write, and a declared one would be asked about: so that stays open.
        code=python_source(merged.spec, effect="" if effect == "write" else effect, body=f"join {', '.join(names)} here"),
    )


def _why_twins(pair: TwinPair) -> Iterator[str]:
    yield f"{pair.one} and {pair.other}: {pair.likeness.compared}"
    if pair.there or pair.back:
        yield f"models went {pair.there:,} times from {pair.one} to {pair.other}, {pair.back:,} times back"
    if pair.at_once:
        yield f"{pair.at_once:,} times both were asked the same at once"
    if not pair.there and not pair.back and not pair.at_once:
        yield "models have not confused them so far"


def _renamed(names: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for tool, parameters in names.items():
        changed = [f"{old} is {new}" for old, new in parameters.items() if old != new]
        if changed:
            yield f"of {tool} {', '.join(changed)}"


def _macro(facts: Facts, found: Repeated) -> Proposal:
    draft = draft_macro(found, facts, taken=facts.specs)
    carried = facts.carried[found.tools[0]] or facts.model_calls
    cost = definition_tokens(draft.spec) * carried
    tokens = found.turns_saved * facts.tokens_a_model_call - cost
    evidence = (
        f"found {found.count:,} times in {found.runs:,} runs; {found.followed:.0%} of the calls of {found.tools[0]} went on so",
        f"{found.turns_saved:,} model calls of {facts.tokens_a_model_call:,.0f} tokens on average would have been saved,"
        f" less {cost:,} for the macro's own definition",
        *draft.missing,
    )
    return Proposal(
        "macro",
        found.tools,
        f"Join {', '.join(found.tools)} to {draft.spec.name}",
        evidence,
        found.run_ids,
        tokens / carried if carried else 0.0,
        tokens,
        model_calls=found.turns_saved,
        is_firm=len(facts.calls) >= ENOUGH_CALLS and tokens > 0,
        definition=draft.spec,
        steps=draft.steps,
    )


def _other(pair: TwinPair, name: str) -> str:
    return pair.other if pair.one == name else pair.one
