"""Reads what the model layer delivers: its stream into deltas, its response into a reply, and back to what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from prudent.errors import ReplyBroken
from prudent.exchange import CallReady, FinishReason, ModelEvent, RawExchange, ReasoningDelta, Reply, TextDelta
from prudent.messages import Message, ToolCall
from prudent.models.openai_text import mended
from prudent.models.untrusted import list_of, object_of, text_of
from prudent.types import JSON, JSONObject, Usage

OPAQUE_BY = "pydantic_ai"
"""Marks what only this adapter may send back."""

BYTES_A_TOKEN = 4
"""For estimates where a provider gives no figures."""

_GAP = "\n\n"
_MADE_UP_ID = "pyd_ai_"
"""How the layer begins the ids of calls that came without one."""

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_call": "stop",
    "length": "length",
    "content_filter": "content_filter",
}
_NOT_KEPT = ("usage", "timestamp", "metadata", "failed_attempts", "run_id", "conversation_id", "model_id")
"""What of a response says nothing to its provider."""


class EventReader:
    """Follows one stream."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}
        self._calls: dict[int, _Call] = {}
        self._before: ModelResponsePart | None = None
        self._spoke = False
        self._gap = ""

    def feed(self, event: ModelResponseStreamEvent) -> list[ModelEvent]:
        """Take an event in, and give what it means for us."""
        match event:
            case PartStartEvent(index=index, part=part):
                return self._start(index, part)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                return self._say(text)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
                return [ReasoningDelta(mended(text))] if text else []
            case PartDeltaEvent(index=index, delta=ToolCallPartDelta(args_delta=delta)) if index in self._calls:
                self._calls[index].add(delta)
                return self._ready(index)
            case PartEndEvent(index=index) if index in self._calls:
                # The last part's end is only the stream's, which may have been cut.
                return self._ready(index, ended=event.next_part_kind is not None)
            case _:
                return []

    def _start(self, index: int, part: ModelResponsePart) -> list[ModelEvent]:
        before, self._before = self._before, part
        if isinstance(part, ToolCallPart):
            position = self._positions.setdefault(index, len(self._positions))
            self._calls[index] = _Call(position, cast("ToolCallPart[Any]", part))
            return self._ready(index)
        if isinstance(part, TextPart):
            if before is not None and not _goes_on(before, part):
                self._gap = _GAP
            return self._say(part.content)
        if isinstance(part, ThinkingPart) and part.content:
            return [ReasoningDelta(mended(part.content))]
        return []

    def _say(self, text: str) -> list[ModelEvent]:
        if not text:
            return []
        gap, self._gap = self._gap if self._spoke else "", ""
        self._spoke = True
        return [TextDelta(gap + mended(text))]

    def _ready(self, index: int, *, ended: bool = False) -> list[ModelEvent]:
        call = self._calls[index]
        if call.told or not (ended or call.complete):
            return []
        call.told = True
        return [CallReady(call.position, _call_of(call.part, call.arguments))]


class _Call:
    """A call on its way in."""

    def __init__(self, position: int, part: ToolCallPart[Any]) -> None:
        self.position = position
        self.part = part
        self.told = False
        self._whole: dict[str, Any] | None = part.args if isinstance(part.args, dict) else None
        self._pieces: list[str] = [part.args] if isinstance(part.args, str) else []

    @property
    def arguments(self) -> str | dict[str, Any] | None:
        return self._whole if self._whole is not None else "".join(self._pieces)

    def add(self, delta: str | dict[str, Any] | None) -> None:
        if isinstance(delta, str):
            self._pieces.append(delta)
        elif delta:
            self._whole = {**(self._whole or {}), **delta}

    @property
    def complete(self) -> bool:
        """Whether the arguments cannot go on: a JSON object that is closed."""
        if self._whole:
            return True
        if not self._pieces or not self._pieces[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self._pieces)), dict)
        except ValueError:
            return False


def reply_of(response: ModelResponse, who: str, *, request_bytes: int) -> Reply:
    """Turn a response that has come to its end into a reply. Raises ReplyBroken when it has no end."""
    details = object_of(response.provider_details)
    calls = tuple(_call_of(part, part.args) for part in map(_as_call, response.parts) if part is not None)
    text = _text(response.parts) or text_of(details.get("refusal"))
    reasoning = _GAP.join(filter(None, map(_thought, response.parts)))
    message = Message(
        "assistant", mended(text), calls, reasoning=mended(reasoning), opaque=opaque(response), opaque_by=OPAQUE_BY
    )
    reason = _finish_reason(response, text_of(details.get("finish_reason")), calls, who)
    return Reply(message, reason, _usage(response, message, request_bytes), model=response.model_name or "")


def opaque(response: ModelResponse) -> str:
    """Write a response so that it can be sent back. Arguments are left out: those of the message's own calls count."""
    parts = [
        replace(cast("ToolCallPart[Any]", part), args=None) if isinstance(part, ToolCallPart) else part
        for part in _sendable(response.parts)
    ]
    [written] = ModelMessagesTypeAdapter.dump_python([replace(response, parts=parts)], mode="json")
    kept = {name: value for name, value in _without_nothing(written).items() if name not in _NOT_KEPT}
    kept["parts"] = [_without_nothing(part) for part in written["parts"]]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def raw_of(url: str, request: bytes, response: bytes) -> RawExchange:
    """Divide a request into its messages and the rest, whatever the wire calls its messages."""
    try:
        body = object_of(json.loads(request))
    except ValueError:
        return RawExchange(url, request, (), response)
    for name in ("messages", "input", "contents"):
        messages = list_of(body.get(name))
        if messages:
            rest: JSONObject = {key: value for key, value in body.items() if key != name}
            return RawExchange(url, _bytes({**rest, name: []}), tuple(map(_bytes, messages)), response)
    return RawExchange(url, request, (), response)


def raw_without_bytes(response: ModelResponse, messages: Sequence[ModelMessage]) -> RawExchange:
    """Show a call by what the layer says of it, where its bytes are not to be had."""
    sent = [ModelMessagesTypeAdapter.dump_json([message]) for message in messages]
    came = ModelMessagesTypeAdapter.dump_json([response])
    return RawExchange(response.provider_url or "", b"{}", tuple(message[1:-1] for message in sent), came[1:-1])


def _bytes(value: JSON) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _as_call(part: ModelResponsePart) -> ToolCallPart[Any] | None:
    return cast("ToolCallPart[Any]", part) if isinstance(part, ToolCallPart) else None


def _call_of(part: ToolCallPart[Any], arguments: str | dict[str, Any] | None) -> ToolCall:
    call_id = "" if part.tool_call_id.startswith(_MADE_UP_ID) else part.tool_call_id
    if isinstance(arguments, dict):
        return ToolCall(call_id, part.tool_name, json.dumps(arguments, ensure_ascii=False))
    return ToolCall(call_id, part.tool_name, mended(arguments or ""), arguments_were_null=not arguments)


def _goes_on(before: ModelResponsePart, part: TextPart) -> bool:
    """Whether a text part goes on with the one before it: providers divide a text where it cites something."""
    return isinstance(before, TextPart) and before.id == part.id


def _text(parts: Iterable[ModelResponsePart]) -> str:
    text = ""
    before: ModelResponsePart | None = None
    for part in parts:
        if isinstance(part, TextPart):
            gap = _GAP if text and before is not None and not _goes_on(before, part) else ""
            text += gap + part.content
        before = part
    return text


def _thought(part: ModelResponsePart) -> str:
    if not isinstance(part, ThinkingPart):
        return ""
    raw = list_of(object_of(part.provider_details).get("raw_content"))
    return part.content or "".join(map(text_of, raw))


def _finish_reason(response: ModelResponse, word: str, calls: tuple[ToolCall, ...], who: str) -> FinishReason:
    if response.state == "incomplete" or not (response.finish_reason or word):
        raise ReplyBroken(f"{who} ended its reply without a finish reason", tokens_came=bool(response.parts))
    if response.finish_reason == "error":
        raise ReplyBroken(f"{who} ended its reply with {word or 'an error'!r}", tokens_came=bool(response.parts))
    reason = _FINISH.get(response.finish_reason or "", "other")
    return "tool_calls" if reason == "stop" and calls else reason


def _usage(response: ModelResponse, message: Message, request_bytes: int) -> Usage:
    usage = response.usage
    if usage.input_tokens or usage.output_tokens:
        return Usage(usage.input_tokens, min(usage.cache_read_tokens, usage.input_tokens), usage.output_tokens)
    spoken = [message.text, message.reasoning, *(call.name + call.arguments for call in message.calls)]
    written = sum(len(text.encode("utf-8", "replace")) for text in spoken)
    return Usage(request_bytes // BYTES_A_TOKEN, 0, -(-written // BYTES_A_TOKEN), estimated=True)


def _sendable(parts: Sequence[ModelResponsePart]) -> list[ModelResponsePart]:
    """Leave out what a provider would refuse: blank texts, and halves of what its own tools did, with all that cites them.

    We offer no such tools, but a proxy may; and where they were not asked for, the layer delivers results without calls.
    """
    called = {part.tool_call_id for part in parts if isinstance(part, NativeToolCallPart)}
    returned = {part.tool_call_id for part in parts if isinstance(part, NativeToolReturnPart)}
    kept: list[ModelResponsePart] = []
    for part in parts:
        if isinstance(part, NativeToolCallPart | NativeToolReturnPart):
            if part.tool_call_id in called & returned:
                kept.append(part)
        elif not isinstance(part, TextPart):
            kept.append(part)
        elif part.content.strip() or part.id or (part.provider_details and not part.citations):
            kept.append(replace(part, citations=None, provider_details=None) if called ^ returned else part)
    return kept


def _without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out fields that are null, which is what a missing one is read as."""
    return {name: value for name, value in fields.items() if value is not None}
