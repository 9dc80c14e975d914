"""Writes requests for chat-completions servers. Each message is written once; a request joins what is written already."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prudent.exchange import ModelRequest
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.models.catalogue import takes_pictures
from prudent.models.facts import ProviderFacts
from prudent.models.openai_decode import OPAQUE_BY
from prudent.models.openai_reasoning import kept_for
from prudent.models.untrusted import object_of
from prudent.types import JSON, JSONObject

KEPT_MESSAGES = 8192
KEPT_BYTES = 64 * 1024 * 1024
"""Bounds of what is kept written, over all runs that use a model."""

_KEPT_TOOL_BLOCKS = 32
_NOTHING = "(no output)"
_NINE = re.compile(r"[A-Za-z0-9]{9}")
_BRIDGE = Message("assistant", text="OK")
_EFFORTS_OFF = frozenset({"off", "none", "false"})

IMAGES = "image_url"
"""Stands for pictures among the parameters that a server may refuse."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request as bytes."""

    body: bytes
    head: bytes
    """The body without its messages."""

    messages: tuple[bytes, ...]
    parameters: frozenset[str]
    """What was sent that a server may refuse by name."""


class RequestWriter:
    """Writes the requests for one model, and remembers what its server refused."""

    def __init__(self, facts: ProviderFacts, model: str) -> None:
        self._facts = facts
        self._model = model
        self._pictures = facts.takes_images and takes_pictures(model)
        self._refused: set[str] = set()
        self._written: OrderedDict[Message, bytes] = OrderedDict()
        self._recent: dict[int, tuple[Message, bytes]] = {}
        self._written_bytes = 0
        self._tools: OrderedDict[tuple[int, ...], tuple[Sequence[ToolSpec], bytes]] = OrderedDict()
        self._message_fields: set[str] = set()

    @property
    def takes_pictures(self) -> bool:
        """Whether pictures are sent rather than mentioned."""
        return self._pictures and IMAGES not in self._refused

    def refuse(self, parameter: str) -> None:
        """Leave a parameter out from now on."""
        self._refused.add(parameter)
        if parameter in self._message_fields:
            self._written.clear()
            self._recent.clear()
            self._written_bytes = 0
            self._message_fields.discard(parameter)

    def write(self, request: ModelRequest, *, stream: bool) -> Written:
        """Write a request."""
        parameters = self._parameters(request, stream=stream)
        start = json.dumps(parameters, ensure_ascii=False, separators=(",", ":")).encode()[:-1]
        if self._sends_tools(request):
            start += b',"tools":' + self._tool_block(request.tools)
        messages = tuple(self._messages(request.messages))
        start += b',"messages":['
        body = b"".join((start, b",".join(messages), b"]}"))
        return Written(body, start + b"]}", messages, frozenset(parameters) | self._message_fields)

    def _sends_tools(self, request: ModelRequest) -> bool:
        """Whether the tool block goes along: not where no tool may be called and the server has no word for that."""
        takes_none = self._facts.takes_tool_choice_none and "tool_choice" not in self._refused
        return bool(request.tools) and (request.tool_choice == "auto" or takes_none)

    def _parameters(self, request: ModelRequest, *, stream: bool) -> JSONObject:
        settings, facts = request.settings, self._facts
        wanted: JSONObject = {"model": self._model, "stream": stream}
        if stream and facts.asks_usage:
            wanted["stream_options"] = {"include_usage": True}
        if settings.temperature is not None and not facts.fixes_temperature(self._model):
            wanted["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            wanted[self._max_tokens_name()] = settings.max_tokens
        if settings.reasoning:
            wanted.update(_effort(facts, settings.reasoning.lower()))
        if request.output_schema is not None and self._takes_schema(request):
            wanted["response_format"] = _response_format(request.output_schema)
        if self._sends_tools(request):
            if settings.parallel_tool_calls is not None and facts.takes_parallel(self._model):
                wanted["parallel_tool_calls"] = settings.parallel_tool_calls
            if request.tool_choice == "none":
                wanted["tool_choice"] = "none"
        return {name: value for name, value in wanted.items() if name not in self._refused}

    def _max_tokens_name(self) -> str:
        """Some servers know only the one name, some only the other."""
        first = self._facts.max_tokens_name
        other = "max_completion_tokens" if first == "max_tokens" else "max_tokens"
        return other if first in self._refused else first

    def _takes_schema(self, request: ModelRequest) -> bool:
        facts = self._facts
        return facts.takes_json_schema_with_tools or (facts.takes_json_schema and not self._sends_tools(request))

    def _tool_block(self, tools: Sequence[ToolSpec]) -> bytes:
        key = tuple(map(id, tools))
        kept = self._tools.get(key)
        if kept is None:
            block = json.dumps([tool.as_json() for tool in tools], ensure_ascii=False, separators=(",", ":")).encode()
            # The specs are kept too, so that none of their ids is given to another object meanwhile.
            kept = self._tools[key] = (tuple(tools), block)
            if len(self._tools) > _KEPT_TOOL_BLOCKS:
                self._tools.popitem(last=False)
        return kept[1]

    def _messages(self, messages: Sequence[Message]) -> Iterator[bytes]:
        """Write the messages. Pictures of tool results follow as a user message: tool messages hold text only."""
        pictures: list[Image] = []
        before = ""
        for message in messages:
            if before == "tool" and message.role != "tool":
                yield from self._after_results(pictures, message.role)
                pictures = []
            yield self._one(message)
            before = message.role
            if message.images and before == "tool" and self.takes_pictures:
                pictures += message.images
        if pictures:
            yield from self._after_results(pictures, "")

    def _after_results(self, pictures: Sequence[Image], next_role: str) -> Iterator[bytes]:
        """Write what has to stand between tool results and the next message."""
        if not self._facts.takes_user_after_tool and (pictures or next_role == "user"):
            yield self._one(_BRIDGE)
        if pictures:
            yield self._one(Message("user", text="Pictures from the results above:", images=tuple(pictures)))

    def _one(self, message: Message) -> bytes:
        recent = self._recent.get(id(message))
        if recent is not None:
            return recent[1]
        written = self._written.get(message)
        if written is None:
            fields = self._message(message)
            written = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
            self._keep(message, written)
        # Finding a message by its identity costs a tenth of hashing it. It is kept, so its identity stays its own.
        if len(self._recent) >= KEPT_MESSAGES:
            self._recent.clear()
        self._recent[id(message)] = (message, written)
        return written

    def _keep(self, message: Message, written: bytes) -> None:
        self._written[message] = written
        self._written_bytes += len(written)
        while self._written and (len(self._written) > KEPT_MESSAGES or self._written_bytes > KEPT_BYTES):
            self._written_bytes -= len(self._written.popitem(last=False)[1])
            self._recent.clear()

    def _message(self, message: Message) -> JSONObject:
        if message.role == "assistant":
            return self._assistant(message)
        if message.role == "tool":
            return {"role": "tool", "tool_call_id": self._call_id(message.call_id), "content": self._text(message) or _NOTHING}
        if message.images and message.role == "user" and self.takes_pictures:
            self._message_fields.add(IMAGES)
            return {"role": "user", "content": _parts(message)}
        return {"role": message.role, "content": self._text(message)}

    def _text(self, message: Message) -> str:
        """Give a message's text, with its pictures mentioned where they are not in it."""
        notes = [self._picture_note(image) for image in message.images]
        return "\n".join(filter(None, (message.text, *notes)))

    def _picture_note(self, image: Image) -> str:
        where = "follows after the results" if self.takes_pictures else "cannot be shown to this model"
        return f"[picture, {image.media_type}, {len(image.data):,} bytes, {where}]"

    def _assistant(self, message: Message) -> JSONObject:
        kept: JSONObject = {}
        if message.opaque_by == OPAQUE_BY and self._goes_back(message):
            kept = kept_for(message.opaque, self._facts.name)
        content: JSON = kept.get("content") or message.text
        if not content and message.calls and self._facts.content_beside_calls == "null":
            content = None
        written: JSONObject = {"role": "assistant", "content": content}
        for name, value in object_of(kept.get("fields")).items():
            if name not in self._refused:
                written[name] = value
                self._message_fields.add(name)
        if message.calls:
            extras = object_of(kept.get("calls")) if "extra_content" not in self._refused else {}
            if extras:
                self._message_fields.add("extra_content")
            written["tool_calls"] = [self._call(call, extras.get(str(position))) for position, call in enumerate(message.calls)]
        return written

    def _goes_back(self, message: Message) -> bool:
        rule = self._facts.reasoning_back
        return rule == "always" or (rule == "with_calls" and bool(message.calls))

    def _call(self, call: ToolCall, extra: JSON) -> JSONObject:
        written: JSONObject = {
            "id": self._call_id(call.id),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments or "{}"},
        }
        if extra:
            written["extra_content"] = extra
        return written

    def _call_id(self, call_id: str) -> str:
        if not self._facts.nine_letter_ids or _NINE.fullmatch(call_id):
            return call_id
        return hashlib.sha256(call_id.encode()).hexdigest()[:9]


def _parts(message: Message) -> list[JSON]:
    parts: list[JSON] = [{"type": "text", "text": message.text}] if message.text else []
    for image in message.images:
        data = base64.b64encode(image.data).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}})
    return parts


def _effort(facts: ProviderFacts, wanted: str) -> JSONObject:
    """Say how much to reason, in the provider's own words."""
    off = wanted in _EFFORTS_OFF
    match facts.effort:
        case "effort":
            return {"reasoning_effort": "none" if off else wanted}
        case "object":
            return {"reasoning": {"enabled": False} if off else {"effort": wanted}}
        case "thinking":
            return {"thinking": {"type": "disabled" if off else "enabled"}}
        case "enable_thinking":
            return {"enable_thinking": not off}
        case "template":
            return {"chat_template_kwargs": {"enable_thinking": not off}}
        case "none":
            return {}


def _response_format(schema: JSONObject) -> JSONObject:
    named: JSONObject = {"name": "answer", "schema": schema}
    if _is_closed(schema):
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def _is_closed(schema: JSON) -> bool:
    """Whether strict mode takes a schema: every object in it is closed, and all its members are required."""
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return True
    properties = object_of(schema.get("properties"))
    if schema.get("type") == "object" or properties:
        required = schema.get("required")
        listed = set(map(str, required)) if isinstance(required, list) else set[str]()
        if schema.get("additionalProperties") is not False or listed != set(properties):
            return False
    return all(map(_is_closed, schema.values()))
