"""An audit as lines for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from prudent.cli.tables import table_lines
from prudent.cli.text import count, one_line, when_text
from prudent.design.audit.proposals import Proposal
from prudent.design.audit.report import Audit
from prudent.design.audit.usage import ToolUse

WIDTH = 110
MOST_ROWS = 40
"""So many rows of a table are shown; `--json` and `--report` have all."""

_NAME_CHARS = 40


def audit_lines(found: Audit) -> Iterator[str]:
    """Write what was found, then what is proposed."""
    yield from _head(found)
    yield from _section("Calls", _calls(found))
    yield from _section("Long tail (below 1 % of the calls where they were mounted)", _names(found.long_tail))
    yield from _section("Never called", _unused(found.unused))
    yield from _section("Names that no tool has", _unknown(found))
    yield from _section("Corrections (one tool, then at once another)", _corrections(found))
    yield from _section("Twins", _twins(found))
    yield from _section("Sequences that come again and again", _sequences(found))
    yield from _section("Proposals", _proposals(found))


def _head(found: Audit) -> Iterator[str]:
    totals = found.totals
    agents = f"of {one_line(', '.join(totals.agents), 60)}" if len(totals.agents) < 4 else f"of {len(totals.agents)} agents"
    yield (
        f"{count(totals.runs, 'run')} {agents}, {when_text(totals.first_at)[:10]} to {when_text(totals.last_at)[:10]}: "
        f"{count(totals.task_calls, 'task call')} in {count(totals.model_calls, 'model call')} with tools"
    )
    if totals.definition_tokens:
        share = totals.unused_tokens / totals.definition_tokens
        yield (
            f"definitions took about {totals.definition_tokens:,} tokens (estimated), "
            f"{share:.0%} of them for tools that were never called"
        )
    if found.tokens_saved_a_call >= 1:
        saved = f"{found.tokens_saved_a_call:,.0f} tokens in each model call"
        yield f"removing and merging as proposed saves about {saved} (estimated)"
    for note in found.notes:
        yield f"note: {note}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    body = [*lines]
    if body:
        yield from ("", title)
        yield from (f"  {line}".rstrip() for line in body)


def _calls(found: Audit) -> Iterator[str]:
    used = [use for use in found.uses if use.calls]
    rows = [["tool", "calls", "share", "failed", "held back", "tokens*", "why they failed"]]
    for use in used[:MOST_ROWS]:
        failed = f"{use.failure_rate:.0%}" if use.failed else ""
        held = str(use.held_back) if use.held_back else ""
        name, share = one_line(use.name, _NAME_CHARS), f"{use.share:.1%}"
        rows.append([name, f"{use.calls:,}", share, failed, held, str(use.tokens), _counted(use.failures)])
    if used:
        yield from table_lines(rows, right=(1, 2, 3, 4, 5), width=WIDTH)
        yield from _more(used)
        yield "* of the definition, in each model call; estimated"


def _names(uses: Sequence[ToolUse]) -> Iterator[str]:
    for use in uses[:MOST_ROWS]:
        yield (
            f"{one_line(use.name, _NAME_CHARS)}: {use.calls:,} of {use.chances:,} calls, {use.share_of_chances:.2%}, "
            f"at most {use.highest_share:.1%} with 95 % confidence{_unsure(use)}"
        )
    yield from _more(uses)


def _unused(uses: Sequence[ToolUse]) -> Iterator[str]:
    for use in uses[:MOST_ROWS]:
        yield (
            f"{one_line(use.name, _NAME_CHARS)}: in {use.chances:,} calls where it was mounted; about {use.tokens} tokens in "
            f"each of {count(use.carried, 'model call')}{_unsure(use)}"
        )
    yield from _more(uses)


def _unsure(use: ToolUse) -> str:
    return "" if use.is_firm else " (too few calls to conclude anything)"


def _unknown(found: Audit) -> Iterator[str]:
    for row in found.unknown[:MOST_ROWS]:
        instead = f"; then {_counted(row.instead)}" if row.instead else ""
        yield f"{one_line(row.name, _NAME_CHARS)}: {count(row.calls, 'call')}{instead}"
    yield from _more(found.unknown)


def _corrections(found: Audit) -> Iterator[str]:
    for row in found.corrections[:MOST_ROWS]:
        same = f", {row.same_question} with the same question" if row.same_question else ""
        first, then = one_line(row.first, _NAME_CHARS), one_line(row.then, _NAME_CHARS)
        yield f"{first} → {then}: {row.count:,} ({_counted(row.causes)}){same}; {_runs(row.run_ids)}"
    yield from _more(found.corrections)


def _twins(found: Audit) -> Iterator[str]:
    for pair in found.twins[:MOST_ROWS]:
        why = [word for word, holds in (("read alike", pair.by_meaning), ("confused both ways", pair.by_confusion)) if holds]
        moved = (
            f"; {pair.there} there, {pair.back} back, {pair.at_once} at once" if pair.there + pair.back + pair.at_once else ""
        )
        names = f"{one_line(pair.one, _NAME_CHARS)} and {one_line(pair.other, _NAME_CHARS)}"
        yield f"{names}: {' and '.join(why)} ({pair.likeness.compared}){moved}"
    yield from _more(found.twins)


def _sequences(found: Audit) -> Iterator[str]:
    for row in found.sequences[:MOST_ROWS]:
        names = " → ".join(one_line(name, _NAME_CHARS) for name in row.tools)
        yield f"{names}: {row.count:,} times in {count(row.runs, 'run')}, {row.followed:.0%} of the times it began"
        for at, step in enumerate(row.steps[1:], 2):
            for name, origin in step.arguments:
                if origin.kind == "result":
                    yield f"    step {at}: {name} from {origin.name or 'the text'} of step {origin.step + 1}'s result"
                elif origin.kind == "argument":
                    yield f"    step {at}: {name} is {origin.name} of step {origin.step + 1}"


def _proposals(found: Audit) -> Iterator[str]:
    if not found.proposals:
        yield "none"
    for number, proposal in enumerate(found.proposals, 1):
        if number > 1:
            yield ""
        yield from _proposal(number, proposal)


def _proposal(number: int, proposal: Proposal) -> Iterator[str]:
    yield f"{number}. {proposal.title}{'' if proposal.is_firm else ' (to look at: the figures do not suffice)'}"
    for line in (*proposal.evidence, proposal.saving):
        yield from textwrap.wrap(line, WIDTH, initial_indent="   - ", subsequent_indent="     ", break_long_words=False)
    if proposal.run_ids:
        yield f"   - {_runs(proposal.run_ids)}"
    if proposal.steps:
        yield "   its steps:"
        yield from (f"       {at}. {step}" for at, step in enumerate(proposal.steps, 1))
    if proposal.code:
        yield "   written out (as JSON: --json):"
        yield from (f"       {line}" for line in proposal.code.splitlines())


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {one_line(name, _NAME_CHARS)}" for name, number in counts.items())


def _runs(run_ids: Sequence[str]) -> str:
    return f"such as {', '.join(run_ids[:2])}"


def _more(rows: Sequence[object]) -> Iterator[str]:
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} more; --json has all"
