"""A model's better words: taken where they are words, and nothing else of the definition."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prudent.design.lint.judge import judge
from prudent.design.reading import read_definition
from prudent.design.rewriting import rewrite
from prudent.design.sheet import Definition
from prudent.models.scripted import ScriptedModel

pytestmark = pytest.mark.anyio

TOOL: dict[str, Any] = {
    "name": "weather",
    "description": "Weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


async def ask(reply: str, tool: dict[str, Any] = TOOL) -> tuple[Definition | None, ScriptedModel]:
    found = read_definition(tool)
    model = ScriptedModel([reply])
    return await rewrite(found, judge("", [found]).all_findings, model), model


async def test_words_are_taken_and_types_stay():
    answer = {"description": "Gets the weather.", "parameters": {"city": "Its name.", "invented": "x"}}
    better, model = await ask(f"Here it is:\n```json\n{json.dumps(answer)}\n```")
    assert better is not None
    assert better.description == "Gets the weather."
    assert better.schema["properties"] == {"city": {"type": "string", "description": "Its name."}}
    assert better.schema["required"] == ["city"]
    (request,) = model.requests
    assert "what is wrong with it" in request.messages[-1].text
    assert request.output_schema is not None


async def test_a_chinese_tool_is_rewritten_in_chinese():
    better, model = await ask("{}", {**TOOL, "description": "查询城市的天气。"})
    assert better is None
    assert "用中文写" in model.requests[0].messages[0].text


@pytest.mark.parametrize("reply", ["", "no", "{", "[1]", '{"description": 3}', '{"description": " "}', '{"a": "}'])
async def test_an_answer_that_is_none_is_none(reply: str):
    assert (await ask(reply or "…"))[0] is None
