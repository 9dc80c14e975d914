"""How far back: dates, times, lengths, and what is none of these."""

from __future__ import annotations

from datetime import datetime

import pytest

from prudent.cli.since import read_since
from prudent.errors import ConfigurationError


@pytest.mark.parametrize(
    ("text", "seconds"), [("30m", 1_800), ("12h", 43_200), ("7d", 604_800), (" 2W ", 1_209_600), ("999999w", 1_000_000_000)]
)
def test_a_length_counts_back_from_now(text: str, seconds: int):
    assert read_since(text, 1_000_000_000.0) == 1_000_000_000.0 - seconds


def test_a_date_is_the_readers_own_unless_it_has_a_zone():
    assert read_since("2031-05-04", 0.0) == datetime(2031, 5, 4).astimezone().timestamp()
    assert read_since("2031-05-04T10:15:00+02:00", 0.0) == datetime.fromisoformat("2031-05-04T08:15:00+00:00").timestamp()


@pytest.mark.parametrize("text", ["", "yesterday", "7", "7y", "2031-13-01", "d7"])
def test_anything_else_is_refused_with_examples(text: str):
    with pytest.raises(ConfigurationError, match="is no time: write a date such as"):
        read_since(text, 0.0)
