"""A model call beside the turns: a summary that nobody else is shown. Recorded and paid for like any other."""

from __future__ import annotations

import time
from contextlib import aclosing
from copy import copy
from dataclasses import asdict, dataclass, replace

import anyio

from prudent.errors import ModelError
from prudent.events import ModelCallEnded, ModelCallFailed, ModelCallRetried, ModelCallStarted
from prudent.exchange import ModelRequest, Purpose, Reply, Retrying
from prudent.loop.ask import cost_of, usage_of
from prudent.loop.parts import Parts
from prudent.ports import Model
from prudent.state import RunState

SUMMARY_SECONDS = 20.0
"""How long a model may take for a summary."""

SUMMARY_TOKENS = 2000


@dataclass(slots=True)
class SideCall:
    """Asks a model for a text."""

    parts: Parts
    purpose: Purpose
    model: Model

    async def text(self, request: ModelRequest) -> str:
        """Give what the model writes; empty when it fails, calls a tool, is cut off, or takes too long."""
        settings = replace(self.parts.settings, max_tokens=SUMMARY_TOKENS, parallel_tool_calls=None)
        request = replace(request, settings=settings, purpose=self.purpose)
        turn, emit = self.parts.state.turn, self.parts.recorder.emit
        emit(
            ModelCallStarted(
                turn=turn, purpose=self.purpose, messages=tuple(request.messages), tools=(), settings=asdict(settings)
            )
        )
        began, reason = time.monotonic(), f"no summary within {SUMMARY_SECONDS:g} s"
        reply: Reply | None = None
        try:
            with anyio.move_on_after(SUMMARY_SECONDS):
                reply = await self._reply(request)
        except ModelError as error:
            reason = str(error)
        except BaseException:
            self._failed("stopped", time.monotonic() - began)
            raise
        seconds = time.monotonic() - began
        if reply is None:
            self._failed(reason, seconds)
            return ""
        return self._ended(request, reply, seconds)

    def _failed(self, reason: str, seconds: float) -> None:
        failed = ModelCallFailed(
            turn=self.parts.state.turn, purpose=self.purpose, reason=reason, seconds=seconds, counted=False
        )
        self.parts.recorder.emit(failed)

    def _ended(self, request: ModelRequest, reply: Reply, seconds: float) -> str:
        usage = usage_of(self.parts, request, reply)
        usable = not reply.message.calls and reply.finish_reason != "length"
        self.parts.recorder.emit(
            ModelCallEnded(
                turn=self.parts.state.turn,
                purpose=self.purpose,
                message=replace(reply.message, calls=()),
                finish_reason=reply.finish_reason,
                usage=usage,
                seconds=seconds,
                cost=cost_of(usage, self.model.profile),
                kept=usable,
                raw=reply.raw,
            )
        )
        return reply.message.text.strip() if usable else ""

    async def _reply(self, request: ModelRequest) -> Reply | None:
        async with aclosing(self.model.stream(request)) as stream:
            async for event in stream:
                match event:
                    case Reply():
                        return event
                    case Retrying():
                        self._retried(event)
                    case _:
                        pass
        return None

    def _retried(self, event: Retrying) -> None:
        self.parts.recorder.emit(
            ModelCallRetried(
                turn=self.parts.state.turn,
                attempt=event.attempt,
                wait_seconds=event.wait_seconds,
                reason=event.reason,
                counted=event.tokens_came,
            )
        )


def is_affordable(parts: Parts, calls: int = 1) -> bool:
    """Whether the budget covers so many calls more beside the next turn's."""
    after = copy(parts.state)
    after.model_calls += calls
    return not is_ended(parts, after)


def is_ended(parts: Parts, state: RunState) -> bool:
    """Whether a brake ends the run before its next model call."""
    return any(brake.before_model(state) for brake in parts.brakes)
