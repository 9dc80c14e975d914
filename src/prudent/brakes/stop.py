"""The stop signal: from any thread, at any time, once."""

from __future__ import annotations

import asyncio
from threading import Lock

import anyio


class StopSignal:
    """Asks a run to stop. `request` may be called from any thread, also from a signal's, before or while the run works."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._scope: anyio.CancelScope | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.requested = False
        self.reason = ""

    def request(self, reason: str = "") -> None:
        """Ask for the stop; only the first reason is kept."""
        with self._lock:
            if not self.requested:
                self.requested, self.reason = True, reason
            loop, scope = self._loop, self._scope
        if loop and scope and not loop.is_closed():
            loop.call_soon_threadsafe(scope.cancel)

    def bind(self, scope: anyio.CancelScope) -> None:
        """Name what is cancelled when the stop comes, or at once when it has come already."""
        with self._lock:
            self._scope, self._loop = scope, asyncio.get_running_loop()
            requested = self.requested
        if requested:
            scope.cancel()

    def release(self) -> None:
        """Forget the scope: there is nothing to cancel any more."""
        with self._lock:
            self._scope = self._loop = None
