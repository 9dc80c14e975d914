"""The nearest of the words that are known: what somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Write `; did you mean 'seconds'?`, or nothing when nothing is near."""
    close = difflib.get_close_matches(word, [*known], n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
