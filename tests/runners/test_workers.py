from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prudent.errors import ConfigurationError, ToolCrashed
from prudent.runners import workers as module
from prudent.runners.process import ProcessRunner
from prudent.runners.workers import SharedWorkers, Workers
from prudent.tools.context import Context
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio

PROGRAM = """
import asyncio, importlib.util, os, sys
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
spec = importlib.util.spec_from_file_location("kit_of_a_program", sys.argv[1])
kit = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = kit
spec.loader.exec_module(kit)
runner = ProcessRunner()
def add():
    return asyncio.run(runner.run(kit.add, {"a": 1}, Context()))
"""

FORKING = """
add()
child = os.fork()
if child == 0:
    ok = add() == 2
    asyncio.run(runner.aclose())
    os._exit(0 if ok else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), add())
"""

NOT_CLOSING = """
print(add())
"""

CLOSED_STREAMS = """
os.close(2)
print(add())
"""


def about(seconds: float = 30.0) -> Context:
    return Context(call_id="c1", timeout_seconds=seconds)


async def pid_of(runner: ProcessRunner, kit: ModuleType) -> int:
    seen: Any = await runner.run(kit.about, {}, about())
    return seen["pid"]


@pytest.mark.parametrize(("ending", "output"), [(FORKING, "0 2\n"), (NOT_CLOSING, "2\n"), (CLOSED_STREAMS, "2\n")])
def test_programs_that_fork_or_do_not_close(ending: str, output: str):
    kit = str(Path(__file__).with_name("kit.py"))
    command = [sys.executable, "-W", "error", "-c", PROGRAM + ending, kit]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_a_program_without_an_executable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(ConfigurationError, match="no Python executable"):
        Workers().take(b"")


def test_a_python_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    workers = Workers()
    for _ in range(2):
        with pytest.raises(ToolCrashed, match="no worker process can be started: No such file"):
            workers.take(b"")
    workers.close()


def test_a_zygote_that_cannot_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    slow_to_fail = tmp_path / "python"
    slow_to_fail.write_text("#!/bin/sh\nsleep 0.5\n")
    slow_to_fail.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow_to_fail))
    workers = Workers()
    worker = workers.take(b"")
    workers.end(worker)
    workers.close()
    assert str(worker.fate()) == "was lost"


def test_a_zygote_that_is_gone_before_it_is_written_to(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    real = socket.send_fds

    def send_later(control: socket.socket, *rest: Any) -> int:
        time.sleep(0.5)
        return real(control, *rest)

    monkeypatch.setattr(socket, "send_fds", send_later)
    workers = Workers()
    with pytest.raises(ToolCrashed, match="does not answer"):
        workers.take(b"")
    workers.close()


def test_several_event_loops_one_after_the_other_and_at_once(common_workers: SharedWorkers, kit: ModuleType):
    runner = ProcessRunner(shared=common_workers)

    async def some() -> list[object]:
        return await asyncio.gather(*(runner.run(kit.add, {"a": n}, about()) for n in range(3)))

    results: list[list[object]] = []
    for _ in range(3):
        results.append(asyncio.run(some()))
    threads = [threading.Thread(target=lambda: results.append(asyncio.run(some()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1, 2, 3]] * 7
    asyncio.run(runner.aclose())


async def test_the_workers_outlive_all_runners_but_the_last(tag: str, kit: ModuleType, tagged: Callable[[], set[int]]):
    shared = SharedWorkers()
    first, second = ProcessRunner(shared=shared), ProcessRunner(shared=shared)
    assert await pid_of(first, kit) == await pid_of(second, kit)
    await first.aclose()
    await first.aclose()
    assert tagged()
    assert await second.run(kit.add, {"a": 1}, about()) == 2
    await second.aclose()
    assert not tagged()
    assert await second.run(kit.add, {"a": 1}, about()) == 2
    await second.aclose()
    assert not tagged()


async def test_nothing_is_started_before_it_is_needed(
    tag: str, tagged: Callable[[], set[int]], eventually: Callable[..., float]
):
    runner = ProcessRunner(shared=SharedWorkers())
    assert not tagged()
    runner.prepare()
    runner.prepare()
    eventually(lambda: len(tagged()) == 1)
    await runner.aclose()
    assert not tagged()


async def test_idle_workers_are_few_and_calls_at_once_not_without_end(
    tag: str, kit: ModuleType, tmp_path: Path, tagged: Callable[[], set[int]], eventually: Callable[..., float]
):
    runner = ProcessRunner(shared=SharedWorkers(lambda: Workers(idle_workers=2, most_workers=4)))
    nap: JSONObject = {"seconds": 0.3, "marker": str(tmp_path / "m")}
    results = await asyncio.gather(*(runner.run(kit.sleep, nap, about()) for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [str, str, str, str, ToolCrashed]
    assert "4 tool calls already run" in str(results[-1])
    eventually(lambda: len(tagged()) == 3)
    await runner.aclose()


async def test_only_the_last_user_ends_the_workers():
    ended: list[Workers] = []

    class Watched(Workers):
        async def aclose(self) -> None:
            ended.append(self)
            await super().aclose()

    shared = SharedWorkers(Watched)
    assert shared.join() is shared.join()
    await shared.leave()
    assert not ended
    await shared.leave()
    assert len(ended) == 1


def test_the_program_has_one_set_of_workers():
    assert isinstance(module.SHARED, SharedWorkers)
