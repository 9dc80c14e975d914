"""The process runner for systems other than Linux, on `anyio`'s worker processes. It was only ever run on Linux."""

from __future__ import annotations

from anyio import BrokenWorkerProcess, fail_after, to_process

from prudent.errors import ToolCrashed, ToolTimedOut
from prudent.runners.passing import pack_context, pack_recipe
from prudent.runners.process import outcome
from prudent.runners.worker import perform_once
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject


class PortableProcessRunner:
    """Runs each call in a worker process that is killed at the limit or a stop.

    Processes that the tool started itself are not killed, and the start of the worker counts towards the limit. Use
    `ProcessRunner` instead on Linux.
    """

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run the tool within `context.timeout_seconds`; raises as `ProcessRunner.run` does."""
        recipe = pack_recipe(tool)
        try:
            with fail_after(context.timeout_seconds):
                reply = await to_process.run_sync(perform_once, recipe, arguments, pack_context(context), cancellable=True)
        except TimeoutError:
            raise ToolTimedOut(context.timeout_seconds, killed=True) from None
        except BrokenWorkerProcess:
            raise ToolCrashed("the tool's worker process died") from None
        return outcome(*reply)

    def left_running(self, whole_call_id: str) -> bool:
        """Never, as far as this runner can tell: a worker is killed."""
        return False

    async def aclose(self) -> None:
        """Nothing to do: the workers end with their event loop."""
