"""Events to JSON and back. What is large or shared (messages, tools, pictures, raw bytes) stands apart, as a reference.

`Keeper` puts such parts away and gives references; `Source` gives the parts back. `describe` writes an event whole, for
those who watch a run from outside.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any, Protocol, cast

from prudent import events
from prudent.events import Event
from prudent.exchange import RawExchange
from prudent.folds import Folded
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.standing import rule_of
from prudent.toolbox import StepRecorded, ToolsFound
from prudent.types import JSON, JSONObject, Usage


class Keeper(Protocol):
    """Puts parts of an event away and gives a reference to each."""

    def message(self, message: Message) -> JSON:
        """Keep one message."""
        ...

    def messages(self, messages: Sequence[Message]) -> JSON:
        """Keep the messages of a request, in order."""
        ...

    def tools(self, tools: Sequence[ToolSpec]) -> JSON:
        """Keep the tools of a request."""
        ...

    def blob(self, data: bytes) -> JSON:
        """Keep bytes."""
        ...

    def raw(self, raw: RawExchange) -> JSON:
        """Keep the bytes of a model call; None when they are not wanted."""
        ...


class Source(Protocol):
    """Gives back what a `Keeper` was given."""

    def message(self, reference: JSON) -> Message:
        """Find one message."""
        ...

    def messages(self, reference: JSON) -> tuple[Message, ...]:
        """Find the messages of a request."""
        ...

    def tools(self, reference: JSON) -> tuple[ToolSpec, ...]:
        """Find the tools of a request."""
        ...

    def blob(self, reference: JSON) -> bytes:
        """Find bytes."""
        ...

    def raw(self, reference: JSON) -> RawExchange | None:
        """Find the bytes of a model call; None when they are not wanted."""
        ...


def encode(event: Event, keeper: Keeper) -> JSONObject:
    """Write an event's fields as JSON, but `at` and what has its default value."""
    data: JSONObject = {}
    for name, has_default, default, write in _plan(type(event)):
        value = getattr(event, name)
        if has_default and value == default:
            continue
        data[name] = written = value if write is None else write(value, keeper)
        if written is None and value is not None:
            # The keeper does not want it.
            del data[name]
    return data


def decode(kind: str, at: float, data: JSONObject, source: Source) -> Event:
    """Read an event back; raises KeyError, TypeError or ValueError for what is no event. Unknown fields are passed over."""
    event_class = EVENT_CLASSES[kind]
    values: dict[str, Any] = {"at": at}
    for name, *_ in _plan(event_class):
        if name in data:
            read = _READERS.get(name)
            values[name] = data[name] if read is None else read(data[name], source)
    return event_class(**values)


def describe(event: Event, redact: Callable[[Message], Message]) -> JSONObject:
    """Write any event whole, its class name as `event` and its time first, its messages through `redact`, without raw bytes."""
    return {"event": type(event).__name__, "at": event.at, **encode(event, _Whole(redact))}


def compact_json(value: JSON) -> str:
    """Write JSON without spaces, CJK as it stands; NaN and infinity become text, since JSON has neither."""
    try:
        return _COMPACT.encode(value)
    except ValueError:
        return _COMPACT.encode(_without_nan(value))


def write_message(message: Message, keeper: Keeper) -> JSONObject:
    """Write a message as JSON, without what is empty."""
    data: JSONObject = {"role": message.role}
    if message.text:
        data["text"] = message.text
    if message.calls:
        data["calls"] = [_write_call(call) for call in message.calls]
    if message.images:
        data["images"] = _write_images(message.images, keeper)
    for name in ("call_id", "reasoning", "opaque", "opaque_by"):
        if value := getattr(message, name):
            data[name] = value
    return data


def read_message(data: JSONObject, source: Source) -> Message:
    """Read a message back."""
    plain = cast(dict[str, Any], {k: v for k, v in data.items() if k not in ("calls", "images")})
    calls = tuple(_read_call(cast(JSONObject, call)) for call in cast(list[JSON], data.get("calls", [])))
    return Message(**plain, calls=calls, images=_read_images(data.get("images", []), source))


def write_tools(tools: Sequence[ToolSpec]) -> list[JSON]:
    """Write tool definitions as JSON."""
    return [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools]


def read_tools(data: JSON) -> tuple[ToolSpec, ...]:
    """Read tool definitions back."""
    return tuple(ToolSpec(**cast(dict[str, Any], tool)) for tool in cast(list[JSON], data))


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _without_nan(value: JSON) -> JSON:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return {key: _without_nan(item) for key, item in value.items()} if isinstance(value, dict) else value


def _write_call(call: ToolCall) -> JSONObject:
    data: JSONObject = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if call.arguments_were_null:
        data["arguments_were_null"] = True
    return data


def _read_call(data: JSONObject) -> ToolCall:
    return ToolCall(**cast(dict[str, Any], data))


def _write_images(images: Sequence[Image], keeper: Keeper) -> JSON:
    return [{"media_type": image.media_type, "data": keeper.blob(image.data)} for image in images]


def _read_images(data: JSON, source: Source) -> tuple[Image, ...]:
    images = cast(list[JSONObject], data)
    return tuple(Image(str(image["media_type"]), source.blob(image["data"])) for image in images)


def _write_usage(usage: Usage, _keeper: Keeper) -> JSON:
    # Not named `…_tokens`, so that the search for names of secrets does not stop at every reply.
    data: JSONObject = {"in": usage.input_tokens, "cached": usage.cached_tokens, "out": usage.output_tokens}
    return data | {"estimated": True} if usage.estimated else data


def _read_usage(data: JSON, _source: Source) -> Usage:
    usage = cast(dict[str, Any], data)
    return Usage(usage["in"], usage["cached"], usage["out"], usage.get("estimated", False))


def _read_names(data: JSON, _source: Source) -> tuple[str, ...]:
    return tuple(cast(list[str], data))


_Writer = Callable[[Any, Keeper], JSON]
_Reader = Callable[[JSON, Source], object]

_WRITERS: dict[str, _Writer] = {
    "message": lambda value, keeper: keeper.message(value),
    "pinned": lambda value, keeper: keeper.message(value),
    "messages": lambda value, keeper: keeper.messages(value),
    "tools": lambda value, keeper: keeper.tools(value),
    "images": _write_images,
    "raw": lambda value, keeper: keeper.raw(value),
    "usage": _write_usage,
    "repairs": lambda value, _keeper: list(value),
    "secret": lambda value, _keeper: list(value),
    "facts": lambda value, _keeper: list(value),
    "handles": lambda value, _keeper: list(value),
    "found": lambda value, _keeper: list(value),
    "rule": lambda value, _keeper: value.as_json(),
}
_READERS: dict[str, _Reader] = {
    "message": lambda data, source: source.message(data),
    "pinned": lambda data, source: source.message(data),
    "messages": lambda data, source: source.messages(data),
    "tools": lambda data, source: source.tools(data),
    "images": _read_images,
    "raw": lambda data, source: source.raw(data),
    "usage": _read_usage,
    "repairs": _read_names,
    "secret": _read_names,
    "facts": _read_names,
    "handles": _read_names,
    "found": _read_names,
    "rule": lambda data, _source: rule_of(data),
}
EVENT_CLASSES: dict[str, type[Event]] = {
    name: value for name, value in vars(events).items() if isinstance(value, type) and issubclass(value, Event)
} | {"Folded": Folded, "ToolsFound": ToolsFound, "StepRecorded": StepRecorded}
"""All kinds of events by the name under which they are kept."""


@lru_cache(maxsize=64)
def _plan(event_class: type[Event]) -> tuple[tuple[str, bool, object, _Writer | None], ...]:
    """List the fields of an event: name, whether there is a default, the default, and how it is written."""
    plan: list[tuple[str, bool, object, _Writer | None]] = []
    for field in fields(event_class):
        if field.name == "at":
            continue
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        plan.append((field.name, default is not MISSING, default, _WRITERS.get(field.name)))
    return tuple(plan)


class _Whole:
    """A `Keeper` that keeps nothing: every part stands where it belongs."""

    def __init__(self, redact: Callable[[Message], Message]) -> None:
        self._redact = redact

    def message(self, message: Message) -> JSON:
        return write_message(self._redact(message), self)

    def messages(self, messages: Sequence[Message]) -> JSON:
        return [self.message(message) for message in messages]

    def tools(self, tools: Sequence[ToolSpec]) -> JSON:
        return write_tools(tools)

    def blob(self, data: bytes) -> JSON:
        return b64encode(data).decode()

    def raw(self, raw: RawExchange) -> JSON:
        return None
