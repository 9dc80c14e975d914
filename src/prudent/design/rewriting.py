"""Asking a model for a better description of one tool, with what lint found as the reasons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing

from prudent.design.lint.rule import Finding
from prudent.design.sheet import Definition
from prudent.exchange import ModelRequest, ModelSettings, Reply
from prudent.messages import Message
from prudent.ports import Model
from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONObject

_MAX_FINDINGS = 12
_MAX_TOKENS = 1500

_TASK_EN = """You improve the definition of one tool that a language model will call. Answer with one JSON object and nothing
else: {"description": "…", "parameters": {"NAME": "description", …}}.
Keep every fact that is there. Invent none: no limits, units, defaults or formats that the definition does not tell.
Write 2 to 4 sentences: what it does, what it gives back, when to use it, when not. Write in English."""

_TASK_ZH = """你要改进一个工具的定义，供语言模型调用。只回答一个 JSON 对象：
{"description": "……", "parameters": {"参数名": "说明", ……}}。
保留已有的全部事实，不得编造定义中没有的限制、单位、默认值或格式。
写两到四句话：做什么、返回什么、何时使用、何时不用。用中文写。"""


async def rewrite(definition: Definition, findings: Sequence[Finding], model: Model) -> Definition | None:
    """Ask a model for better words; None where its answer cannot be used.

    Only texts are taken from the answer: a parameter that is not there, or a changed type, is passed over.

    Raises:
        ModelError: the model failed.
    """
    request = ModelRequest(
        messages=(
            Message("system", definition.say(_TASK_EN, _TASK_ZH)),
            Message("user", json.dumps(_question(definition, findings), ensure_ascii=False, indent=1)),
        ),
        settings=ModelSettings(temperature=0.0, max_tokens=_MAX_TOKENS),
        output_schema=_output_schema(definition),
    )
    text = ""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Reply):
                text = event.message.text
    return _applied(definition, text)


def _question(definition: Definition, findings: Sequence[Finding]) -> JSONObject:
    reasons: list[JSON] = [f"{finding.place}: {finding.reason}" for finding in findings[:_MAX_FINDINGS]]
    return {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.schema,
        "what is wrong with it": reasons,
    }


def _output_schema(definition: Definition) -> JSONObject:
    names = [parameter.name for parameter in definition.parameters if parameter.is_top]
    described: JSONObject = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"description": {"type": "string"}, "parameters": described},
        "required": ["description", "parameters"],
        "additionalProperties": False,
    }


def _applied(definition: Definition, text: str) -> Definition | None:
    """Take the texts out of an answer, which may have a fence or words around its JSON."""
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = as_object(json.loads(text[start : end + 1]))
    except (ValueError, RecursionError):
        return None
    description = answer.get("description")
    if not isinstance(description, str) or not description.strip():
        return None
    properties = dict(as_object(definition.schema.get("properties")))
    for name, words in as_object(answer.get("parameters")).items():
        node = properties.get(name)
        if isinstance(node, dict) and isinstance(words, str) and words.strip():
            properties[name] = {**node, "description": words.strip()}
    schema: JSONObject = {**definition.schema, "properties": properties} if properties else definition.schema
    return Definition(definition.name, description.strip(), schema, definition.form, definition.source)
