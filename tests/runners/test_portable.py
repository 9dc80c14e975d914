"""The fallback for other systems, as far as Linux can tell."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from anyio import BrokenWorkerProcess

from prudent.errors import ToolCrashed, ToolError, ToolTimedOut
from prudent.runners.portable import PortableProcessRunner
from prudent.tools.context import Context
from prudent.tools.definition import Tool

# Each test has a loop of its own, since `anyio` ends its workers with the loop.


def file_of_tools(folder: Path, load: Callable[[Path], object]) -> Callable[[str], Tool]:
    file = folder / "portable_tools.py"
    file.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from prudent.errors import ToolError\n"
        "def pid(): return os.getpid()\n"
        "def fail(): raise ToolError('no', fix='yes')\n"
        "def nap(marker):\n    time.sleep(1.5)\n    Path(marker).touch()\n"
    )
    module = load(file)
    return lambda name: Tool(name, getattr(module, name), "", {}, run_in="process")


def test_it_runs_and_fails(tmp_path: Path, load: Callable[[Path], object]):
    tool, runner = file_of_tools(tmp_path, load), PortableProcessRunner()

    async def main() -> None:
        assert await runner.run(tool("pid"), {}, Context(timeout_seconds=30)) != os.getpid()
        with pytest.raises(ToolError, match="no") as caught:
            await runner.run(tool("fail"), {}, Context(timeout_seconds=30))
        assert caught.value.fix == "yes"
        assert not runner.left_running("c1")

    asyncio.run(main())


def test_a_worker_that_dies(kit: ModuleType, monkeypatch: pytest.MonkeyPatch):
    async def break_down(*_args: object, cancellable: bool) -> None:
        raise BrokenWorkerProcess

    # not for real: `anyio` leaves the pipes of such a process open
    monkeypatch.setattr("anyio.to_process.run_sync", break_down)
    with pytest.raises(ToolCrashed, match="died"):
        asyncio.run(PortableProcessRunner().run(kit.add, {"a": 1}, Context()))


def test_it_kills_at_the_limit_and_at_a_stop(tmp_path: Path, load: Callable[[Path], object]):
    tool, runner, marker = file_of_tools(tmp_path, load), PortableProcessRunner(), tmp_path / "deed"

    async def main() -> None:
        await runner.run(tool("pid"), {}, Context(timeout_seconds=30))
        with pytest.raises(ToolTimedOut) as caught:
            await runner.run(tool("nap"), {"marker": str(marker)}, Context(timeout_seconds=0.3))
        assert caught.value.killed
        task = asyncio.create_task(runner.run(tool("nap"), {"marker": str(marker)}, Context(timeout_seconds=30)))
        await asyncio.sleep(0.2)
        at = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - at < 1.0
        await asyncio.sleep(1.6)
        assert not marker.exists()

    asyncio.run(main())
