"""`always`: a call is approved once for all calls like it, in this run and in later ones, until that is taken back."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest

from prudent import Agent, Rule, tool
from prudent.answers import standing_rule
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.journal.decisions import asked_about, forget_rule, leave_decision
from prudent.journal.store import JournalStore
from prudent.models.scripted import ScriptedModel, call, reply
from prudent.standing import StandingRule
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio


class Person:
    """Answers the first questions as told, and nothing after that."""

    def __init__(self, *decisions: JSONObject, globs: dict[str, str] | None = None) -> None:
        self.decisions = list(decisions)
        self.globs = globs
        self.asked: list[JSONObject] = []

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        self.asked.append(question.arguments)
        if not self.decisions:
            return None
        fields: Any = {"decision": "always", **self.decisions.pop(0)}
        rule = standing_rule(question, self.globs) if self.globs and fields["decision"] == "always" else None
        return ApprovalDecided(call_id=question.call_id, decided_by="ann", rule=rule, **fields)


def delete(number: int) -> Any:
    return call("delete", number=number)


async def test_the_same_call_runs_unasked_from_then_on(story: Any) -> None:
    person = Person({})
    script = [delete(7), call("look", at="a"), delete(7), call("look", at="b"), delete(8)]
    result = await story.tell(script, start={"approver": person})
    assert story.log == ["delete 7", "look a", "delete 7", "look b"]
    assert person.asked == [{"number": 7}, {"number": 8}], "another call is asked about"
    assert result.status == "awaiting_approval"


async def test_so_do_calls_that_match_the_pattern_and_no_others(story: Any) -> None:
    person = Person({}, globs={"number": "1?"})
    await story.tell([delete(10), delete(12), delete(120)], start={"approver": person})
    assert story.log == ["delete 10", "delete 12"]
    assert person.asked == [{"number": 10}, {"number": 120}]


async def test_later_runs_of_the_same_agent_need_not_ask(story: Any) -> None:
    await story.tell([delete(7), "Gone."], start={"approver": Person({})})
    result = await story.tell([delete(7), "Gone."])
    assert result.status == "completed"
    assert story.log == ["delete 7", "delete 7"]
    assert len([event for event in story.events if isinstance(event, ApprovalAsked)]) == 1
    other = await story.tell([delete(7)], name="another")
    assert other.status == "awaiting_approval", "a rule is one agent's"


async def test_until_it_is_forgotten(story: Any) -> None:
    await story.tell([delete(7), "Gone."], start={"approver": Person({})})
    with JournalStore(story.db) as store:
        (row,) = store.standing_rules()
        forget_rule(store, row.rule_id, time.time())
    assert (await story.tell([delete(7)])).status == "awaiting_approval"
    assert story.log == ["delete 7"]


async def test_a_run_under_way_learns_that_it_is_forgotten(story: Any) -> None:
    @tool(timeout_seconds=20)
    async def forget() -> str:
        """Take the rule back, as another process does."""
        with JournalStore(story.db) as store:
            for row in store.standing_rules():
                forget_rule(store, row.rule_id, time.time())
        await anyio.sleep(0.5)
        return "forgotten"

    person = Person({})
    tools = [*story.tools(), forget]
    result = await story.tell([delete(7), call("look", at="a"), delete(7), call("forget"), delete(7)],
                              tools=tools, start={"approver": person})  # fmt: skip
    assert story.log == ["delete 7", "look a", "delete 7"]
    assert len(person.asked) == 2
    assert result.status == "awaiting_approval"


async def test_a_rule_that_was_forgotten_while_a_run_was_parked_is_not_taken_up_again(story: Any) -> None:
    look_first = [delete(7), call("look", at="a"), delete(8)]
    await story.tell(look_first, start={"approver": Person({})})
    with JournalStore(story.db) as store:
        (row,) = store.standing_rules()
        forget_rule(store, row.rule_id, time.time())
        run_id = store.find("last")
        leave_decision(
            store, run_id, {"call_id": story.run.state.waiting[0].call_id, "decision": "reject", "decided_by": "bob"}
        )
    model = ScriptedModel([delete(7)])
    story.run = Agent(model, tools=story.tools(), planning="off").resume(run_id, db=story.db)
    result = await story.run.work()
    assert result.status == "awaiting_approval"
    assert story.log == ["delete 7", "look a"]


async def test_a_decision_left_by_another_process_makes_the_rule_it_names(story: Any) -> None:
    result = await story.tell([delete(10)])
    with JournalStore(story.db) as store:
        asked = asked_about(store, result.run_id, result.pending[0]["call_id"])
        assert asked
        rule = standing_rule(asked.question, {"number": "1?"})
        data: JSONObject = {"call_id": asked.question.call_id, "decision": "always", "decided_by": "ann"}
        assert leave_decision(store, result.run_id, {**data, "rule": rule.as_json()}) is None
    model = ScriptedModel([delete(11), "Both are gone."])
    story.run = Agent(model, tools=story.tools(), planning="off").resume("last", db=story.db)
    assert (await story.run.work()).status == "completed"
    assert story.log == ["delete 10", "delete 11"]
    with JournalStore(story.db) as store:
        assert [(row.rule, row.decided_by) for row in store.standing_rules("agent")] == [(rule, "ann")]


async def test_calls_of_the_same_reply_that_a_new_rule_covers_are_not_asked_about(story: Any) -> None:
    person = Person({}, {"decision": "reject"}, globs={"number": "1?"})
    both = reply(delete(10), delete(11), delete(20))
    await story.tell([both, "Done."], parallel_tool_calls=True, start={"approver": OneAtATime(person)})
    assert sorted(story.log) == ["delete 10", "delete 11"]
    assert person.asked == [{"number": 10}, {"number": 20}]
    decided = {event.call_id: event for event in story.events if isinstance(event, ApprovalDecided)}
    assert sorted((event.decision, event.reason) for event in decided.values()) == [
        ("always", ""),
        ("approve", "`delete` runs unasked when number is 1?"),
        ("reject", ""),
    ]


class OneAtATime:
    """Puts one question after the other, as a terminal does."""

    def __init__(self, person: Person) -> None:
        self.person, self.turn = person, anyio.Lock()

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        async with self.turn:
            await anyio.sleep(0.5)
            return await self.person.decide(question)


async def test_what_the_policy_asks_about_is_asked_each_time(story: Any) -> None:
    person = Person({}, {})
    policy = [Rule("ask", tool="delete")]
    await story.tell([delete(7), call("look", at="a"), delete(7), "Gone."], policy=policy, start={"approver": person})
    assert len(person.asked) == 2
    with JournalStore(story.db) as store:
        assert store.standing_rules() == []


async def test_a_rule_of_another_tool_is_not_made(story: Any) -> None:
    class Confused(Person):
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            decision = await super().decide(question)
            wide = StandingRule("r1", "*", {})
            return decision and ApprovalDecided(call_id=decision.call_id, decision="always", decided_by="x", rule=wide)

    await story.tell([delete(7), "Gone."], start={"approver": Confused({})})
    with JournalStore(story.db) as store:
        assert [row.rule.covers("delete", {"number": 7}) for row in store.standing_rules()] == []
    assert story.log == ["delete 7"], "the call itself was approved"


async def test_a_rule_about_a_sub_agents_call_is_the_sub_agents(story: Any) -> None:
    def clerk(*script: Any) -> Agent:
        return Agent(ScriptedModel(list(script)), name="clerk", tools=story.tools(), planning="off")

    result = await story.tell([call("ask_clerk", task="delete 7")], tools=[clerk(delete(7))])
    with JournalStore(story.db) as store:
        data: JSONObject = {"call_id": result.pending[0]["call_id"], "decision": "always", "decided_by": "ann"}
        assert leave_decision(store, result.run_id, data) is None
    again = [call("ask_clerk", task="and once more"), "Twice."]
    model = ScriptedModel(again)
    story.run = Agent(model, tools=[clerk("Gone.", delete(7), "Gone again.")], planning="off").resume("last", db=story.db)
    result = await story.run.work()
    assert (result.status, result.output) == ("completed", "Twice.")
    assert story.log == ["delete 7", "delete 7"]
    with JournalStore(story.db) as store:
        assert [row.agent for row in store.standing_rules()] == ["clerk"]
