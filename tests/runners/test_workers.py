from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from prudent.errors import ConfigurationError, ToolCrashed
from prudent.runners import workers as module
from prudent.runners.workers import SharedWorkers, Workers

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


def test_a_zygote_that_cannot_start(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    workers = Workers()
    worker = workers.take(b"")
    workers.end(worker)
    workers.close()
    assert str(worker.fate()) == "was lost"


async def test_only_the_last_user_ends_the_workers(monkeypatch: pytest.MonkeyPatch, anyio_backend: str):
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
