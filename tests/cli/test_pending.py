"""Decisions for runs under way: taken at once, and the first one counts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from prudent import Agent, RunResult, tool
from prudent.cli import pending
from prudent.cli.pending import decide, find_question
from prudent.errors import ConfigurationError
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.journal.decisions import Asked
from prudent.models.scripted import ScriptedModel, call
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio


class Person:
    """Answers when told to, and says when the question is there."""

    def __init__(self) -> None:
        self.asked, self.answers = anyio.Event(), anyio.Event()

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        self.asked.set()
        await self.answers.wait()
        return ApprovalDecided(call_id=question.call_id, decision="reject", decided_by="ann", reason="not now")


class Work:
    """A run whose first call asks, and what came of it."""

    def __init__(self, folder: Path) -> None:
        self.db, self.person, self.log = folder / "agent.db", Person(), list[int]()
        self.result: RunResult | None = None
        self.ended = anyio.Event()

        @tool(effect="destructive")
        def delete(number: int) -> str:
            """Delete a record."""
            self.log.append(number)
            return "deleted"

        model = ScriptedModel([call("delete", number=7), "Done."])
        self.run = Agent(model, tools=[delete], planning="off").prepare("x", db=self.db, approver=self.person)

    async def work(self) -> None:
        self.result = await self.run.work()
        self.ended.set()

    async def question(self) -> Asked:
        await self.person.asked.wait()
        return await anyio.to_thread.run_sync(find_question, self.db, "last", "call")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def note(decision: str, by: str = "bob") -> JSONObject:
    return {"decision": decision, "decided_by": by}


async def test_a_run_under_way_takes_it_at_once(work: Work):
    async with anyio.create_task_group() as group:
        group.start_soon(work.work)
        assert await anyio.to_thread.run_sync(decide, work.db, await work.question(), note("approve")) is True
    assert work.result
    assert work.result.status == "completed"
    assert work.log == [7]
    decision = work.run.state.calls["call_1_0"].decision
    assert decision
    assert decision.decided_by == "bob"


async def test_who_comes_second_is_told_by_whom(work: Work):
    async with anyio.create_task_group() as group:
        group.start_soon(work.work)
        asked = await work.question()
        work.person.answers.set()
        with anyio.fail_after(10):
            await work.ended.wait()
        with pytest.raises(ConfigurationError, match=r"delete \(call_1_0\) was decided already: reject by ann \(not now\)"):
            await anyio.to_thread.run_sync(decide, work.db, asked, note("approve"))
    assert work.log == []


async def test_two_at_the_same_moment_are_not_both_told_that_theirs_counts(work: Work, monkeypatch: pytest.MonkeyPatch):
    """The person here answers after the decision was left and before the run looked for it."""
    leave = pending.leave_decision

    def leave_and_answer(*arguments: object) -> ApprovalDecided | None:
        first = leave(*arguments)  # pyright: ignore[reportArgumentType]
        anyio.from_thread.run_sync(work.person.answers.set)
        return first

    monkeypatch.setattr(pending, "leave_decision", leave_and_answer)
    monkeypatch.setattr("prudent.asking.LOOK_SECONDS", 5.0)
    async with anyio.create_task_group() as group:
        group.start_soon(work.work)
        asked = await work.question()
        with pytest.raises(ConfigurationError, match="was decided already: reject by ann"):
            await anyio.to_thread.run_sync(partial(decide, work.db, asked, note("approve")))
    assert work.log == []


async def test_where_nobody_works_on_the_run_it_is_noted(work: Work):
    work.run = Agent(
        ScriptedModel([call("delete", number=7)]), tools=[tool(effect="destructive")(delete)], planning="off"
    ).prepare("x", db=work.db)
    await work.work()
    asked = find_question(work.db, "last", "call_1_0")
    assert decide(work.db, asked, note("approve")) is False


def delete(number: int) -> str:
    """Delete a record."""
    return f"deleted {number}"
