"""From the stop to silence, for each kind of runner: `python bench/stop_latency.py [--stops 100]`.

Every tool beats: it writes the time into a small shared file, over and over. A run is cancelled in the middle of it.
"control" is the time until the run's code has control again; "silence" the time of the last beat after the stop, or, for
the tool that computes in C and cannot beat, until its process is gone. A call that still beats half a second after the stop
is counted as abandoned.
"""

from __future__ import annotations

import argparse
import asyncio
import mmap
import os
import platform
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

from prudent.runners.choice import ByKind
from prudent.tools.context import Context
from prudent.tools.definition import RunIn, Tool

BEAT = struct.Struct("=qqq")
"""Last beat (monotonic, in ns), process id, and whether whoever can listen should end."""

ABANDONED_SECONDS = 0.5


class Heart:
    """The shared file."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), BEAT.size)

    def beat(self) -> bool:
        """Beat once; False when it is time to end (only the test's own clean-up says so)."""
        over = BEAT.unpack_from(self.memory)[2]
        BEAT.pack_into(self.memory, 0, time.monotonic_ns(), os.getpid(), over)
        return not over

    def read(self) -> tuple[float, int]:
        at, pid, _ = BEAT.unpack_from(self.memory)
        return at / 1e9, pid

    def reset(self, *, over: bool) -> None:
        BEAT.pack_into(self.memory, 0, 0, 0, over)


def sleeps(path: str) -> None:
    heart = Heart(path)
    while heart.beat():
        time.sleep(0.0005)


def computes(path: str) -> None:
    heart = Heart(path)
    while heart.beat():
        pass


def computes_in_c(path: str) -> None:
    Heart(path).beat()
    pow(7, 10**8)


def ignores_signals(path: str) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sleeps(path)


def moved_away(path: str) -> None:
    """Beat in a process twice removed, in a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            ignores_signals(path)
        os._exit(0)
    time.sleep(60)


async def listens(path: str) -> None:
    heart = Heart(path)
    await until(lambda: not heart.beat())


async def swallows_cancellation(path: str) -> None:
    heart = Heart(path)
    for _ in range(10**6):
        if not heart.beat():
            return
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.0005)


async def until(holds: Callable[[], object]) -> None:
    for _ in range(10**6):
        if holds():
            return
        await asyncio.sleep(0.0005)
    raise RuntimeError("it never came to be")


CASES: list[tuple[RunIn, Callable[..., Any]]] = [
    ("process", sleeps),
    ("process", computes),
    ("process", computes_in_c),
    ("process", ignores_signals),
    ("process", moved_away),
    ("inline", listens),
    ("inline", swallows_cancellation),
    ("thread", sleeps),
]


@dataclass
class Row:
    control: list[float] = field(default_factory=list[float])
    silence: list[float] = field(default_factory=list[float])
    abandoned: int = 0


async def stop_once(runner: ByKind, tool: Tool, heart: Heart, path: str, row: Row) -> None:
    heart.reset(over=False)
    task = asyncio.create_task(runner.run(tool, {"path": path}, Context(call_id="c", timeout_seconds=60)))
    await until(lambda: heart.read()[0])
    await asyncio.sleep(0.01)
    pid = heart.read()[1]
    stopped = time.monotonic()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    control = time.monotonic()
    row.control.append(control - stopped)
    if tool.function is computes_in_c:
        await until(lambda: not Path(f"/proc/{pid}").exists())
        row.silence.append(time.monotonic() - stopped)
        return
    await asyncio.sleep(0.02)
    if heart.read()[0] > control + 0.01:
        await asyncio.sleep(ABANDONED_SECONDS - (time.monotonic() - stopped))
    last = heart.read()[0]
    if last - stopped > ABANDONED_SECONDS - 0.05:
        row.abandoned += 1
        assert runner.left_running("c")
    else:
        row.silence.append(max(0.0, last - stopped))
        assert not runner.left_running("c")
    heart.reset(over=True)
    await asyncio.sleep(0.005)


@contextmanager
def shared_file() -> Iterator[str]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(BEAT.size))
        file.flush()
        yield file.name


def figures(values: list[float]) -> str:
    if not values:
        return f"{'never':>26}"
    cuts = quantiles(values, n=20, method="inclusive") if len(values) > 1 else values * 19
    return "".join(f"{1000 * value:8.1f}" for value in (cuts[9], cuts[18], max(values))) + "  "


async def measure(stops: int) -> None:
    print(
        f"# {stops} stops a row, milliseconds; {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"{'runner':8} {'tool':22} {'control p50':>12}{'p95':>8}{'max':>8}  {'silence p50':>12}{'p95':>8}{'max':>8}  abandoned"
    )
    for kind, function in CASES:
        runner, row = ByKind(), Row()
        tool = Tool(function.__name__, function, "", {}, run_in=kind)
        with shared_file() as path:
            heart = Heart(path)
            for _ in range(stops):
                await stop_once(runner, tool, heart, path, row)
            heart.reset(over=True)
        await runner.aclose()
        print(
            f"{kind:8} {function.__name__:22}     {figures(row.control)}    {figures(row.silence)}  {row.abandoned:6}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--stops", type=int, default=100)
    if sys.platform != "linux":
        sys.exit("the process runner is measured on Linux only")
    asyncio.run(measure(parser.parse_args().stops))


if __name__ == "__main__":
    main()
