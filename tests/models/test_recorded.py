"""Real replies of providers, replayed from loopback: what comes out has to be what is in them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.models.loopback import Loopback, Played, serving

from prudent.errors import ModelError, ModelOverloaded, ReplyBroken
from prudent.exchange import ModelEvent, ModelRequest, Reply
from prudent.messages import Message, ToolCall
from prudent.models.facts import facts_for
from prudent.models.openai_chat import OpenAIChat

pytestmark = [pytest.mark.anyio, pytest.mark.shared]

SHARED = Path(__file__).parents[3] / "shared"
RECORDED = sorted((SHARED / "recorded").glob("*_chat-*.json"))
SEQUENCES = sorted((SHARED / "recorded_sequences").glob("*_chat_*.json"))


def test_the_recordings_are_there() -> None:
    if not SHARED.exists():
        pytest.skip("the recordings are not here")
    assert len(RECORDED) >= 40
    assert len(SEQUENCES) >= 14


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def rows(value: Any) -> list[dict[str, Any]]:
    return value or []


def opened(provider: str, server: Loopback) -> OpenAIChat:
    """Open a model as its users would: by its provider's row, else by `openai:` with a base URL."""
    prefix = "openrouter" if provider.startswith("openrouter") else provider
    try:
        facts = facts_for(prefix, server.url)
    except KeyError:
        facts = facts_for("openai", server.url)
    return OpenAIChat(f"{prefix}:m", model="m", facts=facts, api_key="no-key")


def played(response: dict[str, Any]) -> Played:
    data = response["body_text"].encode() if "body_text" in response else json.dumps(response["body"]).encode()
    pieces = [data[at : at + 777] for at in range(0, len(data), 777)]
    return Played(pieces, response["status"], content_type=response.get("content_type") or "application/json")


async def outcome(model: OpenAIChat, *messages: Message) -> Reply | ModelError:
    events: list[ModelEvent] = []
    try:
        async for event in model.stream(ModelRequest(messages or (Message("user", "hi"),))):
            events.append(event)
    except ModelError as error:
        return error
    [reply] = [event for event in events if isinstance(event, Reply)]
    return reply


class Truth:
    """What is in a recorded reply, put together as simply as the recordings allow."""

    def __init__(self, response: dict[str, Any]) -> None:
        self.text = self.reasoning = self.finish = ""
        self.usage: dict[str, Any] = {}
        self.calls: dict[int, list[str]] = {}
        for chunk in self._chunks(response):
            self.usage = chunk.get("usage") or self.usage
            for choice in rows(chunk.get("choices")):
                self.finish = choice.get("finish_reason") or self.finish
                self._add(choice.get("delta") or choice.get("message") or {})
        thought = re.match(r"\s*<think>(.*?)(</think>|$)\s*", self.text, re.S)
        if thought:
            self.reasoning, self.text = thought.group(1).strip(), self.text[thought.end() :]

    def _chunks(self, response: dict[str, Any]) -> list[dict[str, Any]]:
        if "body" in response:
            return [response["body"]]
        lines = [line.strip() for line in response["body_text"].splitlines()]
        return [json.loads(line[5:]) for line in lines if line.startswith("data:") and "[DONE]" not in line]

    def _add(self, delta: dict[str, Any]) -> None:
        content = delta.get("content") or ""
        if isinstance(content, list):
            self.reasoning += "".join(part["text"] for entry in rows(content) for part in rows(entry["thinking"]))
            content = ""
        self.text += content
        self.reasoning += delta.get("reasoning_content") or delta.get("reasoning") or ""
        if not delta.get("reasoning"):
            self.reasoning += "".join(entry.get("text") or "" for entry in rows(delta.get("reasoning_details")))
        for place, entry in enumerate(rows(delta.get("tool_calls"))):
            call = self.calls.setdefault(entry.get("index", place), ["", "", ""])
            call[0] = entry.get("id") or call[0]
            call[1] = entry["function"].get("name") or call[1]
            call[2] += entry["function"].get("arguments") or ""


def check(reply: Reply, response: dict[str, Any]) -> None:
    truth = Truth(response)
    message = reply.message
    assert message.text == truth.text
    assert message.reasoning == truth.reasoning
    assert [[call.id, call.name, call.arguments] for call in message.calls] == list(truth.calls.values())
    assert reply.usage.input_tokens == truth.usage["prompt_tokens"]
    assert reply.usage.output_tokens == truth.usage["completion_tokens"]
    details: dict[str, int] = truth.usage.get("prompt_tokens_details") or {}
    assert reply.usage.cached_tokens == (details.get("cached_tokens") or truth.usage.get("num_cached_tokens") or 0)
    assert not reply.usage.estimated
    assert reply.finish_reason == (truth.finish or ("tool_calls" if truth.calls else "stop"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_reply_comes_out_right(path: Path) -> None:
    recorded = load(path)
    async with serving(played(recorded["response"])) as server:
        model = opened(recorded["provider"], server)
        found = await outcome(model)
        await model.aclose()
    if recorded["response"]["status"] == 429:
        assert isinstance(found, ModelOverloaded)
        assert "temporarily rate-limited upstream" in str(found)
        return
    assert isinstance(found, Reply), found
    check(found, recorded["response"])


async def test_a_recorded_stream_without_a_finish_reason_is_broken_unless_that_is_known_of_its_provider() -> None:
    paths = [path for path in RECORDED if path.stem == "openrouter-kimi_chat-stream-tool-gpt-4.1-mini"]
    if not paths:
        pytest.skip("the recordings are not here")
    recorded = load(paths[0])
    async with serving(played(recorded["response"])) as server:
        model = opened("openai", server)
        assert isinstance(await outcome(model), ReplyBroken)
        await model.aclose()


def message_of(sent: dict[str, Any]) -> Message:
    """Read a message of a recorded request that is not a reply of the conversation."""
    content = sent.get("content") or ""
    text = (
        content if isinstance(content, str) else "\n".join(part["text"] for part in rows(content) if part.get("type") == "text")
    )
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in rows(sent.get("tool_calls"))
    )
    return Message(sent["role"], text, calls, call_id=sent.get("tool_call_id", ""))


def identity(message: Message) -> str:
    """Tell an assistant message from others of its conversation, by its calls, else by its text."""
    calls = [(call.name, json.loads(call.arguments or "{}")) for call in message.calls]
    return repr(calls or message.text)


def history(sent: list[dict[str, Any]], replies: list[Message]) -> list[Message]:
    """Make the history of a recorded request, with our own replies where the recorded ones stand."""
    known = {identity(reply): reply for reply in replies}
    messages: list[Message] = []
    for theirs in map(message_of, sent):
        ours = known.get(identity(theirs)) if theirs.role == "assistant" else None
        # The ids are the recorder's where the provider gave none; arguments go back as a JSON object.
        messages.append(theirs if ours is None else replace(ours, calls=theirs.calls))
    return messages


def plain(sent: dict[str, Any]) -> dict[str, Any]:
    """Strip a message of what makes no difference to the provider."""
    kept = {
        name: value for name, value in sent.items() if value not in (None, "", []) and name not in ("prefix", "extra_content")
    }
    content = kept.get("content")
    if isinstance(content, list):
        kept["content"] = "\n".join(part["text"] for part in rows(content) if part["type"] == "text")
    if isinstance(content, str) and content.startswith("<think>"):
        # The recorder wrote groq's `reasoning` into the text; we give it back under its own name.
        thought, _, rest = content.removeprefix("<think>\n").partition("\n</think>")
        kept |= {"reasoning": thought, "content": rest.strip()}
    if "tool_calls" in kept:
        kept["tool_calls"] = [
            (call["id"], call["type"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in rows(kept["tool_calls"])
        ]
    return {name: value for name, value in kept.items() if value != ""}


@pytest.mark.parametrize("path", SEQUENCES, ids=lambda path: path.stem.split("_test-")[-1])
async def test_what_goes_back_is_what_the_provider_accepted(path: Path) -> None:
    recorded = load(path)
    steps = rows(recorded["interactions"])
    replies: list[Message] = []
    async with serving(*(played(step["response"]) for step in steps)) as server:
        model = opened(recorded["provider"], server)
        for step in steps:
            found = await outcome(model, *history(step["request"]["body"]["messages"], replies))
            assert isinstance(found, Reply), found
            replies.append(found.message)
            if step["response"]["status"] == 200 and "event: error" not in step["response"].get("body_text", ""):
                check(found, step["response"])
        await model.aclose()
    for step, received in zip(steps, server.received, strict=True):
        theirs = [plain(message) for message in step["request"]["body"]["messages"]]
        ours = [plain(message) for message in received.body["messages"]]
        assert ours == theirs
