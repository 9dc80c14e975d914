"""Whole runs of agents with more tools than a model can look at, and of models that ask for another mode."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from prudent import Agent, Budget, ConfigurationError, Rule, Tool, tool
from prudent.events import ApprovalAsked, ApprovalDecided, ModeChanged
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.models.scripted import ScriptedModel, call, reply
from prudent.toolbox import ToolsFound

pytestmark = pytest.mark.anyio

NOUNS = ["invoice", "customer", "order", "parcel", "ticket", "meeting", "holiday", "salary", "contract", "warehouse", "server"]


def many() -> list[Tool]:
    def make(verb: str, noun: str) -> Tool:
        def act(name: str) -> str:
            return f"{verb} {noun} {name}"

        effect: Any = "read" if verb == "find" else "write"
        return tool(act, name=f"{verb}_{noun}", description=f"{verb.title()} a {noun}.", effect=effect, idempotent=True)

    return [make(verb, noun) for noun in NOUNS for verb in ("find", "cancel")]


def names(model: ScriptedModel, at: int) -> list[str]:
    return [spec.name for spec in model.requests[at].tools]


async def test_a_tool_that_was_found_stays_and_nothing_before_it_changes(story: Any) -> None:
    script = [
        call("tool_search", query="look up an invoice"),
        call("find_invoice", name="7"),
        call("tool_search", query="cancel a meeting"),
        call("cancel_meeting", name="Monday"),
        "Done.",
    ]
    result = await story.tell(script, tools=many(), always_visible=["find_customer"])
    assert result.status == "completed"
    assert names(story.model, 0) == ["tool_search", "find_customer", "read_more", "search_in"]
    assert "find_invoice" in names(story.model, 1)
    assert "cancel_meeting" in names(story.model, 3)
    assert story.shown[1] == "find invoice 7"
    blocks = [json.dumps([spec.as_json() for spec in request.tools])[:-1] for request in story.model.requests]
    assert all(later.startswith(earlier) for earlier, later in pairwise(blocks)), "the prefix stays"
    assert [event.found[0] for event in story.events if isinstance(event, ToolsFound)] == ["find_invoice", "cancel_meeting"]


async def test_what_was_found_is_there_after_a_resume(story: Any) -> None:
    unsafe = tool(lambda: "wiped", name="wipe_disk", description="Wipe a disk.", effect="destructive")
    tools = [*many(), unsafe]
    await story.tell([call("tool_search", query="wipe a disk"), call("wipe_disk")], tools=tools)
    assert replay(JournalStore(story.db), story.run.run_id).toolbox.found[0] == "wipe_disk"
    JournalStore(story.db).post(
        story.run.run_id, "decision", {"call_id": "call_t2_1", "decision": "approve", "decided_by": "x"}
    )
    model = ScriptedModel(["Wiped."])
    agent = Agent(model, tools=tools, planning="off", budget=Budget(model_calls=20, seconds=20))
    waiting = next(iter(replay(JournalStore(story.db), story.run.run_id).waiting)).call_id
    JournalStore(story.db).post(story.run.run_id, "decision", {"call_id": waiting, "decision": "approve", "decided_by": "x"})
    run = agent.resume("last", db=story.db)
    assert (await run.work()).status == "completed"
    assert names(model, 0) == names(story.model, 1)


async def test_plan_mode_finds_what_it_may_call(story: Any) -> None:
    script = [call("tool_search", query="cancel a meeting"), "Nothing can be cancelled here."]
    await story.tell(script, tools=many(), mode="plan")
    assert "cancel_meeting" not in story.shown[0]
    assert "find_meeting" in story.shown[0]


async def test_nothing_found_says_what_there_is(story: Any) -> None:
    await story.tell([call("tool_search", query="qwertz"), "No."], tools=many())
    assert story.shown[0].startswith("No tool fits 'qwertz'. Try other words; there are tools about")


async def test_what_a_found_tool_requires_comes_with_it(story: Any) -> None:
    first = tool(lambda: "ready", name="prepare_lorry", description="Get it ready.", effect="read")
    second = tool(lambda: "gone", name="send_parcels", description="Ship parcels.", effect="read", requires=["prepare_lorry"])
    await story.tell([call("tool_search", query="ship parcels"), "Ok."], tools=[*many(), first, second])
    assert "prepare_lorry" in names(story.model, 1)


async def test_few_tools_are_shown_and_search_can_be_had_or_not() -> None:
    def shown(count: int, **options: Any) -> int:
        return len(Agent(tools=many()[:count], planning="off", **options).surface().specs("act"))

    assert (shown(15), shown(16)) == (15, 1)
    assert (shown(16, tool_search=False), shown(3, tool_search=True)) == (16, 1)
    assert shown(20, always_visible=["find_order", "find_invoice"]) == 3
    with pytest.raises(ConfigurationError, match=r"always_visible names 'find_ordr'.*find_order"):
        Agent(tools=many(), always_visible=["find_ordr"])


SWITCH = call("switch_mode", mode="act", reason="the record has to go")


async def test_the_mode_changes_when_a_person_says_yes(story: Any) -> None:
    asked: list[ApprovalAsked] = []

    class Yes:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            asked.append(question)
            return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="ana")

    script = [call("delete", number=1), SWITCH, call("delete", number=1), "Deleted."]
    result = await story.tell(script, mode="plan", mode_switch=["act"], start={"approver": Yes()})
    assert result.status == "completed"
    assert story.log == ["delete 1"]
    assert [question.kind for question in asked] == ["mode", "call"]
    assert asked[0].preview == "the model asks for mode 'act': the record has to go\nnow: plan"
    assert [event.mode for event in story.events if isinstance(event, ModeChanged)] == ["act"]
    assert "delete" not in names(story.model, 0)
    assert "delete" in names(story.model, 2)
    assert "not allowed in mode 'plan'" in story.shown[0]


async def test_a_no_is_told_and_the_mode_stays(story: Any) -> None:
    class No:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            return ApprovalDecided(call_id=question.call_id, decision="reject", decided_by="ana", reason="only look")

    await story.tell([SWITCH, "Then not."], mode="plan", mode_switch=["act"], start={"approver": No()})
    assert "only look" in story.shown[0]
    assert story.run.state.mode == "plan"


async def test_nobody_there_parks_the_run_and_it_goes_on_in_the_new_mode(story: Any) -> None:
    result = await story.tell([SWITCH], mode="plan", mode_switch=["act"])
    assert (result.status, result.pending[0]["kind"]) == ("awaiting_approval", "mode")
    note = {"call_id": result.pending[0]["call_id"], "decision": "approve", "decided_by": "ana"}
    JournalStore(story.db).post(result.run_id, "decision", note)
    model = ScriptedModel([call("note", path="a", text="b"), "Written."])
    options: Any = {"planning": "off", "mode": "plan", "mode_switch": ["act"]}
    run = Agent(model, tools=story.tools(), **options).resume("last", db=story.db)
    assert (await run.work()).status == "completed"
    assert story.log == ["note a b"]
    assert run.state.mode == "act"
    assert JournalStore(story.db).run(result.run_id).mode == "act"


async def test_masked_the_tool_block_stays_the_same_over_a_switch(story: Any) -> None:
    class Yes:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="ana")

    script = [reply(call("note", path="a", text="b")), SWITCH, call("note", path="a", text="b"), "Written."]
    await story.tell(script, mode="plan", mode_switch=["act"], surface="mask", start={"approver": Yes()})
    assert len({id(request.tools) for request in story.model.requests}) == 1
    assert story.log == ["note a b"]


async def test_a_switch_is_offered_only_where_the_agent_allows_it(story: Any) -> None:
    await story.tell([SWITCH, "No."], mode="plan")
    assert "there is no tool 'switch_mode'" in story.shown[0]
    await story.tell([call("switch_mode", mode="plan", reason="r"), "No."], mode="plan", mode_switch=["act", "plan"])
    assert "the mode is 'plan' already" in story.shown[0]
    with pytest.raises(ConfigurationError, match="there is no mode 'acts'"):
        Agent(tools=story.tools(), mode_switch=["acts"])


async def test_a_policy_that_asks_about_everything_asks_once(story: Any) -> None:
    kinds: list[str] = []

    class Yes:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            kinds.append(question.kind)
            return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="ana")

    options: Any = {"mode": "plan", "mode_switch": ["act"], "policy": [Rule("ask")]}
    await story.tell([SWITCH, "Done."], start={"approver": Yes()}, **options)
    assert kinds == ["mode"]
