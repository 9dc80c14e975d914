"""Exit statuses that are no run's (`prudent.result.EXIT_STATUS` has those), and how a command leaves."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

OK = 0
THRESHOLD = 1
"""For lint and eval: a finding over the level that was asked for."""

USAGE = 2
"""A usage or configuration error; nothing ran, and nothing is on stdout."""

FAILED = 5
STOPPED = 6
INTERRUPTED = 130
"""What typer makes of Ctrl-C while no run is there to be stopped; leaves as STOPPED."""

TABLE = "Exit status: 0 completed, 2 usage or configuration error, 3 incomplete, 4 awaiting approval, 5 failed, 6 stopped."


def flush() -> bool:
    """Write out what is buffered; false when a reader has gone."""
    fine = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            fine = False
    return fine


def silence_stdout() -> None:
    """Send whatever is still written to stdout nowhere, so that a closed pipe raises nothing at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def leave_at_once(status: int) -> NoReturn:
    """End the process without waiting for anybody: threads and tasks that do not listen end with it."""
    flush()
    os._exit(status)


def others_alive() -> bool:
    """Whether threads are left that would keep the process, or work on in it, after the main thread has ended."""
    return any(thread is not threading.main_thread() and thread.is_alive() for thread in threading.enumerate())
