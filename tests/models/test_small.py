"""What a small model is asked, phase by phase, and what is made of its replies."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prudent.exchange import ModelRequest, Reply, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.constrained import ConstrainedModel
from prudent.models.scripted import ScriptedModel
from prudent.models.small_profile import SmallModelProfile

pytestmark = pytest.mark.anyio


def spec(name: str, description: str, required: str, *, types: str = "string", told: str = "", **optional: Any) -> ToolSpec:
    properties: Any = {required: {"type": types, "description": told}, **optional}
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": [required]})


THINK = spec("think_and_plan", "", "thought")
FIND = spec("find", "Find passages. More of it.", "query", limit={"type": "integer"})
OPEN = spec("open_one", "", "id", types="integer", told="The number that `find` gave.")
SUM = spec("work_out", "", "expression")
TOOLS = [THINK, FIND, OPEN, SUM]
INDEX = """\
2 of 9 passages, best first:
[7] Prices › Boats (prices.md, line 3; score 9.1, 2 of 2 words)
    A boat costs 40 EUR a day.
[12] Rules (rules.md, line 1; score 2)
    Dogs stay ashore.
"""


def history(question: str, *steps: tuple[str, str, str]) -> list[Message]:
    messages = [Message("system", "You are the harbour's clerk.\n\nLong pack of instructions."), Message("user", question)]
    for number, (name, arguments, result) in enumerate(steps):
        messages.append(Message("assistant", "", (ToolCall(f"c{number}", name, arguments),)))
        messages.append(Message("tool", result, call_id=f"c{number}"))
    return messages


async def ask(inner: ScriptedModel, messages: list[Message], **options: Any) -> Reply:
    request = ModelRequest(messages, options.pop("tools", TOOLS), **options)
    events = [event async for event in ConstrainedModel(inner, SmallModelProfile()).stream(request)]
    last = events[-1]
    assert isinstance(last, Reply)
    if not last.message.calls:
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == last.message.text
    inner.assert_finished()
    return last


def offered(inner: ScriptedModel, request: int = 0) -> dict[str, Any]:
    schema: Any = inner.requests[request].output_schema
    return {option["properties"]["tool"]["const"]: option["properties"] for option in schema["anyOf"]}


async def test_the_first_call_comes_with_a_thought() -> None:
    thought = {"tool": "find", "thought": "The price is in the documents.", "then": "work_out", "args": {"query": "boat price"}}
    inner = ScriptedModel([json.dumps(thought)])
    last = await ask(inner, history("What is the price of a boat?"))
    think, call = last.message.calls
    assert json.loads(think.arguments) == {
        "thought": "The price is in the documents.",
        "plan": "1. use find 2. use work_out 3. answer from what was found",
        "action": "use find",
        "thoughtNumber": "1",
    }
    assert (call.name, call.arguments) == ("find", '{"query": "boat price"}')
    options = offered(inner)
    assert list(options) == ["final_answer", "find"]
    assert list(options["find"]["args"]["properties"]) == ["query"]


async def test_a_calculation_is_offered_over_the_numbers_that_are_known() -> None:
    inner = ScriptedModel(['{"tool": "final_answer"}', "Hello"])
    await ask(inner, history("What is 7.5% of 3,200?"))
    pattern = offered(inner)["work_out"]["args"]["properties"]["expression"]["pattern"]
    for fine in ("3200 * 7.5%", "3200 * 7.5 / 100"):
        assert re.search(pattern, fine)
    for wrong in ("3200 * 8%", "3200", "(3200 * 7.5%)", "1299 * 19%"):
        assert not re.search(pattern, wrong)


async def test_an_answer_without_tools_is_a_plain_conversation() -> None:
    inner = ScriptedModel(['{"tool": "final_answer"}', "Good morning to you."])
    last = await ask(inner, history("Good morning!"))
    assert (last.message.text, last.finish_reason) == ("Good morning to you.", "stop")
    assert last.usage.output_tokens == 40
    assert inner.requests[1].output_schema is None
    assert "harbour's clerk" in inner.requests[1].messages[0].text


async def test_an_answer_from_facts_names_the_fact() -> None:
    inner = ScriptedModel(['{"answer": "A boat costs 40 EUR.", "source": "[2]"}'])
    last = await ask(inner, history("What does a boat cost?", ("find", '{"query": "boat"}', INDEX)))
    assert last.message.text == "A boat costs 40 EUR.\n\nSource: Prices › Boats (prices.md, line 3)"
    prompt = inner.requests[0].messages[-1].text
    assert "[1] Prices › Boats (prices.md, line 3): A boat costs 40 EUR a day." in prompt
    assert "Long pack" not in prompt
    schema: Any = inner.requests[0].output_schema
    pattern = schema["properties"]["answer"]["pattern"]
    assert re.search(pattern, "It is 40 EUR.")
    assert not re.search(pattern, "It is 41 EUR.")
    assert not re.search(pattern, "It is 40 * 40.")


async def test_what_rests_on_nothing_is_looked_into_once_then_not_answered() -> None:
    nothing = '{"answer": "No idea.", "source": "none"}'
    first = ("find", '{"query": "pool"}', INDEX)
    inner = ScriptedModel([nothing, '{"tool": "open_one", "args": {"id": 12}}'])
    last = await ask(inner, history("Is there a pool?", first))
    think, call = last.message.calls
    assert json.loads(think.arguments)["thought"] == "No idea."
    assert (call.name, call.arguments) == ("open_one", '{"id": 12}')
    assert offered(inner, 1)["open_one"]["args"]["properties"]["id"] == {"enum": [7, 12]}
    inner = ScriptedModel([nothing])
    opened = ("open_one", '{"id": 12}', "Rules (rules.md)\nDogs stay ashore.")
    last = await ask(inner, history("Is there a pool?", first, opened))
    assert last.message.text == "I found nothing that answers this (find: pool; open_one: 12), so I do not know."


async def test_an_index_that_found_nothing_is_no_fact() -> None:
    messages = history(
        "What is the salary?", ("find", '{"query": "salary"}', "No passage has the word. There are 10 documents.")
    )
    last = await ask(ScriptedModel([]), messages)
    assert last.message.text == "I found nothing that answers this (find: salary), so I do not know."


ITEM: Any = {
    "type": "object",
    "properties": {"heading": {"type": "string"}, "chart": {"type": "object"}},
    "required": ["heading"],
}
WRITE = spec("write_report", "Write a report.", "sections", types="array")
WRITE.parameters["properties"]["sections"]["items"] = ITEM  # pyright: ignore


async def test_a_tool_with_lists_is_offered_when_the_question_names_it() -> None:
    inner = ScriptedModel(['{"tool": "final_answer"}', "Would you kindly come?"])
    await ask(inner, history("Say this politely: come here."), tools=[*TOOLS, WRITE])
    assert "write_report" not in offered(inner)
    steps = ("find", '{"query": "boat"}', INDEX)
    draft = '{"answer": "40 EUR a day", "source": "[1]"}'
    inner = ScriptedModel([draft, '{"tool": "write_report", "args": {"sections": [{"heading": "Boats"}]}}'])
    last = await ask(inner, history("Put the price of a boat into a report.", steps), tools=[*TOOLS, WRITE])
    assert last.message.calls[-1].name == "write_report"
    sections = offered(inner, 1)["write_report"]["args"]["properties"]["sections"]
    assert sections["maxItems"] == 3
    assert list(sections["items"]["properties"]) == ["heading"]


async def test_after_a_failure_another_tool_may_be_chosen() -> None:
    failed = ("find", '{"query": "x"}', '{"error": {"kind": "timeout", "reason": "too slow"}}')
    thinking = '"thought": "Let me calculate.", "then": "final_answer"'
    inner = ScriptedModel(['{"tool": "work_out", ' + thinking + ', "args": {"expression": "3 * 40"}}'])
    last = await ask(inner, history("What is 3 times 40?", failed))
    assert last.message.calls[-1].name == "work_out"
    assert list(offered(inner)) == ["final_answer", "work_out"]


async def test_a_broken_draft_is_asked_for_afresh_with_less_held() -> None:
    inner = ScriptedModel(["never ending", '{"answer": "40 EUR", "source": "[1]"}'])
    last = await ask(inner, history("What does a boat cost?", ("find", '{"query": "boat"}', INDEX)))
    assert last.message.text.startswith("40 EUR")
    looser: Any = inner.requests[1].output_schema
    assert looser["properties"]["answer"] == {"type": "string"}
    assert [message.text for message in inner.requests[1].messages] == [message.text for message in inner.requests[0].messages]


async def test_a_bare_yes_needs_a_fact_that_speaks_of_it() -> None:
    inner = ScriptedModel(['{"answer": "Yes", "source": "[1]"}', '{"tool": "final_answer"}'])
    last = await ask(inner, history("Does the harbour sell fishing licences?", ("find", '{"query": "licences"}', INDEX)))
    assert "found nothing" in last.message.text


async def test_an_amount_for_one_is_calculated_for_many() -> None:
    inner = ScriptedModel(['{"answer": "40 EUR a day", "source": "[1]"}', '{"expression": "3 * 40"}'])
    last = await ask(inner, history("How much does a boat cost for three days?", ("find", '{"query": "boat"}', INDEX)))
    assert [call.name for call in last.message.calls] == ["think_and_plan", "work_out"]
    assert last.message.calls[1].arguments == '{"expression": "3 * 40"}'
    schema: Any = inner.requests[1].output_schema
    pattern = schema["properties"]["expression"]["pattern"]
    assert re.search(pattern, "3 * 40")
    assert not re.search(pattern, "3 * 12")


async def test_a_result_is_told_with_where_its_numbers_are_from() -> None:
    inner = ScriptedModel(['{"answer": "120 EUR", "source": "[3]"}'])
    steps = [("find", '{"query": "boat"}', INDEX), ("work_out", '{"expression": "3 * 40"}', "3 * 40 = 120")]
    last = await ask(inner, history("How much does a boat cost for three days?", *steps))
    assert last.message.text.startswith("120 EUR\n\nSource: work_out: 3 * 40 = 120; Prices › Boats (prices.md, line 3)")
    schema: Any = inner.requests[0].output_schema
    pattern = schema["properties"]["answer"]["pattern"]
    assert re.search(pattern, "120 EUR")
    assert not re.search(pattern, "40 EUR")


async def test_an_answer_that_leaves_the_result_out_is_not_given() -> None:
    inner = ScriptedModel(['{"answer": "$number", "source": "[1]"}'])
    last = await ask(inner, history("What is 12% of 450?", ("work_out", '{"expression": "12% * 450"}', "12% * 450 = 54")))
    assert last.message.text.startswith("12% * 450 = 54\n\n")


async def test_a_chinese_question_is_asked_and_answered_in_chinese() -> None:
    inner = ScriptedModel(['{"tool": "final_answer"}', "你好！"])
    await ask(inner, history("你好，船多少钱？"))
    assert "只回复一个JSON对象" in inner.requests[0].messages[0].text
    pattern = offered(inner)["find"]["args"]["properties"]["query"]["pattern"]
    assert re.search(pattern, "船 价格")
    assert not re.search(pattern, "boat price")


async def test_a_failed_call_is_no_fact_and_may_be_made_again() -> None:
    inner = ScriptedModel(['{"answer": "40 EUR", "source": "[1]"}'])
    steps = [
        ("open_one", '{"id": 99}', '{"error": {"kind": "tool_error", "reason": "no 99"}}'),
        ("find", '{"query": "x"}', INDEX),
    ]
    last = await ask(inner, history("What does a boat cost?", *steps))
    assert "no 99" not in inner.requests[0].messages[-1].text
    assert last.message.text.startswith("40 EUR")


async def test_the_closing_call_answers_from_what_is_known_and_calls_nothing() -> None:
    inner = ScriptedModel(['{"answer": "40 EUR a day", "source": "[1]"}'])
    messages = history("How much does a boat cost for three days?", ("find", '{"query": "boat"}', INDEX))
    last = await ask(inner, messages, tool_choice="none")
    assert not last.message.calls
    assert last.message.text.startswith("40 EUR a day")


async def test_a_declared_form_is_filled_from_the_facts() -> None:
    form: Any = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
    inner = ScriptedModel(['{"answer": {"price": 40}, "source": "none"}', '{"tool": "final_answer"}'])
    messages = history("What does a boat cost?", ("find", '{"query": "boat"}', INDEX))
    last = await ask(inner, messages, output_schema=form)
    assert json.loads(last.message.text) == {"price": 40}


async def test_a_later_question_begins_anew_and_knows_the_earlier_one() -> None:
    messages = [
        *history("What does a boat cost?", ("find", '{"query": "boat"}', INDEX)),
        Message("assistant", "40 EUR a day."),
        Message("user", "And a dog?"),
    ]
    inner = ScriptedModel(['{"tool": "final_answer"}', "Dogs cost nothing."])
    await ask(inner, messages)
    assert "What does a boat cost? → 40 EUR a day." in inner.requests[0].messages[-1].text
    assert "find" in offered(inner)
