"""The embedded model: llama.cpp inside this process, by direct call.

`LocalModel` generates text and holds it to a JSON schema; it knows nothing of tools. `open_local` puts a
`ConstrainedModel` around it, which turns it into a model that calls tools.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

from prudent.errors import ConfigurationError, ContextOverflow, ReplyBroken
from prudent.exchange import FinishReason, ModelEvent, ModelProfile, ModelRequest, ModelSettings, RawExchange, Reply, TextDelta
from prudent.messages import Message
from prudent.models.constrained import ConstrainedModel
from prudent.models.gguf import KNOWN_MODELS, path_of
from prudent.models.local_engine import Chunk, Engine, Generation, engine_for
from prudent.models.small_profile import SmallModelProfile
from prudent.ports import Model
from prudent.types import JSON, JSONObject, Usage

DEFAULT_MODEL = "qwen2.5-coder-1.5b"
"""What `local` means; chosen by `bench/local_suite.py`."""

SMALL_MODEL_BYTES = 2_500_000_000
"""A file below this size gets the profile for small models."""

TINY_MODEL_BYTES = 700_000_000
"""A file below this size is of a model that says "none" whatever the facts."""

_DEFAULT_MAX_TOKENS = 1024
_FINISH_REASONS: dict[object, FinishReason] = {"stop": "stop", "length": "length"}


def open_local(name: str, *, threads: int | None = None) -> Model:
    """Open an embedded model by `local`, `local:NAME` or `local:PATH.gguf`. The file is read at the first call.

    Args:
        name: As the user names it.
        threads: For the engine; None takes `PRUDENT_THREADS`, else 1, since two threads on loaded cores collapse.

    Raises:
        ConfigurationError: The file is not there; the sentence says how to fetch it.
        MissingExtra: The extra `local` is not installed.
    """
    scheme, _, rest = name.partition(":")
    if scheme != "local":
        raise ConfigurationError(f"{name!r} names no embedded model: say `local`, `local:NAME` or `local:PATH.gguf`")
    chosen = rest or DEFAULT_MODEL
    path = path_of(chosen)
    window = KNOWN_MODELS[chosen].context_window_tokens if chosen in KNOWN_MODELS else 8192
    engine = engine_for(path, threads=threads or _threads_from_environment(), context_tokens=window)
    return ConstrainedModel(LocalModel(name, engine), profile_for(path.stat().st_size))


def profile_for(file_bytes: int) -> SmallModelProfile | None:
    """Tell by a file's size how narrow a model has to be held; None for one that finds its own way."""
    if file_bytes >= SMALL_MODEL_BYTES:
        return None
    return SmallModelProfile(knows_when_not=file_bytes >= TINY_MODEL_BYTES)


def _threads_from_environment() -> int:
    """Read `PRUDENT_THREADS`."""
    value = os.environ.get("PRUDENT_THREADS", "1")
    if not value.isdecimal() or not int(value):
        raise ConfigurationError(f"PRUDENT_THREADS is {value!r}, where a number from 1 is due")
    return int(value)


class LocalModel:
    """A model file behind the port. Honours `output_schema`; tools and images are for a wrapper to deal with."""

    def __init__(self, name: str, engine: Engine) -> None:
        self.name = name
        self.engine = engine
        self.profile = ModelProfile(
            provider="local",
            context_window_tokens=engine.context_tokens,
            takes_parallel_parameter=False,
            input_price=0.0,
            cached_price=0.0,
            output_price=0.0,
            defaults=ModelSettings(temperature=0.0),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Generate in a thread, one request of this process at a time; closing the generator ends it at the next token."""
        body = _body(request)
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Chunk | BaseException | None] = asyncio.Queue()

        def deliver(item: Chunk | BaseException | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, item)

        generation = Generation(self.engine, body, deliver)
        reply = _Collected()
        generation.start()
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                if text := reply.take(item):
                    yield TextDelta(text)
        finally:
            generation.stop()
        yield reply.finish(self.name, self.engine.path, body)

    async def aclose(self) -> None:
        """Do nothing: the engine is shared by the runs of this process and freed when it ends."""


@dataclass(slots=True)
class _Collected:
    """What has come of a reply."""

    text: list[str] = field(default_factory=list[str])
    finish_reason: FinishReason | None = None
    usage: Usage = field(default_factory=Usage)

    def take(self, chunk: Chunk) -> str:
        """Take a chunk in and return its text."""
        if "error" in chunk:
            raise _model_error(chunk["error"])
        piece = ""
        for choice in chunk.get("choices", ()):
            piece += choice["delta"].get("content") or ""
            if choice["finish_reason"]:
                self.finish_reason = _FINISH_REASONS.get(choice["finish_reason"], "other")
        if "usage" in chunk:
            counts = chunk["usage"]
            details: Chunk = counts.get("prompt_tokens_details") or {}
            self.usage = Usage(counts["prompt_tokens"], details.get("cached_tokens", 0), counts["completion_tokens"])
        self.text.append(piece)
        return piece

    def finish(self, name: str, path: Path, body: JSONObject) -> Reply:
        """Give the whole reply."""
        if self.finish_reason is None:
            raise ReplyBroken("the embedded model's reply has no end", provider="local")
        text = "".join(self.text)
        messages = body["messages"]
        assert isinstance(messages, list)
        raw = RawExchange(
            url=f"file:{path}",
            request_head=_encode({key: value for key, value in body.items() if key != "messages"}),
            request_messages=tuple(_encode(message) for message in messages),
            response=text.encode(),
        )
        return Reply(Message("assistant", text), self.finish_reason, self.usage, raw, name)


def _encode(value: JSON) -> bytes:
    """Write JSON as it is kept."""
    return json.dumps(value, ensure_ascii=False).encode()


def _model_error(error: JSON) -> ContextOverflow | ReplyBroken:
    """Say what the engine complains of."""
    facts = error if isinstance(error, dict) else {"message": str(error)}
    if facts.get("type") == "exceed_context_size_error":
        return ContextOverflow(
            f"the embedded model's window of {facts.get('n_ctx')} tokens is too small for {facts.get('n_prompt_tokens')}",
            provider="local",
            status=400,
        )
    return ReplyBroken(f"the embedded model failed: {facts.get('message')}", provider="local")


def _body(request: ModelRequest) -> JSONObject:
    """Write a request as the engine takes it."""
    settings = request.settings
    messages: list[JSON] = [{"role": message.role, "content": message.text} for message in request.messages]
    body: JSONObject = {
        "messages": messages,
        "temperature": settings.temperature or 0.0,
        "max_tokens": settings.max_tokens or _DEFAULT_MAX_TOKENS,
        "cache_prompt": True,
    }
    if request.output_schema is not None:
        body["grammar"] = _grammar(request.output_schema)
    return body


def _grammar(schema: JSONObject) -> str:
    """Write a schema as a grammar without white space to choose: it halves what has to be generated."""
    compact: JSONObject = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    return "%llguidance {}\nstart: %json " + json.dumps({**schema, "x-guidance": compact}, ensure_ascii=False)
