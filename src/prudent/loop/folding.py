"""Making room: old turns are folded before the model is asked, or once its provider says that the request is too long."""

from __future__ import annotations

import time
from contextlib import aclosing
from copy import copy
from dataclasses import asdict, dataclass, replace

import anyio

from prudent.errors import ContextOverflow, ModelError
from prudent.events import ModelCallEnded, ModelCallFailed, ModelCallRetried, ModelCallStarted, Warned
from prudent.exchange import ModelRequest, Reply, Retrying
from prudent.loop.ask import Asked, Asker, cost_of
from prudent.loop.parts import Parts
from prudent.ports import Fold, Model
from prudent.state import RunState

SUMMARY_SECONDS = 20.0
"""How long a model may take for a summary; then it is written by rules."""

SUMMARY_TOKENS = 2000


@dataclass(slots=True)
class Folding:
    """Folds when that is due, and asks."""

    parts: Parts
    asker: Asker

    async def make_room(self) -> None:
        """Fold if it is time to, and warn of results that are too large. A run that is about to be ended is left alone."""
        state = self.parts.state
        if self._ended(state):
            return
        for warning in self.parts.folder.warnings(state):
            self.parts.recorder.emit(Warned(text=warning))
        if fold := self.parts.folder.due(state):
            await self._fold(fold)

    async def ask(self) -> Asked:
        """Ask for the next turn; when the request is too long, fold what can be folded and ask once more."""
        try:
            return await self.asker.ask("turn")
        except ContextOverflow:
            fold = self.parts.folder.due(self.parts.state, overflow=True)
            if fold is None:
                raise
        await self._fold(fold)
        return await self.asker.ask("turn")

    async def _fold(self, fold: Fold) -> None:
        model = self.parts.summary_model or self.parts.model
        written = await self._written(model, fold) if self._affordable() else ""
        self.parts.recorder.emit(self.parts.folder.fold(self.parts.state, fold, written, by=model.name))

    def _affordable(self) -> bool:
        """Whether the budget covers a call more beside the next turn's."""
        after = copy(self.parts.state)
        after.model_calls += 1
        return not self._ended(after)

    def _ended(self, state: RunState) -> bool:
        return any(brake.before_model(state) for brake in self.parts.brakes)

    async def _written(self, model: Model, fold: Fold) -> str:
        """Have a model write the summary; empty when it fails, calls a tool, or takes too long."""
        settings = replace(self.parts.settings, max_tokens=SUMMARY_TOKENS, parallel_tool_calls=None)
        request = ModelRequest(fold.request, settings=settings, purpose="folding")
        turn, emit = self.parts.state.turn, self.parts.recorder.emit
        emit(ModelCallStarted(turn=turn, purpose="folding", messages=fold.request, tools=(), settings=asdict(settings)))
        began, reason = time.monotonic(), f"no summary within {SUMMARY_SECONDS:g} s"
        reply: Reply | None = None
        try:
            with anyio.move_on_after(SUMMARY_SECONDS):
                reply = await self._reply(model, request, turn)
        except ModelError as error:
            reason = str(error)
        except BaseException:
            emit(
                ModelCallFailed(turn=turn, purpose="folding", reason="stopped", seconds=time.monotonic() - began, counted=False)
            )
            raise
        seconds = time.monotonic() - began
        if reply is None:
            emit(ModelCallFailed(turn=turn, purpose="folding", reason=reason, seconds=seconds, counted=False))
            return ""
        usage = self.asker.usage_of(request, reply)
        usable = not reply.message.calls and reply.finish_reason != "length"
        emit(
            ModelCallEnded(
                turn=turn,
                purpose="folding",
                message=replace(reply.message, calls=()),
                finish_reason=reply.finish_reason,
                usage=usage,
                seconds=seconds,
                cost=cost_of(usage, model.profile),
                kept=usable,
                raw=reply.raw,
            )
        )
        return reply.message.text.strip() if usable else ""

    async def _reply(self, model: Model, request: ModelRequest, turn: int) -> Reply | None:
        async with aclosing(model.stream(request)) as stream:
            async for event in stream:
                match event:
                    case Reply():
                        return event
                    case Retrying():
                        self._retried(event, turn)
                    case _:
                        pass
        return None

    def _retried(self, event: Retrying, turn: int) -> None:
        self.parts.recorder.emit(
            ModelCallRetried(
                turn=turn,
                attempt=event.attempt,
                wait_seconds=event.wait_seconds,
                reason=event.reason,
                counted=event.tokens_came,
            )
        )
