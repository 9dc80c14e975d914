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
from dataclasses import replace

from prudent.errors import ReplyBroken
from prudent.exchange import CallReady, ModelEvent, ModelRequest, Reply, Retrying, TextDelta
from prudent.messages import Message, ToolCall
from prudent.models.asking import Asking
from prudent.models.constrained_schema import FINAL, choice, closed_object, hoist
from prudent.models.small_draft import Draft, make_draft, wants_calculation
from prudent.models.small_grounding import (
    CHINESE_TEXT,
    answer_pattern,
    expression_pattern,
    givers,
    ground,
    is_free,
    is_involved,
    is_named,
    known_numbers,
    numbers_in,
    own_numbers,
    plain_numbers,
    subject_of,
)
from prudent.models.small_profile import SmallModelProfile
from prudent.models.small_prompts import beginning, described, numbered, required_names
from prudent.models.small_situation import THINK, Fact, facts_of, read_situation
from prudent.models.small_words import is_chinese, words_for
from prudent.ports import Model
from prudent.types import JSON, JSONObject

_NO_FACT = "none"


class SmallTurn:
    """One reply of a small model."""

    def __init__(self, inner: Model, profile: SmallModelProfile, request: ModelRequest) -> None:
        """Read the conversation."""
        self.profile = profile
        self.request = request
        self.asking = Asking(inner, replace(request.settings, temperature=0.0))
        self.situation = read_situation(request.messages)
        self.words = words_for(self.situation.question)
        limits = {"chars": profile.fact_chars, "most_entries": profile.most_entries}
        self.facts = facts_of(self.situation.steps, indexes=givers(request.tools), **limits)

    async def events(self) -> AsyncGenerator[ModelEvent]:
        """Choose a step, or answer."""
        if not self.situation.steps:
            calls = await self._choose(offers) if (offers := self._offers()) else ()
            answering = self._answer_freely()
        else:
            draft = await self._draft() if self.facts else None
            calls = await self._go_on(draft)
            answering = self._give(draft)
        for position, call in enumerate(calls):
            yield CallReady(position, call)
        if calls:
            yield self.asking.reply("", calls)
            return
        async with aclosing(answering) as events:
            async for event in events:
                yield event

    async def _go_on(self, draft: Draft | None) -> tuple[ToolCall, ...]:
        """Decide whether a draft will do: what rests on nothing is looked into, what is to be calculated or written is."""
        offers, question, steps = self._offers(), self.situation.question, self.situation.steps
        if draft and draft.fact:
            name = next((name for name in offers if self._expression_of(offers[name])), "")
            if name and wants_calculation(draft, question):
                return await self._calculate(name, draft)
            named = {name: offers[name] for name in offers if is_involved(offers[name]) and is_named(name, question)}
            return await self._choose(named, drafted=draft.answer) if named else ()
        if steps[-1].failed and len(steps) == 1:
            others = {name: arguments for name, arguments in offers.items() if name != steps[-1].name}
            return await self._choose(others) if others else ()
        opened = any(not is_free(arguments) and self._was_called(name) for name, arguments in offers.items())
        opening = {name: arguments for name, arguments in offers.items() if not is_free(arguments)}
        drafted = draft.answer if draft else self.words.nothing
        return await self._choose(opening, drafted=drafted) if opening and not opened else ()

    def _offers(self) -> dict[str, JSONObject]:
        """Give the tools that can be called now, each with the schema of its arguments."""
        if self.request.tool_choice == "none":
            return {}
        mounted = [tool.name for tool in self.request.tools]
        numbers = known_numbers(self.situation.question, [fact.text for fact in self.facts])
        offers: dict[str, JSONObject] = {}
        for tool in self.request.tools:
            arguments = ground(tool, mounted, self.situation.steps, self.situation.question)
            if tool.name == THINK or arguments is None or (is_free(arguments) and self._was_called(tool.name)):
                continue
            if self._expression_of(arguments) and len(numbers) < 2:
                continue
            if is_involved(arguments) and not is_named(tool.name, self.situation.question):
                continue
            offers[tool.name] = self._calculating_with(numbers, arguments)
        return offers

    def _was_called(self, name: str) -> bool:
        return any(step.name == name and not step.failed for step in self.situation.steps)

    def _expression_of(self, arguments: JSONObject) -> str:
        """Name the parameter that takes a calculation, "" when there is none."""
        properties = arguments["properties"]
        assert isinstance(properties, dict)
        return next((name for name in properties if name in self.profile.expression_parameters), "")

    def _calculating_with(self, numbers: Sequence[str], arguments: JSONObject) -> JSONObject:
        """Hold a calculation to numbers that are known."""
        name, properties = self._expression_of(arguments), arguments["properties"]
        assert isinstance(properties, dict)
        if not name:
            return arguments
        pattern = expression_pattern(numbers, "\n".join([self.situation.question, *(fact.text for fact in self.facts)]))
        return {**arguments, "properties": {**properties, name: {"type": "string", "pattern": pattern}}}

    async def _calculate(self, name: str, draft: Draft) -> tuple[ToolCall, ...]:
        """Write the calculation over the question's numbers and those of the draft; the prompt goes on from the draft's."""
        numbers = [*own_numbers(self.situation.question), *plain_numbers(numbers_in(draft.answer))]
        arguments = self._calculating_with(list(dict.fromkeys(numbers)), self._offers()[name])
        follow_up = [Message("assistant", draft.answer), Message("user", self.words.calculate)]
        reply = await self.asking.ask([*self._answering_prompt(), *follow_up], arguments, max_tokens=100)
        return self._with_thought(ToolCall("", name, json.dumps(reply, ensure_ascii=False)), draft.answer)

    async def _choose(self, offers: dict[str, JSONObject], *, drafted: str = "") -> tuple[ToolCall, ...]:
        """Let the model choose one of the offers, or to answer (no calls). What it drafted before stands for a thought."""
        definitions: JSONObject = {}
        options: list[JSON] = [choice(FINAL, {})]
        for name, arguments in offers.items():
            thinking = self._thinking(offers) if self._thinks and not drafted else {}
            options.append(choice(name, {**thinking, "args": hoist(arguments, name, definitions)}))
        schema: JSONObject = {"anyOf": options, **_defining(definitions)}
        reply = await self.asking.ask(self._choosing_prompt(), schema, max_tokens=400)
        name = str(reply["tool"])
        if name == FINAL:
            return ()
        call = ToolCall("", name, json.dumps(reply["args"], ensure_ascii=False))
        return self._with_thought(call, str(reply.get("thought", drafted)), str(reply.get("then", FINAL)))

    @property
    def _thinks(self) -> bool:
        return any(tool.name == THINK for tool in self.request.tools)

    def _thinking(self, offers: dict[str, JSONObject]) -> JSONObject:
        """Give the fields that are filled in between the choice of a tool and its arguments."""
        thought: JSONObject = {"type": "string", "minLength": 10, "maxLength": self.profile.thought_chars}
        if is_chinese(self.situation.question):
            thought["pattern"] = CHINESE_TEXT
        return {"thought": thought, "then": {"enum": [*offers, FINAL]}}

    def _with_thought(self, call: ToolCall, thought: str, then: str = FINAL) -> tuple[ToolCall, ...]:
        """Put what the model thought before its call, in the planning tool's form."""
        if not self._thinks:
            return (call,)
        use, answer = self.words.use.format(tool=call.name), self.words.answer
        steps = [use, answer] if then in (FINAL, call.name) else [use, self.words.use.format(tool=then), answer]
        plan = " ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        fields = {"thought": thought, "plan": plan, "action": use, "thoughtNumber": str(self.situation.thoughts + 1)}
        return (ToolCall("", THINK, json.dumps(fields, ensure_ascii=False)), call)

    def _choosing_prompt(self) -> list[Message]:
        """Show the tools, the question, and what was found. The tools come first and never change: their cache is reused."""
        listed = "\n".join(
            f"- {tool.name}({', '.join(required_names(tool))}): {described(tool.description, self.profile.description_chars)}"
            for tool in self.request.tools
            if tool.name != THINK
        )
        system = self.words.choose.format(tools=listed, direct=self.words.answer_directly)
        user = self._question()
        if self.facts:
            user += f"\n\n{self.words.found}\n{numbered(self.facts, ids=True)}"
        return [Message("system", self._instructions() + system), Message("user", user)]

    def _instructions(self) -> str:
        kept = beginning(self.situation.instructions, self.profile.instruction_chars)
        return kept + "\n\n" if kept else ""

    def _question(self) -> str:
        earlier = [f"- {question[:200]} → {answer[:200]}" for question, answer in self.situation.earlier[-2:]]
        heading = [self.words.earlier, *earlier, ""] if earlier else []
        return "\n".join([*heading, self.situation.question])

    async def _draft(self) -> Draft:
        """Answer from the facts alone, and say which one the answer rests on."""
        labels: list[JSON] = [f"[{number}]" for number in range(1, len(self.facts) + 1)]
        sources: JSON = [*labels, _NO_FACT] if self.profile.knows_when_not else labels
        definitions: JSONObject = {}
        asked = self._answering_prompt()
        try:
            schema = closed_object({"answer": self._form(definitions), "source": {"enum": sources}})
            reply = await self.asking.ask(asked, {**schema, **_defining(definitions)}, max_tokens=500)
        except ReplyBroken:
            loose: JSONObject = {"answer": {"type": "string"}, "source": {"enum": sources}}
            reply = await self.asking.ask(asked, closed_object(loose), max_tokens=500)
        answer = reply["answer"]
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if result := self._result():
            says_it = self.request.output_schema is not None or result in plain_numbers(numbers_in(text))
            return Draft(text if says_it else self.facts[-1].text, self.facts[-1])
        chosen = labels.index(reply["source"]) if reply["source"] in labels else None
        return make_draft(text, self.situation.question, self.facts, chosen, strict=not self.profile.knows_when_not)

    def _form(self, definitions: JSONObject) -> JSONObject:
        """Give the form of the answer: as declared, else a text with no numbers but those that are known."""
        if self.request.output_schema is not None:
            return hoist(self.request.output_schema, FINAL, definitions)
        facts = [] if self._result() else [fact.text for fact in self.facts]
        known = "\n".join([self.situation.question, self._result(), *facts])
        pattern = answer_pattern(known, begin=subject_of(self.situation.question))
        return {"type": "string", "maxLength": self.profile.answer_chars, "pattern": pattern}

    def _result(self) -> str:
        """Give the number that the last step worked out, when it was a calculation: the answer is that, not one it is from."""
        last = self.situation.steps[-1]
        if last.failed or not self.profile.expression_parameters & set(last.arguments):
            return ""
        return next(iter(numbers_in(re.split(r"[=≈]", last.result)[-1])), "")

    async def _give(self, draft: Draft | None) -> AsyncGenerator[ModelEvent]:
        """Give a draft with its ground; what rests on nothing is not given, except in a form that was declared."""
        if draft and self.request.output_schema is not None:
            text = draft.answer
        elif draft and draft.fact:
            text = f"{draft.answer}\n\n{self.words.source}: {self._ground(draft.fact)}"
        else:
            text = self.words.unknown.format(looked=self._looked())
        yield TextDelta(text)
        yield self.asking.reply(text) if self.asking.last else self._told(text)

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
        """Put the question before and behind the facts: a small model that reads them without it takes the wrong one."""
        asked = f"{self.words.question} {self._question()}"
        user = f"{asked}\n\n{self.words.facts}\n{numbered(self.facts)}\n\n{asked}"
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


def _defining(definitions: JSONObject) -> JSONObject:
    return {"$defs": definitions} if definitions else {}
