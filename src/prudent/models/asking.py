"""Asking a model once or several times for one reply, with the usage and the bytes of all of it added up."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from prudent.errors import ReplyBroken
from prudent.exchange import FinishReason, ModelEvent, ModelRequest, ModelSettings, RawExchange, Reply
from prudent.messages import Message, ToolCall
from prudent.ports import Model
from prudent.types import JSON, JSONObject, Usage


@dataclass(slots=True)
class Asking:
    """The inner calls that make up one reply to the runtime."""

    inner: Model
    settings: ModelSettings
    last: Reply | None = None
    usage: Usage = field(default_factory=Usage)
    raws: list[RawExchange] = field(default_factory=list[RawExchange])

    async def stream(
        self, messages: Sequence[Message], schema: JSONObject | None, *, max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent]:
        """Ask the inner model; its reply is kept here instead of being yielded."""
        settings = replace(self.settings, max_tokens=_smaller(self.settings.max_tokens, max_tokens), parallel_tool_calls=None)
        request = ModelRequest(messages, settings=settings, output_schema=schema)
        async with aclosing(self.inner.stream(request)) as events:
            async for event in events:
                if isinstance(event, Reply):
                    self.last = event
                    self.usage = self.usage + event.usage
                    self.raws += [event.raw] if event.raw else []
                else:
                    yield event

    async def ask(self, messages: Sequence[Message], schema: JSONObject, *, max_tokens: int) -> JSONObject:
        """Ask for one object of a schema.

        Raises:
            ReplyBroken: What came is no such object: it was cut off, or the model does not honour schemas.
        """
        async with aclosing(self.stream(messages, schema, max_tokens=max_tokens)) as events:
            async for _event in events:
                pass
        try:
            found: JSON = json.loads(self.text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ReplyBroken(f"{self.inner.name} gave no whole JSON object of the schema it was asked for", tokens_came=True)
        return found

    @property
    def text(self) -> str:
        """What the inner model said last."""
        return self.last.message.text if self.last else ""

    def reply(self, text: str, calls: tuple[ToolCall, ...] = ()) -> Reply:
        """Make the reply to the runtime out of what the inner calls came to."""
        assert self.last
        finish: FinishReason = "tool_calls" if calls else self.last.finish_reason
        message = Message("assistant", text, calls, reasoning=self.last.message.reasoning)
        return Reply(message, finish, self.usage, self._raw(), self.last.model)

    def _raw(self) -> RawExchange | None:
        """Put the bytes of all inner calls together."""
        if not self.raws:
            return None
        return RawExchange(
            url=self.raws[-1].url,
            request_head=b"\n".join(raw.request_head for raw in self.raws),
            request_messages=tuple(message for raw in self.raws for message in raw.request_messages),
            response=b"\n".join(raw.response for raw in self.raws),
        )


def _smaller(one: int | None, other: int | None) -> int | None:
    """Give the smaller of two limits, either of which may be absent."""
    given = [limit for limit in (one, other) if limit is not None]
    return min(given) if given else None
