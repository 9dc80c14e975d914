"""The worker processes of this program: taken for a call, kept when idle, ended by the zygote."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

from prudent.errors import ConfigurationError, ToolCrashed
from prudent.runners.channel import Worker
from prudent.runners.waiting import await_readable
from prudent.runners.zygote import END, NEW, NUMBER

IDLE_WORKERS = 8
"""So many workers are kept for the next call."""

MOST_WORKERS = 256
"""With so many calls running no further one is started."""

CLOSE_SECONDS = 3.0
"""How long `close` waits for the zygote to end everything before it kills the zygote."""


class Workers:
    """Starts the zygote when the first worker is needed, and again when it was lost.

    May be used from any thread and any event loop, and from a forked child, which gets workers of its own.
    """

    def __init__(self, *, idle_workers: int = IDLE_WORKERS, most_workers: int = MOST_WORKERS) -> None:
        self._idle_workers = idle_workers
        self._most_workers = most_workers
        self._start_over()

    def _start_over(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._numbers = count()
        self._control: socket.socket | None = None
        self._zygote: subprocess.Popen[bytes] | None = None
        self._idle: list[Worker] = []
        self._busy = 0

    def take(self, recipe: bytes) -> Worker:
        """Give an idle worker, one that knows the tool if possible, or else a new one."""
        if self._owner != os.getpid():
            self._disinherit()
        with self._lock:
            if self._busy >= self._most_workers:
                raise ToolCrashed(f"{self._busy} tool calls already run in worker processes; no other is started")
            try:
                worker = self._choose(recipe) or self._spawn()
            except OSError as error:
                raise ToolCrashed(f"no worker process can be started: {error.strerror}") from error
            self._busy += 1
        return worker

    def give_back(self, worker: Worker) -> None:
        """Keep a worker that has answered for the next call, or end it when there are enough."""
        with self._lock:
            self._busy -= 1
            kept = self._control is not None and len(self._idle) < self._idle_workers
            if kept:
                self._idle.append(worker)
        if not kept:
            self._send(END, worker)
            worker.forget()

    def end(self, worker: Worker) -> None:
        """Have a taken worker killed, with everything below it. `Worker.gone` tells when that is done."""
        with self._lock:
            self._busy -= 1
        self._send(END, worker)

    def prepare(self) -> None:
        """Start the zygote if it does not run, so that the first call need not wait for it."""
        if self._owner != os.getpid():
            self._disinherit()
        with self._lock:
            if self._control is None:
                self._start_zygote()

    async def aclose(self) -> None:
        """End the zygote and all workers, and wait for that without blocking the event loop."""
        zygote, control = self._let_go()
        if zygote is not None and control is not None:
            try:
                await await_readable(control, CLOSE_SECONDS)
            finally:
                _bury(zygote, control)

    def close(self) -> None:
        """End the zygote and all workers, and wait for that."""
        zygote, control = self._let_go()
        if zygote is not None and control is not None:
            with suppress(subprocess.TimeoutExpired):
                zygote.wait(CLOSE_SECONDS)
            _bury(zygote, control)

    def _let_go(self) -> tuple[subprocess.Popen[bytes] | None, socket.socket | None]:
        """Tell the zygote to end everything, and have no part in it any more."""
        if self._owner != os.getpid():
            return None, None
        atexit.unregister(self.close)
        with self._lock:
            zygote, self._zygote = self._zygote, None
            control, self._control = self._control, None
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.forget()
        if control is not None:
            with suppress(OSError):
                control.shutdown(socket.SHUT_WR)
        return zygote, control

    def _disinherit(self) -> None:
        """Leave to the parent what a forked child has only copies of."""
        if self._zygote is not None:
            self._zygote.returncode = 0  # it is not our child: nothing to wait for
        if self._control is not None:
            self._control.close()
        for worker in self._idle:
            worker.forget()
        self._start_over()

    def _choose(self, recipe: bytes) -> Worker | None:
        """Take the best idle worker out of the list; drop those that died."""
        self._idle.sort(key=lambda worker: recipe in worker.loaded)
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._send(END, worker)
            worker.forget()
        return None

    def _spawn(self) -> Worker:
        """Ask the zygote for a new worker; it can be written to before it is there."""
        ours, theirs = socket.socketpair()
        fate, fate_end = os.pipe()
        try:
            ours.setblocking(False)
            os.set_blocking(fate, False)
            worker = Worker(next(self._numbers), ours, fate)
            self._ask_for(worker, [theirs.fileno(), fate_end])
        except BaseException:
            ours.close()
            os.close(fate)
            raise
        finally:
            theirs.close()
            os.close(fate_end)
        return worker

    def _ask_for(self, worker: Worker, fds: list[int]) -> None:
        message = NUMBER.pack(NEW, worker.number)
        for _ in range(2):
            control = self._control or self._start_zygote()
            try:
                socket.send_fds(control, [message], fds)
                return
            except BlockingIOError:
                break
            except OSError:
                self._bury_zygote()
        raise ToolCrashed("the process that starts the workers does not answer")

    def _start_zygote(self) -> socket.socket:
        if not sys.executable:
            raise ConfigurationError("this program has no Python executable to start workers with: use run_in='thread'")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as on_failure, theirs:
            on_failure.callback(ours.close)
            zygote = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__).with_name("zygote.py")), str(theirs.fileno()), str(self._owner)],
                stdin=subprocess.DEVNULL,
                stdout=_where_tools_print(),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            on_failure.callback(_bury, zygote, ours)
            ours.setblocking(False)
            ours.send(json.dumps(sys.path).encode())
            on_failure.pop_all()
        self._zygote, self._control = zygote, ours
        atexit.register(self.close)
        return ours

    def _bury_zygote(self) -> None:
        """Take leave of a zygote that was lost; its workers died with it."""
        if self._zygote is not None and self._control is not None:
            _bury(self._zygote, self._control)
        self._control = self._zygote = None

    def _send(self, order: bytes, worker: Worker) -> None:
        """Tell the zygote; if it is gone, so is the worker."""
        if self._control is not None:
            with suppress(OSError):
                self._control.send(NUMBER.pack(order, worker.number))


def _bury(zygote: subprocess.Popen[bytes], control: socket.socket) -> None:
    """End a zygote that has ended everything, or could not within its time."""
    control.close()
    zygote.kill()
    zygote.wait()


def _where_tools_print() -> int:
    """Standard error, since standard output belongs to the program; nowhere if there is none."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


class SharedWorkers:
    """One `Workers` for all runners of the program, ended when the last of them is closed."""

    def __init__(self, make: Callable[[], Workers] = Workers) -> None:
        self._workers = make()
        self._users = 0
        self._lock = threading.Lock()

    def join(self) -> Workers:
        """Count one more user."""
        with self._lock:
            self._users += 1
        return self._workers

    async def leave(self) -> None:
        """Count one user less; the last one ends the workers."""
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            await self._workers.aclose()


SHARED = SharedWorkers()
"""The program's workers. Nothing is started before a call needs it."""
