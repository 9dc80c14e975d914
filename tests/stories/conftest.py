"""Whole runs on a scripted model, with the real journal in a temporary folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from prudent import Agent, Budget, Event, RunResult, Tool, tool
from prudent.blueprint import StartOptions
from prudent.models.scripted import Scripted, ScriptedModel
from prudent.runs import Run


class Story:
    """An agent with a scripted model, and what came of its last run."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "agent.db"
        self.log: list[str] = []
        self.events: list[Event] = []
        self.model = ScriptedModel([])
        self.run: Run | None = None

    async def tell(self, replies: Sequence[Scripted], *, start: StartOptions | None = None, **options: Any) -> RunResult:
        """Run the agent over the script and check that all of it was played."""
        self.model = ScriptedModel(replies, when_no_tools=options.pop("when_no_tools", None))
        options.setdefault("tools", self.tools())
        options.setdefault("planning", "off")
        options.setdefault("budget", Budget(model_calls=20, seconds=20))
        agent = Agent(self.model, **options)
        merged: StartOptions = {"db": self.db, **(start or {})}
        self.run = agent.prepare("the task", **merged)
        result = await self.run.work(self.events.append)
        self.model.assert_finished()
        return result

    def tools(self) -> list[Tool]:
        log = self.log

        @tool(effect="read")
        def look(at: str) -> str:
            """Look at a thing.

            Args:
                at: the thing.
            """
            log.append(f"look {at}")
            return f"seen {at}"

        @tool(effect="write", idempotent=True, resource=lambda arguments: str(arguments["path"]))
        async def note(path: str, text: str) -> str:
            """Write a note.

            Args:
                path: where.
                text: what.
            """
            log.append(f"note {path} {text}")
            return "written"

        @tool(effect="destructive", preview=lambda arguments: f"would delete {arguments['number']}")
        def delete(number: int) -> str:
            """Delete a record.

            Args:
                number: its number.
            """
            log.append(f"delete {number}")
            return f"deleted {number}"

        @tool(effect="read", repeatable=True)
        def poll() -> str:
            """Ask whether it is done."""
            log.append("poll")
            return "not yet"

        @tool(effect="read")
        def fail(text: str = "") -> str:
            """Fail."""
            log.append("fail")
            raise RuntimeError(f"secret detail {text}")

        return [look, note, delete, poll, fail]

    @property
    def shown(self) -> list[str]:
        """The results the model saw, in order."""
        assert self.run
        return [message.text for message in self.run.state.transcript if message.role == "tool"]


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path)
