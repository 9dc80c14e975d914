"""A model whose tools are written in its provider's dialect, and whose arguments are read back."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from prudent.exchange import CallReady, ModelEvent, ModelProfile, ModelRequest, Reply
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.ports import Model
from prudent.tools.dialects import Dialect
from prudent.tools.mending import Mended, mend
from prudent.tools.reading import Reading

KEPT = 4096
"""How many definitions, and how many messages, are kept as they were written."""

_Readings = Mapping[str, Reading]


class MendingModel:
    """Sends each definition as the provider takes it: the same one every time, and untouched where nothing is refused.

    The runtime sees arguments by the tool's own schema only; the history goes out by the one that the model was shown.
    """

    def __init__(self, inner: Model, dialect: Dialect) -> None:
        self.inner = inner
        self.name = inner.name
        self.profile: ModelProfile = inner.profile
        self.dialect = dialect
        self._mended: dict[int, tuple[ToolSpec, Mended]] = {}
        self._messages: dict[int, tuple[Message, Message]] = {}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield what the model yields, its calls read back."""
        mended = [self._mend(spec) for spec in request.tools]
        readings = {one.spec.name: one.reading for one in mended if not one.reading.is_plain}
        if any(one.spec is not spec for one, spec in zip(mended, request.tools, strict=True)):
            request = replace(request, tools=tuple(one.spec for one in mended))
        if readings:
            request = replace(request, messages=self._forth(request.messages, readings))
        async with aclosing(self.inner.stream(request)) as events:
            async for event in events:
                yield _read_back(event, readings) if readings else event

    async def aclose(self) -> None:
        """Give the wrapped model's connections back."""
        await self.inner.aclose()

    def _mend(self, spec: ToolSpec) -> Mended:
        kept = self._mended.get(id(spec))
        if kept is None:
            if len(self._mended) >= KEPT:
                self._mended.clear()
            # The definition is kept, too, so that its identity stays its own.
            kept = self._mended[id(spec)] = (spec, mend(spec, self.dialect))
        return kept[1]

    def _forth(self, messages: Sequence[Message], readings: _Readings) -> tuple[Message, ...]:
        """Write the history's calls as the model wrote them."""
        return tuple(
            self._written(message, readings) if any(call.name in readings for call in message.calls) else message
            for message in messages
        )

    def _written(self, message: Message, readings: _Readings) -> Message:
        kept = self._messages.get(id(message))
        if kept is None:
            if len(self._messages) >= KEPT:
                self._messages.clear()
            calls = tuple(_changed(call, readings, back=False) for call in message.calls)
            kept = self._messages[id(message)] = (message, replace(message, calls=calls))
        return kept[1]


def _read_back(event: ModelEvent, readings: _Readings) -> ModelEvent:
    if isinstance(event, CallReady):
        return replace(event, call=_changed(event.call, readings, back=True))
    if isinstance(event, Reply) and event.message.calls:
        calls = tuple(_changed(call, readings, back=True) for call in event.message.calls)
        return replace(event, message=replace(event.message, calls=calls))
    return event


def _changed(call: ToolCall, readings: _Readings, *, back: bool) -> ToolCall:
    """Read a call's arguments back, or forth; what is no object, or stays the same, keeps its bytes."""
    reading = readings.get(call.name)
    if reading is None:
        return call
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return call  # whoever validates it says what is wrong with it
    changed = reading.back(value) if back else reading.forth(value)
    if changed == value or not isinstance(changed, dict):
        return call
    return replace(call, arguments=json.dumps(changed, ensure_ascii=False), arguments_were_null=False)
