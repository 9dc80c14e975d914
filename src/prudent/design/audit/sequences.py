"""Sequences of calls that come again and again, so that one macro could do them in one call."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prudent.design.audit.facts import Call, Facts
from prudent.design.audit.flow import Step, trace
from prudent.design.audit.usage import RUNS_NAMED
from prudent.design.audit.values import chosen

LENGTHS = (2, 3, 4, 5)
LEAST_RUNS = 5
LEAST_SHARE_OF_RUNS = 0.02
"""A sequence has to be found in so many runs, and in this share of those that called a tool."""

LEAST_FOLLOWED = 0.5
"""How often the first step has to be followed by the others for them to belong together."""

MOST_SEQUENCES = 10

_MOST_TRACED = 200
_MOST_CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Repeated:
    """A sequence that came often enough."""

    tools: tuple[str, ...]
    count: int
    """How often, in all runs."""

    runs: int
    followed: float
    """In which share of its calls the first tool was followed by the others."""

    turns_saved: int
    """How many model calls there would have been less, had each of these been one call."""

    steps: tuple[Step, ...]
    run_ids: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    """Where one sequence was found: run and first call, in order."""

    places: list[tuple[int, int]]

    def add(self, run: int, start: int, length: int) -> None:
        """Take a place unless it overlaps the one before."""
        if not self.places or self.places[-1][0] != run or start >= self.places[-1][1] + length:
            self.places.append((run, start))


def find_sequences(facts: Facts) -> list[Repeated]:
    """Find what comes often enough, the most model calls saved first; calls that failed or never ran are passed over."""
    done = [[call for call in run.calls if call.fine] for run in facts.runs]
    working = sum(bool(calls) for calls in done)
    least = max(LEAST_RUNS, math.ceil(LEAST_SHARE_OF_RUNS * working))
    firsts = Counter(call.tool for calls in done for call in calls)
    candidates = [
        (_turns_saved(done, found.places, len(tools)), tools, found.places)
        for tools, found in _windows(done)
        if len({run for run, _ in found.places}) >= least and len(found.places) >= LEAST_FOLLOWED * firsts[tools[0]]
    ]
    candidates.sort(key=lambda candidate: (-candidate[0], -len(candidate[1]), candidate[1]))
    kept: list[Repeated] = []
    for saved, tools, places in candidates[:_MOST_CANDIDATES]:
        if len(kept) >= MOST_SEQUENCES or saved <= 0 or any(_overlap(tools, other.tools) for other in kept):
            continue
        calls = [[_as_chosen(call, facts) for call in done[run][start : start + len(tools)]] for run, start in places]
        steps = trace(calls[-_MOST_TRACED:])
        if any(origin.is_composed for step in steps[1:] for _, origin in step.arguments):
            continue
        runs = list(dict.fromkeys(facts.runs[run].run_id for run, _ in reversed(places)))
        followed = len(places) / firsts[tools[0]]
        kept.append(Repeated(tools, len(places), len(runs), followed, saved, steps, tuple(runs[:RUNS_NAMED])))
    return kept


def _windows(done: Sequence[Sequence[Call]]) -> Iterator[tuple[tuple[str, ...], _Found]]:
    found: dict[tuple[str, ...], _Found] = {}
    for run, calls in enumerate(done):
        names = [call.tool for call in calls]
        for length in LENGTHS:
            for start in range(len(names) - length + 1):
                tools = tuple(names[start : start + length])
                if not _is_cycle(tools):
                    found.setdefault(tools, _Found([])).add(run, start, length)
    yield from found.items()


def _is_cycle(tools: tuple[str, ...]) -> bool:
    """Whether it is only a shorter sequence again and again, such as A A or A B A B."""
    length = len(tools)
    return any(length % part == 0 and tools == tools[:part] * (length // part) for part in range(1, length))


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one holds the other, or both have the same tools in another order."""
    shorter, longer = sorted((one, other), key=len)
    held = any(longer[at : at + len(shorter)] == shorter for at in range(len(longer) - len(shorter) + 1))
    return held or sorted(one) == sorted(other)


def _turns_saved(done: Sequence[Sequence[Call]], places: Sequence[tuple[int, int]], length: int) -> int:
    return sum(done[run][start + length - 1].turn - done[run][start].turn for run, start in places)


def _as_chosen(call: Call, facts: Facts) -> Call:
    spec = facts.specs.get(call.tool)
    return replace(call, arguments=chosen(call.arguments, spec.parameters)) if spec else call
