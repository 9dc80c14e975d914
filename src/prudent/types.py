"""Small shared vocabulary: JSON aliases, ids, token usage, the clock."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Any JSON value as Python holds it."""

JSONObject: TypeAlias = "dict[str, JSON]"
"""A JSON object. For one that must not be changed, use `JSONMapping` instead."""

JSONMapping: TypeAlias = "Mapping[str, JSON]"
"""A JSON object that is only read."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that model calls took. Add two with `+`."""

    input_tokens: int = 0
    """Tokens read, cached ones included."""

    cached_tokens: int = 0
    """Those of `input_tokens` that came from the provider's prompt cache."""

    output_tokens: int = 0
    """Tokens written, reasoning included."""

    estimated: bool = False
    """True when the provider gave no figures and these were estimated from characters."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
        )

    def __sub__(self, earlier: Usage) -> Usage:
        return Usage(
            self.input_tokens - earlier.input_tokens,
            self.cached_tokens - earlier.cached_tokens,
            self.output_tokens - earlier.output_tokens,
            self.estimated,
        )

    @property
    def total_tokens(self) -> int:
        """Tokens read and written together; what a token budget counts."""
        return self.input_tokens + self.output_tokens


class Clock(Protocol):
    """Where times come from, so that a test can turn the hands."""

    def now(self) -> float:
        """Seconds since 1970 (UTC), for the record."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward, for measuring."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since 1970 (UTC), for the record."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only go forward, for measuring."""
        return time.monotonic()


def new_run_id(at: float) -> str:
    """Make an id such as `20310504-101500-3f9a1c7b`: sortable by time, unique enough to be typed."""
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{secrets.token_hex(4)}"
