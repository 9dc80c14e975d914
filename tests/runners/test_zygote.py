"""What ends when a call is timed out or stopped, when the runner is closed, and when the program dies."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest

import prudent
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


PROGRAM = """
import asyncio, importlib.util, os, sys, threading, time
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context

file, folder, how = sys.argv[1:]
spec = importlib.util.spec_from_file_location("kit_of_a_program", file)
kit = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = kit
spec.loader.exec_module(kit)

async def call(runner, name, arguments):
    marker = os.path.join(folder, name)
    await runner.run(getattr(kit, name), {"marker": marker, **arguments}, Context(call_id=name, timeout_seconds=90))

async def fork_an_heir():
    # it holds copies of all descriptors, so that the zygote sees no end of file when the program dies
    while len([name for name in os.listdir(folder) if name.endswith(".begun")]) < 3:
        await asyncio.sleep(0.01)
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    with open(os.path.join(folder, "heir"), "w") as out:
        out.write(str(pid))

async def main():
    runner = ProcessRunner()
    calls = [("sleep_deaf", {"seconds": 60}), ("power", {}), ("daemonise", {"seconds": 60})]
    await asyncio.gather(*(call(runner, *each) for each in calls), *([fork_an_heir()] if how == "heir" else []))

if how == "thread":
    # the thread that starts the zygote ends, the program goes on
    adding = ProcessRunner().run(kit.add, {"a": 1}, Context(timeout_seconds=30))
    thread = threading.Thread(target=asyncio.run, args=(adding,))
    thread.start()
    thread.join()
asyncio.run(main())
"""


def find_python(user: list[str], environment: dict[str, str]) -> str:
    """Find a Python that this user may run, with our packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        # by way of a shell: what setpriv itself starts may be out of the user's own reach
        command = [*user, "sh", "-c", 'exec "$0" -c "import pydantic, anyio, prudent"', python]
        done = subprocess.run(command, env=environment, cwd="/", stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return python
    pytest.skip("there is no Python that a normal user may run with our packages")


@pytest.fixture
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that other users can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "kit.py").write_text(Path(__file__).with_name("kit.py").read_text())
        yield folder


@pytest.mark.parametrize(
    ("how", "user", "whole_group"),
    [
        ("plain", "me", True),
        ("plain", "me", False),
        ("plain", "nobody", True),
        ("plain", "nobody", False),
        ("thread", "me", False),
        ("heir", "me", False),
    ],
)
def test_nothing_outlives_a_killed_program(
    tag: str,
    tagged: Callable[[], set[int]],
    eventually: Callable[..., float],
    open_folder: Path,
    how: str,
    user: str,
    whole_group: bool,
):
    become: list[str] = []
    if user == "nobody":
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            pytest.skip("only root can become a normal user")
        become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    packages = [str(Path(prudent.__file__).parents[1]), sysconfig.get_path("purelib")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(packages), "PYTHONDONTWRITEBYTECODE": "1"}
    python = find_python(become, environment) if become else sys.executable
    command = [*become, python, "-c", PROGRAM, str(open_folder / "kit.py"), str(open_folder), how]
    program = subprocess.Popen(command, env=environment, cwd="/", start_new_session=True)
    heirs: set[int] = set()
    try:
        begun = ["sleep_deaf.begun", "power.begun", "daemonise.begun", *(["heir"] if how == "heir" else [])]
        eventually(lambda: program.poll() is not None or all((open_folder / name).exists() for name in begun), seconds=60)
        assert program.poll() is None
        if how == "heir":
            eventually((open_folder / "heir").read_text)
            heirs.add(int((open_folder / "heir").read_text()))
        assert len(tagged()) >= 6  # the program, the zygote, three workers, one twice removed
        if whole_group:
            os.killpg(program.pid, signal.SIGKILL)
        else:
            program.kill()
        program.wait()
        took = eventually(lambda: tagged() <= heirs, seconds=10)
    finally:
        for pid in tagged():
            os.kill(pid, signal.SIGKILL)
        program.wait()
    assert took < 3.0  # a tenth of a second on a quiet machine
