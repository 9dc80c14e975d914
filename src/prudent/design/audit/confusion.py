"""Twins: pairs of tools that read alike, or that models took for each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prudent.design.audit.corrections import Corrections
from prudent.design.audit.facts import Facts
from prudent.design.audit.usage import RUNS_NAMED
from prudent.design.twins import TWINS, Embed, Likeness, likeness, near_pairs

LEAST_CONFUSIONS = 4
"""Corrections, both directions together, from which on two tools count as confused."""

MOST_TOOLS_COMPARED = 1_000


@dataclass(frozen=True, slots=True)
class TwinPair:
    """Two tools that are hard to tell apart."""

    one: str
    other: str
    likeness: Likeness
    there: int
    """How often a model went from `one` to `other`."""

    back: int
    at_once: int
    """How often it asked both the same in one reply; part of neither `there` nor `back`."""

    by_meaning: bool
    """Whether their definitions are alike."""

    by_confusion: bool
    """Whether models took them for each other, in both directions."""

    run_ids: tuple[str, ...]
    renames: Mapping[tuple[str, str], int]
    """Parameters that got the same value, by their names in `one` and in `other`."""


def find_twins(facts: Facts, corrections: Sequence[Corrections], *, embed: Embed | None = None) -> list[TwinPair]:
    """Find the pairs that a model had together and that are alike, or were confused both ways; the surest first.

    Args:
        facts: what was gathered.
        corrections: what `find_corrections` found.
        embed: turns descriptions into vectors, to compare them by meaning as well as by words.
    """
    steps = {(row.first, row.then): row for row in corrections}
    specs = [*facts.specs.values()][-MOST_TOOLS_COMPARED:]
    alike: dict[tuple[str, str], Likeness] = {}
    for pair in near_pairs(specs, least=TWINS, embed=embed):
        alike[_ordered(specs[pair.first].name, specs[pair.second].name)] = pair.likeness
    confused = {_ordered(first, then) for first, then in steps if _is_confused(first, then, steps)}
    twins: list[TwinPair] = []
    for one, other in alike.keys() | confused:
        if one in facts.specs and other in facts.specs and facts.were_together(one, other):
            twins.append(_pair(one, other, alike.get((one, other)), facts, steps))
    return sorted(twins, key=lambda pair: (-(pair.by_meaning + pair.by_confusion), -pair.likeness.score, pair.one, pair.other))


def _pair(one: str, other: str, alike: Likeness | None, facts: Facts, steps: Mapping[tuple[str, str], Corrections]) -> TwinPair:
    there, back = steps.get((one, other)), steps.get((other, one))
    rows = [row for row in (there, back) if row]
    renames = Counter(there.renames if there else {})
    renames.update({(mine, its): count for (its, mine), count in (back.renames.items() if back else ())})
    return TwinPair(
        one=one,
        other=other,
        likeness=alike or likeness(facts.specs[one], facts.specs[other]),
        there=there.directed if there else 0,
        back=back.directed if back else 0,
        at_once=sum(row.causes.get("both at once", 0) for row in rows),
        by_meaning=alike is not None,
        by_confusion=_is_confused(one, other, steps),
        run_ids=tuple(dict.fromkeys(run_id for row in rows for run_id in row.run_ids))[:RUNS_NAMED],
        renames=dict(renames.most_common()),
    )


def _is_confused(one: str, other: str, steps: Mapping[tuple[str, str], Corrections]) -> bool:
    """Whether it went both ways, mostly with the same question: one way only, it may be how the work is done."""
    there, back = steps.get((one, other)), steps.get((other, one))
    if not there or not back or not there.directed or not back.directed:
        return False
    total = there.directed + back.directed
    same = there.same_question + back.same_question
    return total >= LEAST_CONFUSIONS and 2 * same >= there.count + back.count


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
