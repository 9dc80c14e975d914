"""Which providers refuse what, as words for a finding; from the one table of dialects."""

from __future__ import annotations

from functools import cache

from prudent.tools.dialects import DIALECTS


@cache
def refusing(*features: str) -> str:
    """Name the providers whose dialect lacks one of these."""
    names = {dialect.name for dialect in DIALECTS.values() for feature in features if _lacks(getattr(dialect, feature))}
    return ", ".join(sorted(names)) or "some providers"


@cache
def refusing_keyword(word: str) -> str:
    """Name the providers that refuse a word of JSON schema."""
    names = {
        dialect.name
        for dialect in DIALECTS.values()
        if word not in dialect.keywords or (word == "oneOf" and not dialect.one_of)
    }
    return ", ".join(sorted(names)) or "strict modes"


def _lacks(value: object) -> bool:
    """Whether a row says that something is not taken: false, or a pattern that names have to match."""
    return value is False or (isinstance(value, str) and value != "")
