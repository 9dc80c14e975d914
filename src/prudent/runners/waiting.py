"""Waits that hold what they promise, whatever a tool does and however often the waiting task is cancelled."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from anyio import CancelScope

GRACE_SECONDS = 0.2
"""How long a runner may keep control after a limit or a stop."""


async def outlast(future: asyncio.Future[Any], seconds: float) -> None:
    """Wait until `future` is done, at most `seconds`, even while this task is cancelled.

    A cancellation that arrives meanwhile is raised at the end. Neither result nor exception of the future is looked at.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    cancelled: asyncio.CancelledError | None = None
    # Without the shield anyio would cancel again in every turn of the loop, and this would spin.
    with CancelScope(shield=True):
        while not future.done() and (left := deadline - loop.time()) > 0:
            try:
                await asyncio.wait({future}, timeout=left)
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled


async def await_readable(file: int | socket.socket, seconds: float) -> None:
    """Wait until there is something to read, or the other side is gone; otherwise as `outlast`."""
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(file, _settle, readable)
    try:
        await outlast(readable, seconds)
    finally:
        loop.remove_reader(file)


def _settle(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)
