"""Tools that misbehave in all the ways a runner has to cope with. Loaded by path, under a name that cannot be imported."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prudent import errors
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool


def begin(marker: str) -> None:
    """Leave word of the process that works here."""
    with Path(f"{marker}.begun").open("a") as out:
        out.write(f"{os.getpid()} ")


@dataclass
class Point:
    x: int
    y: int


class Odd(Exception):
    """One whose class takes other arguments than it keeps, which pickle cannot bring back."""

    def __init__(self, first: str, *, second: str) -> None:
        super().__init__(f"{first} and {second}")
        self.second = second


class Unpicklable(Exception):
    def __init__(self) -> None:
        super().__init__("holds a lock")
        self.lock = threading.Lock()


def raw(function: Callable[..., Any]) -> Tool:
    """Make a tool without a schema: every new worker imports this file, and schemas take their time."""
    return Tool(function.__name__, function, "", {}, run_in="process")


@tool(run_in="process")
def add(a: int, b: int = 1) -> int:
    return a + b


@tool(run_in="process")
def point(x: int) -> Point:
    return Point(x, 2 * x)


@tool(run_in="process")
def about(context: Context) -> dict[str, Any]:
    """Tell what a tool sees around it."""
    sys.stdout.write("printed by a tool\n")
    return {
        "pid": os.getpid(),
        "session": os.getsid(0),
        "call_id": context.call_id,
        "key": context.idempotency_key,
        "workspace": str(context.workspace),
        "dependencies": context.dependencies,
        "folder": str(Path.cwd()),
        "environment": os.environ.get("PRUDENT_TEST_COLOUR"),
        "stdin": sys.stdin.read(),
        "files": {
            path.name: str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists() or path.is_socket()
        },
        "signals": [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGPIPE)],
        "blocked": [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        "path": sys.path,
    }


@raw
def wander() -> str:
    os.chdir("/")
    return str(Path.cwd())


@raw
def sleep(seconds: float, marker: str) -> str:
    begin(marker)
    time.sleep(seconds)
    Path(marker).touch()
    return marker


@raw
def sleep_deaf(seconds: float, marker: str) -> str:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    begin(marker)
    time.sleep(seconds)
    Path(marker).touch()
    return marker


@raw
def power(marker: str, exponent: int = 50_000_000) -> str:
    """Compute in C, without ever looking at a signal; a minute or more."""
    begin(marker)
    result = pow(7, exponent)
    Path(marker).touch()
    return str(result % 1000)


@raw
def daemonise(seconds: float, marker: str) -> str:
    """Start a process twice removed, in a session of its own, that does the deed; then wait."""
    _start_daemon(seconds, marker)
    time.sleep(30)
    return marker


@raw
def leave_daemon(seconds: float, marker: str) -> int:
    return _start_daemon(seconds, marker)


def _start_daemon(seconds: float, marker: str) -> int:
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            os.write(writing, str(os.getpid()).encode())
            begin(marker)
            time.sleep(seconds)
            Path(marker).touch()
        os._exit(0)
    os.waitpid(between, 0)
    pid = int(os.read(reading, 20))
    os.close(reading)
    os.close(writing)
    return pid


@raw
def leave_thread() -> int:
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    return os.getpid()


@raw
def shell(command: str) -> int:
    return subprocess.run(["sh", "-c", command], check=False).returncode


@raw
def fork_and_return() -> str:
    """Come back twice, once in a child."""
    return "child" if os.fork() == 0 else "parent"


@raw
def leave(status: int) -> None:
    os._exit(status)


@raw
def exit_politely() -> None:
    sys.exit(7)


@raw
def interrupt() -> None:
    raise KeyboardInterrupt


@raw
def touch_nothing() -> None:
    ctypes.string_at(0)


@raw
def babble() -> None:
    """Write rubbish to whatever socket is open."""
    for path in list(Path("/proc/self/fd").iterdir()):
        if path.is_socket():
            os.write(int(path.name), b"\xff" * 64)
    time.sleep(30)


@raw
def generate() -> Any:
    return (number for number in range(3))


@raw
def fill(size: int) -> bytes:
    return b"x" * size


@raw
def measure(text: str) -> int:
    return len(text)


@raw
def fail(how: str) -> None:
    errors_by_name: dict[str, Exception] = {
        "key": KeyError("gone"),
        "tool": errors.ToolError("no such page", fix="look at the index"),
        "timeout": TimeoutError("the tool's own"),
        "stop": StopIteration(3),
        "refused": errors.CallRefused("rejected", "not today", fix="tomorrow"),
        "odd": Odd("one", second="two"),
        "unpicklable": Unpicklable(),
        "unicode": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    }
    raise errors_by_name[how]


def plain(text: str) -> str:
    """Not a tool itself; tests make one of it."""
    return text.upper()


class Shelf:
    @staticmethod
    def label(text: str) -> str:
        return f"[{text}]"


def make_closure() -> Tool:
    def inner(**_: Any) -> str:
        return "inner"

    return Tool("inner", inner, "", {}, run_in="process")
