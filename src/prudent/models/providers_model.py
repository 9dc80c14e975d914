"""A model behind pydantic-ai's model layer, as our port wants it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
from pydantic_ai.models import StreamedResponse

from prudent.errors import ModelError
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest, Reply, Retrying
from prudent.models.failures import Speaker
from prudent.models.openai_chat import RAW_MAX_BYTES
from prudent.models.providers_decode import EventReader, raw_of, raw_without_bytes, reply_of
from prudent.models.providers_encode import RequestWriter, Written
from prudent.models.providers_facts import WireFacts
from prudent.models.providers_failures import failure, refused
from prudent.models.providers_open import Opened, open_layer
from prudent.models.providers_profile import profile_of
from prudent.models.providers_traffic import Traffic
from prudent.models.retrying import RetryingModel


class ProviderModel:
    """A model behind the layer. Tries each call once; `open` wraps it in `RetryingModel`.

    Safe for many runs at once, and in several event loops.
    """

    def __init__(
        self,
        name: str,
        *,
        open_model: Callable[[], Opened],
        wire: WireFacts,
        base_url: str = "",
        api_key: str = "",
        stream: bool = True,
    ) -> None:
        self.name = name
        self._open_model = open_model
        self._fresh: Opened | None = open_model()
        self._opened: dict[asyncio.AbstractEventLoop, Opened] = {}
        self._stream = stream
        shown = f"{wire.name} server at {urlsplit(base_url).netloc.rpartition('@')[2]}" if base_url else wire.name
        self._speaker = Speaker(shown, api_key, wire.key_variable)
        self._wire = wire
        layer = self._fresh.model
        at_home = not base_url
        self._writer = RequestWriter(
            wire,
            cast("dict[str, Any]", layer.profile),
            unsupported=layer.unsupported_settings,
            at_home=at_home,
            stream=stream,
        )
        self.profile: ModelProfile = replace(
            profile_of(wire, layer, at_home=at_home, writes_cache=self._writer.places_cache_points),
            takes_images=self._writer.takes_images,
            takes_parallel_parameter=self._writer.takes_parallel_parameter,
        )

    @classmethod
    def open(
        cls, name: str, *, wire: WireFacts, model: str, base_url: str = "", api_key: str = "", stream: bool = True
    ) -> RetryingModel:
        """Open a model of a wire, tried again when its provider fails in passing. Raises ConfigurationError."""

        def open_model() -> Opened:
            return open_layer(wire, model, base_url=base_url, api_key=api_key)

        return RetryingModel(cls(name, open_model=open_model, wire=wire, base_url=base_url, api_key=api_key, stream=stream))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield deltas and, last, one `Reply`. What the server refuses by name is left out, with a `Retrying` of 0 s."""
        for attempt in itertools.count(1):
            written = self._writer.write(request)
            call = _Call(self._here(), written, self._speaker, request.settings.stall_seconds)
            try:
                async with aclosing(call.events() if self._stream else call.whole()) as events:
                    async for event in events:
                        yield event
                return
            except _Refused as refusal:
                self._writer.refuse(refusal.what)
                reason = f"{self._speaker.provider} refuses {refusal.what}: left out from now on"
                yield Retrying(attempt, 0.0, reason, tokens_came=False)
            except ModelError as error:
                error.provider = self._wire.name
                raise

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        opened = self._opened.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.aclose()

    def _here(self) -> Opened:
        """Give the layer's model for the running loop: its connections belong to one loop."""
        loop = asyncio.get_running_loop()
        opened = self._opened.get(loop)
        if opened is None:
            for dead in [known for known in self._opened if known.is_closed()]:
                del self._opened[dead]
            opened, self._fresh = self._fresh or self._open_model(), None
            self._opened[loop] = opened
        return opened


class _Refused(Exception):
    """The server refuses something that can be left out."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(slots=True)
class _Call:
    """One call of the layer."""

    opened: Opened
    written: Written
    speaker: Speaker
    stall_seconds: float

    async def events(self) -> AsyncGenerator[ModelEvent]:
        """Stream a reply."""
        reader = EventReader()
        traffic = self._traffic()
        async with AsyncExitStack() as stack:
            response = await self._opening(stack, traffic)
            stack.push_async_callback(_close, response)
            events = aiter(response)
            while (event := await self._next(events)) is not None:
                for told in reader.feed(event):
                    yield told
            reply = self._reply(response.get(), traffic)
        yield reply

    async def whole(self) -> AsyncGenerator[ModelEvent]:
        """Ask for a reply in one piece."""
        traffic = self._traffic()
        written = self.written
        asked = model_request(
            self.opened.model,
            written.messages,
            model_settings=written.settings,
            model_request_parameters=written.parameters,
        )
        try:
            with traffic, self._patience():
                response = await asked
        except Exception as error:
            raise self._failure(error) from error
        yield self._reply(response, traffic)

    async def _opening(self, stack: AsyncExitStack, traffic: Traffic) -> StreamedResponse:
        written = self.written
        stream = model_request_stream(
            self.opened.model,
            written.messages,
            model_settings=written.settings,
            model_request_parameters=written.parameters,
        )
        try:
            with traffic, self._patience():
                return await stack.enter_async_context(stream)
        except Exception as error:
            raise self._failure(error) from error

    async def _next(self, events: AsyncIterator[ModelResponseStreamEvent]) -> ModelResponseStreamEvent | None:
        try:
            with self._patience():
                return await anext(events, None)
        except Exception as error:
            raise self._failure(error) from error

    def _patience(self) -> AbstractContextManager[object, None]:
        """Bound a wait where no client of ours watches the bytes."""
        scope = anyio.fail_after(None if self.opened.watched else self.stall_seconds)
        return cast("AbstractContextManager[object, None]", scope)

    def _traffic(self) -> Traffic:
        return Traffic(stall_seconds=self.stall_seconds, kept_bytes=RAW_MAX_BYTES)

    def _reply(self, response: ModelResponse, traffic: Traffic) -> Reply:
        reply = reply_of(response, self.speaker.provider, request_bytes=len(traffic.request))
        if traffic.request:
            raw = raw_of(traffic.url, traffic.request, traffic.response)
        else:
            raw = raw_without_bytes(response, self.written.messages)
        return replace(reply, raw=raw)

    def _failure(self, error: Exception) -> Exception:
        names = self.written.wire_names
        name = refused(error, names)
        if name is not None:
            return _Refused(names[name])
        return failure(error, self.speaker, stall_seconds=self.stall_seconds)


async def _close(response: StreamedResponse) -> None:
    """End the provider's work on a stream that was not read to its end."""
    with suppress(NotImplementedError):
        await response.cancel()
