"""Agents as tools of agents."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import anyio
import pytest

from prudent import Agent, Budget, tool
from prudent.errors import ModelUnreachable
from prudent.journal.decisions import leave_decision
from prudent.journal.store import JournalStore
from prudent.models.scripted import ScriptedModel, call, slow
from prudent.types import JSONObject, Usage

pytestmark = pytest.mark.anyio


def helper(story: Any, script: list[Any], **options: Any) -> Agent:
    return Agent(ScriptedModel(script), name="clerk", tools=story.tools(), planning="off", **options)


async def test_an_agent_works_for_another_and_its_usage_is_added(story: Any) -> None:
    clerk = helper(story, [call("look", at="file"), "The file says 7."])
    result = await story.tell([call("ask_clerk", task="what does the file say?"), "It says 7."], tools=[clerk])
    assert result.status == "completed"
    assert story.shown == ["The file says 7."]
    assert result.usage == Usage(400, 0, 80), "two calls of its own, two of the clerk's"
    assert (result.model_calls, result.tool_calls) == (2, 1)
    with JournalStore(story.db) as store:
        names = sorted(row.agent for row in store.runs())
        assert names == ["agent", "clerk"]
        assert store.find("last") == result.run_id


async def test_its_budget_ends_within_its_parents(story: Any) -> None:
    clerk = helper(story, [slow("late", delay_seconds=20)], budget=Budget(seconds=30))
    began = time.monotonic()
    budget = Budget(model_calls=9, seconds=0.6)
    result = await story.tell([call("ask_clerk", task="x")], tools=[clerk], budget=budget, when_no_tools="Nothing yet.")
    assert time.monotonic() - began < 9
    assert (result.status, result.reason) == ("incomplete", "seconds")


async def test_an_unfinished_one_is_told_with_what_it_has(story: Any) -> None:
    script = [call("look", at="a"), call("look", at="a")]
    clerk = Agent(ScriptedModel(script, when_no_tools="Interim: seen a."), name="clerk", tools=story.tools(), planning="off")
    await story.tell([call("ask_clerk", task="x"), "It did not finish."], tools=[clerk])
    assert "incomplete (repetition)" in story.shown[0]
    assert "seen a" in story.shown[0]


async def test_its_question_surfaces_in_the_parent_and_is_answered_there(story: Any) -> None:
    clerk = helper(story, [call("delete", number=7)])
    result = await story.tell([call("ask_clerk", task="delete 7")], tools=[clerk])
    assert result.status == "awaiting_approval"
    question = result.pending[0]
    assert (question["tool_name"], question["arguments"]) == ("delete", {"number": 7})
    assert "[clerk] would delete 7" in str(question["preview"])
    data: JSONObject = {"call_id": question["call_id"], "decision": "approve", "decided_by": "ann"}
    with JournalStore(story.db) as store:
        store.post(result.run_id, "decision", data)
    model = ScriptedModel(["7 is gone."])
    run = Agent(model, tools=[helper(story, ["Deleted."])], planning="off").resume("last", db=story.db)
    result = await run.work()
    assert (result.status, result.output) == ("completed", "7 is gone.")
    assert story.log == ["delete 7"]


async def test_an_edit_with_a_secret_reaches_the_sub_agent_and_no_record(story: Any) -> None:
    seen: list[str] = []

    @tool(effect="destructive", secret=["key"])
    def login(user: str, key: str) -> str:
        """Log in."""
        seen.append(key)
        return f"{user} is in"

    def clerk(*script: Any) -> Agent:
        return Agent(ScriptedModel(list(script)), name="clerk", tools=[login], planning="off")

    asks = call("login", user="ann", key="first-hunter2hunter2")
    result = await story.tell([call("ask_clerk", task="log in")], tools=[clerk(asks)])
    edited: JSONObject = {"user": "bob", "key": "second-hunter2hunter2"}
    data: JSONObject = {"decision": "edit", "decided_by": "ann", "arguments": edited}
    with JournalStore(story.db) as store:
        leave_decision(store, result.run_id, {**data, "call_id": result.pending[0]["call_id"]})
        assert "second-hunter2" not in str(store.database.query("SELECT data FROM inbox"))
    run = Agent(ScriptedModel(["In."]), tools=[clerk("In.")], planning="off").resume("last", db=story.db)
    assert (await run.work()).status == "completed"
    assert seen == ["second-hunter2hunter2"]
    for path in story.db.parent.glob("agent.db*"):
        assert b"hunter2hunter2" not in path.read_bytes(), path


async def test_a_rejection_reaches_the_sub_agent_not_its_parents_call(story: Any) -> None:
    result = await story.tell([call("ask_clerk", task="delete 7")], tools=[helper(story, [call("delete", number=7)])])
    question = result.pending[0]
    data: JSONObject = {"call_id": question["call_id"], "decision": "reject", "decided_by": "ann", "reason": "in use"}
    with JournalStore(story.db) as store:
        store.post(result.run_id, "decision", data)
    clerk_model = ScriptedModel(["I left it, it is in use."])
    clerk = Agent(clerk_model, name="clerk", tools=story.tools(), planning="off")
    run = Agent(ScriptedModel(["Left alone."]), tools=[clerk], planning="off").resume("last", db=story.db)
    result = await run.work()
    assert result.status == "completed"
    assert story.log == []
    assert "in use" in clerk_model.requests[0].messages[-1].text


async def test_it_is_stopped_with_its_parent(story: Any) -> None:
    @tool(timeout_seconds=20)
    async def wait() -> str:
        """Wait."""
        await anyio.sleep(15)
        return "late"

    clerk = Agent(ScriptedModel([call("wait")]), name="clerk", tools=[wait], planning="off")

    async def stop_soon() -> None:
        await anyio.sleep(0.5)
        story.run.stop("enough")

    began = time.monotonic()
    stopping = asyncio.create_task(stop_soon())
    result = await story.tell([call("ask_clerk", task="x")], tools=[clerk])
    await stopping
    assert time.monotonic() - began < 3
    assert result.status == "stopped"
    with JournalStore(story.db) as store:
        assert {row.status for row in store.runs()} == {"stopped"}


async def test_another_agent_may_judge_the_answer(story: Any) -> None:
    judging = ScriptedModel(["REJECT: name your source.", "ACCEPT"])
    judge = Agent(judging, name="judge")
    result = await story.tell(["It is 5.", "It is 5 (source: add)."], answer_check=judge)
    assert (result.status, result.output) == ("completed", "It is 5 (source: add).")
    assert "name your source" in story.model.requests[1].messages[-1].text
    assert "the task" in judging.requests[0].messages[-1].text
    assert result.usage == Usage(400, 0, 80), "the judge's calls are counted, too"


async def test_a_judge_that_fails_lets_the_answer_pass(story: Any) -> None:
    judge = Agent(ScriptedModel([ModelUnreachable("down")]), name="judge")
    result = await story.tell(["It is 5."], answer_check=judge)
    assert result.status == "completed"
