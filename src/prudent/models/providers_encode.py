"""Writes requests for the model layer: messages, tools and settings in its own terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.messages import (
    ModelRequest as LayerTurn,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings as LayerSettings
from pydantic_ai.settings import ThinkingLevel
from pydantic_ai.tools import ToolDefinition

from prudent.exchange import ModelRequest, ModelSettings
from prudent.messages import Image, Message, ToolCall, ToolSpec
from prudent.models.providers_decode import OPAQUE_BY
from prudent.models.providers_facts import WireFacts

KEPT_MESSAGES = 4096
"""How many replies are kept in the layer's form, over all runs that use a model."""

WHOLE_MAX_TOKENS = 16_384
"""The longest reply of an Anthropic model that may not be streamed, where no other limit is set."""

_NOTHING = "(no output)"
_ALWAYS: Mapping[str, Any] = {
    # Trying again is not left to the libraries: it would not be seen, counted or bounded.
    "max_retries": 0,
    # Nothing is added to what the agent says.
    "framing_announcement": "never",
    "openai_prompt_cache_diagnostics": False,
}
_LEVELS: Mapping[str, ThinkingLevel] = {
    **dict.fromkeys(("off", "none", "false"), False),
    **dict.fromkeys(("on", "true"), True),
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}
_REFUSABLE: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "parallel_tool_calls": ("parallel_tool_calls", "disable_parallel_tool_use"),
    "tool_choice": ("tool_choice",),
    "thinking": ("reasoning", "reasoning_effort"),
    "cache": ("cache_control", "prompt_cache_options"),
    "output_schema": ("output_config", "text.format", "response_format", "response_schema"),
}
"""What may be left out, and what a server may call it when it refuses it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request in the layer's terms."""

    messages: list[ModelMessage]
    settings: LayerSettings
    parameters: ModelRequestParameters
    sent: frozenset[str]
    """Which of the things that may be left out are in it."""

    @property
    def wire_names(self) -> dict[str, str]:
        """Under what names a server may refuse what was sent, and what has to be left out then."""
        return {name: what for what in self.sent for name in _REFUSABLE[what]}


class RequestWriter:
    """Writes the requests for one model, and remembers what its server refused."""

    def __init__(
        self,
        wire: WireFacts,
        profile: Mapping[str, Any],
        *,
        unsupported: frozenset[str] = frozenset(),
        at_home: bool = True,
        stream: bool = True,
    ) -> None:
        self._wire = wire
        self._profile = profile
        self._unsupported = unsupported | frozenset(profile.get("openai_unsupported_model_settings", ()))
        self._at_home = at_home
        self._stream = stream
        self._refused: set[str] = set()
        self._replies: dict[int, tuple[Message, ModelResponse]] = {}

    @property
    def takes_parallel_parameter(self) -> bool:
        """Whether `parallel_tool_calls` means anything on this wire."""
        return "parallel_tool_calls" not in self._unsupported

    @property
    def takes_images(self) -> bool:
        """Whether pictures are sent rather than mentioned."""
        return bool(self._profile.get("supports_image_input", True))

    @property
    def places_cache_points(self) -> bool:
        """Whether the provider reads a prefix from its cache only where it was told to write one."""
        return self._wire.kind in ("anthropic", "bedrock") and bool(self._profile.get("supports_cache", False))

    def refuse(self, what: str) -> None:
        """Leave something out from now on."""
        self._refused.add(what)

    def write(self, request: ModelRequest) -> Written:
        """Write a request."""
        wanted = self._settings(request)
        parameters = ModelRequestParameters(
            function_tools=[_tool(tool) for tool in request.tools], instruction_parts=None, allow_text_output=True
        )
        schema = request.output_schema
        if schema is not None and self._takes_schema(request):
            definition = OutputObjectDefinition(json_schema=schema, name="answer")
            parameters = replace(parameters, output_mode="native", output_object=definition)
            wanted["output_schema"] = True
        sent = frozenset(name for name in wanted if name in _REFUSABLE)
        settings: dict[str, Any] = {**_ALWAYS, **wanted}
        settings.pop("output_schema", None)
        if not self._stream and self._wire.kind == "anthropic":
            # Without a limit of this size the library streams whatever it was asked.
            settings.setdefault("max_tokens", WHOLE_MAX_TOKENS)
        if settings.pop("cache", False):
            settings |= self._cache_points()
        known = {name: value for name, value in settings.items() if name not in self._unsupported}
        return Written(list(self._messages(request.messages)), cast(LayerSettings, known), parameters, sent)

    def _settings(self, request: ModelRequest) -> dict[str, Any]:
        settings = request.settings
        thinking = _LEVELS.get((settings.reasoning or "").lower())
        wanted: dict[str, Any] = {"max_tokens": settings.max_tokens, "thinking": thinking}
        if self._takes_temperature(settings, thinking):
            wanted["temperature"] = settings.temperature
        if request.tools:
            wanted["parallel_tool_calls"] = settings.parallel_tool_calls
            wanted["tool_choice"] = "none" if request.tool_choice == "none" else None
        wanted["cache"] = self.places_cache_points or None
        return {name: value for name, value in wanted.items() if value is not None and name not in self._refused}

    def _takes_temperature(self, settings: ModelSettings, thinking: ThinkingLevel | None) -> bool:
        """Whether the model takes a temperature: while they reason, most do not."""
        profile = self._profile
        if profile.get("anthropic_disallows_sampling_settings") or profile.get("bedrock_disallows_sampling_settings"):
            return False
        reasons = bool(thinking) or (thinking is None and bool(profile.get("thinking_enabled_by_default")))
        if profile.get("openai_supports_reasoning"):
            return bool(profile.get("openai_supports_reasoning_effort_none")) and not reasons
        return not thinking

    def _takes_schema(self, request: ModelRequest) -> bool:
        takes = "output_schema" not in self._refused and bool(self._profile.get("supports_json_schema_output", False))
        return takes and (self._wire.output_schema or not request.tools)

    def _cache_points(self) -> dict[str, Any]:
        """Ask for cache points. Servers that only resemble Anthropic's may not know its automatic ones."""
        if self._wire.kind == "anthropic" and not self._at_home:
            names = ("instructions", "tool_definitions", "messages")
            return {f"anthropic_cache_{name}": True for name in names}
        return {"cache": True}

    def _messages(self, messages: Sequence[Message]) -> Iterator[ModelMessage]:
        """Write the messages. What stands between two replies is one turn."""
        parts: list[ModelRequestPart] = []
        tool_names = {call.id: call.name for message in messages for call in message.calls}
        for message in messages:
            if message.role != "assistant":
                parts.append(self._part(message, tool_names))
                continue
            if parts:
                yield LayerTurn(parts=parts)
                parts = []
            yield self._reply(message)
        if parts:
            yield LayerTurn(parts=parts)

    def _part(self, message: Message, tool_names: Mapping[str, str]) -> ModelRequestPart:
        if message.role == "system":
            return SystemPromptPart(message.text)
        content = self._content(message)
        if message.role == "tool":
            name = tool_names.get(message.call_id, "unknown_tool")
            return ToolReturnPart(tool_name=name, content=content or _NOTHING, tool_call_id=message.call_id)
        return UserPromptPart(content)

    def _content(self, message: Message) -> str | list[UserContent]:
        """Give a message's text with its pictures, or with a note of each where the model takes none."""
        if not message.images:
            return message.text
        if not self.takes_images:
            return "\n".join(filter(None, (message.text, *map(_picture_note, message.images))))
        pictures = [BinaryContent(image.data, media_type=image.media_type) for image in message.images]
        return [message.text, *pictures] if message.text else [*pictures]

    def _reply(self, message: Message) -> ModelResponse:
        kept = self._replies.get(id(message))
        if kept is None:
            # The message is kept too, so that its identity stays its own.
            kept = (message, reply_from(message))
            if len(self._replies) >= KEPT_MESSAGES:
                self._replies.clear()
            self._replies[id(message)] = kept
        return kept[1]


def reply_from(message: Message) -> ModelResponse:
    """Build a reply in the layer's form: the one that was kept, with our ids, names and arguments of its calls.

    A message that another adapter wrote is built from what it says.
    """
    kept = _kept(message)
    if kept is None:
        said: list[ModelResponsePart] = [ThinkingPart(message.reasoning)] if message.reasoning else []
        said += [TextPart(message.text)] if message.text.strip() else []
        return ModelResponse(parts=[*said, *map(_new_call, message.calls)])
    calls = iter(message.calls)
    parts: list[ModelResponsePart] = []
    for part in kept.parts:
        if not isinstance(part, ToolCallPart):
            parts.append(part)
        elif (call := next(calls, None)) is not None:
            parts.append(_renamed(cast("ToolCallPart[Any]", part), call))
    return replace(kept, parts=[*parts, *map(_new_call, calls)], state="complete")


def _kept(message: Message) -> ModelResponse | None:
    """Read the reply that was kept; None when there is none, or when it cannot be read any more."""
    if not message.opaque or message.opaque_by != OPAQUE_BY:
        return None
    try:
        [kept] = ModelMessagesTypeAdapter.validate_json(f"[{message.opaque}]")
    except ValueError:
        return None
    return kept if isinstance(kept, ModelResponse) else None


def _renamed(part: ToolCallPart[Any], call: ToolCall) -> ModelResponsePart:
    # OpenAI takes an item that comes with its id from its own store, where it has the old call id.
    item_id = part.id if part.tool_call_id == call.id else None
    return replace(part, tool_name=call.name, args=call.arguments or "{}", tool_call_id=call.id, id=item_id)


def _new_call(call: ToolCall) -> ModelResponsePart:
    return ToolCallPart(tool_name=call.name, args=call.arguments or "{}", tool_call_id=call.id)


def _tool(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.parameters)


def _picture_note(image: Image) -> str:
    return f"[picture, {image.media_type}, {len(image.data):,} bytes, cannot be shown to this model]"
