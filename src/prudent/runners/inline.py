"""Runs async tools on the event loop itself: the cheapest way, and one that cannot kill.

An async function that swallows its cancellation, or blocks the loop, cannot be ended from here. The first kind is
abandoned: control returns in time and whatever it does later is discarded. Against the second only a process helps.
"""

from __future__ import annotations

import asyncio
from inspect import isawaitable

from prudent.errors import ToolCrashed, ToolTimedOut
from prudent.runners.waiting import GRACE_SECONDS, outlast
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject

MOST_ABANDONED = 256
"""With so many deaf calls alive no further one is started."""


class InlineRunner:
    """Runs a tool as a bare task: a task group would wait for one that swallows cancellation.

    A sync function runs too, and blocks the loop while it does; that is for the runtime's own small tools. For any other
    sync function use `ThreadRunner` instead.
    """

    def __init__(self) -> None:
        self._abandoned: set[tuple[str, asyncio.Task[object]]] = set()

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run the tool within `context.timeout_seconds`.

        Raises what the tool raised; ToolTimedOut, with `killed` false when it goes on all the same; ToolCrashed when it
        tried to end the process, or cancelled itself.
        """
        if len(self._abandoned) >= MOST_ABANDONED:
            raise ToolCrashed(f"{MOST_ABANDONED} earlier calls ignored their cancellation and still run; no other is started")
        task = asyncio.get_running_loop().create_task(_guard(tool, arguments, context), name=f"tool {tool.name}")
        try:
            await asyncio.wait({task}, timeout=context.timeout_seconds)
        except asyncio.CancelledError:
            await self._end(task, context.whole_call_id)
            raise
        if task.done():
            return _outcome(task)
        await self._end(task, context.whole_call_id)
        raise ToolTimedOut(context.timeout_seconds, killed=task.done())

    def left_running(self, whole_call_id: str) -> bool:
        """Whether the call was abandoned and its code can still get a turn of its loop."""
        return any(whole_call_id == each and not task.get_loop().is_closed() for each, task in tuple(self._abandoned))

    async def aclose(self) -> None:
        """Nothing to give back: what was abandoned cannot be ended."""

    async def _end(self, task: asyncio.Task[object], whole_call_id: str) -> None:
        """Cancel the task and let it go, whether it ends within the grace or not."""
        task.cancel()
        entry = (whole_call_id, task)
        self._abandoned.add(entry)
        task.add_done_callback(lambda _: self._abandoned.discard(entry))
        task.add_done_callback(_discard_outcome)
        try:
            await outlast(task, GRACE_SECONDS)
        finally:
            if not task.done():
                _disown(task)


async def _guard(tool: Tool, arguments: JSONObject, context: Context) -> object:
    """Await the tool, so that not even SystemExit gets past the task: asyncio would let it end the loop."""
    try:
        result = tool.invoke(arguments, context)
        return await result if isawaitable(result) else result
    except (Exception, asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:
        raise ToolCrashed(f"the tool tried to end the process with {type(error).__name__}") from error


def _outcome(task: asyncio.Task[object]) -> object:
    """Give the result of a task that ended by itself, or raise what it raised."""
    if task.cancelled():
        raise ToolCrashed("the tool cancelled itself")
    failure = task.exception()
    if failure is None:
        return task.result()
    if isinstance(failure, Exception):
        raise failure
    raise ToolCrashed(f"the tool ended with {type(failure).__name__}") from failure


def _discard_outcome(task: asyncio.Task[object]) -> None:
    """Look at a late outcome, since asyncio complains of exceptions that nobody looked at."""
    if not task.cancelled():
        task.exception()


def _disown(task: asyncio.Task[object]) -> None:
    """Take a deaf task out of asyncio's list, so that `asyncio.run` does not wait for it at its end, nor complains of it."""
    asyncio.tasks._unregister_task(task)  # pyright: ignore[reportPrivateUsage]: documented under "Extending asyncio"
    task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]: no public way to say so
