"""What a running call says, as an event of the run: a thought, tools that were found, another mode, a macro's step."""

from __future__ import annotations

from typing import cast, get_args

from prudent.events import CallNoted, Event, ModeChanged, ThoughtRecorded
from prudent.loop.gate import Job
from prudent.toolbox import StepRecorded, StepStatus, ToolsFound
from prudent.types import JSON, JSONObject


def event_of(job: Job, kind: str, data: JSONObject) -> Event:
    """Give the event that a note stands for. Mode and surface change by the runtime's own tools only."""
    own = job.tool is not None and not job.tool.is_task
    if kind == "thought":
        number, thought, plan, action = (str(data.get(name, "")) for name in ("number", "thought", "plan", "action"))
        return ThoughtRecorded(turn=job.turn, number=number, thought=thought, plan=plan, action=action)
    if kind == "tools_found" and own:
        return ToolsFound(call_id=job.call.id, query=str(data.get("query", "")), found=_texts(data.get("found")))
    if kind == "mode" and own:
        return ModeChanged(mode=str(data["mode"]))
    if kind == "step" and data.get("status") in get_args(StepStatus):
        return _step(job.call.id, data)
    return CallNoted(call_id=job.call.id, note=kind, data=data)


def _step(call_id: str, data: JSONObject) -> Event:
    number, of = data.get("number"), data.get("of")
    return StepRecorded(
        call_id=call_id,
        number=number if isinstance(number, int) else 0,
        of=of if isinstance(of, int) else 0,
        step=str(data.get("step", "")),
        status=cast("StepStatus", data["status"]),
        detail=str(data.get("detail", "")),
    )


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
