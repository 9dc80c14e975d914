"""What a tool function may ask of the run it works for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Any

from prudent.errors import ToolError
from prudent.types import JSON


def _nowhere(_kind: str, _data: dict[str, JSON]) -> None:
    """Drop a note: the default outside a run."""


async def _nobody(_agent: object, _task: str) -> object:
    """Refuse to delegate: the default outside a run."""
    raise ToolError("there is no run here that another agent could work for")


async def _here(tool: Any, arguments: dict[str, JSON]) -> object:
    """Run a tool on the spot, without a limit: the default outside a run."""
    result = tool.invoke(arguments, Context())
    return await result if isawaitable(result) else result


@dataclass(frozen=True)
class Context:
    """Injected into a parameter typed `Context`; the model does not see that parameter.

    In a `process` tool it is a copy: `note`, `delegate`, `run_tool` and `dependencies` stay behind.
    """

    run_id: str = ""
    call_id: str = ""
    attempt: int = 1
    idempotency_key: str = ""
    """Stable over attempts of the same call, also after a crash. Not the provider's call id."""

    workspace: Path = field(default_factory=Path.cwd)
    """The folder the run may work in."""

    timeout_seconds: float = 3.0
    """The call's own limit."""

    mode: str = "act"
    """The choice of tools that the run works with."""

    dependencies: object = None
    """Whatever the program passed to `Agent(dependencies=…)`."""

    note: Callable[[str, dict[str, JSON]], None] = _nowhere
    """Record something in the run: `note("progress", {"text": "…"})`."""

    delegate: Callable[[Any, str], Awaitable[object]] = _nobody
    """Let another agent work on a task, as part of this run: `await context.delegate(agent, "…")`."""

    run_tool: Callable[[Any, dict[str, JSON]], Awaitable[object]] = _here
    """Run another tool as a part of this call, where it says that it runs, within its own limit; macros do so."""

    @property
    def whole_call_id(self) -> str:
        """The call's id behind its run's: `call_id` is unique in one run only."""
        return f"{self.run_id}:{self.call_id}" if self.run_id else self.call_id

    def progress(self, text: str) -> None:
        """Say how far a long call is; shown live."""
        self.note("progress", {"text": text})
