"""Real replies and conversations of Anthropic, OpenAI Responses and Gemini, replayed from loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.loopback import Loopback, Played, serving

from prudent.errors import ModelError, ModelRefusedRequest
from prudent.exchange import ModelRequest, ModelSettings, ReasoningDelta, Reply, TextDelta
from prudent.messages import Message, ToolCall
from prudent.models.providers import open_provider
from prudent.models.providers_model import ProviderModel
from prudent.models.retrying import RetryingModel

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.shared,
    # The recordings are older than the libraries that read them.
    pytest.mark.filterwarnings("ignore:The model '.*' is deprecated:DeprecationWarning"),
]

SHARED = Path(__file__).parents[3] / "shared"
WIRES = ("*_messages*", "*_responses*", "*_generatecontent*")
RECORDED = sorted(path for wire in WIRES for path in (SHARED / "recorded").glob(f"{wire}.json"))
# In the others OpenAI went on from its own store, or searched for tools itself: we ask for neither.
SEQUENCES = sorted(
    path
    for wire in WIRES[:2]
    for path in (SHARED / "recorded_sequences").glob(f"{wire}.json")
    if not re.search("previous-response-id|native-tool-search", path.stem)
)
PREFIXES = {
    "anthropic": "anthropic",
    "azure": "azure-responses",
    "bedrock": "bedrock-mantle",
    "deepseek": "openai-responses",
    "gemini": "google",
    "openai": "openai-responses",
    "vertex": "vertex",
}
MODELS = {"bedrock": "openai.gpt-5.6-luna", "gemini": "gemini-2.5-flash", "vertex": "gemini-2.5-flash"}


def test_the_recordings_are_there() -> None:
    if not SHARED.exists():
        pytest.skip("the recordings are not here")
    assert len(RECORDED) >= 30
    assert len(SEQUENCES) >= 4


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def rows(value: Any) -> list[dict[str, Any]]:
    return value or []


def first(value: Any) -> dict[str, Any]:
    return rows(value)[0] if value else {}


def played(response: dict[str, Any]) -> Played:
    data = response["body_text"].encode() if "body_text" in response else json.dumps(response["body"]).encode()
    pieces = [data[at : at + 777] for at in range(0, len(data), 777)]
    return Played(pieces, response["status"], content_type=response.get("content_type") or "application/json")


def opened(recorded: dict[str, Any], server: Loopback, *, model: str | None, stream: bool) -> ProviderModel:
    provider = recorded["provider"]
    url = server.url if PREFIXES[provider].endswith(("responses", "mantle")) else server.url.removesuffix("/v1")
    name = f"{PREFIXES[provider]}:{model or MODELS[provider]}"
    found = open_provider(name, base_url=url, api_key="k", stream=stream)
    assert isinstance(found, RetryingModel)
    assert isinstance(found.inner, ProviderModel)
    return found.inner


async def ask(model: ProviderModel, *messages: Message) -> tuple[Reply, str, str]:
    """Give the reply, and what streamed before it: text and reasoning."""
    text = reasoning = ""
    settings = ModelSettings(max_tokens=1000)
    async for event in model.stream(ModelRequest(messages or (Message("user", "hi"),), settings=settings)):
        if isinstance(event, TextDelta):
            text += event.text
        elif isinstance(event, ReasoningDelta):
            reasoning += event.text
        elif isinstance(event, Reply):
            return event, text, reasoning
    raise AssertionError("no reply")


class Truth:
    """What is in a recorded reply, put together as simply as the recordings allow."""

    def __init__(self, api: str, response: dict[str, Any]) -> None:
        self.text = ""
        self.reasoning: list[str] = []
        self.calls: list[tuple[str, str, Any]] = []
        self.read = self.cached = self.written = 0
        self.finish = ""
        self.signed: list[Any] = []
        """What has to go back as it came."""

        self._before = ""
        self._bodies = [response["body"]] if "body" in response else list(events(response["body_text"]))
        {"messages": self._messages, "responses": self._responses, "generateContent": self._generate}[api]()

    def _say(self, text: str, kind: str = "text") -> None:
        if text:
            self.text += "\n\n" if self.text and self._before != kind else ""
            self.text += text
        self._before = kind

    def _messages(self) -> None:
        whole = self._bodies[0] if self._bodies[0].get("type") == "message" else assembled(self._bodies)
        for block in whole["content"]:
            if block["type"] == "text":
                self._say(block["text"])
                continue
            if block["type"] != "server_tool_use":
                self._before = block["type"]
            if block["type"] == "thinking":
                self.reasoning += [block["thinking"]] if block["thinking"] else []
                self.signed.append({key: block[key] for key in ("type", "thinking", "signature")})
            elif block["type"] == "tool_use":
                self.calls.append((block["id"], block["name"], block["input"]))
        usage = whole["usage"]
        self.cached = usage.get("cache_read_input_tokens") or 0
        self.read = usage["input_tokens"] + (usage.get("cache_creation_input_tokens") or 0) + self.cached
        self.written = usage["output_tokens"]
        self.finish = {"end_turn": "stop", "tool_use": "tool_calls"}[whole["stop_reason"]]

    def _responses(self) -> None:
        whole = self._bodies[-1].get("response", self._bodies[-1])
        # OpenAI encrypts anew for its last event; what it sent with the item is as good.
        done = {body["item"]["id"]: body["item"] for body in self._bodies if body.get("type") == "response.output_item.done"}
        for item in whole["output"]:
            if item["type"] == "message":
                for part in item["content"]:
                    self._say(part["text"], item["id"])
                continue
            self._before = item["type"]
            if item["type"] == "reasoning":
                self.reasoning += [part["text"] for part in item["summary"]]
                self.reasoning += ["".join(part["text"] for part in rows(item.get("content")))] if item.get("content") else []
                self.signed.append((item["id"], done.get(item["id"], item).get("encrypted_content")))
            elif item["type"] == "function_call":
                self.calls.append((item["call_id"], item["name"], json.loads(item["arguments"])))
        usage = whole["usage"]
        self.read, self.written = usage["input_tokens"], usage["output_tokens"]
        self.cached = usage["input_tokens_details"]["cached_tokens"]
        self.finish = "tool_calls" if self.calls else "stop"

    def _generate(self) -> None:
        thoughts = ""
        for body in self._bodies:
            for part in rows(body["candidates"][0].get("content", {}).get("parts")):
                if part.get("thought"):
                    thoughts += part["text"]
                elif "text" in part:
                    self.text += part["text"]
                elif "functionCall" in part:
                    self.calls.append(("", part["functionCall"]["name"], part["functionCall"].get("args") or {}))
            usage: dict[str, int] = body.get("usageMetadata") or {}
            self.read = usage.get("promptTokenCount", self.read)
            self.cached = usage.get("cachedContentTokenCount", self.cached)
            self.written = usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0) or self.written
        self.reasoning = [thoughts] if thoughts else []
        self.finish = "tool_calls" if self.calls else "stop"


def events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("data:") and "[DONE]" not in line:
            yield json.loads(line[5:])


def assembled(stream: list[dict[str, Any]]) -> dict[str, Any]:
    """Put a streamed message of Anthropic together."""
    whole: dict[str, Any] = {}
    for event in stream:
        if event["type"] == "message_start":
            whole = event["message"]
        elif event["type"] == "content_block_start":
            whole["content"].append(event["content_block"])
        elif event["type"] == "content_block_delta":
            extend(whole["content"][event["index"]], event["delta"])
        elif event["type"] == "message_delta":
            whole["stop_reason"] = event["delta"]["stop_reason"]
            whole["usage"] |= {key: value for key, value in event["usage"].items() if value is not None}
    for block in rows(whole["content"]):
        if block["type"] == "tool_use" and block.get("json"):
            block["input"] = json.loads(block["json"])
    return whole


def extend(block: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, place in (("text", "text"), ("thinking", "thinking"), ("signature", "signature"), ("partial_json", "json")):
        if name in delta:
            block[place] = block.get(place, "") + delta[name]


def check(reply: Reply, truth: Truth) -> None:
    message = reply.message
    assert message.text == truth.text
    assert message.reasoning == "\n\n".join(truth.reasoning)
    assert [(call.id.rpartition(":")[2], call.name, json.loads(call.arguments or "{}")) for call in message.calls] == [
        (call_id.rpartition(":")[2], name, arguments) for call_id, name, arguments in truth.calls
    ]
    usage = reply.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (truth.read, truth.cached, truth.written)
    assert not usage.estimated
    assert reply.finish_reason == truth.finish


def sent_back(api: str, body: dict[str, Any]) -> list[Any]:
    """Find what of a reply went back as its provider had signed it."""
    if api == "messages":
        said = [part for message in body["messages"] if message["role"] == "assistant" for part in message["content"]]
        return [part for part in said if part["type"] == "thinking"]
    return [(item["id"], item["encrypted_content"]) for item in rows(body["input"]) if item.get("type") == "reasoning"]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_reply_comes_out_right_and_goes_back_whole(path: Path) -> None:
    recorded = load(path)
    answer = played(recorded["response"])
    async with serving(answer) as server:
        model = opened(recorded, server, model=recorded["model"], stream=recorded["stream"])
        try:
            if recorded["response"]["status"] == 400:
                with pytest.raises(ModelError) as caught:
                    await ask(model)
                assert type(caught.value) is ModelRefusedRequest
                assert "No tool output found for tool call call-a" in str(caught.value)
                return
            reply, text, reasoning = await ask(model)
            results = [Message("tool", "ok", call_id=call.id) for call in reply.message.calls]
            await ask(model, Message("user", "hi"), reply.message, *results, Message("user", "and?"))
        finally:
            await model.aclose()
    truth = Truth(recorded["api"], recorded["response"])
    check(reply, truth)
    if recorded["stream"]:
        assert text == reply.message.text
        assert reasoning.replace("\n", "") in ("", reply.message.reasoning.replace("\n", ""))
    if recorded["api"] != "generateContent":
        assert sent_back(recorded["api"], server.received[1].body) == truth.signed


def history(api: str, body: dict[str, Any], replies: list[Message]) -> list[Message]:
    """Make the history of a recorded request, with our own replies where the recorded ones stand."""
    waiting = {call.id: reply for reply in replies for call in reply.calls}
    messages: list[Message] = []
    if api == "messages":
        for sent in body["messages"]:
            calls = [part for part in sent["content"] if part["type"] == "tool_use"]
            if sent["role"] == "assistant":
                made = tuple(ToolCall(part["id"], part["name"], json.dumps(part["input"])) for part in calls)
                messages.append(waiting.get(made[0].id) or Message("assistant", calls=made))
                continue
            for part in sent["content"]:
                said = part if part["type"] == "text" else first(part["content"])
                role = "user" if part["type"] == "text" else "tool"
                messages.append(Message(role, said.get("text", "found"), call_id=part.get("tool_use_id", "")))
        return messages
    for item in rows(body["input"]):
        if item.get("role") == "user":
            messages.append(Message("user", item["content"]))
        elif item.get("type") == "function_call":
            messages.append(waiting[item["call_id"]])
        elif item.get("type") == "function_call_output":
            messages.append(Message("tool", item["output"], call_id=item["call_id"]))
    return messages


def plain(api: str, body: dict[str, Any]) -> list[Any]:
    """List what was said in a request, without what makes no difference to the provider."""
    if api == "responses":
        return [
            item | {"arguments": json.loads(item["arguments"])} if "arguments" in item else item for item in rows(body["input"])
        ]
    said: list[Any] = []
    for message in body["messages"]:
        for part in message["content"]:
            if part["type"] == "tool_result":
                found = first(part["content"])
                said.append((message["role"], part["tool_use_id"], found.get("text", "found")))
            else:
                said.append((message["role"], without(part, "cache_control")))
    return said


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in names}


@pytest.mark.parametrize("path", SEQUENCES, ids=lambda path: path.stem.split("_test-")[-1])
async def test_what_goes_back_is_what_the_provider_accepted(path: Path) -> None:
    recorded = load(path)
    api, steps = recorded["api"], rows(recorded["interactions"])
    asked = steps[0]["request"]["body"]
    replies: list[Message] = []
    async with serving(*(played(step["response"]) for step in steps)) as server:
        model = opened(recorded, server, model=asked["model"], stream=asked["stream"])
        for step in steps:
            messages = history(api, step["request"]["body"], replies)
            reply, _, _ = await ask(model, *messages)
            check(reply, Truth(api, step["response"]))
            replies.append(reply.message)
        await model.aclose()
    for step, received in zip(steps, server.received, strict=True):
        assert plain(api, received.body) == plain(api, step["request"]["body"])
