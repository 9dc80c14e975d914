"""OpenAI chat completions, spoken to any server that offers them. Its servers' faults are ours to survive."""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from urllib.parse import urlsplit

import anyio

from prudent.errors import ConfigurationError, ModelError, ModelStalled, ModelUnreachable, ReplyBroken
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest, RawExchange, Reply, Retrying
from prudent.models.catalogue import known_model, takes_pictures
from prudent.models.facts import PROVIDERS, ProviderFacts
from prudent.models.failures import ServerError, Speaker, read_body, retry_after
from prudent.models.openai_decode import ReplyReader, refused_call
from prudent.models.openai_encode import IMAGES, RequestWriter, Written
from prudent.models.wire import Answer, DataLines, Wire

RAW_MAX_BYTES = 1024 * 1024
"""How much of an answer is kept for `show --raw`."""

TAIL_SECONDS = 2.0
"""How long usage figures are waited for once the reply has its end."""

_REFUSALS = (400, 422)
_REFUSING = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra|invalid|incompatible"
    r"|not available|does ?n[o']t|deprecated|only|cannot|can't|must be|instead|too large|not compatible",
    re.I,
)


class OpenAIChat:
    """A model behind chat completions. Tries each call once; wrap it in `RetryingModel`, as `resolve` does.

    Safe for many runs at once. `unix_socket` speaks to a local server through a socket file instead of the network.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        facts: ProviderFacts,
        api_key: str = "",
        unix_socket: str = "",
        profile: ModelProfile | None = None,
    ) -> None:
        self.name = name
        self.facts = facts
        self.model = model
        self.profile = profile or profile_of(facts, model)
        self._speaker = Speaker(_shown_name(facts), api_key, facts.key_variable)
        self._writer = RequestWriter(facts, model)
        self.url = f"{facts.url.rstrip('/').removesuffix('/chat/completions')}/chat/completions"
        self._wire = Wire(
            self.url,
            speaker=self._speaker.provider,
            headers=[("authorization", f"Bearer {_usable(api_key, facts)}")] if api_key else [],
            unix_socket=unix_socket,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield deltas and, last, one `Reply`. A parameter that the server refuses is dropped, with a `Retrying` of 0 s."""
        for attempt in itertools.count(1):
            written = self._writer.write(request, stream=self.facts.stream)
            try:
                async with aclosing(self._try(written, request.settings.stall_seconds)) as events:
                    async for event in events:
                        yield event
                return
            except _ParameterRefused as refusal:
                self._writer.refuse(refusal.parameter)
                reason = f"{self._speaker.provider} refuses {refusal.parameter}: left out from now on"
                yield Retrying(attempt, 0.0, reason, tokens_came=False)
            except ModelError as error:
                error.provider = self.facts.name
                raise

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._wire.aclose()

    async def _try(self, written: Written, stall_seconds: float) -> AsyncGenerator[ModelEvent]:
        async with self._wire.post(written.body, stall_seconds=stall_seconds) as answer:
            if answer.status // 100 != 2:
                yield await self._not_accepted(answer, written)
                return
            incoming = _Incoming(self._new_reader(), self._speaker)
            try:
                async for piece in answer.pieces:
                    for event in incoming.feed(piece):
                        yield event
                    if incoming.is_over:
                        break
                await incoming.finish(answer)
            except ModelError as error:
                error.tokens_came = error.tokens_came or incoming.reader.tokens_came
                raise
        for event in incoming.rest:
            yield event
        yield incoming.reply(written, self.url)

    async def _not_accepted(self, answer: Answer, written: Written) -> Reply:
        """Make a reply of a call that the provider refused itself; raise whatever else its answer means."""
        body = await answer.whole()
        found = read_body(answer.status, body)
        if refused_call(found) is not None:
            reader = self._new_reader()
            reader.salvage(found)
            return replace(reader.reply(request_bytes=len(written.body)), raw=_raw(self.url, written, body))
        parameter = refused_parameter(found, written.parameters)
        if parameter is not None:
            raise _ParameterRefused(parameter)
        if answer.status // 100 == 3:
            found = replace(found, message=f"it redirects to {answer.headers.get('location', 'nowhere')}")
        raise self._speaker.error(found, retry_after_seconds=retry_after(answer.headers))

    def _new_reader(self) -> ReplyReader:
        facts = self.facts
        return ReplyReader(
            self._speaker, provider=facts.name, done_is_an_end=facts.done_is_an_end, reasoning_apart=facts.reasoning_apart
        )


class _ParameterRefused(Exception):
    """The server refuses a parameter that can be left out."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


class _Incoming:
    """One answer on its way in."""

    def __init__(self, reader: ReplyReader, speaker: Speaker) -> None:
        self.reader = reader
        self.rest: list[ModelEvent] = []
        """What came after the reply had its end, or with it."""

        self._speaker = speaker
        self._lines = DataLines()
        self._kept: list[bytes] = []
        self._kept_bytes = 0

    @property
    def is_over(self) -> bool:
        return self.reader.ended or self.reader.done

    def feed(self, piece: bytes) -> list[ModelEvent]:
        if self._kept_bytes < RAW_MAX_BYTES:
            self._kept.append(piece)
            self._kept_bytes += len(piece)
        events: list[ModelEvent] = []
        for event, data in self._lines.feed(piece):
            events += self.reader.feed(event, data)
        return events

    async def finish(self, answer: Answer) -> None:
        """Read what still comes, so that the connection can be used again. A reply that has its end cannot be spoilt now."""
        if self.is_over:
            with suppress(ModelUnreachable, ModelStalled), anyio.move_on_after(TAIL_SECONDS):
                async for piece in answer.pieces:
                    self.rest += self.feed(piece)
        for event, data in self._lines.finish():
            self.rest += self.reader.feed(event, data)
        if not self.reader.understood:
            words = self._speaker.cleaned(self._lines.head.decode("utf-8", "replace").strip())
            raise ReplyBroken(f"{self._speaker.provider} sent what is not a model reply: {words or 'nothing at all'}")

    def reply(self, written: Written, url: str) -> Reply:
        raw = _raw(url, written, b"".join(self._kept))
        return replace(self.reader.reply(request_bytes=len(written.body)), raw=raw)


def _raw(url: str, written: Written, response: bytes) -> RawExchange:
    return RawExchange(url, written.head, written.messages, response[:RAW_MAX_BYTES])


def refused_parameter(found: ServerError, sent: frozenset[str]) -> str | None:
    """Name the parameter that a server refuses, if it is one that was sent."""
    if found.status not in _REFUSALS:
        return None
    named = found.parameter.split(".")[0].split("[")[0]
    if named in sent and named not in ("model", "stream"):
        return named
    if not _REFUSING.search(found.message):
        return None
    places = {name: _place(name, found) for name in sent if name not in ("model", "stream")}
    return min((name for name in places if places[name] >= 0), key=lambda name: places[name], default=None)


def _place(name: str, found: ServerError) -> int:
    """Find where an error names a parameter; -1 when it does not."""
    pattern = r"\bimages?\b|image_url|multimodal|vision" if name == IMAGES else rf"(?<![\w.]){re.escape(name)}\b"
    place = re.search(pattern, f"{found.message} {found.parameter}", re.I)
    return place.start() if place else -1


def profile_of(facts: ProviderFacts, model: str) -> ModelProfile:
    """Put together what is known of a model. Prices hold only at the provider's own address."""
    known = known_model(facts.name, model)
    own = PROVIDERS.get(facts.name)
    at_home = own is not None and urlsplit(own.url).hostname == urlsplit(facts.url).hostname
    profile = ModelProfile(
        provider=facts.name,
        takes_images=facts.takes_images and takes_pictures(model),
        takes_tool_choice_none=facts.takes_tool_choice_none,
        takes_parallel_parameter=facts.takes_parallel(model),
    )
    if known is None:
        return profile
    profile = replace(profile, context_window_tokens=known.window_tokens)
    if not at_home:
        return profile
    return replace(profile, input_price=known.input_price, cached_price=known.cached_price, output_price=known.output_price)


def _shown_name(facts: ProviderFacts) -> str:
    """Say who answers; for a server that is not the provider's own, say where it stands."""
    own = PROVIDERS.get(facts.name)
    if own is not None and own.url == facts.url:
        return facts.name
    return f"{facts.name} server at {urlsplit(facts.url).netloc.rpartition('@')[2]}"


def _usable(api_key: str, facts: ProviderFacts) -> str:
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        where = facts.key_variable or "the API key"
        raise ConfigurationError(f"{where} holds something that is no key: it has blanks or signs that no header can carry")
    return key
