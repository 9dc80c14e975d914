"""A wrapper that makes any model with JSON-schema output a model that calls tools.

Each reply is held to one choice: `{"tool": NAME, "args": {…}}` for one of the tools, or `{"tool": "final_answer",
"answer": …}`. The name comes first, so that choosing a tool is choosing a word. With a `SmallModelProfile` the reply is
made in phases instead (`small.SmallTurn`), which is what models of a few billion parameters need.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from prudent.errors import ModelRefusedRequest, ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ModelRequest, ReasoningDelta, Retrying, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec, canonical_json
from prudent.models.asking import Asking
from prudent.models.constrained_schema import FINAL, reply_schema
from prudent.models.constrained_text import AnswerText
from prudent.models.small import SmallTurn
from prudent.models.small_profile import SmallModelProfile
from prudent.ports import Model

_TOOLS = """\
You can use these tools; each is given with the JSON schema of its arguments:
{tools}

Reply with one JSON object and nothing else: {{"tool": NAME, "args": {{…}}}} to use a tool, or \
{{"tool": "final_answer", "answer": …}} when no tool is needed any more. The result of a tool comes in the next message."""


class ConstrainedModel:
    """Any model that honours `ModelRequest.output_schema`, with tools. Its calls are valid JSON by construction."""

    def __init__(self, inner: Model, profile: SmallModelProfile | None = None) -> None:
        """Wrap a model.

        Args:
            inner: A model that holds its replies to `output_schema`. For one with good tool calls of its own use it as it is.
            profile: What a small model needs; None for one that can find its own way.
        """
        self.inner = inner
        self.small = profile
        self.name = inner.name
        self.profile = replace(inner.profile, takes_tool_choice_none=True, takes_parallel_parameter=False)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield calls, the answer's text and last the reply; closing the generator ends the inner one."""
        if request.purpose in ("folding", "digest") and self.small is not None:
            raise ModelRefusedRequest(f"{self.name} is too small to write summaries")
        turn = self._turn(request) if self.small is None else SmallTurn(self.inner, self.small, request).events()
        async with aclosing(turn) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the inner model."""
        await self.inner.aclose()

    async def _turn(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Make one constrained reply."""
        free = request.tool_choice == "none" or not request.tools
        schema = request.output_schema if free else reply_schema(request.tools, request.output_schema)
        messages = render_messages(request.messages, () if free else request.tools)
        asking = Asking(self.inner, request.settings)
        answer = AnswerText(plain=free)
        async with aclosing(asking.stream(messages, schema)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        if piece := answer.take(text):
                            yield TextDelta(piece)
                    case Retrying():
                        answer = AnswerText(plain=free)
                        yield event
                    case ReasoningDelta():
                        yield event
                    case _:
                        pass
        if free:
            yield asking.reply(asking.text)
            return
        decided = read_choice(asking.text)
        if decided.call:
            yield CallReady(0, decided.call)
        elif not answer.came and decided.answer:
            yield TextDelta(decided.answer)
        yield asking.reply(decided.answer, (decided.call,) if decided.call else ())


@dataclass(frozen=True, slots=True)
class Choice:
    """What a constrained reply came to: a call, or the answer's text."""

    answer: str = ""
    call: ToolCall | None = None


def read_choice(text: str) -> Choice:
    """Read a constrained reply. One that was cut off gives its text, so that the runtime sees a cut answer."""
    try:
        reply = json.loads(text)
        name = reply["tool"]
    except (ValueError, KeyError, TypeError) as error:
        if not text.strip().startswith("{"):
            return Choice(text)
        raise ReplyBroken("the model's constrained reply is no whole JSON object", tokens_came=True) from error
    if name == FINAL:
        answer = reply.get("answer", "")
        return Choice(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
    return Choice(call=ToolCall("", str(name), json.dumps(reply.get("args", {}), ensure_ascii=False)))


def render_messages(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Write a conversation with calls as one that any chat model takes: calls and results become plain text.

    What is rendered for a message never changes later, so that the prompt's prefix stays the same from turn to turn.
    """
    system = [message.text for message in messages if message.role == "system"]
    if tools:
        listed = "\n".join(f"- {tool.name}: {tool.description}\n  {canonical_json(tool.parameters)}" for tool in tools)
        system.append(_TOOLS.format(tools=listed))
    names = {call.id: call.name for message in messages for call in message.calls}
    rendered = [Message("system", "\n\n".join(system))] if system else []
    for message in messages:
        match message.role:
            case "system":
                continue
            case "tool":
                rendered.append(Message("user", f"Result of {names.get(message.call_id, 'the tool')}:\n{message.text}"))
            case "assistant" if message.calls:
                calls = [f'{{"tool": {json.dumps(call.name)}, "args": {call.arguments}}}' for call in message.calls]
                rendered.append(Message("assistant", "\n".join(calls)))
            case _:
                rendered.append(replace(message, calls=(), reasoning="", opaque="", opaque_by=""))
    return rendered
