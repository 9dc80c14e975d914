"""How much each tool is used, how it fares, and what its definition costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from prudent.design.audit.facts import Call, Facts
from prudent.errors import ErrorKind

ENOUGH_CALLS = 100
"""With fewer task calls nothing can be concluded of what is used rarely."""

LONG_TAIL_SHARE = 0.01
"""A tool below this share of the calls belongs to the long tail."""

RUNS_NAMED = 5
"""How many runs a finding names as evidence."""

HELD_BACK: frozenset[ErrorKind] = frozenset(
    {"not_allowed", "plan_first", "one_at_a_time", "repetition", "rejected", "stopped", "abandoned", "budget", "truncated"}
)
"""Kinds that tell of a brake or a person, and nothing of the tool."""

_Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What is known of one tool's use."""

    name: str
    calls: int
    share: float
    """Of all task calls, 0 to 1."""

    chances: int
    """Task calls of the runs that had the tool: as often it could have been called."""

    failures: Mapping[str, int]
    """Calls that failed, by kind."""

    held_back: int
    """Calls that a brake or a person kept from running; no failures."""

    tokens: int
    """Of its definition, in each model call that carries it; estimated."""

    carried: int
    """Model calls that carried its definition."""

    run_ids: tuple[str, ...]
    """Some runs that called it, the newest first."""

    @property
    def failed(self) -> int:
        """How many calls failed."""
        return sum(self.failures.values())

    @property
    def failure_rate(self) -> float:
        """The share of failed calls among those that nothing held back."""
        tried = self.calls - self.held_back
        return self.failed / tried if tried > 0 else 0.0

    @property
    def share_of_chances(self) -> float:
        """The share of calls in the runs that had it, 0 to 1."""
        return self.calls / self.chances if self.chances else 0.0

    @property
    def highest_share(self) -> float:
        """The highest share of its chances that the figures leave possible, with a confidence of 95 %."""
        return wilson_upper(self.calls, self.chances)

    @property
    def is_long_tail(self) -> bool:
        """Whether it is called, but in less than 1 % of its chances."""
        return 0 < self.calls < LONG_TAIL_SHARE * self.chances

    @property
    def is_unused(self) -> bool:
        """Whether models had it and never called it."""
        return self.calls == 0 and self.carried > 0

    @property
    def is_firm(self) -> bool:
        """Whether there were enough chances to conclude anything."""
        return self.chances >= ENOUGH_CALLS

    @property
    def paid(self) -> int:
        """Tokens that its definition took in all; estimated, cached ones included."""
        return self.tokens * self.carried


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that models called and that no tool has."""

    name: str
    calls: int
    instead: Mapping[str, int]
    """What was called in the next reply, by name."""


def tool_uses(facts: Facts) -> list[ToolUse]:
    """Tell of each tool that was sent to a model or called, the most called first."""
    calls: dict[str, list[Call]] = {name: [] for name in facts.specs}
    chances: Counter[str] = Counter()
    run_ids: dict[str, list[str]] = {}
    for run in facts.runs:
        known = [call for call in run.calls if not _is_unknown(call)]
        for call in known:
            calls.setdefault(call.tool, []).append(call)
        called = {call.tool for call in known}
        for name in called:
            run_ids.setdefault(name, []).append(run.run_id)
        chances.update(dict.fromkeys(facts.mounted(run) | called, len(known)))
    total = sum(len(made) for made in calls.values())
    uses = [
        ToolUse(
            name=name,
            calls=len(made),
            share=len(made) / total if total else 0.0,
            chances=chances[name],
            failures=_failures(made),
            held_back=sum(call.error_kind in HELD_BACK for call in made),
            tokens=facts.tokens.get(name, 0),
            carried=facts.carried[name],
            run_ids=tuple(run_ids.get(name, ())[-RUNS_NAMED:][::-1]),
        )
        for name, made in calls.items()
    ]
    return sorted(uses, key=lambda use: (-use.calls, use.name))


def unknown_names(facts: Facts) -> list[UnknownName]:
    """List the names that no tool has, the most called first, with what was called after them."""
    calls: Counter[str] = Counter()
    instead: dict[str, Counter[str]] = {}
    for run in facts.runs:
        for at, call in enumerate(run.calls):
            if _is_unknown(call):
                calls[call.tool] += 1
                following = next((later for later in run.calls[at + 1 :] if later.turn > call.turn), None)
                if following and not _is_unknown(following):
                    instead.setdefault(call.tool, Counter())[following.tool] += 1
    return [
        UnknownName(name, count, dict(instead.get(name, Counter()).most_common()))
        for name, count in sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    ]


def wilson_upper(hits: int, tries: int) -> float:
    """Give the upper end of the 95 % score interval (Wilson) of a share; 1 without a try."""
    if tries <= 0:
        return 1.0
    share, square = hits / tries, _Z_95**2
    spread = _Z_95 * math.sqrt((share * (1 - share) + square / (4 * tries)) / tries)
    return min(1.0, (share + square / (2 * tries) + spread) / (1 + square / tries))


def _is_unknown(call: Call) -> bool:
    return call.error_kind == "unknown_tool"


def _failures(calls: list[Call]) -> dict[str, int]:
    found = Counter(call.error_kind for call in calls if call.error_kind and call.error_kind not in HELD_BACK)
    return dict(found.most_common())
