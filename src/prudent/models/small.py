"""What models of a few billion parameters and less need to use tools: one narrow question at a time.

A reply is made in phases: choose a step (with a thought beside the first one), or answer. Each is a constrained call.
The rules below are general, and each was measured; none knows any tool or any question:

- a call that was just made is not offered again, and identifiers and the numbers of a calculation come from what is known;
- the answer is made from the question and the facts alone, its numbers occur there, and it names the fact it rests on;
- an answer that rests on none of the facts is not given: the reply says that nothing was found;
- texts and lists have caps, optional parameters are left out, examples are not shown, since they leak into arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from prudent.exchange import CallReady, ModelEvent, ModelRequest, Reply, Retrying, TextDelta
from prudent.messages import Message, ToolCall, ToolSpec
from prudent.models.asking import Asking
from prudent.models.constrained_schema import FINAL, choice, closed_object, hoist
from prudent.models.small_grounding import answer_pattern, expression_pattern, ground, known_numbers
from prudent.models.small_situation import THINK, Fact, facts_of, read_situation
from prudent.models.small_words import words_for
from prudent.ports import Model
from prudent.types import JSON, JSONObject

_NO_FACT = "none"
_EXAMPLES = re.compile(r"\n*(?:Examples?|例如|示例)\s*[:：].*", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class SmallModelProfile:
    """How narrow a small model is held."""

    instruction_chars: int = 600
    """So much of the system prompt is shown, whole paragraphs from its beginning: the agent's own words stand there."""

    description_chars: int = 240
    """So much of a tool's description is shown, whole sentences."""

    fact_chars: int = 900
    """So much of one result is shown when answering."""

    most_facts: int = 4
    thought_chars: int = 120
    answer_chars: int = 400
    free_answer_tokens: int = 200
    """Of an answer that rests on no tool."""

    expression_parameters: frozenset[str] = frozenset({"expression"})
    """Parameters that take a calculation: it is held to known numbers."""


class SmallTurn:
    """One reply of a small model."""

    def __init__(self, inner: Model, profile: SmallModelProfile, request: ModelRequest) -> None:
        """Read the conversation."""
        self.profile = profile
        self.request = request
        self.asking = Asking(inner, replace(request.settings, temperature=0.0))
        self.situation = read_situation(request.messages)
        self.words = words_for(self.situation.question)
        self.facts = facts_of(self.situation.steps, chars=profile.fact_chars)[-profile.most_facts :]

    async def events(self) -> AsyncGenerator[ModelEvent]:
        """Choose a step, or answer."""
        offers = self._offers()
        calls = await self._choose(offers) if offers else ()
        for position, call in enumerate(calls):
            yield CallReady(position, call)
        if calls:
            yield self.asking.reply("", calls)
            return
        answering = self._answer_from_facts() if self.situation.steps else self._answer_freely()
        async with aclosing(answering) as events:
            async for event in events:
                yield event

    # -- choosing ---------------------------------------------------------------------------------------------------

    def _offers(self) -> dict[str, JSONObject]:
        """Give the tools that can be called now, each with the schema of its arguments."""
        if self.request.tool_choice == "none":
            return {}
        mounted = [tool.name for tool in self.request.tools]
        offers: dict[str, JSONObject] = {}
        for tool in self.request.tools:
            if tool.name == THINK:
                continue
            arguments = ground(tool, mounted, self.situation.steps, self.situation.question)
            if arguments is None or (_is_free(arguments) and self._was_called(tool.name)):
                continue
            if self._held_to_numbers(arguments):
                offers[tool.name] = arguments
        return offers

    def _was_called(self, name: str) -> bool:
        return any(step.name == name and not step.failed for step in self.situation.steps)

    def _held_to_numbers(self, arguments: JSONObject) -> bool:
        """Hold calculations to known numbers; False when there are not two to calculate with."""
        properties = arguments["properties"]
        assert isinstance(properties, dict)
        for name in self.profile.expression_parameters & set(properties):
            texts = [fact.text for fact in self.facts]
            numbers = known_numbers(self.situation.question, texts)
            if len(numbers) < 2:
                return False
            pattern = expression_pattern(numbers, "\n".join([self.situation.question, *texts]))
            properties[name] = {"type": "string", "pattern": pattern}
        return True

    async def _choose(self, offers: dict[str, JSONObject]) -> tuple[ToolCall, ...]:
        """Let the model choose one of the offers, or to answer (no calls)."""
        thinks = not self.situation.thoughts and any(tool.name == THINK for tool in self.request.tools)
        definitions: JSONObject = {}
        options: list[JSON] = [choice(FINAL, {})]
        for name, arguments in offers.items():
            fields: JSONObject = {"args": hoist(arguments, name, definitions)}
            if thinks:
                thought: JSONObject = {"type": "string", "minLength": 10, "maxLength": self.profile.thought_chars}
                fields = {"thought": thought, "then": {"enum": [*offers, FINAL]}, **fields}
            options.append(choice(name, fields))
        schema: JSONObject = {"anyOf": options, **({"$defs": definitions} if definitions else {})}
        reply = await self.asking.ask(self._choosing_prompt(), schema, max_tokens=400)
        name = str(reply["tool"])
        if name == FINAL:
            return ()
        call = ToolCall("", name, json.dumps(reply["args"], ensure_ascii=False))
        return (self._thought(name, str(reply["then"]), str(reply["thought"])), call) if thinks else (call,)

    def _thought(self, tool: str, then: str, thought: str) -> ToolCall:
        """Put what the model thought beside its call into the planning tool's form."""
        use, answer = self.words.use.format(tool=tool), self.words.answer
        steps = [use, answer] if then in (FINAL, tool) else [use, self.words.use.format(tool=then), answer]
        plan = " ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        fields = {"thought": thought, "plan": plan, "action": use, "thoughtNumber": "1"}
        return ToolCall("", THINK, json.dumps(fields, ensure_ascii=False))

    def _choosing_prompt(self) -> list[Message]:
        """Show the tools, the question, and what was found. The tools come first and never change: their cache is reused."""
        listed = "\n".join(
            f"- {tool.name}({', '.join(_required(tool))}): {self._described(tool)}"
            for tool in self.request.tools
            if tool.name != THINK
        )
        system = self.words.choose.format(tools=listed, direct=self.words.answer_directly)
        user = self._question()
        if self.facts:
            user += f"\n\n{self.words.found}\n{_numbered(self.facts)}"
        return [Message("system", self._instructions() + system), Message("user", user)]

    def _described(self, tool: ToolSpec) -> str:
        return _beginning(_EXAMPLES.sub("", tool.description), _SENTENCE, self.profile.description_chars, " ")

    def _instructions(self) -> str:
        kept = _beginning(self.situation.instructions, re.compile(r"\n\s*\n"), self.profile.instruction_chars, "\n\n")
        return kept + "\n\n" if kept else ""

    def _question(self) -> str:
        earlier = [f"- {question[:200]} → {answer[:200]}" for question, answer in self.situation.earlier[-2:]]
        heading = [self.words.earlier, *earlier, ""] if earlier else []
        return "\n".join([*heading, self.situation.question])

    # -- answering --------------------------------------------------------------------------------------------------

    async def _answer_from_facts(self) -> AsyncGenerator[ModelEvent]:
        """Answer from the facts alone, and say which one the answer rests on."""
        if not self.facts:
            answer = self.words.unknown.format(looked=self._looked())
            yield TextDelta(answer)
            yield self._told(answer)
            return
        prompt = self._answering_prompt()
        labels: list[JSON] = [f"[{number}]" for number in range(1, len(self.facts) + 1)]
        known = "\n".join([self.situation.question, *(fact.text for fact in self.facts)])
        definitions: JSONObject = {}
        form: JSONObject = {"type": "string", "maxLength": self.profile.answer_chars, "pattern": answer_pattern(known)}
        if self.request.output_schema is not None:
            form = hoist(self.request.output_schema, FINAL, definitions)
        schema = closed_object({"answer": form, "source": {"enum": [*labels, _NO_FACT]}})
        reply = await self.asking.ask(prompt, {**schema, "$defs": definitions} if definitions else schema, max_tokens=500)
        text = self._final_text(reply, labels)
        yield TextDelta(text)
        yield self.asking.reply(text)

    def _final_text(self, reply: JSONObject, labels: Sequence[JSON]) -> str:
        """Write the answer with its ground; a declared form is given as it is."""
        if self.request.output_schema is not None:
            return json.dumps(reply["answer"], ensure_ascii=False)
        if reply["source"] not in labels:
            return self.words.unknown.format(looked=self._looked())
        fact = self.facts[labels.index(reply["source"])]
        return f"{reply['answer']}\n\n{self.words.source}: {self._ground(fact)}"

    def _ground(self, fact: Fact) -> str:
        """Name a fact; a calculation is named with the facts that its numbers are from."""
        others = [other.label for other in self.facts if other.label != fact.label]
        is_result = any(tool.name == fact.label for tool in self.request.tools)
        return self.words.joined_by.join([f"{fact.label}: {fact.text}", *others]) if is_result else fact.label

    def _looked(self) -> str:
        """Say what was looked at, when nothing was found."""
        made = [f"{step.name}: {', '.join(str(value) for value in step.arguments.values())}" for step in self.situation.steps]
        return self.words.joined_by.join(dict.fromkeys(made))

    def _answering_prompt(self) -> list[Message]:
        user = f"{self.words.facts}\n{_numbered(self.facts)}\n\n{self.words.question} {self._question()}"
        return [Message("system", self.words.from_facts), Message("user", user)]

    async def _answer_freely(self) -> AsyncGenerator[ModelEvent]:
        """Answer what needs no tool, as the model would in a plain conversation."""
        system = self._instructions() + self.words.reply_directly
        earlier = [m for q, a in self.situation.earlier[-2:] for m in (Message("user", q), Message("assistant", a))]
        prompt = [Message("system", system), *earlier, Message("user", self.situation.question)]
        limit = None if self.request.output_schema else self.profile.free_answer_tokens
        async with aclosing(self.asking.stream(prompt, self.request.output_schema, max_tokens=limit)) as events:
            async for event in events:
                if isinstance(event, TextDelta | Retrying):
                    yield event
        yield self.asking.reply(self.asking.text)

    def _told(self, text: str) -> Reply:
        """Make a reply that no model had to be asked for."""
        return Reply(Message("assistant", text), "stop", self.asking.usage, model=self.asking.inner.name)


def _required(tool: ToolSpec) -> list[str]:
    """Name a tool's required parameters."""
    required = tool.parameters.get("required")
    return [str(name) for name in required] if isinstance(required, list) else []


def _is_free(arguments: JSONObject) -> bool:
    """Whether a tool takes no identifier: a second call of it would be the first one again in other words."""
    properties = arguments["properties"]
    assert isinstance(properties, dict)
    return not any(isinstance(schema, dict) and list(schema) == ["enum"] for schema in properties.values())


def _numbered(facts: Sequence[Fact]) -> str:
    """List facts with their numbers."""
    return "\n".join(f"[{number}] {fact.label}: {fact.text}" for number, fact in enumerate(facts, start=1))


def _beginning(text: str, separator: re.Pattern[str], limit: int, joined_by: str) -> str:
    """Give the beginning of a text in whole pieces, at least a part of the first."""
    kept: list[str] = []
    for piece in separator.split(text.strip()):
        if kept and sum(map(len, kept)) + len(piece) > limit:
            break
        kept.append(piece.strip()[:limit])
    return joined_by.join(piece for piece in kept if piece)
