"""Runs sync tools in threads: they share memory with the program, and Python cannot kill them.

The threads are daemons of our own. The event loop's default executor would hold up the interpreter's exit until the last
tool returns, and a pool of fixed size is used up once enough tools hang.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import isawaitable, iscoroutine
from queue import SimpleQueue
from typing import TypeAlias

from prudent.errors import ConfigurationError, ToolCrashed, ToolTimedOut
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject

IDLE_THREADS = 16
"""So many threads are kept for the next call."""

MOST_THREADS = 512
"""With so many calls running, abandoned ones included, no further one is started."""


@dataclass(slots=True, eq=False)
class _Call:
    """One call on its way through a thread."""

    tool: Tool
    arguments: JSONObject
    context: Context
    answered: asyncio.Future[bool]
    """True once the thread is through, False at the limit."""

    variables: contextvars.Context = field(default_factory=contextvars.copy_context)
    result: object = None
    error: BaseException | None = None
    ended: bool = False
    abandoned: bool = False

    def perform(self) -> None:
        """Run the tool, in the thread."""
        try:
            self.result = self.variables.run(self.tool.invoke, self.arguments, self.context)
        except BaseException as error:
            self.error = error

    def announce(self) -> None:
        """Tell the waiting loop, which may be gone by now."""
        with suppress(RuntimeError):
            self.answered.get_loop().call_soon_threadsafe(self.settle, True)

    def settle(self, through: bool) -> None:
        """Wake the waiting task, unless it waits no more."""
        if not self.answered.done():
            self.answered.set_result(through)

    def outcome(self) -> object:
        """Give the result, or raise what the tool raised."""
        if isinstance(self.error, Exception):
            raise self.error
        if self.error is not None:
            raise ToolCrashed(f"the tool tried to end the process with {type(self.error).__name__}") from self.error
        if not isawaitable(self.result):
            return self.result
        if iscoroutine(self.result):
            self.result.close()
        raise ConfigurationError(f"tool {self.tool.name} is async and cannot run in a thread: declare run_in='inline'")


_Inbox: TypeAlias = "SimpleQueue[_Call | None]"


class ThreadRunner:
    """Runs each call in a daemon thread, new or idle.

    At its limit, or when the run is stopped, a call is abandoned: control returns at once, the thread goes on to its end
    and its result is discarded. Use `ProcessRunner` instead for what must be killed.
    """

    def __init__(self, *, idle_threads: int = IDLE_THREADS, most_threads: int = MOST_THREADS) -> None:
        self._idle_threads = idle_threads
        self._most_threads = most_threads
        self._idle: deque[_Inbox] = deque()
        self._closed = False
        self._running = 0
        self._abandoned: Counter[str] = Counter()
        self._lock = threading.Lock()

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run the tool within `context.timeout_seconds`.

        Raises what the tool raised; ToolTimedOut, never `killed`; ToolCrashed when it tried to end the process.
        """
        loop = asyncio.get_running_loop()
        call = _Call(tool, arguments, context, loop.create_future())
        self._hand_over(call)
        limit = loop.call_later(context.timeout_seconds, call.settle, False)
        try:
            through = await call.answered
        except asyncio.CancelledError:
            self._abandon(call)
            raise
        finally:
            limit.cancel()
        if not through and self._abandon(call):
            raise ToolTimedOut(context.timeout_seconds, killed=False)
        return call.outcome()

    def left_running(self, whole_call_id: str) -> bool:
        """Whether the call was abandoned and its thread has not come to its end."""
        return self._abandoned[whole_call_id] > 0

    async def aclose(self) -> None:
        """End the idle threads; those of abandoned calls end with their tool. The runner may be used again."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, deque()
        for inbox in idle:
            inbox.put(None)

    def _hand_over(self, call: _Call) -> None:
        """Give the call to an idle thread, or to a new one."""
        with self._lock:
            if self._running >= self._most_threads:
                raise ToolCrashed(
                    f"{self._running} tool calls already run in threads, abandoned ones included; no other is started"
                )
            self._closed = False
            inbox = self._idle.pop() if self._idle else self._start_thread()
            self._running += 1
        inbox.put(call)

    def _start_thread(self) -> _Inbox:
        inbox: _Inbox = SimpleQueue()
        try:
            threading.Thread(target=self._serve, args=(inbox,), name="prudent tool", daemon=True).start()
        except RuntimeError as error:
            raise ToolCrashed(f"no thread can be started: {error}") from error
        return inbox

    def _serve(self, inbox: _Inbox) -> None:
        """Work calls off, as one thread."""
        while (call := inbox.get()) is not None:
            call.perform()
            kept = self._take_back(inbox, call)
            call.announce()
            del call  # its result must not live until the next call
            if not kept:
                return

    def _take_back(self, inbox: _Inbox, call: _Call) -> bool:
        """Note that a call came to its end, and keep its thread for the next one if there is room."""
        with self._lock:
            self._running -= 1
            call.ended = True
            if call.abandoned:
                self._abandoned -= Counter({call.context.whole_call_id: 1})
            kept = not self._closed and len(self._idle) < self._idle_threads
            if kept:
                self._idle.append(inbox)
        return kept

    def _abandon(self, call: _Call) -> bool:
        """Leave a call to itself; False when it has just come to its end."""
        with self._lock:
            if not call.ended:
                call.abandoned = True
                self._abandoned[call.context.whole_call_id] += 1
        return call.abandoned
