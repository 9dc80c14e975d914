from __future__ import annotations

import asyncio
import contextvars
import gc
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest

from prudent.errors import ToolCrashed, ToolError, ToolTimedOut
from prudent.runners import inline
from prudent.runners.inline import InlineRunner
from prudent.tools.context import Context
from prudent.tools.definition import Tool

pytestmark = pytest.mark.anyio

COLOUR = contextvars.ContextVar("colour", default="none")


def make(function: Callable[..., Any], **fields: Any) -> Tool:
    return Tool(function.__name__, function, "", {}, run_in="inline", **fields)


def about(seconds: float = 20.0, call_id: str = "c1") -> Context:
    return Context(call_id=call_id, timeout_seconds=seconds)


async def deaf(seconds: float = 0.8) -> str:
    """Take no notice of any cancellation."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(left)
    return "late"


async def deaf_and_failing() -> str:
    await deaf()
    raise KeyError("late")


async def polite() -> str:
    await asyncio.sleep(30)
    return "never"


async def test_the_result_comes_back():
    async def double(a: int) -> int:
        await asyncio.sleep(0)
        return 2 * a

    assert await InlineRunner().run(make(double), {"a": 4}, about()) == 8


async def test_a_small_sync_function_runs_too():
    def double(a: int) -> int:
        return 2 * a

    assert await InlineRunner().run(make(double), {"a": 4}, about()) == 8


async def test_the_context_is_injected_and_context_variables_are_carried_over():
    async def tell(context: Context) -> tuple[str, str]:
        return context.call_id, COLOUR.get()

    COLOUR.set("blue")
    assert await InlineRunner().run(make(tell, context_parameter="context"), {}, about()) == ("c1", "blue")


@pytest.mark.parametrize("error", [KeyError("x"), ToolError("no"), TimeoutError("own"), ToolTimedOut(9, killed=True)])
async def test_what_the_tool_raises_comes_through(error: Exception):
    async def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        await InlineRunner().run(make(fail), {}, about())
    assert caught.value is error


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseExceptionGroup("g", [SystemExit()])]
)
async def test_a_tool_cannot_end_the_process(error: BaseException):
    async def leave() -> None:
        await asyncio.sleep(0)
        raise error

    with pytest.raises(ToolCrashed, match=type(error).__name__):
        await InlineRunner().run(make(leave), {}, about())


async def test_a_tool_that_cancels_itself_does_not_cancel_the_run():
    async def cancel() -> None:
        raise asyncio.CancelledError

    with pytest.raises(ToolCrashed, match="cancelled itself"):
        await InlineRunner().run(make(cancel), {}, about())


async def test_at_its_limit_an_obedient_tool_is_ended():
    runner = InlineRunner()
    with pytest.raises(ToolTimedOut) as caught:
        await runner.run(make(polite), {}, about(0.05))
    assert caught.value.killed
    assert caught.value.seconds == 0.05
    assert not runner.left_running("c1")


async def test_at_its_limit_a_deaf_tool_is_abandoned():
    runner = InlineRunner()
    began = time.monotonic()
    with pytest.raises(ToolTimedOut) as caught:
        await runner.run(make(deaf), {"seconds": 1.5}, about(0.05))
    assert time.monotonic() - began < 1.2
    assert not caught.value.killed
    assert runner.left_running("c1")
    assert not runner.left_running("c2")
    await asyncio.sleep(1.6)
    assert not runner.left_running("c1")


async def test_an_answer_within_the_grace_is_still_too_late():
    async def slow_to_go() -> str:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.02)
        return "late"

    with pytest.raises(ToolTimedOut) as caught:
        await InlineRunner().run(make(slow_to_go), {}, about(0.05))
    assert caught.value.killed


@pytest.mark.parametrize(("tool", "left"), [(polite, False), (deaf, True), (deaf_and_failing, True)])
async def test_a_stopped_run_gets_control_back(tool: Callable[..., Any], left: bool):
    runner = InlineRunner()
    task = asyncio.create_task(runner.run(make(tool), {}, about()))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.6
    assert runner.left_running("c1") is left


async def test_a_cancelled_scope_gets_control_back():
    runner = InlineRunner()
    with anyio.move_on_after(0.05) as scope:
        await runner.run(make(deaf), {}, about())
    assert scope.cancelled_caught
    assert runner.left_running("c1")


async def test_many_deaf_calls_are_not_piled_up_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inline, "MOST_ABANDONED", 2)
    runner = InlineRunner()
    for number in range(2):
        with pytest.raises(ToolTimedOut):
            await runner.run(make(deaf), {}, about(0.01, f"c{number}"))
    with pytest.raises(ToolCrashed, match="2 earlier calls"):
        await runner.run(make(polite), {}, about())


@pytest.mark.parametrize("tool", [deaf, deaf_and_failing, polite])
def test_the_loop_ends_at_once_and_nobody_complains(tool: Callable[..., Any], caplog: pytest.LogCaptureFixture):
    complaints: list[dict[str, Any]] = []
    runners = [InlineRunner()]

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        with pytest.raises(ToolTimedOut):
            await runners[0].run(make(tool), {}, about(0.05))

    began = time.monotonic()
    with caplog.at_level(logging.DEBUG, "asyncio"):
        asyncio.run(main())
        assert time.monotonic() - began < 0.7
        assert not runners.pop().left_running("c1")
        gc.collect()
    assert not complaints
    assert not [record for record in caplog.records if record.levelno > logging.DEBUG]


def test_a_late_exception_is_silent_while_the_loop_goes_on(caplog: pytest.LogCaptureFixture):
    complaints: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        runner = InlineRunner()
        with pytest.raises(ToolTimedOut):
            await runner.run(make(deaf_and_failing), {}, about(0.05))
        await asyncio.sleep(1)
        assert not runner.left_running("c1")
        gc.collect()

    asyncio.run(main())
    assert not complaints
    assert not caplog.records
