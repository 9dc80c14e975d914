"""`switch_mode`: the tool by which a model asks for another choice of tools, where its agent allows that."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSON, JSONMapping

SWITCH_MODE = "switch_mode"

_SUMMARY = {
    "en": "Ask for another choice of tools, when the task cannot be done with those of this mode. A person decides; say in the "
    "reason what you want to do there. Finish what can be done in this mode first.",
    "zh": "请求切换到另一种工具模式：仅当本模式的工具无法完成任务时使用。由人决定；在 reason 中说明切换后要做什么。"
    "先完成本模式内能做的事。",
}
_MODE = {"en": "The mode to change to.", "zh": "要切换到的模式。"}
_REASON = {"en": "What you want to do there, and why it is needed.", "zh": "切换后要做什么，以及为什么需要。"}


def mode_switch_tool(modes: Sequence[str], language: str = "en") -> Tool:
    """Make the tool. It changes nothing but the mode, and each use of it asks first (`brakes.mode_switch`)."""
    mode: JSON = {"type": "string", "enum": [*modes], "description": _MODE.get(language, _MODE["en"])}
    reason: JSON = {"type": "string", "description": _REASON.get(language, _REASON["en"])}
    return Tool(
        name=SWITCH_MODE,
        function=switch_mode,
        summary=_SUMMARY.get(language, _SUMMARY["en"]),
        parameters={
            "type": "object",
            "properties": {"mode": mode, "reason": reason},
            "required": ["mode", "reason"],
            "additionalProperties": False,
        },
        effect="read",
        run_in="inline",
        repeatable=True,
        is_task=False,
        confirm="never",
        preview=would_switch,
        context_parameter="context",
        aliases=("change_mode", "切换模式"),
    )


async def switch_mode(context: Context, mode: str, reason: str) -> str:
    """Change the mode of the run."""
    del reason
    context.note("mode", {"mode": mode})
    return f"The mode is {mode!r} now; its tools can be called from your next reply on."


def would_switch(arguments: JSONMapping) -> str:
    """Say what a call asks for."""
    return f"the model asks for mode {arguments.get('mode')!r}: {arguments.get('reason')}"
