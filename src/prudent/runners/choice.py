"""Picks the runner that a tool declares."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Protocol

from prudent.errors import ConfigurationError
from prudent.ports import Runner
from prudent.runners.inline import InlineRunner
from prudent.runners.portable import PortableProcessRunner
from prudent.runners.process import ProcessRunner
from prudent.runners.thread import ThreadRunner
from prudent.tools.context import Context
from prudent.tools.definition import RunIn, Tool
from prudent.types import JSONObject


class ClosableRunner(Runner, Protocol):
    """A runner that holds something."""

    async def aclose(self) -> None:
        """Give back what it holds."""
        ...


def default_runners() -> dict[RunIn, ClosableRunner]:
    """Make one runner of each kind that there is."""
    process = ProcessRunner() if sys.platform == "linux" else PortableProcessRunner()
    return {"inline": InlineRunner(), "thread": ThreadRunner(), "process": process}


class ByKind:
    """Runs each tool where its `run_in` says. Make one for a program or an agent, and close it at the end."""

    def __init__(self, runners: Mapping[RunIn, ClosableRunner] | None = None) -> None:
        self._runners = dict(default_runners() if runners is None else runners)

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        """Run the tool; raises as its runner does, and ConfigurationError when there is none of its kind."""
        return await self._pick(tool).run(tool, arguments, context)

    def left_running(self, whole_call_id: str) -> bool:
        """Whether the call's code may still be running, wherever it ran."""
        return any(runner.left_running(whole_call_id) for runner in self._runners.values())

    def prepare(self, tools: Iterable[Tool]) -> None:
        """Start ahead of time what the first call of one of these tools would have to wait for."""
        runners = [self._pick(tool) for tool in tools]
        for runner in runners:
            if isinstance(runner, ProcessRunner):
                runner.prepare()
                return

    async def aclose(self) -> None:
        """Give back threads and processes. It may be used again."""
        for runner in self._runners.values():
            await runner.aclose()

    def _pick(self, tool: Tool) -> ClosableRunner:
        runner = self._runners.get(tool.run_in)
        if runner is None:
            raise ConfigurationError(
                f"tool {tool.name!r} declares run_in={tool.run_in!r}, which does not exist yet: declare 'process'"
            )
        return runner
