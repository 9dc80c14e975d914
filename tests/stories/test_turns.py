"""What happens from the task to the answer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel

from prudent import Budget
from prudent.errors import ModelUnreachable
from prudent.exchange import Retrying
from prudent.models.scripted import call, failing, raw_call, reply, think
from prudent.types import Usage

pytestmark = pytest.mark.anyio


async def test_a_question_that_needs_no_tool(story: Any) -> None:
    result = await story.tell(["Paris."])
    assert (result.status, result.output, result.turns, result.tool_calls) == ("completed", "Paris.", 1, 0)


async def test_a_call_and_its_result(story: Any) -> None:
    result = await story.tell([call("look", at="box"), "There is a box."])
    assert result.status == "completed"
    assert story.log == ["look box"]
    assert story.shown == ["seen box"]
    assert (result.turns, result.model_calls, result.tool_calls) == (2, 2, 1)
    assert result.usage == Usage(200, 0, 40)


async def test_a_tools_own_exception_is_named_by_type_only(story: Any) -> None:
    await story.tell([call("fail", text="x"), "It failed."])
    assert '"tool_error"' in story.shown[0]
    assert "RuntimeError" in story.shown[0]
    assert "secret detail" not in story.shown[0]


async def test_unknown_names_and_bad_arguments_are_answered(story: Any) -> None:
    await story.tell([call("lok", at="x"), raw_call("look", '{"at": '), call("look", where="x"), call("look", at="x"), "Done."])
    kinds = ["unknown_tool", "invalid_json", "invalid_arguments"]
    assert [kind in text for kind, text in zip(kinds, story.shown[:3], strict=True)] == [True] * 3
    assert "look" in story.shown[0]
    assert story.log == ["look x"]


async def test_one_at_a_time_answers_the_others(story: Any) -> None:
    await story.tell([reply(call("look", at="a"), call("look", at="b")), "A."])
    assert story.log == ["look a"]
    assert story.shown[0] == "seen a"
    assert "one at a time" in story.shown[1]


async def test_copies_within_a_reply_run_once_and_are_all_answered(story: Any) -> None:
    await story.tell([reply(*[call("look", at="a")] * 9), "A."], parallel_tool_calls=True)
    assert story.log == ["look a"]
    assert story.shown == ["seen a"] * 9


async def test_ids_given_twice_or_not_at_all_are_made_unique(story: Any) -> None:
    first = reply(call("look", at="a").with_id("dup"), call("look", at="b").with_id("dup"), call("look", at="c").with_id(""))
    await story.tell([first, call("look", at="d").with_id("dup"), "Done."], parallel_tool_calls=True)
    ids = [c.id for message in story.run.state.transcript for c in message.calls]
    assert len(set(ids)) == len(ids) == 4
    assert ids[0] == "dup"
    assert story.shown == ["seen a", "seen b", "seen c", "seen d"]


async def test_a_reply_cut_for_length_is_never_executed(story: Any) -> None:
    cut = reply(call("note", path="a", text="b"), finish_reason="length")
    await story.tell([cut, "Shorter."])
    assert story.log == []
    assert "truncated" in story.shown[0]


async def test_an_answer_cut_for_length_does_not_look_finished(story: Any) -> None:
    result = await story.tell([reply("Chapter one. And", finish_reason="length")])
    assert (result.status, result.reason, result.output) == ("incomplete", "truncated", "Chapter one. And")


async def test_an_empty_reply_is_asked_again_once(story: Any) -> None:
    result = await story.tell(["", "Here."])
    assert (result.status, result.output) == ("completed", "Here.")
    result = await story.tell(["", reply(" \n", reasoning="hm")])
    assert (result.status, result.reason) == ("incomplete", "empty")


async def test_a_failing_model_fails_the_run_in_one_sentence(story: Any) -> None:
    result = await story.tell([ModelUnreachable("nowhere: connection refused", provider="nowhere")])
    assert (result.status, result.error) == ("failed", "nowhere: connection refused")


async def test_early_results_of_a_reply_that_breaks_are_thrown_away(story: Any) -> None:
    broken = failing(reply(call("look", at="a"), call("look", at="b")), ModelUnreachable("gone", tokens_came=True), after=1)
    result = await story.tell([broken])
    assert result.status == "failed"
    assert result.tool_calls == 0
    assert story.run.state.calls == {}
    assert result.model_calls == 1, "tokens had come, so it counts"


async def test_a_retry_with_tokens_counts_as_a_model_call(story: Any) -> None:
    tries = [Retrying(1, 0.0, "broke", tokens_came=True), Retrying(2, 0.0, "429", tokens_came=False)]
    result = await story.tell([reply("Fine.", retrying=tries)])
    assert (result.status, result.model_calls) == ("completed", 2)


async def test_requires_comes_first_even_within_a_reply(story: Any) -> None:
    from prudent import tool

    @tool(effect="read")
    def overview() -> str:
        """Overview."""
        return "columns"

    @tool(effect="read", requires=["overview"])
    def query(column: str) -> str:
        """Query."""
        return f"values of {column}"

    ask = call("query", column="a")
    await story.tell([ask, reply(call("overview"), ask), "Done."], tools=[overview, query], parallel_tool_calls=True)
    assert "overview" in story.shown[0]
    assert "prerequisite" in story.shown[0]
    assert story.shown[1:] == ["columns", "values of a"]


class Answer(BaseModel):
    city: str
    degrees: int


async def test_a_declared_type_comes_back_as_an_object(story: Any) -> None:
    result = await story.tell(['```json\n{"city": "Oslo", "degrees": 21}\n```'], output_type=Answer)
    assert result.output == Answer(city="Oslo", degrees=21)
    assert result.as_json()["output"] == {"city": "Oslo", "degrees": 21}


async def test_a_wrong_form_is_asked_for_once_more_with_the_errors(story: Any) -> None:
    result = await story.tell(["Oslo, 21", '{"city": "Oslo", "degrees": 21}'], output_type=Answer)
    assert result.status == "completed"
    assert "declared form" in story.model.requests[1].messages[-1].text
    result = await story.tell(["Oslo", "still Oslo"], output_type=Answer)
    assert result.status == "failed"
    assert "declared form" in result.error


async def test_an_answer_check_may_send_the_answer_back(story: Any) -> None:
    async def check(text: str) -> str | None:
        return None if "source" in text else "name your source"

    result = await story.tell(["It is 5.", "It is 5 (source: add)."], answer_check=check)
    assert result.output == "It is 5 (source: add)."
    assert "name your source" in story.model.requests[1].messages[-1].text


async def test_thoughts_are_recorded_and_are_no_task_calls(story: Any) -> None:
    thought = think("I need to look.", plan="1. look 2. answer", action="look")
    result = await story.tell([reply(thought, call("look", at="a")), "A."], planning="tool")
    assert result.tool_calls == 1
    assert [t.plan for t in story.run.state.thoughts] == ["1. look 2. answer"]
    assert story.shown == ["Noted. Go on.", "seen a"]


async def test_required_planning_is_enforced(story: Any) -> None:
    thought, look = think("t", plan="1. look", action="look"), call("look", at="a")
    await story.tell(
        [look, thought, look, call("look", at="b"), reply(thought, call("look", at="b")), "Done."], planning="required"
    )
    assert story.log == ["look a", "look b"]
    assert ["think_and_plan first" in text for text in story.shown] == [True, False, False, True, False, False]


async def test_plan_mode_hides_what_writes_and_refuses_it(story: Any) -> None:
    await story.tell([call("note", path="a", text="b"), "Not here."], start={"mode": "plan"})
    assert "not_allowed" in story.shown[0]
    offered = {spec.name for spec in story.model.requests[0].tools}
    assert "look" in offered
    assert not offered & {"note", "delete"}


async def test_the_prefix_stays_the_same_from_turn_to_turn(story: Any) -> None:
    await story.tell([call("look", at="a"), call("look", at="b"), "Done."])
    requests = story.model.requests
    assert all(request.tools is requests[0].tools for request in requests)
    for earlier, later in pairwise(requests):
        assert list(later.messages[: len(earlier.messages)]) == list(earlier.messages)


async def test_a_budget_of_calls_ends_with_a_closing_call(story: Any) -> None:
    script = [call("look", at=str(n)) for n in range(3)]
    result = await story.tell(script, budget=Budget(model_calls=3, seconds=20), when_no_tools="Interim: seen 0, 1 and 2.")
    assert (result.status, result.reason, result.output) == ("incomplete", "model_calls", "Interim: seen 0, 1 and 2.")
    assert result.error == "model calls: 3 of 3 (the agent's budget)", "which limit, how far, and whose"
    assert (result.turns, result.model_calls) == (3, 4)
    assert story.model.requests[-1].tool_choice == "none"
    assert story.model.requests[-1].tools, "the tool block stays"


async def test_when_the_closing_call_fails_the_record_answers(story: Any) -> None:
    script = [call("look", at="box")]
    closing = ModelUnreachable("down")
    result = await story.tell(script, budget=Budget(model_calls=1, seconds=20), when_no_tools=closing)
    assert result.status == "incomplete"
    assert "seen box" in result.output


async def test_repetition_ends_the_run(story: Any) -> None:
    result = await story.tell([call("look", at="a"), call("look", at="a")], when_no_tools="Interim: seen a.")
    assert (result.status, result.reason, result.output) == ("incomplete", "repetition", "Interim: seen a.")
    assert result.error == "look was about to be called again with the same arguments"
    assert story.log == ["look a"]


async def test_polling_is_no_repetition(story: Any) -> None:
    result = await story.tell([*[call("poll")] * 4, "Still running."])
    assert result.status == "completed"
    assert story.log == ["poll"] * 4
