"""One worker, as the program sees it: requests go out, replies come in, and at last its fate is told."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from dataclasses import dataclass, field

from prudent.errors import ToolCrashed
from prudent.runners.frames import CHUNK_BYTES, HEADER, KINDS, MOST_BYTES, Kind, frame
from prudent.runners.passing import Surroundings
from prudent.runners.waiting import await_readable
from prudent.runners.zygote import FATE, NOT_STARTED


class WorkerGone(Exception):
    """The worker closed its channel before it answered; `Worker.fate` will tell why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker answered."""

    kind: Kind
    spent: bool
    """Whether the tool left threads or processes behind, so that the worker must not be used again."""

    body: memoryview


@dataclass(frozen=True, slots=True)
class Fate:
    """How a worker ended; as text, what its process did."""

    status: int | None
    """Exit status, or negative the signal; NOT_STARTED; None when nobody could tell."""

    left_running: bool
    """Whether some process below it could not be killed."""

    def __str__(self) -> str:
        if self.status is None:
            return "was lost"
        if self.status == NOT_STARTED:
            return "could not be started: this machine has no process or file descriptor left"
        if self.status >= 0:
            return f"exited with status {self.status}"
        try:
            name = signal.Signals(-self.status).name
        except ValueError:
            name = f"signal {-self.status}"
        return f"was killed by {name}"


LOST = Fate(None, True)
"""What is known when the zygote was lost too: its workers died with it, but nobody looked below them."""


@dataclass(eq=False)
class Worker:
    """One worker process, used by one call at a time. Not tied to an event loop: the next call may come from another."""

    number: int
    channel: socket.socket
    """Its other end is the worker's."""

    fate_pipe: int
    """Its other end is the zygote's."""

    loaded: set[bytes] = field(default_factory=set[bytes])
    """Recipes of the tools that it has imported."""

    surroundings: Surroundings | None = None
    """As it was told last."""

    _fate: Fate | None = None

    async def ask(self, kind: Kind, body: bytes, seconds: float) -> Reply:
        """Send a request and wait for the reply.

        Raises TimeoutError, WorkerGone, or ToolCrashed when something came that is no reply. After any of them, and after
        a cancellation, the worker is of no more use.
        """
        loop = asyncio.get_running_loop()
        exchange = _Exchange(self.channel, memoryview(frame(kind, body)), loop.create_future())
        limit = loop.call_later(seconds, exchange.end)
        exchange.send()
        loop.add_reader(self.channel, exchange.receive)
        try:
            await exchange.ended
        finally:
            limit.cancel()
            loop.remove_reader(self.channel)
            loop.remove_writer(self.channel)
        return exchange.outcome()

    @property
    def alive(self) -> bool:
        """Whether the idle worker is still there, with nothing on its channel that nobody asked for."""
        try:
            self.channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    async def gone(self, seconds: float) -> Fate | None:
        """Wait until the worker and everything below it is gone; None when that is not so after `seconds`."""
        if self.fate() is None:
            await await_readable(self.fate_pipe, seconds)
        return self.fate()

    def fate(self) -> Fate | None:
        """How it ended, None while it has not, or while that is not known. Gives back what the ended worker held."""
        if self._fate is None:
            try:
                told = os.read(self.fate_pipe, FATE.size)
            except BlockingIOError:
                return None
            self._fate = Fate(*FATE.unpack(told)) if len(told) == FATE.size else LOST
            self._close()
        return self._fate

    def forget(self) -> None:
        """Give back what the worker holds on this side, without waiting for its fate."""
        if self._fate is None:
            self._fate = LOST
            self._close()

    def _close(self) -> None:
        self.channel.close()
        os.close(self.fate_pipe)


@dataclass(slots=True, eq=False)
class _Exchange:
    """One request and its reply, moved on by the event loop as the channel allows."""

    channel: socket.socket
    unsent: memoryview
    ended: asyncio.Future[None]
    received: bytearray = field(default_factory=bytearray)
    error: Exception | None = None
    reply: Reply | None = None

    def send(self) -> None:
        """Send what the channel takes; wait for room if that is not all."""
        loop = asyncio.get_running_loop()
        try:
            self.unsent = self.unsent[self.channel.send(self.unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent = self.unsent[:0]
            self.end(error=WorkerGone())
        if self.unsent:
            loop.add_writer(self.channel, self.send)
        else:
            loop.remove_writer(self.channel)

    def receive(self) -> None:
        """Take in what has come."""
        try:
            data = self.channel.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end(error=WorkerGone())
            return
        self.received += data
        if len(self.received) < HEADER.size:
            return
        kind, spent, length = HEADER.unpack_from(self.received)
        missing = HEADER.size + length - len(self.received)
        if kind not in KINDS or length > MOST_BYTES or missing < 0:
            self.end(error=ToolCrashed("the tool's worker process sent something that is no reply"))
        elif not missing:
            self.end(reply=Reply(Kind(kind), bool(spent), memoryview(self.received)[HEADER.size :]))

    def end(self, *, reply: Reply | None = None, error: Exception | None = None) -> None:
        """End the exchange, once."""
        if not self.ended.done():
            self.reply, self.error = reply, error
            self.ended.set_result(None)

    def outcome(self) -> Reply:
        """Give the reply, or raise why there is none."""
        if self.reply is None:
            raise self.error or TimeoutError
        return self.reply
