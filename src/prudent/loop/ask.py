"""One model call: what is sent, what streams back, what of it is kept."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field

import anyio

from prudent.errors import JournalError, ModelError
from prudent.events import (
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    ModelCallStarted,
    Purpose,
    ReasoningArrived,
    TextArrived,
)
from prudent.exchange import (
    CallReady,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    ReasoningDelta,
    Reply,
    Retrying,
    TextDelta,
    ToolChoice,
)
from prudent.loop.early import EarlyStarts
from prudent.loop.intake import Intake
from prudent.loop.parts import Parts
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.types import Usage

StartEarly = Callable[[Intake], EarlyStarts]


@dataclass(slots=True)
class Asked:
    """A reply that was taken in."""

    reply: Reply
    calls: tuple[ToolCall, ...]
    """As the model wrote them, with ids that are unique in the run."""

    early: EarlyStarts | None

    @property
    def empty(self) -> bool:
        """Whether it is no answer at all: no call, and no text but blanks."""
        return not self.calls and not self.reply.message.text.strip()

    @property
    def cut(self) -> bool:
        """Whether it ended for length."""
        return self.reply.finish_reason == "length"


@dataclass(slots=True)
class Asker:
    """Makes model calls and records them."""

    parts: Parts
    start_early: StartEarly
    _last_sizes: dict[int, int] | None = None

    async def ask(self, purpose: Purpose, *, extra: Sequence[Message] = (), tool_choice: ToolChoice = "auto") -> Asked:
        """Call the model with the run's context and `extra` messages behind it. Raises ModelError when no reply comes."""
        state = self.parts.state
        turn = state.turn + (purpose == "turn")
        messages = (*self.parts.view.view(state), *extra)
        tools = self._tools(tool_choice)
        settings = self.parts.settings
        choice = tool_choice if tools else "auto"
        request = ModelRequest(messages, tools, settings, choice, self.parts.output_schema, purpose)
        self.parts.recorder.emit(
            ModelCallStarted(turn=turn, purpose=purpose, messages=messages, tools=tools, settings=asdict(settings))
        )
        began = time.monotonic()
        listening = _Listening(self.parts, turn, purpose, self.start_early if purpose == "turn" else None)
        try:
            async with aclosing(self.parts.model.stream(request)) as stream:
                reply = await listening.listen(stream)
        except BaseException as error:
            reason = str(error) if isinstance(error, ModelError) else "stopped"
            counted = getattr(error, "tokens_came", False)
            seconds = time.monotonic() - began
            with anyio.CancelScope(shield=True):
                await listening.discard()
            self.parts.recorder.emit(
                ModelCallFailed(turn=turn, purpose=purpose, reason=reason, seconds=seconds, counted=counted)
            )
            raise
        asked = Asked(reply, listening.intake.calls(reply), listening.early)
        try:
            self._record(asked, turn, request, listening.intake, time.monotonic() - began)
        except JournalError:
            with anyio.CancelScope(shield=True):
                await listening.discard()
            raise
        return asked

    def _tools(self, tool_choice: ToolChoice) -> tuple[ToolSpec, ...]:
        takes_none = self.parts.model.profile.takes_tool_choice_none
        state = self.parts.state
        return self.parts.surface.specs(state.mode, state.toolbox.found) if tool_choice == "auto" or takes_none else ()

    def _record(self, asked: Asked, turn: int, request: ModelRequest, intake: Intake, seconds: float) -> None:
        reply = asked.reply
        usage = usage_of(self.parts, request, reply)
        self.parts.recorder.emit(
            ModelCallEnded(
                turn=turn,
                purpose=request.purpose,
                message=intake.message(reply),
                finish_reason=reply.finish_reason,
                usage=usage,
                seconds=seconds,
                cost=cost_of(usage, self.parts.model.profile),
                kept=not asked.empty,
                largest_message=self._largest(request.messages),
                raw=reply.raw,
            )
        )

    def _largest(self, messages: Sequence[Message]) -> int:
        """Find the message that grew most since the call before: the longest of the new ones."""
        known = self._last_sizes or {}
        sizes = {id(message): len(message.text) + sum(len(call.arguments) for call in message.calls) for message in messages}
        self._last_sizes = sizes
        new = [(sizes[id(m)], index) for index, m in enumerate(messages) if id(m) not in known]
        return max(new)[1] if new else -1


@dataclass(slots=True)
class _Listening:
    """Follows one stream."""

    parts: Parts
    turn: int
    purpose: Purpose
    start_early: StartEarly | None
    intake: Intake = field(init=False)
    early: EarlyStarts | None = field(init=False)

    def __post_init__(self) -> None:
        """Begin the first attempt."""
        self.begin()

    def begin(self) -> None:
        """Begin an attempt: nothing of an earlier one counts."""
        self.intake = Intake(self.turn, self.parts.state.calls)
        self.early = self.start_early(self.intake) if self.start_early else None

    async def listen(self, stream: AsyncGenerator[ModelEvent]) -> Reply:
        """Pass on what streams, and return the reply that ends it."""
        emit = self.parts.recorder.emit
        async for event in stream:
            match event:
                case TextDelta(text):
                    emit(TextArrived(turn=self.turn, text=text))
                case ReasoningDelta(text):
                    emit(ReasoningArrived(turn=self.turn, text=text))
                case CallReady():
                    if self.early:
                        self.early.consider(event)
                case Retrying():
                    await self._retry(event)
                case Reply():
                    return event
        raise ModelError(f"{self.parts.model.name}: the model's stream ended without a reply")

    async def _retry(self, event: Retrying) -> None:
        await self.discard()
        self.begin()
        self.parts.recorder.emit(
            ModelCallRetried(
                turn=self.turn,
                attempt=event.attempt,
                wait_seconds=event.wait_seconds,
                reason=event.reason,
                counted=event.tokens_came,
            )
        )

    async def discard(self) -> None:
        """Throw away what was started early."""
        if self.early:
            await self.early.discard()


def cost_of(usage: Usage, profile: ModelProfile) -> float | None:
    """Price a model call in US dollars; None when the prices are unknown."""
    if profile.input_price is None or profile.output_price is None:
        return None
    cached_price = profile.input_price if profile.cached_price is None else profile.cached_price
    fresh = usage.input_tokens - usage.cached_tokens
    return (fresh * profile.input_price + usage.cached_tokens * cached_price + usage.output_tokens * profile.output_price) / 1e6


def usage_of(parts: Parts, request: ModelRequest, reply: Reply) -> Usage:
    """Give what a call took: the provider's own figures, or an estimate where it has none."""
    counted = reply.usage.total_tokens and not reply.usage.estimated
    return reply.usage if counted else parts.counter.usage(request, reply.message)
