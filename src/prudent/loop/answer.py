"""The final answer: not empty, not cut, and to the liking of whoever checks it."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.events import IncompleteReason, MessageAdded, RunStatus
from prudent.loop.closing import summary
from prudent.loop.parts import Parts
from prudent.messages import Message
from prudent.ports import End
from prudent.types import JSON

GO_ON = "The task is not done yet: your last answer was not accepted as it stands. Go on."
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

    async def judge(self) -> Ending | None:
        """End the run by the answer on record, or ask again with None."""
        state, check = self.parts.state, self.parts.answer_check
        text = (state.open_answer or "").strip()
        if not text:
            return self._empty()
        if state.cut:
            return Ending("incomplete", "truncated", text)
        correction = await check.check(text, state)
        if correction is None:
            return Ending("completed", output=check.value(text))
        if correction.final:
            return Ending("failed", output=text, error=correction.final)
        self._say(correction.reason)
        return None

    async def take_up(self) -> Ending | None:
        """Judge the answer that a resumed run has left open; go on behind one that was judged and did not end it."""
        state = self.parts.state
        if state.open_answer is not None:
            return await self.judge()
        if state.transcript and state.transcript[-1].role == "assistant":
            self._say(GO_ON)
        return None

    def _empty(self) -> Ending | None:
        state = self.parts.state
        if state.cut:
            return Ending("incomplete", "truncated")
        if state.empty_replies > 1:
            end = End("empty", "the model gave nothing but empty replies")
            return Ending("incomplete", end.reason, summary(state, end))
        self._say(ASK_AGAIN)
        return None

    def _say(self, text: str) -> None:
        self.parts.recorder.emit(MessageAdded(message=Message("user", text)))
