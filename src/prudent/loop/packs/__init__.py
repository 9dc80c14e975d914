"""Instruction packs: what the model is told about planning and about tools, by language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prudent.loop.packs import en, zh

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Pack:
    """The texts of one language."""

    tools: str
    """When to use tools at all, and when to answer."""

    plan_by_prompt: str
    """`planning = "prompt"`."""

    plan_by_tool: str
    """`planning = "tool"` and `"required"`."""

    one_at_a_time: str
    parallel: str
    think_description: str
    think_fields: dict[str, str]
    examples_heading: str


PACKS: dict[str, Pack] = {
    "en": Pack(en.TOOLS, en.PLAN_BY_PROMPT, en.PLAN_BY_TOOL, en.ONE_AT_A_TIME, en.PARALLEL, en.THINK, en.FIELDS, en.EXAMPLES),
    "zh": Pack(zh.TOOLS, zh.PLAN_BY_PROMPT, zh.PLAN_BY_TOOL, zh.ONE_AT_A_TIME, zh.PARALLEL, zh.THINK, zh.FIELDS, zh.EXAMPLES),
}
