"""How far back a command looks: a date, a time, or a length such as `7d`."""

from __future__ import annotations

import re
from datetime import datetime

from prudent.errors import ConfigurationError

_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LENGTH = re.compile(r"(\d{1,6})\s*([mhdw])")


def read_since(text: str, now: float) -> float:
    """Give the moment in seconds since 1970; a date without a zone is in the reader's own.

    Raises:
        ConfigurationError: It is neither a date nor a length of time.
    """
    if found := _LENGTH.fullmatch(text.strip().lower()):
        return max(0.0, now - int(found[1]) * _SECONDS[found[2]])
    try:
        return max(0.0, datetime.fromisoformat(text.strip()).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ConfigurationError(
            f"--since {text!r} is no time: write a date such as 2031-05-04, or a length such as 12h, 7d, 4w"
        ) from None
