"""Runs tools in worker processes, which can be killed at any moment, whatever they are doing.

What ends with a call, by SIGKILL: at its limit or a stop, its worker process and every process below it, also those that
moved to sessions of their own; at a regular end, whatever it left running. When the program dies, even by `kill -9`, all
of it ends within moments. See `zygote` for how, and for the two things that are out of reach.

A worker is a forked process: it imports the tool by its file and name, gets a copy of the arguments and of the context,
and has the program's environment, folder and `sys.path` as they are at the time of the call. What it prints goes to
standard error; its standard input is empty.
"""

from __future__ import annotations

import pickle
from functools import lru_cache

from prudent.errors import ToolCrashed, ToolTimedOut
from prudent.runners.channel import Fate, Worker, WorkerGone
from prudent.runners.frames import MOST_BYTES, Kind
from prudent.runners.passing import Surroundings, pack_context, pack_recipe, unpack, unpack_failure
from prudent.runners.waiting import GRACE_SECONDS
from prudent.runners.workers import SHARED, SharedWorkers, Workers
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject

LOAD_SECONDS = 30.0
"""How long a worker may take to start and to import a tool; that does not count towards the tool's own limit."""

FATE_SECONDS = 1.0
"""How long to wait for the reason why a worker died by itself."""

MOST_UNCONFIRMED = 256
"""So many ended calls are remembered of which it is not known that all of their processes are gone."""


class ProcessRunner:
    """Runs each call in a worker process, new or idle. Linux; elsewhere use `PortableProcessRunner` instead.

    All runners of a program share their workers unless told otherwise. Nothing is started before the first call.
    """

    def __init__(self, *, shared: SharedWorkers = SHARED) -> None:
        self._shared = shared
        self._workers: Workers | None = None
        self._unconfirmed: dict[str, Worker] = {}
        self._recipe = lru_cache(maxsize=256)(pack_recipe)

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run the tool within `context.timeout_seconds`.

        Raises what the tool raised; ToolTimedOut, `killed` unless some process could not be; ToolCrashed when its worker
        died, or its arguments or result cannot be passed; ConfigurationError when a worker could never find its function.
        """
        recipe = self._recipe(tool)
        call = (arguments, pack_context(context))
        workers = self._join()
        worker = workers.take(recipe)
        try:
            await self._load(worker, recipe)
            reply = await worker.ask(Kind.CALL, _request(worker, recipe, *call), context.timeout_seconds)
        except TimeoutError:
            fate = await self._end(workers, worker, context.whole_call_id, GRACE_SECONDS)
            raise ToolTimedOut(context.timeout_seconds, killed=fate is not None and not fate.left_running) from None
        except WorkerGone:
            fate = await self._end(workers, worker, context.whole_call_id, FATE_SECONDS)
            raise ToolCrashed(f"the tool's worker process {fate or 'is lost'}") from None
        except BaseException:
            await self._end(workers, worker, context.whole_call_id, GRACE_SECONDS)
            raise
        if reply.spent:
            await self._end(workers, worker, context.whole_call_id, GRACE_SECONDS)
        else:
            workers.give_back(worker)
        return outcome(reply.kind, reply.body)

    def left_running(self, whole_call_id: str) -> bool:
        """Whether some process of the call was not seen to end."""
        worker = self._unconfirmed.get(whole_call_id)
        if worker is None:
            return False
        fate = worker.fate()
        if fate is not None and not fate.left_running:
            self._unconfirmed.pop(whole_call_id, None)
            return False
        return True

    def prepare(self) -> None:
        """Start what the first call needs, so that it need not wait for it. Takes a few milliseconds itself."""
        self._join().prepare()

    async def aclose(self) -> None:
        """End the workers, unless other runners use them. The runner may be used again."""
        if self._workers is not None:
            self._workers = None
            await self._shared.leave()

    def _join(self) -> Workers:
        if self._workers is None:
            self._workers = self._shared.join()
        return self._workers

    async def _load(self, worker: Worker, recipe: bytes) -> None:
        """Have the worker import the tool, once."""
        if recipe in worker.loaded:
            return
        try:
            reply = await worker.ask(Kind.LOAD, _request(worker, recipe), LOAD_SECONDS)
        except TimeoutError:
            raise ToolCrashed(f"the tool could not be imported in a worker process within {LOAD_SECONDS:g} s") from None
        if reply.kind is not Kind.READY:
            raise ToolCrashed(str(reply.body, "utf-8", "replace"))
        worker.loaded.add(recipe)

    async def _end(self, workers: Workers, worker: Worker, whole_call_id: str, seconds: float) -> Fate | None:
        """Have the worker killed; gives its fate if that is known in time."""
        while len(self._unconfirmed) >= MOST_UNCONFIRMED:
            self._unconfirmed.pop(next(iter(self._unconfirmed))).forget()
        if earlier := self._unconfirmed.pop(whole_call_id, None):
            earlier.forget()
        self._unconfirmed[whole_call_id] = worker
        workers.end(worker)
        fate = await worker.gone(seconds)
        self.left_running(whole_call_id)
        return fate


def _request(worker: Worker, recipe: bytes, *call: object) -> bytes:
    """Pack a request, with the surroundings where they changed since the worker was told last."""
    now = Surroundings.of_this_process()
    changed = None if now == worker.surroundings else now
    worker.surroundings = now
    try:
        body = pickle.dumps((recipe, changed, *call), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ToolCrashed(f"the tool's arguments or context cannot be passed to a worker process: {error}") from error
    if len(body) > MOST_BYTES:
        raise ToolCrashed(f"the tool's arguments have {len(body):,} bytes, more than the {MOST_BYTES:,} that are passed")
    return body


def outcome(kind: Kind, body: bytes | memoryview) -> object:
    """Give what the tool returned, or raise what it raised, from a worker's reply."""
    if kind is Kind.FAILURE:
        raise unpack_failure(body)
    if kind is not Kind.RESULT:
        raise ToolCrashed(str(body, "utf-8", "replace"))
    try:
        return unpack(body)
    except Exception as error:
        raise ToolCrashed(f"the tool's result cannot be brought over from its worker process: {error}") from error
