"""The final answer: not empty, not cut, and to the liking of whoever checks it."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.events import IncompleteReason, MessageAdded, RunStatus
from prudent.loop.ask import Asked
from prudent.loop.closing import summary
from prudent.loop.parts import Parts
from prudent.messages import Message
from prudent.ports import End
from prudent.types import JSON

ASK_AGAIN = "Your last reply was empty: it had neither text nor a tool call. Answer now, or call a tool."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ends."""

    status: RunStatus
    reason: IncompleteReason | None = None
    output: JSON = None
    error: str = ""


@dataclass(slots=True)
class Answering:
    """Judges replies that call no tool."""

    parts: Parts

    async def judge(self, asked: Asked) -> Ending | None:
        """End the run by this reply, or ask again with None."""
        if asked.empty:
            return self._empty(asked)
        text = asked.reply.message.text.strip()
        if asked.cut:
            return Ending("incomplete", "truncated", text)
        correction = await self.parts.answer_check.check(text, self.parts.state)
        if correction is None:
            return Ending("completed", output=self.parts.answer_check.value(text))
        if correction.final:
            return Ending("failed", output=text, error=correction.final)
        self._say(correction.reason)
        return None

    def _empty(self, asked: Asked) -> Ending | None:
        if asked.cut:
            return Ending("incomplete", "truncated")
        if self.parts.state.empty_replies > 1:
            end = End("empty", "the model gave nothing but empty replies")
            return Ending("incomplete", end.reason, summary(self.parts.state, end))
        self._say(ASK_AGAIN)
        return None

    def _say(self, text: str) -> None:
        self.parts.recorder.emit(MessageAdded(message=Message("user", text)))
