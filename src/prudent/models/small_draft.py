"""An answer that was drafted from facts: what it rests on, and whether it is really an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.models.small_grounding import asks_for_amount, numbers_in, own_numbers, plain_numbers
from prudent.models.small_situation import Fact

_UNFINISHED_SUM = re.compile(r"\d[^.;。；]*?\s[x×]\s*\d")
_LEAST_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer made from the facts, and the one it rests on; None when it rests on none."""

    answer: str
    fact: Fact | None


def make_draft(answer: str, question: str, facts: Sequence[Fact], chosen: int | None) -> Draft:
    """Put an answer on its ground.

    Small models often name the wrong fact, so the one that shares most with the answer counts; the chosen one wins a tie. An
    answer that says no more than the question ("Yes") counts only where its fact speaks of what was asked.
    """
    if chosen is None:
        return Draft(answer, None)
    said, asked = _parts(answer), _parts(question)
    held = [_parts(f"{fact.label} {fact.text}") for fact in facts]
    ranks = [(len(said & parts) * 2 + len(asked & parts), index == chosen) for index, parts in enumerate(held)]
    best = ranks.index(max(ranks)) if said else chosen
    if not said - asked and len(asked & held[best]) < len(asked) * _LEAST_COVERED:
        return Draft(answer, None)
    return Draft(answer, facts[best])


def wants_calculation(draft: Draft, question: str) -> bool:
    """Whether a draft stops before the amount: it gives the amount for one where the question brings a number, or a sum."""
    if _UNFINISHED_SUM.search(draft.answer):
        return True
    given = numbers_in(draft.answer)
    own = [number for number in own_numbers(question) if number not in given]
    return bool(own and asks_for_amount(question) and plain_numbers(given))


def _parts(text: str) -> set[str]:
    """Take a text apart into numbers, words without their endings, and pairs of Chinese characters."""
    words = {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", text.lower())}
    pairs = {run[i : i + 2] for run in re.findall(r"[\u3400-\u9fff]+", text) for i in range(len(run) - 1)}
    return {*numbers_in(text), *words, *pairs}
