"""An answer that was drafted from facts: what it rests on, and whether it is really an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.models.small_grounding import asks_for_amount, is_small_word, numbers_in, own_numbers, plain_numbers
from prudent.models.small_situation import Fact
from prudent.models.small_words import is_chinese

_UNFINISHED_SUM = re.compile(r"\d[^.;。；]*?\s[x×]\s*\d")
_LEAST_COVERED = 0.5
_LEAST_COVERED_CHINESE = 0.2
"""Pairs of characters run across words, so that fewer of them come back."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer made from the facts, and the one it rests on; None when it rests on none."""

    answer: str
    fact: Fact | None


def make_draft(answer: str, question: str, facts: Sequence[Fact], chosen: int | None, *, strict: bool = False) -> Draft:
    """Put an answer on its ground.

    Small models often name the wrong fact, so the one that shares most with the answer counts; the chosen one wins a tie. An
    answer that says no more than a number, or than the question ("Yes"), counts only where its fact speaks of what was asked;
    with `strict` that goes for every answer.
    """
    if chosen is None:
        return Draft(answer, None)
    said, asked = _parts(answer), _parts(question)
    held = [_parts(f"{fact.label} {fact.text}") for fact in facts]
    ranks = [(len(said & parts) * 2 + len(asked & parts), index == chosen) for index, parts in enumerate(held)]
    best = ranks.index(max(ranks)) if said else chosen
    bare = not {part for part in said - asked if not part[0].isdigit()}
    covered = len(asked & held[best]) / max(len(asked), 1)
    least = _LEAST_COVERED_CHINESE if is_chinese(question) else _LEAST_COVERED
    if (bare and covered <= least) or (strict and covered < least):
        return Draft(answer, None)
    return Draft(answer, facts[best])


def wants_calculation(draft: Draft, question: str) -> bool:
    """Whether a draft stops before the amount: it gives the amount for one where the question brings a number, or a sum."""
    if _UNFINISHED_SUM.search(draft.answer):
        return True
    own = own_numbers(question)
    found = [number for number in plain_numbers(numbers_in(draft.answer)) if number not in own]
    return bool(own and found and asks_for_amount(question))


def _parts(text: str) -> set[str]:
    """Take a text apart into numbers, words without their endings, and pairs of Chinese characters."""
    words = {word.rstrip("s") for word in re.findall(r"[a-z]{3,}", text.lower()) if not is_small_word(word)}
    pairs = {run[i : i + 2] for run in re.findall(r"[\u3400-\u9fff]+", text) for i in range(len(run) - 1)}
    return {*numbers_in(text), *words, *pairs}
