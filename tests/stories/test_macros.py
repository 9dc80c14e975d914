"""Whole runs with macros: asked once, recorded step by step, shown."""

from __future__ import annotations

from typing import Any

import pytest

from prudent import ToolError, tool
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.models.scripted import call
from prudent.toolbox import StepRecorded
from prudent.tools.macro import action, given, macro, step

pytestmark = pytest.mark.anyio


def build(log: list[str], *, failing: bool = False) -> Any:
    @tool(effect="write")
    def write(text: str) -> str:
        """Write."""
        log.append(f"write {text}")
        return "written"

    def erase(text: str) -> None:
        """Erase."""
        log.append(f"erase {text}")

    @tool(effect="destructive")
    def publish() -> str:
        """Publish."""
        if failing:
            raise ToolError("the server says no")
        return "published"

    @macro(steps=[step("write", write, text=given("text"), undo=action(erase, text=given("text"))), step("publish", publish)])
    def post(text: str) -> str:
        """Write and publish.

        Args:
            text: what.
        """
        return ""

    return post


class Yes:
    def __init__(self) -> None:
        self.asked: list[ApprovalAsked] = []

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
        self.asked.append(question)
        return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="ana")


async def test_it_asks_once_and_is_recorded_step_by_step(story: Any) -> None:
    yes = Yes()
    result = await story.tell([call("post", text="a"), "Posted."], tools=[build(story.log)], start={"approver": yes})
    assert result.status == "completed"
    assert [question.preview for question in yes.asked] == ['1. write: write(text="a")\n2. publish: publish()']
    assert story.shown == ["post: all 2 steps are done.\n1. write: written\n2. publish: published"]
    steps = [(e.number, e.of, e.step, e.status) for e in story.events if isinstance(e, StepRecorded)]
    assert steps == [
        (1, 2, "write", "started"),
        (1, 2, "write", "done"),
        (2, 2, "publish", "started"),
        (2, 2, "publish", "done"),
    ]
    state = replay(JournalStore(story.db), result.run_id)
    assert [e.status for e in state.toolbox.steps[state.executed_calls[0].call_id]] == ["started", "done"] * 2


async def test_a_failure_tells_the_model_what_was_done_and_what_was_not(story: Any) -> None:
    post = build(story.log, failing=True)
    await story.tell([call("post", text="a"), "It did not work."], tools=[post], start={"approver": Yes()})
    assert story.log == ["write a", "erase a"]
    assert "step 2 of 2 (publish) failed: the server says no. undone: write" in story.shown[0]
    assert [e.status for e in story.events if isinstance(e, StepRecorded)][-2:] == ["failed", "undone"]


async def test_one_rejected_does_nothing(story: Any) -> None:
    class No:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            return ApprovalDecided(call_id=question.call_id, decision="reject", decided_by="ana")

    await story.tell([call("post", text="a"), "Not posted."], tools=[build(story.log)], start={"approver": No()})
    assert story.log == []
