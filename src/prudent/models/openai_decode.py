"""Reads the replies of chat-completions servers, streamed or whole, into text, reasoning, calls, usage and an end."""

from __future__ import annotations

import json

from prudent.errors import ModelOverloaded, ReplyBroken
from prudent.exchange import FinishReason, ModelEvent, ReasoningDelta, Reply, TextDelta
from prudent.messages import Message, ToolCall
from prudent.models.failures import ServerError, Speaker, read_payload
from prudent.models.openai_calls import CallAssembler
from prudent.models.openai_reasoning import ReasoningKeeper
from prudent.models.openai_text import ThinkTags, WholeCharacters, mended
from prudent.models.untrusted import count_of, list_of, object_of, text_of
from prudent.types import JSON, JSONObject, Usage

OPAQUE_BY = "openai_chat"
"""Marks what only this adapter may send back."""

BYTES_A_TOKEN = 4
"""For estimates where a server gives no figures."""

_FINISH: dict[str, FinishReason] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token", "end", "complete", "completed"), "stop"),
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "function_call"), "tool_calls"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length"), "length"),
    **dict.fromkeys(("model_context_window_exceeded",), "length"),
    **dict.fromkeys(("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"), "content_filter"),
    **dict.fromkeys(("refusal", "sensitive"), "content_filter"),
}
_NO_END = frozenset({"error", "network_error", "abort", "malformed_function_call", "unexpected_tool_call"})
"""Finish reasons that say that there is no reply to be had."""

_TORN_MAX_BYTES = 1024 * 1024


class ReplyReader:
    """Collects one reply from the data lines of an answer."""

    def __init__(self, speaker: Speaker, *, provider: str, done_is_an_end: bool = False, reasoning_apart: bool = False) -> None:
        self._speaker = speaker
        self._provider = provider
        self._done_is_an_end = done_is_an_end
        self._reasoning_apart = reasoning_apart
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._raw_texts: list[str] = []
        self._tags = ThinkTags()
        self._text_out = WholeCharacters()
        self._thought_out = WholeCharacters()
        self._calls = CallAssembler()
        self._reasoning = ReasoningKeeper()
        self._usage: JSONObject = {}
        self._model = ""
        self._finish = ""
        self._torn = b""
        self._whole = False
        self.done = False
        """Whether the closing mark came."""

        self.understood = False
        """Whether anything came that can belong to a reply."""

    @property
    def ended(self) -> bool:
        """Whether a finish reason came."""
        return bool(self._finish)

    @property
    def tokens_came(self) -> bool:
        """Whether the model had begun to speak."""
        return bool(self._texts or self._thoughts or self._raw_texts or self._calls)

    def feed(self, event: str, data: bytes) -> list[ModelEvent]:
        """Take one data line in, and give what it adds. Raises ModelError when the line is one."""
        if data == b"[DONE]":
            self.done = True
            return []
        chunk = self._decode(data)
        if chunk is None:
            return []
        if event == "error" or _is_error(chunk):
            return self.salvage(read_payload(0, chunk))
        self._whole = event == "whole"
        return self._chunk(chunk)

    def reply(self, *, request_bytes: int) -> Reply:
        """Give the whole reply. Raises ModelError when it has no end. `request_bytes` is for estimating tokens."""
        thinking, text = self._tags.finish()
        self._thoughts += filter(None, [thinking])
        self._texts += filter(None, [text])
        calls = self._calls.finished()
        reason = self._finish_reason(calls)
        text, thought = mended("".join(self._texts)), mended("".join(self._thoughts))
        tagged = mended("".join(self._raw_texts)) if self._tags.seen else ""
        opaque = self._reasoning.opaque(provider=self._provider, text=text, tagged=tagged, calls=self._calls.extras())
        message = Message(
            role="assistant",
            text=text,
            calls=calls,
            reasoning=thought.strip() if self._tags.seen else thought,
            opaque=opaque,
            opaque_by=OPAQUE_BY if opaque else "",
        )
        return Reply(message=message, finish_reason=reason, usage=self._usage_of(message, request_bytes), model=self._model)

    def salvage(self, found: ServerError) -> list[ModelEvent]:
        """Take the call that a provider refused itself as the model wrote it, so that the model is told what was wrong.

        Raises the ModelError of any other error.
        """
        call = refused_call(found)
        if call is None:
            raise self._speaker.error(found, tokens_came=self.tokens_came, in_reply=True)
        self._finish = "tool_calls"
        self.understood = True
        events: list[ModelEvent] = []
        events += self._calls.feed({"function": {"name": call.name, "arguments": call.arguments}})
        return events

    def _decode(self, data: bytes) -> JSONObject | None:
        """Decode a data line, or hold it back when it is only part of one: JSON may go over several lines."""
        for candidate in (self._torn + data, data) if self._torn else (data,):
            try:
                decoded: object = json.loads(candidate.decode())
            except ValueError:
                continue
            chunk = object_of(decoded) or object_of(next(iter(list_of(decoded)), None))
            if chunk:
                self._torn = b""
                return chunk
        self._torn += data + b"\n"
        if len(self._torn) > _TORN_MAX_BYTES:
            raise ReplyBroken(f"{self._speaker.provider} sent what is not JSON", tokens_came=self.tokens_came)
        return None

    def _chunk(self, chunk: JSONObject) -> list[ModelEvent]:
        usage = chunk.get("usage")
        if usage:
            self._take_usage(object_of(usage))
        if not self._model:
            self._model = text_of(chunk.get("model"))
        choice = object_of(next(iter(list_of(chunk.get("choices"))), None))
        if not choice:
            return []
        self.understood = True
        if choice.get("usage"):
            self._take_usage(object_of(choice["usage"]))
        self._finish = self._finish or text_of(choice.get("finish_reason"))
        delta = choice.get("delta")
        if delta is None and not self.tokens_came:
            delta = choice.get("message")
        return self._delta(object_of(delta)) if delta else []

    def _delta(self, delta: JSONObject) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        thought = self._reasoning.feed(delta)
        content: JSON = delta.get("content") or delta.get("refusal")
        if isinstance(content, list):
            more, content = self._reasoning.feed_parts(content)
            thought += more
        if thought:
            self._say_thought(thought, events)
        if isinstance(content, str) and content:
            self._raw_texts.append(content)
            thinking, text = self._tags.feed(content)
            if thinking:
                self._say_thought(thinking, events)
            if text:
                self._texts.append(text)
                shown = self._text_out.feed(text)
                if shown:
                    events.append(TextDelta(shown))
        for entry in list_of(delta.get("tool_calls")):
            events += self._calls.feed(entry)
        legacy = object_of(delta.get("function_call"))
        if legacy and (legacy.get("name") or legacy.get("arguments")):
            events += self._calls.feed({"function": legacy})
        return events

    def _say_thought(self, thought: str, events: list[ModelEvent]) -> None:
        self._thoughts.append(thought)
        shown = self._thought_out.feed(thought)
        if shown:
            events.append(ReasoningDelta(shown))

    def _finish_reason(self, calls: tuple[ToolCall, ...]) -> FinishReason:
        who = self._speaker.provider
        if not self._finish:
            # A whole document is complete without saying so; a stream may have been cut anywhere.
            if self._whole or (self._done_is_an_end and self.done and self._calls.all_closed):
                return "tool_calls" if calls else "stop"
            raise ReplyBroken(f"{who} ended its reply without a finish reason", tokens_came=self.tokens_came)
        word = self._finish.lower()
        if word in _NO_END:
            raise ReplyBroken(f"{who} ended its reply with {self._finish!r}", tokens_came=self.tokens_came)
        if word == "insufficient_system_resource":
            raise ModelOverloaded(f"{who} ran out of resources within its reply", tokens_came=self.tokens_came)
        reason = _FINISH.get(word, "other")
        return "stop" if reason == "tool_calls" and not calls else reason

    def _take_usage(self, usage: JSONObject) -> None:
        if usage.get("prompt_tokens") or usage.get("completion_tokens") or not self._usage:
            self._usage = usage

    def _usage_of(self, message: Message, request_bytes: int) -> Usage:
        usage = self._usage
        if not usage:
            spoken = [message.text, message.reasoning, *(call.name + call.arguments for call in message.calls)]
            written = sum(len(text.encode("utf-8", "replace")) for text in spoken)
            return Usage(request_bytes // BYTES_A_TOKEN, 0, -(-written // BYTES_A_TOKEN), estimated=True)
        output = count_of(usage.get("completion_tokens"))
        if self._reasoning_apart:
            output += count_of(object_of(usage.get("completion_tokens_details")).get("reasoning_tokens"))
        read = count_of(usage.get("prompt_tokens"))
        return Usage(read, min(read, _cached(usage)), output)


def refused_call(found: ServerError) -> ToolCall | None:
    """Give the call in an error of the kind `tool_use_failed`, if there is one."""
    if found.code != "tool_use_failed" or not found.failed_generation:
        return None
    try:
        written = object_of(json.loads(found.failed_generation))
    except ValueError:
        return None
    name, arguments = text_of(written.get("name")), written.get("arguments")
    if not name:
        return None
    return ToolCall("", name, arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False))


def _is_error(chunk: JSONObject) -> bool:
    if chunk.get("error") or chunk.get("object") == "error":
        return True
    # MiniMax reports errors beside an empty list of choices.
    return bool(object_of(chunk.get("base_resp")).get("status_code")) and not chunk.get("choices")


def _cached(usage: JSONObject) -> int:
    """Find how many tokens came from the cache, under any of the names in use."""
    details = object_of(usage.get("prompt_tokens_details"))
    for value in (
        details.get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
        usage.get("num_cached_tokens"),
    ):
        if value:
            return count_of(value)
    return 0
