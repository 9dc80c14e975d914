"""Long texts: each kind is shortened in its own way."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.context.cutting import Draft
from prudent.context.kinds.diffs import looks_like_diff, shorten_diff
from prudent.context.kinds.logs import looks_like_log, shorten_log
from prudent.context.kinds.objects import shorten_json
from prudent.context.kinds.prose import shorten_prose
from prudent.context.kinds.tables import read_table, shorten_table

MIN_STRUCTURED_CHARS = 400
"""In less room than this only the beginning is shown, whatever the text is."""


def shorten_text(text: str, limit: int, terms: Sequence[str]) -> Draft:
    """Show of a text that is longer than `limit` what is worth most; never more than `limit` characters."""
    draft = _by_kind(text, limit, terms) if limit >= MIN_STRUCTURED_CHARS else None
    return draft or shorten_prose(text, limit, terms)


def _by_kind(text: str, limit: int, terms: Sequence[str]) -> Draft | None:
    if text[:200].lstrip()[:1] in ("{", "["):
        shaped = shorten_json(text, limit, terms)
        if shaped:
            return shaped
    if looks_like_diff(text):
        return shorten_diff(text, limit)
    if looks_like_log(text):
        return shorten_log(text, limit, terms)
    table = read_table(text)
    return shorten_table(text, table, limit, terms) if table else None
