"""Planning: the planning tool, the rule that a thought comes first, reading a plan's steps, and the system prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from prudent.errors import CallRefused
from prudent.loop.packs import PACKS, Language
from prudent.ports import Candidate, End, Verdict
from prudent.state import RunState
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSON

Planning = Literal["off", "prompt", "tool", "required"]
THINK = "think_and_plan"
FIELDS = ("thought", "plan", "action", "thoughtNumber")

_STEP = re.compile(
    r"(?:^|(?<=[\s;,.:；，。：、(（]))(?:\(?\d{1,2}[.)、:：](?=\s|\D)|[一二三四五六七八九十]{1,2}、|第[一二三四五六七八九十\d]{1,3}步)"
    r"|^\s*[-*•·]\s+|（\d{1,2}）",
    re.MULTILINE,
)


def count_steps(plan: str) -> int:
    """Count the steps of a plan ("1. 2.", bullets, 第N步, 一、); 0 when none can be read."""
    return len(_STEP.findall(plan))


def planning_tool(language: Language = "en") -> Tool:
    """Make the tool `think_and_plan`: it fetches nothing and changes nothing, it appends to the record."""
    pack = PACKS[language]
    properties: dict[str, JSON] = {name: {"type": "string", "description": pack.think_fields[name]} for name in FIELDS}
    return Tool(
        name=THINK,
        function=think_and_plan,
        summary=pack.think_description,
        parameters={"type": "object", "properties": properties, "required": list(FIELDS), "additionalProperties": False},
        effect="read",
        idempotent=True,
        run_in="inline",
        repeatable=True,
        is_task=False,
        lenient=True,
        context_parameter="context",
        aliases=("思考和规划", "think", "thinkAndPlan"),
    )


async def think_and_plan(context: Context, **fields: object) -> str:
    """Record a thought, whatever form it has; ask for what is missing without failing."""
    given = {name: _as_text(fields.get(name)) for name in FIELDS}
    if not any(given.values()):
        given["thought"] = _as_text(next(iter(fields.values()), ""))
    note: dict[str, JSON] = {name: given[name] for name in ("thought", "plan", "action")}
    context.note("thought", {**note, "number": given["thoughtNumber"]})
    missing = [name for name in ("thought", "plan", "action") if not given[name]]
    if missing:
        return f"Noted. Please give {' and '.join(missing)} as well next time. Go on."
    return "Noted. Go on."


def _as_text(value: object) -> str:
    return "" if value is None else str(value).strip()


@dataclass(frozen=True, slots=True)
class PlanFirst:
    """`planning = "required"`: a task call without a thought since the last results is not executed."""

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Refuse a task call that nothing was thought about."""
        thought = state.planned or any(earlier.tool.name == THINK for earlier in candidate.earlier)
        if thought or not candidate.tool.is_task:
            return None
        return CallRefused(
            "plan_first",
            f"{THINK} first: no thought was recorded since the last results",
            fix=f"call {THINK}, then {candidate.tool.name} again (both may stand in one reply)",
        )


def system_prompt(
    instructions: str, planning: Planning, language: Language, *, parallel: bool, has_tools: bool, examples: Sequence[str] = ()
) -> str:
    """Put together what the model is told: the agent's own instructions, then the pack's parts that apply."""
    pack = PACKS[language]
    parts = [instructions.strip()]
    if has_tools:
        parts.append(pack.tools)
        parts.append({"off": "", "prompt": pack.plan_by_prompt}.get(planning, pack.plan_by_tool))
        parts.append(pack.parallel if parallel else pack.one_at_a_time)
    if examples and planning != "off":
        parts.append("\n\n".join([pack.examples_heading, *examples]))
    return "\n\n".join(part for part in parts if part)


def adherence(state: RunState) -> float | None:
    """Tell the share of executed task calls that had a thought before them; None when there was none."""
    executed = state.executed_calls
    return sum(record.planned for record in executed) / len(executed) if executed else None
