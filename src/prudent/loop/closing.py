"""The end of a run that was cut short: one closing call without tools, else a summary from the record."""

from __future__ import annotations

import json
from dataclasses import dataclass

import anyio

from prudent.errors import ModelError
from prudent.loop.ask import Asker
from prudent.loop.parts import Parts
from prudent.messages import Message
from prudent.ports import End
from prudent.state import RunState

CLOSING = (
    "You have to stop here: {detail}. You cannot call tools any more. Give the best partial answer from what is known so "
    "far, say on what grounds, and say plainly what is still missing. Do not invent anything."
)
SHOWN_CHARS = 300
SUMMARY_CALLS = 12


@dataclass(slots=True)
class Closing:
    """Turns what is known into a partial answer."""

    parts: Parts
    asker: Asker

    async def partial_answer(self, end: End) -> str:
        """Ask the model once more, within the time kept back for it; fall back on the record."""
        text = ""
        with anyio.move_on_after(self.parts.closing_seconds):
            text = await self._ask(end)
        return text or summary(self.parts.state, end)

    async def _ask(self, end: End) -> str:
        message = Message("user", CLOSING.format(detail=end.detail))
        try:
            asked = await self.asker.ask("closing", extra=[message], tool_choice="none")
        except ModelError:
            return ""
        return "" if asked.calls else asked.reply.message.text.strip()


def summary(state: RunState, end: End) -> str:
    """Build a partial answer from the record alone."""
    records = [record for record in state.calls.values() if record.executed][-SUMMARY_CALLS:]
    lines = [f"Not finished: {end.detail}."]
    if records:
        lines.append("What was found out so far:")
    for record in records:
        arguments = json.dumps(record.arguments, ensure_ascii=False)
        shown = " ".join(record.shown.split())
        more = "…" if len(shown) > SHOWN_CHARS else ""
        lines.append(f"- {record.tool_name} {arguments[:SHOWN_CHARS]}: {shown[:SHOWN_CHARS]}{more}")
    return "\n".join(lines)
