"""The composition root: here, and only here, the loop meets its adapters.

result = Agent("deepseek:deepseek-chat", tools=[weather]).run_sync("Does it rain in Oslo?")
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from prudent.assembly import Assembly
from prudent.blueprint import AgentSource, Blueprint, StartOptions
from prudent.brakes.approval import Rule
from prudent.brakes.budget import Budget
from prudent.delegation import agent_tool
from prudent.errors import ConfigurationError
from prudent.events import Event
from prudent.exchange import ModelSettings
from prudent.loop.checks import AnyAnswer, JudgedAnswer, TypedAnswer
from prudent.loop.packs import Language
from prudent.loop.parts import AnswerCheck
from prudent.loop.planning import Planning, planning_tool
from prudent.ports import Model
from prudent.result import RunResult
from prudent.runs import Run
from prudent.tools.definition import Tool, tool
from prudent.tools.finding import ToolSearch, finder_for
from prudent.tools.mode_switch import mode_switch_tool
from prudent.tools.surface import MANY_TOOLS, Surface

Judge = Callable[[str], Any]


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ConfigurationError(
        "run_sync cannot wait where an event loop runs already (in async code, in a notebook): write `await agent.run(…)` there"
    )


def _as_tool(item: Tool | Agent | Callable[..., Any]) -> Tool:
    if isinstance(item, Agent):
        return item.as_tool()
    return item if isinstance(item, Tool) else tool(item)


class Agent:
    """A model, instructions, tools, and the policies they work under. It holds no state of its own: runs do."""

    def __init__(
        self,
        model: str | Model | None = None,
        *,
        name: str = "agent",
        tools: Sequence[Tool | Agent | Callable[..., Any]] = (),
        instructions: str = "",
        planning: Planning | Literal["split"] = "tool",
        approve_plan: bool = False,
        language: Language = "en",
        thinking_examples: Sequence[str] = (),
        parallel_tool_calls: bool = False,
        budget: Budget | None = None,
        mode: str = "act",
        modes: Mapping[str, Collection[str]] | None = None,
        mode_switch: Sequence[str] = (),
        surface: Literal["hide", "mask"] = "hide",
        tool_search: ToolSearch = "auto",
        always_visible: Sequence[str] = (),
        on_repetition: Literal["end", "nudge"] = "end",
        temperature: float | None = None,
        max_tokens: int | None = None,
        reasoning: str | None = None,
        output_type: Any = None,
        policy: Sequence[Rule] = (),
        workspace: str | Path | None = None,
        dependencies: object = None,
        record_raw: bool = True,
        answer_check: Judge | Agent | None = None,
        base_url: str | None = None,
        summary_model: str | Model | None = None,
        source: AgentSource | None = None,
    ) -> None:
        """Set an agent up.

        Args:
            model: such as `openai:gpt-4.1`, `local`, or a Model; None leaves it to `PRUDENT_MODEL` or the run.
            name: what the record calls it.
            tools: tools; plain functions, which become tools with their defaults; other agents, see `as_tool`.
            instructions: the agent's own part of the system prompt.
            planning: off, prompt, tool, or required.
            approve_plan: whether a person approves the first plan before the first task call.
            language: of the instruction pack, en or zh.
            thinking_examples: worked examples of thinking for a domain, added to the prompt.
            parallel_tool_calls: whether independent calls of one reply run at once.
            budget: what a run may spend.
            mode: the choice of tools a run begins with: act, plan, or one of `modes`.
            modes: further modes, each a name and the names of its tools.
            mode_switch: modes that the model may ask for with the tool `switch_mode`; a person is asked each time.
            surface: hide takes a mode's other tools out of the prompt; mask keeps the prompt constant and refuses them.
            tool_search: whether the model finds tools with `tool_search` instead of seeing all; auto: above fifteen.
            always_visible: names or toolkits of tools that it sees from the start all the same.
            on_repetition: end, or nudge once first.
            temperature: 0 to 2; None is 0.3, or what suits the model.
            max_tokens: of one reply.
            reasoning: the provider's own: off, low, medium, high.
            output_type: type of the final answer; validated, and asked for once more with the errors.
            policy: who is asked about which call; the first rule that matches counts.
            workspace: the folder the tools work in; the current one by default.
            dependencies: anything the tools get as `Context.dependencies`.
            record_raw: whether the bytes to and from the model are kept.
            answer_check: a function that gets the answer's text and returns a reason to send it back, or None; or another
                agent that judges it.
            base_url: of an OpenAI-compatible server.
            summary_model: a cheaper one for the summaries of old turns; None has the agent's own model write them.
            source: the file it was read from.

        Raises:
            ConfigurationError: something that cannot work; says what and how to mend it.
        """
        if planning == "split":
            raise ConfigurationError('planning = "split" is not built yet: use "tool" or "required"')
        if planning not in ("off", "prompt", "tool", "required"):
            raise ConfigurationError(f"planning is {planning!r}: use off, prompt, tool or required")
        if approve_plan and planning not in ("tool", "required"):
            raise ConfigurationError(
                f"approve_plan needs a plan, which planning = {planning!r} does not give: use tool or required"
            )
        self.approve_plan = approve_plan
        self.model, self.base_url, self.name, self.source = model, base_url, name, source
        self.summary_model = summary_model
        self.instructions = instructions
        self.language: Language = language
        self.planning: Planning = planning
        self.thinking_examples, self.parallel_tool_calls = tuple(thinking_examples), parallel_tool_calls
        self.budget, self.policy = budget or Budget(), tuple(policy)
        self.on_repetition: Literal["end", "nudge"] = on_repetition
        self.settings = ModelSettings(temperature=temperature, max_tokens=max_tokens, reasoning=reasoning)
        self.mode, self.record_raw, self.dependencies = mode, record_raw, dependencies
        self.workspace = Path(workspace) if workspace else Path.cwd()
        self.tools = tuple(_as_tool(item) for item in tools)
        self.typed = TypedAnswer(output_type) if output_type is not None else None
        self.judge: Blueprint | None = answer_check if isinstance(answer_check, Agent) else None
        self.answer_check = None if isinstance(answer_check, Agent) else answer_check
        self._modes, self._mask = modes, surface == "mask"
        self.mode_switch, self.always_visible = tuple(mode_switch), tuple(always_visible)
        self.tool_search: ToolSearch = tool_search
        for wanted in (mode, *self.mode_switch):
            self.surface().shown(wanted)

    def surface(self, extra: Sequence[Tool] = ()) -> Surface:
        """Give the tools as the model sees them, the planning tool and `extra` included."""
        own = [planning_tool(self.language)] if self.planning in ("tool", "required") and self.tools else []
        own += [mode_switch_tool(self.mode_switch, self.language)] if self.mode_switch else []
        finder = finder_for(self.tools, self.tool_search, self.always_visible, above=MANY_TOOLS, language=self.language)
        own += [finder.tool] if finder else []
        return Surface([*own, *self.tools, *extra], modes=self._modes, mask=self._mask, finder=finder)

    def check(self) -> AnswerCheck:
        """Give what judges a final answer."""
        inner: AnswerCheck = self.typed or AnyAnswer()
        return JudgedAnswer(inner, self.answer_check) if self.answer_check else inner

    def as_tool(self, *, name: str = "", description: str = "", when: str = "") -> Tool:
        """Make a tool of this agent, for another one: it gets a task and answers, within that one's budget.

        Args:
            name: by default `ask_` and the agent's name.
            description: what it is good for; by default its instructions.
            when: when to choose it.
        """
        described = description or f"Give a task to the agent {self.name!r}. {self.instructions}".strip()
        seconds = self.budget.seconds + self.budget.closing_seconds + 5
        wanted = name or "ask_" + re.sub(r"[^A-Za-z0-9_-]+", "_", self.name)
        return agent_tool(self, name=wanted, description=described, when=when, timeout_seconds=seconds)

    def prepare(self, task: str, **options: Unpack[StartOptions]) -> Run:
        """Put a run together and on record; nothing has run yet. Raises ConfigurationError."""
        return Assembly(self, options).begin(task)

    def resume(self, run_id: str, /, *, accept_changed_agent: bool = False, **options: Unpack[StartOptions]) -> Run:
        """Take a parked, stopped or interrupted run up again from its journal."""
        return Assembly(self, options).resume(run_id, accept_changed_agent=accept_changed_agent)

    async def run(self, task: str, **options: Unpack[StartOptions]) -> RunResult:
        """Work on a task to its end, or to where a person is needed."""
        return await self.prepare(task, **options).work()

    def run_sync(self, task: str, **options: Unpack[StartOptions]) -> RunResult:
        """Do the same from code that is not asynchronous; connections are closed with it."""
        _refuse_running_loop()

        async def alone() -> RunResult:
            run = self.prepare(task, **options)
            try:
                return await run.work()
            finally:
                for used in filter(None, (run.loop.parts.model, run.loop.parts.summary_model)):
                    await used.aclose()

        return asyncio.run(alone())

    async def stream(self, task: str, **options: Unpack[StartOptions]) -> AsyncGenerator[Event | RunResult]:
        """Work on a task and give its events as they happen, last the RunResult. Leaving the loop stops the run."""
        run = self.prepare(task, **options)
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        working = asyncio.create_task(run.work(events.put_nowait))
        working.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await working
        finally:
            run.stop("nobody listens any more")
            await asyncio.wait([working])
