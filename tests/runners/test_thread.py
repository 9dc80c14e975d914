from __future__ import annotations

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from prudent.errors import ConfigurationError, ToolCrashed, ToolError, ToolTimedOut
from prudent.runners.thread import ThreadRunner
from prudent.tools.context import Context
from prudent.tools.definition import Tool

pytestmark = pytest.mark.anyio

COLOUR = contextvars.ContextVar("colour", default="none")


def make(function: Callable[..., Any], **fields: Any) -> Tool:
    return Tool(function.__name__, function, "", {}, run_in="thread", **fields)


def about(seconds: float = 20.0, call_id: str = "c1") -> Context:
    return Context(call_id=call_id, timeout_seconds=seconds)


def here() -> int:
    return threading.get_ident()


async def until(holds: Callable[[], object]) -> None:
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to be")


class Gate:
    """A tool that waits until it is let go."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.passed = threading.Event()

    def wait(self) -> str:
        self.open.wait(30)
        self.passed.set()
        return "through"

    async def let_go(self, runner: ThreadRunner, call_id: str) -> None:
        """Open it and wait until the runner knows that the call has ended."""
        self.open.set()
        await until(lambda: not runner.left_running(call_id))


async def test_it_runs_elsewhere_and_the_loop_goes_on():
    gate = Gate()
    task = asyncio.create_task(ThreadRunner().run(make(gate.wait), {}, about()))
    await asyncio.sleep(0.02)
    assert not task.done()
    gate.open.set()
    assert await task == "through"
    assert await ThreadRunner().run(make(here), {}, about()) != threading.get_ident()


async def test_the_context_is_injected_and_context_variables_are_carried_over():
    def tell(context: Context) -> tuple[str, str]:
        return context.call_id, COLOUR.get()

    COLOUR.set("blue")
    assert await ThreadRunner().run(make(tell, context_parameter="context"), {}, about()) == ("c1", "blue")


@pytest.mark.parametrize("error", [KeyError("x"), ToolError("no"), TimeoutError("own")])
async def test_what_the_tool_raises_comes_through(error: Exception):
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        await ThreadRunner().run(make(fail), {}, about())
    assert caught.value is error


async def test_stop_iteration_ends_nothing():
    def stop() -> None:
        raise StopIteration(3)

    with pytest.raises(RuntimeError, match="StopIteration"):
        await ThreadRunner().run(make(stop), {}, about())


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
async def test_a_tool_cannot_end_the_process_or_the_run(error: BaseException):
    def leave() -> None:
        raise error

    with pytest.raises(ToolCrashed, match=type(error).__name__):
        await ThreadRunner().run(make(leave), {}, about())


async def test_an_async_function_is_refused():
    async def wrong() -> None:
        """Never awaited, and nobody warns of it."""

    with pytest.raises(ConfigurationError, match="run_in='inline'"):
        await ThreadRunner().run(make(wrong), {}, about())
    gc.collect()


async def test_a_thread_is_used_again():
    runner = ThreadRunner()
    assert len({await runner.run(make(here), {}, about()) for _ in range(20)}) <= 2
    await runner.aclose()


async def test_calls_run_at_once():
    gates = [Gate() for _ in range(30)]
    runner = ThreadRunner()
    tasks = [asyncio.create_task(runner.run(make(gate.wait), {}, about())) for gate in gates]
    await asyncio.sleep(0.05)
    for gate in reversed(gates):
        gate.open.set()
    assert await asyncio.gather(*tasks) == ["through"] * 30
    await runner.aclose()


async def test_at_its_limit_a_call_is_abandoned_and_its_late_result_discarded():
    runner, gate = ThreadRunner(), Gate()
    with pytest.raises(ToolTimedOut) as caught:
        await runner.run(make(gate.wait), {}, about(0.05))
    assert not caught.value.killed
    assert runner.left_running("c1")
    await gate.let_go(runner, "c1")
    assert gate.passed.is_set()
    assert await runner.run(make(here), {}, about())


async def test_a_stopped_run_gets_control_back_at_once():
    runner, gate = ThreadRunner(), Gate()
    task = asyncio.create_task(runner.run(make(gate.wait), {}, about()))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.5
    assert runner.left_running("c1")
    await gate.let_go(runner, "c1")


async def test_equal_call_ids_are_counted():
    runner, gates = ThreadRunner(), [Gate(), Gate()]
    for gate in gates:
        with pytest.raises(ToolTimedOut):
            await runner.run(make(gate.wait), {}, about(0.02))
    gates[0].open.set()
    gates[0].passed.wait(10)
    await asyncio.sleep(0.05)
    assert runner.left_running("c1")
    await gates[1].let_go(runner, "c1")


async def test_abandoned_threads_do_not_use_up_the_runner_until_there_are_very_many():
    runner, gates = ThreadRunner(most_threads=40), [Gate() for _ in range(40)]
    results = await asyncio.gather(
        *(runner.run(make(gate.wait), {}, about(0.05, f"c{n}")) for n, gate in enumerate(gates[:39])), return_exceptions=True
    )
    assert all(isinstance(result, ToolTimedOut) for result in results)
    assert await runner.run(make(here), {}, about())
    with pytest.raises(ToolTimedOut):
        await runner.run(make(gates[39].wait), {}, about(0.05, "c39"))
    with pytest.raises(ToolCrashed, match="40 tool calls"):
        await runner.run(make(here), {}, about())
    for number, gate in enumerate(gates):
        await gate.let_go(runner, f"c{number}")
    assert await runner.run(make(here), {}, about())


async def test_closing_ends_idle_threads_and_the_runner_can_be_used_again():
    before = threading.active_count()
    runner = ThreadRunner()
    await asyncio.gather(*(runner.run(make(here), {}, about()) for _ in range(5)))
    await runner.aclose()
    await until(lambda: threading.active_count() <= before)
    assert await runner.run(make(here), {}, about())
    await runner.aclose()


def test_a_late_result_for_a_loop_that_is_gone_is_no_error(monkeypatch: pytest.MonkeyPatch):
    complaints: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", complaints.append)
    runner, gate = ThreadRunner(), Gate()

    async def main() -> None:
        with pytest.raises(ToolTimedOut):
            await runner.run(make(gate.wait), {}, about(0.02))

    asyncio.run(main())
    asyncio.run(gate.let_go(runner, "c1"))
    asyncio.run(runner.aclose())
    assert not complaints


def test_a_hanging_tool_does_not_hold_up_the_end_of_the_program():
    program = """
import asyncio, time
from prudent.errors import ToolTimedOut
from prudent.runners.thread import ThreadRunner
from prudent.tools.context import Context
from prudent.tools.definition import Tool
async def main():
    try:
        await ThreadRunner().run(Tool("nap", lambda: time.sleep(60), "", {}), {}, Context(timeout_seconds=0.05))
    except ToolTimedOut:
        print("in time")
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "in time\n", "")


async def test_a_warm_call_costs_little():
    runner = ThreadRunner()
    await runner.run(make(here), {}, about())
    best = 1.0
    for _ in range(5):
        used = time.process_time()
        for _ in range(200):
            await runner.run(make(here), {}, about())
        best = min(best, (time.process_time() - used) / 200)
    assert best < 0.0003  # 0.04 ms on a quiet machine
    await runner.aclose()
