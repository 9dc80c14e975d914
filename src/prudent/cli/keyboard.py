"""Single keys and short lines from the terminal, without holding up the run that waits for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.to_thread

try:
    import termios
    import tty
except ImportError:  # Windows has neither
    termios = tty = None

_READ_BYTES = 65_536


class Keyboard:
    """The terminal's input. Reading can be cancelled at any time, and leaves the terminal as it was."""

    def __init__(self, fd: int | None = None) -> None:
        self._fd = sys.stdin.fileno() if fd is None else fd
        self._saved: list[Any] | None = None

    async def key(self) -> str:
        """Wait for one key; "" at the end of input. What was typed before `listening`, or before this, does not count."""
        with self.listening():
            text = await self._read()
        self.restore()
        return text[:1]

    async def line(self) -> str | None:
        """Wait for a line as the terminal edits it; None at the end of input. What was typed of it goes if it is cancelled."""
        self.restore()
        try:
            text = await self._read()
        except anyio.get_cancelled_exc_class():
            if termios and os.isatty(self._fd):
                termios.tcflush(self._fd, termios.TCIFLUSH)
            raise
        return text.rstrip("\r\n") if text else None

    def restore(self) -> None:
        """Put the terminal back as it was, from any thread; nothing happens when nothing was changed."""
        if termios and self._saved is not None:
            termios.tcsetattr(self._fd, termios.TCSANOW, self._saved)
            self._saved = None

    @contextmanager
    def listening(self) -> Generator[None]:
        """Take keys from here on, as soon as they are typed, for instance before the question is on the screen.

        Inside itself it changes nothing. `key` and `line` end it, too.
        """
        if not (termios and tty) or not os.isatty(self._fd) or self._saved is not None:
            yield
            return
        self._saved = termios.tcgetattr(self._fd)
        try:
            tty.setcbreak(self._fd, termios.TCSAFLUSH)
            yield
        finally:
            self.restore()

    async def _read(self) -> str:
        if termios is None:
            return await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        await anyio.wait_readable(self._fd)
        return os.read(self._fd, _READ_BYTES).decode(errors="replace")
