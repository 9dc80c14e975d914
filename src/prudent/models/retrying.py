"""Tries a model again when its provider failed in passing."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import anyio

from prudent.errors import ModelError
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest, Retrying
from prudent.ports import Model

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
LONGEST_ASKED_SECONDS = 60.0
"""A provider that asks for a longer pause than this is not waited for."""

_chance = secrets.SystemRandom()


class RetryingModel:
    """Wraps a model: 429, 5xx, lost connections and broken replies are tried again, after growing pauses.

    Never tried again: a stalled call, a refused request, a longer pause asked for than 60 s. The bound in time is the
    run's deadline, which cancels from outside.
    """

    def __init__(
        self,
        inner: Model,
        *,
        attempts: int = 4,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        jitter: Callable[[], float] = _chance.random,
    ) -> None:
        self.inner = inner
        self.name = inner.name
        self.profile: ModelProfile = inner.profile
        self._attempts = attempts
        self._sleep = sleep
        self._jitter = jitter

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield what the model yields; before each pause a `Retrying`, after which earlier deltas do not count."""
        for attempt in range(1, self._attempts + 1):
            tokens_came = False
            try:
                async with aclosing(self.inner.stream(request)) as events:
                    async for event in events:
                        tokens_came = not isinstance(event, Retrying)
                        yield event
                return
            except ModelError as error:
                error.tokens_came = error.tokens_came or tokens_came
                if attempt == self._attempts or not _may_be_tried_again(error):
                    raise
                wait_seconds = self._pause(attempt, error.retry_after_seconds)
                retrying = Retrying(attempt, wait_seconds, error.reason, error.tokens_came)
            yield retrying
            await self._sleep(wait_seconds)

    async def aclose(self) -> None:
        """Give the wrapped model's connections back."""
        await self.inner.aclose()

    def _pause(self, attempt: int, asked_seconds: float | None) -> float:
        """Half of the growing pause is left to chance, so that many callers do not come back at once."""
        if asked_seconds is not None:
            return asked_seconds
        longest = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
        return longest * (0.5 + self._jitter() / 2)


def _may_be_tried_again(error: ModelError) -> bool:
    return error.retryable and (error.retry_after_seconds or 0.0) <= LONGEST_ASKED_SECONDS
