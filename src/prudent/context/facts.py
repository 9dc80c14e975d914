"""Facts that a fold pins: what the folded calls brought, in a line each, those first that the task asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.calls import CallRecord
from prudent.context.cutting import shorten
from prudent.context.json_text import encode
from prudent.context.relevance import best_places
from prudent.types import JSONObject

FACT_CHARS = 200
ARGUMENT_CHARS = 80
PLACES = 3
"""So many passages of a long result are pinned at most."""

HIDDEN = "[secret]"

CUES = ("important", "needed", "required", "must", "note:", "重要", "必须", "需要", "注意")
"""Words by which a result itself says what matters in it."""

_SOURCE = re.compile(r"\[([^\[\]]+)\]\s*$")
_ENDS = ("\n", ". ", "! ", "? ", "。", "！", "？")
_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A folded call as facts are taken from it."""

    record: CallRecord
    secret: tuple[str, ...] = ()
    """Parameters that are not written."""

    @property
    def whole_arguments(self) -> str:
        """The arguments as JSON, without what is secret."""
        shown: JSONObject = {name: HIDDEN if name in self.secret else value for name, value in self.record.arguments.items()}
        return encode(shown)

    @property
    def arguments(self) -> str:
        """The arguments on one line, shortened."""
        return shorten(self.whole_arguments, ARGUMENT_CHARS)


def facts_of(calls: Sequence[Recorded], terms: Sequence[str]) -> list[str]:
    """Take from each call that succeeded its result if it is short, else the sentences that the terms point to.

    Where they point to none in any of the calls, the beginning of each.
    """
    good = [call for call in calls if call.record.status == "ok" and call.record.is_task]
    passages = [_passages(call.record.shown, [*terms, *CUES]) for call in good]
    if not any(passages):
        passages = [[shorten(call.record.shown, FACT_CHARS // 2)] for call in good]
    facts: list[str] = []
    for call, each in zip(good, passages, strict=True):
        record = call.record
        source = f"{record.call_id}, {record.artifact}" if record.artifact else record.call_id
        facts += [f"{record.tool_name} {call.arguments}: {passage} [{source}]" for passage in each]
    return list(dict.fromkeys(facts))


def _passages(shown: str, terms: Sequence[str]) -> list[str]:
    if len(shown) <= FACT_CHARS:
        return [" ".join(shown.split())]
    places = sorted(best_places(shown, terms, count=PLACES), key=lambda place: place.start)
    return [shorten(shown[_start(shown, place.start) : _end(shown, place.end)], FACT_CHARS) for place in places]


def _start(text: str, at: int) -> int:
    """Go back to where the sentence or line begins."""
    floor = max(0, at - FACT_CHARS // 2)
    return max(floor, *(text.rfind(sign, floor, at) + len(sign) for sign in _ENDS if sign in text[floor:at]), 0)


def _end(text: str, at: int) -> int:
    """Go on to where it ends."""
    return min((text.find(sign, at) + 1 for sign in _ENDS if sign in text[at : at + FACT_CHARS]), default=at + FACT_CHARS)


def grounded(fact: str, material: str) -> bool:
    """Whether every figure of a fact stands in what was folded: a model's notes must not bring in numbers of their own."""
    stated = _SOURCE.sub("", fact)
    return all(number in material for number in _NUMBER.findall(stated))


def source_of(fact: str) -> str:
    """Give the call that a fact names as its source; empty when it names none."""
    found = _SOURCE.search(fact)
    return found.group(1).split(",")[0].strip() if found else ""


def says_as_much(facts: Sequence[str], other: str) -> bool:
    """Whether one of the facts is about the same call and holds every figure of the other one, which has some."""
    figures = set(_NUMBER.findall(_SOURCE.sub("", other).partition(": ")[2]))
    source = source_of(other)
    return bool(figures) and any(source_of(fact) == source and figures <= set(_NUMBER.findall(fact)) for fact in facts)


def choose(facts: Sequence[str], terms: Sequence[str], *, room: int) -> tuple[str, ...]:
    """Choose as many facts as there is room for: those with words of the task first, then the newest. Order stays."""
    lowered = [fact.lower() for fact in facts]
    often = {term: sum(term in fact for fact in lowered) or 1 for term in (*terms, *CUES)}
    scores = [sum(1 / often[term] for term in often if term in fact) for fact in lowered]
    kept: set[int] = set()
    for place in sorted(range(len(facts)), key=lambda each: (-scores[each], -each)):
        if len(facts[place]) + 3 <= room:
            kept.add(place)
            room -= len(facts[place]) + 3
    return tuple(fact for place, fact in enumerate(facts) if place in kept)
