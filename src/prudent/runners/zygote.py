"""The zygote: a small process that forks the workers of `ProcessRunner`, and is the only one to kill them.

It is run by file name in a fresh interpreter and stays single-threaded, so that forking is safe and quick. The program
sends it two messages over a socket: "new worker" (with the worker's ends of a channel and of the pipe that its fate is told
by) and "end worker". What it sees to:

- A worker leads a session and a process group of its own and adopts the orphans below it (child subreaper). So whatever
  a tool starts stays a descendant of its worker, whether it forks twice, calls setsid, or changes its group.
- To end a worker: SIGKILL to its process group and to itself. The orphans of a dead worker fall to the zygote, being the
  next subreaper; a child of the zygote that is no worker is such an orphan and is killed too, until none is left. Only
  then the worker's fate is told.
- When the program is gone (end of file on the socket, or another parent) everything is ended in the same way, then the
  zygote itself. When the zygote is killed its workers die with it (PR_SET_PDEATHSIG); what a tool had moved to a session
  of its own is then missed.

Out of reach are processes that may not be signalled (a setuid program started by a normal user), and what a tool asks
somebody else to start (systemd, cron, a container daemon). No privileges are needed.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn, TypeAlias

NEW: Final = b"N"
END: Final = b"E"
NUMBER: Final = struct.Struct("!cQ")
"""A message: what to do, and the worker's number."""

FATE: Final = struct.Struct("!i?")
"""Exit status of a worker (negative: the signal), and whether something below it could not be killed."""

NOT_STARTED: Final = 1 << 16
"""Stands for an exit status where forking failed."""

SWEEP_SECONDS: Final = 2.0
"""How long the zygote tries to get rid of a dead worker's orphans before it says that it could not."""

ServeCalls: TypeAlias = "Callable[[socket.socket], NoReturn]"

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36


@dataclass(slots=True)
class _Worker:
    """A forked worker, until its fate is told."""

    number: int
    pid: int
    fate: int
    status: int = 0
    died_at: float = 0.0


@dataclass(slots=True)
class Zygote:
    """All that the zygote knows."""

    control: socket.socket
    wake: tuple[int, int]
    """The pipe that signals write to."""

    program: int
    """Process id of the program it works for."""

    serve_calls: ServeCalls
    """What a worker does."""

    live: dict[int, _Worker] = field(default_factory=dict[int, _Worker])
    """By process id."""

    dead: list[_Worker] = field(default_factory=list[_Worker])
    """Ended, with orphans that may still be there."""

    beyond_reach: set[int] = field(default_factory=set[int])
    """Orphans that cannot be killed."""

    missed: bool = False
    """Whether one of these came to light since a fate was told."""

    def serve(self) -> None:
        """Do what the program asks until it is gone, then end everything."""
        watch = select.poll()
        watch.register(self.control, select.POLLIN)
        watch.register(self.wake[0], select.POLLIN)
        while os.getppid() == self.program:
            ready = {fd for fd, _ in watch.poll(5 if self.dead else None)}
            if self.wake[0] in ready:
                os.read(self.wake[0], 4096)
            if self.control.fileno() in ready and not self._obey():
                break
            self._reap()
            self._sweep()
        self._end_all()

    def _obey(self) -> bool:
        """Take one message; False when the program has closed the socket."""
        try:
            message, fds, _, _ = socket.recv_fds(self.control, NUMBER.size, 2, socket.MSG_CMSG_CLOEXEC)
        except OSError:
            return False
        if len(message) != NUMBER.size:
            return False
        order, number = NUMBER.unpack(message)
        if order == NEW:
            self._fork(number, fds)
        else:
            for worker in self.live.values():
                if worker.number == number:
                    _kill(worker)
        return True

    def _fork(self, number: int, fds: list[int]) -> None:
        """Fork a worker, or tell the program that it cannot be."""
        try:
            channel, fate = fds
            zygote, pid = os.getpid(), os.fork()
        except (OSError, ValueError):  # no process or no descriptor is left
            for fd in fds:
                with suppress(OSError):
                    os.write(fd, FATE.pack(NOT_STARTED, False))
                os.close(fd)
            return
        if pid == 0:
            self._close_own_files(fate)
            _become_worker(zygote, channel, self.serve_calls)
        os.close(channel)
        self.live[pid] = _Worker(number, pid, fate)

    def _close_own_files(self, fate: int) -> None:
        """Leave a worker nothing but its channel."""
        signal.set_wakeup_fd(-1)
        self.control.close()
        for fd in (*self.wake, fate, *(worker.fate for worker in (*self.live.values(), *self.dead))):
            os.close(fd)

    def _reap(self) -> None:
        """Take note of every child that ended."""
        with suppress(ChildProcessError):
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                worker = self.live.pop(ended.si_pid, None)
                if worker:
                    _kill(worker)  # its group's number is taken until it is reaped, so nobody else's group is hit
                    self.dead.append(worker)
                _, status = os.waitpid(ended.si_pid, 0)
                if worker:
                    worker.status, worker.died_at = os.waitstatus_to_exitcode(status), time.monotonic()
                self.beyond_reach.discard(ended.si_pid)

    def _sweep(self) -> None:
        """Kill the orphans of dead workers, and tell the fates once there are none."""
        if not self.dead:
            return
        try:
            orphans = _children() - self.live.keys() - self.beyond_reach
        except OSError:  # nobody knows
            orphans, self.missed = set[int](), True
        patient = time.monotonic() - self.dead[-1].died_at < SWEEP_SECONDS
        for pid in orphans:
            try:
                os.kill(pid, signal.SIGKILL)
            except PermissionError:
                patient = False
            if not patient:
                self.beyond_reach.add(pid)
                self.missed = True
        if orphans and patient:
            return
        for worker in self.dead:
            with suppress(OSError):
                os.write(worker.fate, FATE.pack(worker.status, self.missed))
            os.close(worker.fate)
        self.dead.clear()
        self.missed = False

    def _end_all(self) -> None:
        deadline = time.monotonic() + SWEEP_SECONDS
        for worker in self.live.values():
            _kill(worker)
        while time.monotonic() < deadline:
            self._reap()
            self._sweep()
            if not self.live and not self.dead:
                return
            time.sleep(0.002)


def _kill(worker: _Worker) -> None:
    with suppress(OSError):
        os.killpg(worker.pid, signal.SIGKILL)
    with suppress(OSError):
        os.kill(worker.pid, signal.SIGKILL)  # it may not lead its group yet


def _children() -> set[int]:
    """Find the zygote's children, zombies too; raises OSError where /proc is missing or shows other numbers.

    A zombie stays until it is reaped, and nothing is reaped meanwhile: so when there is no orphan in the list, nothing
    is left below any dead worker.
    """
    mine = str(os.getpid())
    if Path("/proc/self").readlink().name != mine:
        raise FileNotFoundError
    found: set[int] = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with suppress(OSError):
                # pid (command) state parent …; the command may hold spaces and brackets
                if Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()[1] == mine:
                    found.add(int(entry.name))
    return found


def _wake_on_signals() -> tuple[int, int]:
    """Make the end of a child, or of the program, wake the loop; gives the pipe to watch."""
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, _do_nothing)
    return reading, writing


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Handle a signal whose byte in the pipe says enough."""


def _become_worker(zygote: int, channel: int, serve_calls: ServeCalls) -> None:
    """Turn the forked child into a worker; never returns."""
    try:
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
        if os.getppid() != zygote:
            os._exit(1)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as in any Python: a broken pipe is an exception
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        serve_calls(socket.socket(fileno=channel))
    finally:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    """Call prctl(2); raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def main() -> None:
    """Be the zygote of the process that gave its socket and process id on the command line."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    program = int(sys.argv[2])
    # Whoever stops the program by a signal to many processes leaves it to the program to stop its tools in order.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    wake = _wake_on_signals()
    # A signal, not death: the orphans have to be seen to. It also comes when only the thread that started us ends.
    _prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    paths = control.recv(1 << 20)
    if not paths:
        return  # the program died, or was killed, before it said anything
    sys.path[:] = json.loads(paths)
    # Only now that sys.path is the program's it can be found; and once here it need not be imported in each worker.
    worker = importlib.import_module("prudent.runners.worker")
    importlib.import_module("prudent.tools.schema")  # what every module that defines a tool brings in
    gc.freeze()
    Zygote(control, wake, program, worker.serve).serve()


if __name__ == "__main__":
    main()
