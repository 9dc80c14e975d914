"""Where a model took one tool and then at once another: it had chosen the wrong one, or the first could not do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from prudent.design.audit.facts import Call, Facts, RunFacts
from prudent.design.audit.usage import HELD_BACK, RUNS_NAMED
from prudent.design.audit.values import ask_the_same, chosen, particulars, stands_in
from prudent.design.twins import NEIGHBOURS, likeness
from prudent.types import JSONObject

Cause = Literal["after an error", "same question", "both at once"]
"""Why it counts: the first call failed; it worked, but the next asked an alike tool the same and used nothing of its
result; or both were asked the same in one reply."""

_MAX_LATER_CALLS = 20
_NOT_ITS_FAULT = HELD_BACK | {"prerequisite", "unknown_tool"}
"""After these another call is what the runtime asked for."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One place where it happened."""

    first: str
    then: str
    cause: Cause
    run_id: str
    turn: int
    """Of the first call."""

    same_question: bool
    renames: tuple[tuple[str, str], ...] = ()
    """Parameters that got the same value, under the first tool's name and the second's."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """How often models went from one tool to another."""

    first: str
    then: str
    causes: Mapping[str, int]
    """Counts by `Cause`."""

    same_question: int
    """How many of them asked both tools the same."""

    run_ids: tuple[str, ...]
    renames: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    @property
    def count(self) -> int:
        """How often in all."""
        return sum(self.causes.values())

    @property
    def directed(self) -> int:
        """How often one followed the other, and did not stand beside it."""
        return self.count - self.causes.get("both at once", 0)


class Corrector:
    """Finds corrections. It remembers how alike tools are, since the same pairs come again and again."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._alike: dict[frozenset[str], bool] = {}

    def of_run(self, run: RunFacts) -> Iterator[Correction]:
        """Give the corrections of one run, in order."""
        replies = [[*calls] for _, calls in groupby(run.calls, key=lambda call: call.turn)]
        seen = 0
        for at, reply in enumerate(replies):
            seen += len(reply)
            later = run.calls[seen : seen + _MAX_LATER_CALLS]
            following = replies[at + 1] if at + 1 < len(replies) else []
            yield from (replace(found, run_id=run.run_id) for found in self._of_reply(reply, following, later))

    def _of_reply(self, reply: Sequence[Call], following: Sequence[Call], later: Sequence[Call]) -> Iterator[Correction]:
        for at, first in enumerate(reply):
            for then in reply[at + 1 :]:
                if self._are_one_question(first, then) and first.fine and then.fine:
                    yield self._correction(first, then, "both at once")
            if not following or first.tool in {call.tool for call in following}:
                continue
            if first.error_kind:
                yield from self._after_error(first, following, is_alone=len(reply) == 1)
            elif first.fine:
                yield from self._unused(first, following, later)

    def _after_error(self, first: Call, following: Sequence[Call], *, is_alone: bool) -> Iterator[Correction]:
        if first.error_kind in _NOT_ITS_FAULT:
            return
        same = [call for call in following if self._ask_the_same(first, call)]
        then = same[0] if same else following[0]
        if (same or is_alone) and then.error_kind != "unknown_tool":
            yield self._correction(first, then, "after an error")

    def _unused(self, first: Call, following: Sequence[Call], later: Sequence[Call]) -> Iterator[Correction]:
        then = next((call for call in following if self._are_one_question(first, call)), None)
        if then and not any(_uses(call, first) for call in later):
            yield self._correction(first, then, "same question")

    def _correction(self, first: Call, then: Call, cause: Cause) -> Correction:
        same = self._ask_the_same(first, then)
        return Correction(first.tool, then.tool, cause, "", first.turn, same, _renames(first, then))

    def _are_one_question(self, first: Call, then: Call) -> bool:
        return first.tool != then.tool and self._are_alike(first.tool, then.tool) and self._ask_the_same(first, then)

    def _ask_the_same(self, first: Call, then: Call) -> bool:
        return ask_the_same(self._chosen(first), self._chosen(then))

    def _chosen(self, call: Call) -> JSONObject:
        spec = self._facts.specs.get(call.tool)
        return chosen(call.arguments, spec.parameters if spec else {})

    def _are_alike(self, one: str, other: str) -> bool:
        pair = frozenset((one, other))
        if pair not in self._alike:
            first, second = self._facts.specs.get(one), self._facts.specs.get(other)
            self._alike[pair] = bool(first and second and likeness(first, second).score >= NEIGHBOURS)
        return self._alike[pair]


def find_corrections(facts: Facts) -> list[Corrections]:
    """Count the corrections of all runs, the most frequent first."""
    corrector = Corrector(facts)
    found: dict[tuple[str, str], list[Correction]] = {}
    for run in facts.runs:
        for correction in corrector.of_run(run):
            found.setdefault((correction.first, correction.then), []).append(correction)
    counted = [_count(places) for places in found.values()]
    return sorted(counted, key=lambda pair: (-pair.count, pair.first, pair.then))


def _count(places: Sequence[Correction]) -> Corrections:
    runs = list(dict.fromkeys(place.run_id for place in reversed(places)))
    return Corrections(
        first=places[0].first,
        then=places[0].then,
        causes=dict(Counter(place.cause for place in places).most_common()),
        same_question=sum(place.same_question for place in places),
        run_ids=tuple(runs[:RUNS_NAMED]),
        renames=dict(Counter(rename for place in places for rename in place.renames).most_common()),
    )


def _uses(call: Call, earlier: Call) -> bool:
    """Whether a call has a value that it can only have from an earlier one's result."""
    return any(stands_in(leaf, earlier.shown) for leaf in particulars(call.arguments) - particulars(earlier.arguments))


def _renames(first: Call, then: Call) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, other)
        for name, value in first.arguments.items()
        for other, same in then.arguments.items()
        if name != other and isinstance(value, str | int) and not isinstance(value, bool) and value == same
    )
