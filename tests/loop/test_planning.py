from __future__ import annotations

import pytest

from prudent.loop.planning import count_steps, planning_tool, system_prompt, think_and_plan
from prudent.tools.context import Context
from prudent.types import JSON

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("plan", "steps"),
    [
        ("", 0),
        ("find out and answer", 0),
        ("1. add 2. answer", 2),
        ("1) search\n2) read\n3) answer", 3),
        ("- search\n- read", 2),
        ("* a\n* b\n* c", 3),
        ("第一步查价格，第二步计算，第三步作答", 3),
        ("一、查 二、算", 2),
        ("1、查价格 2、计算税", 2),
        ("（1）查（2）算（3）答", 3),
        ("multiply 1.5 by 3.25 and add 10.0", 0),
        ("1. pay 3.50 euros 2. report version 2.1.3", 2),
        ("1. weather in A 2. weather in B 3. weather in C 4. price of D 5. price of E 6. compare", 6),
    ],
)
async def test_steps_are_read_off_a_plan(plan: str, steps: int) -> None:
    assert count_steps(plan) == steps


@pytest.mark.parametrize("number", ["1", 1, 4.0, True, "2/5", None, ["x"]])
async def test_thinking_never_fails_on_form(number: object) -> None:
    notes: list[dict[str, JSON]] = []
    context = Context(note=lambda kind, data: notes.append({"kind": kind, **data}))
    answer = await think_and_plan(context, thought="t", plan="1. a", action="b", thoughtNumber=number)
    assert answer == "Noted. Go on."
    assert notes[0]["kind"] == "thought"
    assert notes[0]["thought"] == "t"


async def test_a_missing_plan_is_asked_for() -> None:
    notes: list[str] = []
    context = Context(note=lambda kind, data: notes.append(kind))
    assert "plan" in await think_and_plan(context, thought="t", action="b", thoughtNumber="1")
    assert notes == ["thought"]


async def test_fields_stand_in_the_order_of_thinking() -> None:
    tool = planning_tool("zh")
    assert tool.parameters["required"] == ["thought", "plan", "action", "thoughtNumber"]
    assert "思考和规划" in tool.aliases


async def test_the_prompt_says_only_what_applies() -> None:
    bare = system_prompt("Be kind.", "tool", "en", parallel=False, has_tools=False)
    assert bare == "Be kind."
    tool = system_prompt("", "tool", "en", parallel=True, has_tools=True, examples=["EXAMPLE"])
    assert "think_and_plan" in tool
    assert "EXAMPLE" in tool
    off = system_prompt("", "off", "zh", parallel=False, has_tools=True, examples=["EXAMPLE"])
    assert "think_and_plan first" not in off
    assert "EXAMPLE" not in off
