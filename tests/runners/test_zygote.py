"""What ends when a call is timed out or stopped, and when the runner is closed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest

from prudent.errors import ToolCrashed, ToolTimedOut
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
from prudent.types import JSONObject

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform != "linux", reason="processes are killed for sure on Linux")]

DEED_SECONDS = 1.2
"""When a tool would do its deed, if it were still alive."""

SLOW_TOOLS = ("sleep", "sleep_deaf", "power", "daemonise")

LATE_SECONDS = 2.0
"""More than a kill ever takes, on however loaded a machine; alone it is a hundredth of it."""


def about(seconds: float = 30.0, call_id: str = "c1") -> Context:
    return Context(call_id=call_id, timeout_seconds=seconds)


async def until(holds: Callable[[], object]) -> None:
    """Wait for something without holding up the event loop."""
    for _ in range(4000):
        if holds():
            return
        await anyio.sleep(0.005)
    raise AssertionError("it never came to be")


def zygote_of(worker: int) -> int:
    return int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])


def start_all(runner: ProcessRunner, kit: ModuleType, folder: Path, seconds: float) -> list[asyncio.Task[object]]:
    """Start one call of each slow tool."""
    tasks: list[asyncio.Task[object]] = []
    for name in SLOW_TOOLS:
        arguments: JSONObject = {"marker": str(folder / name)}
        if name != "power":
            arguments["seconds"] = DEED_SECONDS
        tasks.append(asyncio.create_task(runner.run(getattr(kit, name), arguments, about(seconds, name))))
    return tasks


def begun(folder: Path) -> int:
    return len(list(folder.glob("*.begun")))


def deeds(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.suffix != ".begun"]


async def test_at_its_limit_nothing_of_a_call_is_left(
    runner: ProcessRunner, kit: ModuleType, tmp_path: Path, alive: Callable[[Path], set[int]]
):
    results = await asyncio.gather(*start_all(runner, kit, tmp_path, 0.5), return_exceptions=True)
    at = time.monotonic()
    assert [type(result) for result in results] == [ToolTimedOut] * 4
    assert all(isinstance(result, ToolTimedOut) and result.killed for result in results)
    assert begun(tmp_path) == 4
    assert not alive(tmp_path)
    assert not any(runner.left_running(name) for name in SLOW_TOOLS)
    await anyio.sleep(max(0.0, at + DEED_SECONDS - time.monotonic()))
    assert deeds(tmp_path) == []
    assert await runner.run(kit.add, {"a": 1}, about()) == 2


async def test_a_stopped_run_leaves_nothing(
    runner: ProcessRunner, kit: ModuleType, tmp_path: Path, alive: Callable[[Path], set[int]]
):
    tasks = start_all(runner, kit, tmp_path, 30.0)
    await until(lambda: begun(tmp_path) == 4)
    at = time.monotonic()
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert time.monotonic() - at < LATE_SECONDS
    assert [type(result) for result in results] == [asyncio.CancelledError] * 4
    assert not alive(tmp_path)
    assert not any(runner.left_running(name) for name in SLOW_TOOLS)
    done = deeds(tmp_path)  # the first may have been through before the last began
    await anyio.sleep(DEED_SECONDS)
    assert deeds(tmp_path) == done


async def test_a_cancelled_scope_leaves_nothing(
    runner: ProcessRunner, kit: ModuleType, tmp_path: Path, alive: Callable[[Path], set[int]]
):
    slow: JSONObject = {"seconds": 20, "marker": str(tmp_path / "m")}
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(runner.run, kit.daemonise, slow, about())
            await until(lambda: begun(tmp_path))
            scope.cancel()
    assert scope.cancelled_caught
    assert not alive(tmp_path)


async def test_a_call_stopped_before_its_worker_is_there_leaves_nothing(
    fresh: ProcessRunner, kit: ModuleType, tagged: Callable[[], set[int]], tmp_path: Path
):
    task = asyncio.create_task(fresh.run(kit.sleep, {"seconds": 0.2, "marker": str(tmp_path / "m")}, about()))
    await anyio.sleep(0.001)
    at = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - at < LATE_SECONDS
    await until(lambda: not fresh.left_running("c1"))
    assert len(tagged()) == 1  # the zygote
    assert begun(tmp_path) == 0
    assert deeds(tmp_path) == []


async def test_what_a_call_leaves_behind_ends_with_it(runner: ProcessRunner, kit: ModuleType, tmp_path: Path):
    pid = await runner.run(kit.leave_daemon, {"seconds": 120, "marker": str(tmp_path / "m")}, about())
    await until(lambda: not Path(f"/proc/{pid}").exists())


async def test_what_a_crashed_call_leaves_behind_ends_with_it(
    fresh: ProcessRunner, kit: ModuleType, tagged: Callable[[], set[int]]
):
    with pytest.raises(ToolCrashed, match="SIGKILL"):
        await fresh.run(kit.shell, {"command": "setsid sleep 60 & setsid -f sleep 61; kill -9 $PPID"}, about())
    assert len(tagged()) == 1


async def test_one_call_is_killed_and_its_neighbours_go_on(runner: ProcessRunner, kit: ModuleType, tmp_path: Path):
    slow: JSONObject = {"seconds": 1.0, "marker": str(tmp_path / "m")}
    calls = [runner.run(kit.sleep, dict(slow), about(0.1 if number % 2 else 30.0, f"c{number}")) for number in range(6)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [str, ToolTimedOut] * 3


async def test_the_event_loop_goes_on_meanwhile(runner: ProcessRunner, kit: ModuleType, tmp_path: Path):
    task = asyncio.create_task(runner.run(kit.power, {"marker": str(tmp_path / "m")}, about(0.5)))
    turns = 0
    while not task.done():
        await asyncio.sleep(0.005)
        turns += 1
    assert isinstance(task.exception(), ToolTimedOut)
    assert turns > 20


async def test_a_lost_zygote_takes_its_workers_along_and_is_replaced(
    fresh: ProcessRunner, kit: ModuleType, tagged: Callable[[], set[int]], tmp_path: Path
):
    seen: Any = await fresh.run(kit.about, {}, about())
    zygote = zygote_of(seen["pid"])
    task = asyncio.create_task(fresh.run(kit.sleep, {"seconds": 20, "marker": str(tmp_path / "m")}, about()))
    await anyio.sleep(0.1)
    os.kill(zygote, signal.SIGKILL)
    with pytest.raises(ToolCrashed, match="was lost"):
        await task
    assert fresh.left_running("c1")  # nobody looked below it
    assert await fresh.run(kit.add, {"a": 1}, about()) == 2
    assert len(tagged()) == 2


async def test_a_halted_zygote_does_not_hold_up_the_stop(
    fresh: ProcessRunner, kit: ModuleType, eventually: Callable[..., float], tmp_path: Path
):
    seen: Any = await fresh.run(kit.about, {}, about())
    zygote = zygote_of(seen["pid"])
    os.kill(zygote, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(ToolTimedOut) as caught:
            await fresh.run(kit.sleep, {"seconds": 20, "marker": str(tmp_path / "m")}, about(0.1))
        assert time.monotonic() - began < LATE_SECONDS
        assert not caught.value.killed
        assert fresh.left_running("c1")
    finally:
        os.kill(zygote, signal.SIGCONT)
    eventually(lambda: not fresh.left_running("c1"))


async def test_signals_for_many_leave_the_zygote_to_its_program(runner: ProcessRunner, kit: ModuleType):
    seen: Any = await runner.run(kit.about, {}, about())
    zygote = zygote_of(seen["pid"])
    assert os.getsid(zygote) == zygote != os.getsid(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(zygote, number)
    assert await runner.run(kit.add, {"a": 1}, about()) == 2
    assert zygote_of(seen["pid"]) == zygote


async def test_closing_ends_everything(fresh: ProcessRunner, kit: ModuleType, tagged: Callable[[], set[int]], tmp_path: Path):
    task = asyncio.create_task(fresh.run(kit.daemonise, {"seconds": 20, "marker": str(tmp_path / "m")}, about()))
    await until((tmp_path / "m.begun").exists)
    assert len(tagged()) >= 3
    await fresh.aclose()
    assert not tagged()
    with pytest.raises(ToolCrashed):
        await task
