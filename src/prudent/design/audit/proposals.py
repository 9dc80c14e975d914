"""What to change: tools to remove, to merge, to join to a macro; each with its evidence and what it would save."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prudent.design.audit.confusion import LEAST_CONFUSIONS, TwinPair
from prudent.design.audit.facts import Facts, definition_tokens
from prudent.design.audit.macros import draft_macro
from prudent.design.audit.merge import merge
from prudent.design.audit.python_source import python_source
from prudent.design.audit.sequences import Repeated
from prudent.design.audit.usage import ENOUGH_CALLS, RUNS_NAMED, ToolUse
from prudent.messages import ToolSpec

MOST_MERGED = 4
"""How many tools one merge takes at most: beyond that, one tool would do too much."""

FIRMLY_RARE_SHARE = 0.03
"""A rare tool is surely so when its share is, with 95 % confidence, below this."""

_MOST_NAMED, _MOST_EXPLAINED = 4, 12
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
    """The merged tool or the macro as Python, ready to paste."""

    @property
    def saving(self) -> str:
        """What it saves, in a sentence."""
        saved = f"{'saves' if self.tokens >= 0 else 'costs'} about"
        whole = f"{abs(self.tokens):,.0f} tokens in the whole period (estimated)"
        if self.model_calls:
            return f"{self.model_calls:,} model calls less; {saved} {whole}"
        with_them = "it" if len(self.tools) == 1 else "them"
        return f"{saved} {abs(self.tokens_a_call):,.0f} tokens in each model call with {with_them}, {whole}"


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
        *_removals(findings, merging),
        *(_merge(findings, group) for group in groups),
        *(_macro(facts, found) for found in sequences),
    ]
    return sorted(made, key=lambda proposal: (not proposal.is_firm, -proposal.tokens, proposal.tools))


def _removals(findings: _Findings, merging: Collection[str]) -> Iterator[Proposal]:
    """Propose at most four: what is unused and what is rare, each as far as the figures suffice and as far as they do not."""
    for is_firm in (True, False):
        unused = [use for use in findings.uses.values() if use.is_unused and use.is_firm == is_firm]
        rare = [use for use in findings.uses.values() if use.is_long_tail and use.name not in merging]
        rare = [use for use in rare if (use.is_firm and use.highest_share < FIRMLY_RARE_SHARE) == is_firm]
        if unused:
            yield _removal(findings, unused, "Remove {}", is_firm=is_firm)
        if rare:
            yield _removal(findings, rare, "Put {} behind tool search, or remove", is_firm=is_firm)


def _removal(findings: _Findings, uses: Sequence[ToolUse], title: str, *, is_firm: bool) -> Proposal:
    ordered = sorted(uses, key=lambda use: (-use.paid, use.name))
    names = [use.name for use in ordered]
    named = ", ".join(names[:_MOST_NAMED]) + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")
    some = named if len(names) == 1 else f"{len(names)} tools ({named})"
    evidence = [_why_removed(findings, use) for use in ordered[:_MOST_EXPLAINED]]
    if len(ordered) > _MOST_EXPLAINED:
        evidence.append(f"and {len(ordered) - _MOST_EXPLAINED} more, which take less")
    pronoun = "it" if len(names) == 1 else "them"
    if any(use.calls for use in uses):
        evidence.append(f"rare is not needless: look at the runs that needed {pronoun} before you remove {pronoun}")
    title = title.format(some) + (f" {pronoun}" if title.endswith("remove") else "")
    run_ids = tuple(dict.fromkeys(run_id for use in ordered for run_id in use.run_ids))[:RUNS_NAMED]
    tokens_a_call, tokens = sum(use.tokens for use in uses), sum(use.paid for use in uses)
    return Proposal("remove", tuple(names), title, tuple(evidence), run_ids, tokens_a_call, tokens, is_firm=is_firm)


def _why_removed(findings: _Findings, use: ToolUse) -> str:
    told = f"{use.name}: {use.calls:,} of {use.chances:,} calls where it was mounted"
    told += f" (at most {use.highest_share:.1%}, with 95 % confidence)"
    if use.calls and use.failed == use.calls:
        told += ", all failed"
    twins = [_other(pair, use.name) for pair in findings.twins if use.name in (pair.one, pair.other)]
    alike = [name for name in twins if findings.uses[name].calls > use.calls]
    if alike:
        told += f"; {alike[0]} reads alike and was called {findings.uses[alike[0]].calls:,} times"
    return f"{told}; {use.tokens:,} tokens in each of {use.carried:,} model calls"


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
        yield f"models went from {pair.one} to {pair.other} {pair.there:,} times, and {pair.back:,} back"
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
        code=draft.code,
    )


def _other(pair: TwinPair, name: str) -> str:
    return pair.other if pair.one == name else pair.one
