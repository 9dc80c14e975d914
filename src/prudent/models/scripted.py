"""A model that plays listed replies: for tests, examples and trying tools without a provider.

```python
model = ScriptedModel([call("add", a=1, b=2), "It is 3."])
result = await Agent(model, tools=[add]).run("1 + 2?")
model.assert_finished()
```
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import anyio

from prudent.errors import ModelError
from prudent.exchange import (
    CallReady,
    FinishReason,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    ReasoningDelta,
    Reply,
    Retrying,
    TextDelta,
)
from prudent.messages import Message, ToolCall
from prudent.types import JSON, Usage

PLAIN_USAGE = Usage(input_tokens=100, output_tokens=20)
"""What a reply takes unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call that the model makes; write it with `call`, `raw_call` or `think`."""

    name: str
    arguments: str | None
    """The argument string as it would stream; None for a provider that sends null."""

    id: str | None = None
    """The provider's id; None makes one up, "" leaves it out."""

    def with_id(self, call_id: str) -> ScriptedCall:
        """Give the call a certain id, such as one that another call has too."""
        return replace(self, id=call_id)


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One reply in full; write it with `reply`, `slow` or `failing`."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    reasoning: str = ""
    opaque: str = ""
    opaque_by: str = ""
    finish_reason: FinishReason | None = None
    """By default `tool_calls` when there are calls, else `stop`."""

    usage: Usage = PLAIN_USAGE
    delay_seconds: float = 0.0
    """Pause before anything comes."""

    gap_seconds: float = 0.0
    """Pause before each further event."""

    piece_chars: int = 0
    """Length of the pieces that text and reasoning stream in; 0 for whole."""

    retrying: tuple[Retrying, ...] = ()
    """Attempts that failed before this one."""

    failure: Exception | None = None
    """Raised instead of the end."""

    failure_after: int | None = None
    """How many events come before the failure; None for all."""


Part: TypeAlias = str | ScriptedCall
Plain: TypeAlias = Part | ScriptedReply | ModelError | Sequence[Part]
Answer: TypeAlias = Callable[[ModelRequest], Plain | Awaitable[Plain]]
Scripted: TypeAlias = Plain | Answer
"""A reply in a script: a text, a call, several of them in one reply, a reply in full, an error to raise, or a function of
the request that gives one of these."""


def call(name: str, /, **arguments: JSON) -> ScriptedCall:
    """Call a tool: `call("add", a=1, b=2)`."""
    return ScriptedCall(name, json.dumps(arguments, ensure_ascii=False))


def raw_call(name: str, arguments: str | None, *, call_id: str | None = None) -> ScriptedCall:
    """Call a tool with an argument string as it stands, which may be broken; None for null."""
    return ScriptedCall(name, arguments, call_id)


def think(thought: str, *, plan: str = "", action: str = "", number: int | str = 1) -> ScriptedCall:
    """Use the planning tool."""
    return call("think_and_plan", thought=thought, plan=plan, action=action, thoughtNumber=str(number))


def reply(
    *parts: Part,
    reasoning: str = "",
    finish_reason: FinishReason | None = None,
    usage: Usage = PLAIN_USAGE,
    piece_chars: int = 0,
    retrying: Sequence[Retrying] = (),
) -> ScriptedReply:
    """Put one reply together from texts and calls: `reply("Let me see.", call("add", a=1), reasoning="…")`."""
    return ScriptedReply(
        text="".join(part for part in parts if isinstance(part, str)),
        calls=tuple(part for part in parts if isinstance(part, ScriptedCall)),
        reasoning=reasoning,
        finish_reason=finish_reason,
        usage=usage,
        piece_chars=piece_chars,
        retrying=tuple(retrying),
    )


def slow(played: Plain, *, delay_seconds: float = 0.0, gap_seconds: float = 0.0) -> ScriptedReply:
    """Let a reply take its time: before it begins, and before each of its further events."""
    return replace(_full(played), delay_seconds=delay_seconds, gap_seconds=gap_seconds)


def failing(played: Plain, failure: Exception, *, after: int | None = None) -> ScriptedReply:
    """Let a reply break off with an error, after all its events or after so many of them."""
    return replace(_full(played), failure=failure, failure_after=after)


@dataclass(slots=True)
class ScriptedModel:
    """Plays a script, one reply for each request, and remembers the requests.

    Raises AssertionError for a request beyond the script.
    """

    script: Sequence[Scripted]
    when_no_tools: Scripted | None = None
    """Played for a request that allows no tool, such as the closing call; it takes nothing from the script."""

    when_folding: Scripted | None = None
    """Played when a summary of old turns or of a result is asked for; without it that fails, and the run does without."""

    repeat_last: bool = False
    """Whether the last reply is played for ever."""

    name: str = "scripted"
    profile: ModelProfile = field(default_factory=lambda: ModelProfile(provider="scripted"))
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    """What was asked so far."""

    closed: bool = False
    _played: int = 0

    def assert_finished(self) -> None:
        """Check that all replies of the script were used."""
        left = list(self.script[self._played :])
        assert not left, f"{len(left)} of {len(self.script)} scripted replies were not used; the next was {left[0]!r}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Play the next reply."""
        self.requests.append(request)
        number = len(self.requests)
        played = await self._next(request)
        for retrying in played.retrying:
            yield retrying
        if played.delay_seconds:
            await anyio.sleep(played.delay_seconds)
        events = list(_events(played, number))
        for count, event in enumerate(events):
            if played.failure and count == played.failure_after:
                raise played.failure
            if count and played.gap_seconds:
                await anyio.sleep(played.gap_seconds)
            if isinstance(event, Reply) and played.failure:
                raise played.failure
            yield event

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True

    async def _next(self, request: ModelRequest) -> ScriptedReply:
        if request.purpose in ("folding", "digest"):
            return await _answered(self.when_folding or ModelError("the script has no summary"), request)
        no_tools = not request.tools or request.tool_choice == "none"
        if no_tools and self.when_no_tools is not None:
            return await _answered(self.when_no_tools, request)
        if self._played < len(self.script):
            self._played += 1
        elif not (self.repeat_last and self.script):
            raise AssertionError(f"request {len(self.requests)} came after the last of {len(self.script)} scripted replies")
        return await _answered(self.script[self._played - 1], request)


async def _answered(scripted: Scripted, request: ModelRequest) -> ScriptedReply:
    if not callable(scripted):
        return _full(scripted)
    played = scripted(request)
    return _full(await played if inspect.isawaitable(played) else played)


def _full(played: Plain) -> ScriptedReply:
    """Spell a reply out."""
    if isinstance(played, ScriptedReply):
        return played
    if isinstance(played, ModelError):
        return ScriptedReply(failure=played, failure_after=0)
    return reply(*([played] if isinstance(played, str | ScriptedCall) else played))


def _events(played: ScriptedReply, number: int) -> Iterator[ModelEvent]:
    """List what streams for a reply, in the order of a real one."""
    for piece in _pieces(played.reasoning, played.piece_chars):
        yield ReasoningDelta(piece)
    for piece in _pieces(played.text, played.piece_chars):
        yield TextDelta(piece)
    calls = tuple(_call(scripted, number, position) for position, scripted in enumerate(played.calls))
    for position, ready in enumerate(calls):
        yield CallReady(position, ready)
    message = Message(
        role="assistant",
        text=played.text,
        calls=calls,
        reasoning=played.reasoning,
        opaque=played.opaque,
        opaque_by=played.opaque_by,
    )
    finish_reason: FinishReason = played.finish_reason or ("tool_calls" if calls else "stop")
    yield Reply(message, finish_reason, played.usage, model="scripted")


def _call(scripted: ScriptedCall, number: int, position: int) -> ToolCall:
    call_id = f"call_{number}_{position}" if scripted.id is None else scripted.id
    return ToolCall(call_id, scripted.name, scripted.arguments or "", scripted.arguments is None)


def _pieces(text: str, size: int) -> Iterator[str]:
    step = size or len(text) or 1
    for start in range(0, len(text), step):
        yield text[start : start + step]
