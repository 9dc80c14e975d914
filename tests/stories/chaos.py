"""Random runs that can be cut off anywhere and taken up again, and the world in which their calls take effect.

Everything follows from a `Random`: the script of the model, the tools' behaviour, what a person answers. So a run that is
cut off and resumed must end as the same run does that nobody cuts.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import anyio
import anyio.lowlevel
from tests.context.test_transcript import faults
from tests.stories.stamping import LEDGER, land, stamp

from prudent import Agent, Budget, Context, RunResult, ToolError, tool
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.exchange import ModelProfile, ModelRequest
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.loop.answer import ASK_AGAIN
from prudent.messages import Message
from prudent.models.scripted import ScriptedCall, ScriptedModel, ScriptedReply, call, raw_call, reply, slow, think
from prudent.result import result_of
from prudent.tools.definition import Tool
from prudent.types import JSONObject

RUN = "r"
DATABASE = "agent.db"


class Killed(BaseException):
    """Stands for `kill -9` where a test cuts a run off in its own process."""


@dataclass(slots=True)
class World:
    """Where calls take effect: a ledger that no crash undoes."""

    folder: Path
    dead: bool = False
    """True once the process that works in it is meant to be gone: nothing takes effect any more."""

    longest_pause_seconds: float = 0.0
    """How long a tool may take before and after its effect."""

    def land(self, name: str, key: str, **arguments: object) -> None:
        """Let a call take effect."""
        if self.dead:
            raise Killed
        land(self.folder, name, key, **arguments)

    def effects(self) -> list[tuple[str, str, str]]:
        """List what took effect: tool, arguments, idempotency key."""
        ledger = self.folder / LEDGER
        lines = ledger.read_text().splitlines() if ledger.exists() else []
        return [(name, json.dumps(arguments, sort_keys=True), key) for name, arguments, key in map(json.loads, lines)]

    def has(self, name: str, arguments: JSONObject) -> bool:
        """Whether a call took effect; its number tells it from all others."""
        return any(effect[0] == name and json.loads(effect[1])["number"] == arguments["number"] for effect in self.effects())

    async def pause(self, number: int) -> None:
        """Take a moment that differs from call to call."""
        if self.longest_pause_seconds:
            await anyio.sleep(self.longest_pause_seconds * (number * 7 % 10) / 10)
        for _ in range(number % 3):
            await anyio.lowlevel.checkpoint()


def tools_of(world: World, *, process: bool = False) -> list[Tool]:
    """Make tools of every kind of effect; each knows from its arguments how long it takes."""

    @tool(effect="read", timeout_seconds=20)
    async def look(number: int) -> str:
        """Look at something."""
        await world.pause(number)
        return f"seen {number} " + "very far away " * (400 if number % 5 == 0 else 1)

    @tool(effect="write", idempotent=True, resource=lambda values: str(values["path"]), timeout_seconds=20)
    async def note(context: Context, path: str, number: int) -> str:
        """Write a note."""
        await world.pause(number)
        world.land("note", context.idempotency_key, path=path, number=number)
        await world.pause(number + 1)
        return f"noted {number} in {path}"

    @tool(effect="write", confirm="never", resource=lambda values: f"box {int(str(values['number'])) % 2}", timeout_seconds=20)
    async def post(context: Context, number: int = 0) -> str:
        """Send something that cannot be called back."""
        await world.pause(number)
        world.land("post", context.idempotency_key, number=number)
        await world.pause(number + 1)
        return f"posted {number}"

    @tool(effect="destructive", preview=lambda values: f"would pay {values['number']}", timeout_seconds=20)
    async def pay(context: Context, number: int) -> str:
        """Pay."""
        await world.pause(number)
        world.land("pay", context.idempotency_key, number=number)
        await world.pause(number + 1)
        return f"paid {number}"

    def is_booked(arguments: Any, key: str) -> object:
        return f"booked {arguments['number']}" if any(effect[2] == key for effect in world.effects()) else False

    @tool(confirm="never", check=is_booked, timeout_seconds=20)
    async def book(context: Context, number: int) -> str:
        """Book, which can be looked up afterwards."""
        await world.pause(number)
        world.land("book", context.idempotency_key, number=number)
        await world.pause(number + 1)
        return f"booked {number}"

    @tool(effect="write", idempotent=True, timeout_seconds=20)
    async def stumble(context: Context, number: int) -> str:
        """Do half of it and fail."""
        world.land("stumble", context.idempotency_key, number=number)
        await world.pause(number)
        raise ToolError(f"stumbled over {number}")

    @tool(effect="write", confirm="never", secret=["key"], timeout_seconds=20)
    async def login(context: Context, number: int, key: str) -> str:
        """Log in."""
        await world.pause(number)
        world.land("login", context.idempotency_key, number=number, right=key == secret_of(number))
        return f"logged in {number}"

    return [look, note, post, pay, book, stumble, login, *([stamp] if process else [])]


def secret_of(number: int) -> str:
    return f"hunter-{number * 7919}-hunter"


RESULTS = {
    "note": "noted {number} in {path}",
    "post": "posted {number}",
    "pay": "paid {number}",
    "stamp": "stamped {number}",
    "login": "logged in {number}",
}

IDEMPOTENT = ("note", "stumble")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the model will say, turn by turn."""

    turns: tuple[ScriptedReply, ...]
    parallel: bool
    window_tokens: int = 32_768
    """Of the model; a narrow one has the runtime fold old turns."""

    somebody_there: bool = False
    """Whether questions are answered at once; else the run parks."""


@dataclass(slots=True)
class Planner:
    """Thinks up a plan."""

    random: Random
    process: bool = False
    sub_agents: bool = True
    extra: tuple[str, ...] = ()
    """Further tools that take a number."""

    most_turns: int = 5
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def plan(self) -> Plan:
        """Make a plan that ends with an answer, or with one that was cut."""
        parallel = self.random.random() < 0.7
        turns: list[ScriptedReply] = []
        for _ in range(self.random.randint(1, self.most_turns)):
            if turns and turns[-1].calls and self.random.random() < 0.06:
                turns.append(reply(""))
            turns.append(self._turn(parallel))
            last = turns[-1].calls[-1]
            # What a secret was is forgotten with its call, so a repetition of it is not noticed behind a cut.
            if turns[-1].finish_reason is None and last.name != "login" and self.random.random() < 0.08:
                turns.append(reply(last))
        if self.random.random() < 0.2:
            turns.append(reply("bad answer"))
        cut = self.random.random() < 0.1
        turns.append(reply(f"answer {next(self.numbers)}", finish_reason="length" if cut else None))
        window_tokens = 900 if self.random.random() < 0.25 else 32_768
        return Plan(tuple(turns), parallel, window_tokens, self.random.random() < 0.4)

    def _turn(self, parallel: bool) -> ScriptedReply:
        calls = [self._call() for _ in range(self.random.randint(1, 4 if parallel else 2))]
        if self.random.random() < 0.3:
            calls.insert(self.random.randrange(len(calls) + 1), self.random.choice(calls))
        if self.random.random() < 0.3:
            calls.insert(0, think("hm", plan="1. look 2. answer", action="look"))
        cut = self.random.random() < 0.1
        return reply(*calls, finish_reason="length" if cut else None)

    def _call(self) -> ScriptedCall:
        number = next(self.numbers)
        kinds = ["look", "note", "post", "post", "pay", "book", "stumble", "login", "broken", "wrong", "unknown"]
        kinds += [*self.extra, *["stamp"] * (3 * self.process), *["clerk"] * (2 * self.sub_agents)]
        match self.random.choice(kinds):
            case "note":
                return call("note", path=self.random.choice("ab"), number=number)
            case "login":
                return call("login", number=number, key=secret_of(number))
            case "clerk":
                return call("ask_clerk", task=str(self.random.randrange(1000)) + f" {number}")
            case "broken":
                return raw_call("post", f'{{"number": {number}, ')
            case "wrong":
                return call("post", number="many")
            case "unknown":
                return call("pots", number=number)
            case kind:
                return call(kind, number=number)


@dataclass(slots=True)
class Player:
    """Plays a plan by what the request shows of it, so that a resumed run hears the same."""

    plan: Callable[[ModelRequest], Plan]
    gap_seconds: float = 0.0

    def __call__(self, request: ModelRequest) -> ScriptedReply:
        """Give the reply that is due; the request must be valid."""
        messages = request.messages
        assert not (found := faults(messages)), found
        assert messages[-1].role != "assistant", "a model is not asked behind its own answer"
        said = turns_said(messages)
        played = self.plan(request).turns[said]
        calls = tuple(asked.with_id(f"c{said}_{position}") for position, asked in enumerate(played.calls))
        return slow(replace(played, calls=calls), delay_seconds=self.gap_seconds, gap_seconds=self.gap_seconds)


def turns_said(messages: Sequence[Message]) -> int:
    """Tell how many replies went before; those folded away are counted by the ids of the calls behind them."""
    last = max((place for place, message in enumerate(messages) if message.calls), default=-1)
    counted = 0 if last < 0 else int(messages[last].calls[0].id.partition("_")[0][1:]) + 1
    return counted + sum(message.role == "assistant" or message.text == ASK_AGAIN for message in messages[last + 1 :])


def model_of(plan: Callable[[ModelRequest], Plan], gap_seconds: float = 0.0, *, window_tokens: int = 32_768) -> ScriptedModel:
    return ScriptedModel(
        [Player(plan, gap_seconds)],
        when_no_tools="as far as I came",
        when_folding=slow("SUMMARY: much was done.\nFACTS:\n", delay_seconds=gap_seconds),
        repeat_last=True,
        profile=ModelProfile("scripted", context_window_tokens=window_tokens),
    )


def clerks_plan(request: ModelRequest) -> Plan:
    """Give the plan that the clerk's task asks for."""
    task = next(message.text for message in request.messages if message.role == "user")
    seed, base = map(int, task.split())
    return Planner(Random(seed), sub_agents=False, most_turns=2, numbers=itertools.count(1000 * base)).plan()


def check_answer(text: str) -> str | None:
    return "a better one, please" if text.startswith("bad") else None


def agent_of(
    world: World, plan: Plan, *, process: bool = False, gap_seconds: float = 0.0, more_tools: Sequence[Tool] = ()
) -> Agent:
    """Make the agent that works by a plan."""
    common: dict[str, Any] = {
        "budget": Budget(model_calls=500, seconds=600),
        "workspace": world.folder,
        "answer_check": check_answer,
    }
    clerk = Agent(
        model_of(clerks_plan, gap_seconds),
        name="clerk",
        tools=tools_of(world),
        parallel_tool_calls=True,
        **common,
    )
    tools = [*tools_of(world, process=process), *more_tools, clerk]
    model = model_of(lambda _: plan, gap_seconds, window_tokens=plan.window_tokens)
    return Agent(model, tools=tools, parallel_tool_calls=plan.parallel, **common)


async def sit(world: World, plan: Plan, **options: Any) -> RunResult:
    """Begin the run, or take it up, unless it has ended."""
    agent, db = agent_of(world, plan, **options), world.folder / DATABASE
    with JournalStore(db) as store:
        known = store.has(RUN)
        if known and (state := replay(store, RUN)).status not in ("running", "awaiting_approval"):
            return result_of(state)
    approver = Ann(world) if plan.somebody_there else None
    run = agent.resume(RUN, db=db, approver=approver) if known else agent.prepare("do it", db=db, run_id=RUN, approver=approver)
    return await run.work()


@dataclass(frozen=True, slots=True)
class Ann:
    """Somebody who is there and takes a moment to decide."""

    world: World

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Decide as `decision` does."""
        await anyio.lowlevel.checkpoint()
        asked: JSONObject = {"tool_name": question.tool_name, "arguments": question.arguments, "kind": question.kind}
        decided: dict[str, Any] = decision(self.world, asked)
        return ApprovalDecided(call_id=question.call_id, decided_by="ann", **decided)


def answer(world: World, result: RunResult) -> list[str]:
    """Answer what waits, as somebody does who looks first. Gives the kinds of the questions."""
    assert result.pending, "it waits, but nobody can tell for what"
    with JournalStore(world.folder / DATABASE) as store:
        for question in result.pending:
            store.post(RUN, "decision", {"call_id": question["call_id"], "decided_by": "ann", **decision(world, question)})
    return [str(question["kind"]) for question in result.pending]


def decision(world: World, question: JSONObject) -> JSONObject:
    """Decide by the number alone, or by the ledger where the question is whether it happened."""
    arguments, name = question["arguments"], str(question["tool_name"])
    assert isinstance(arguments, dict)
    if question["kind"] == "unknown_outcome":
        happened = world.has(name, arguments)
        return {"decision": "happened", "result": RESULTS[name].format(**arguments)} if happened else {"decision": "retry"}
    number = arguments["number"]
    assert isinstance(number, int)
    match number % 4:
        case 0:
            return {"decision": "reject", "reason": "too much"}
        case 1:
            return {"decision": "edit", "arguments": {"number": number + 100_000}}
        case 2:
            return {"decision": "approve"}
        case _:
            return {"decision": "always"}


def bury(world: World) -> None:
    """Let the lease of whoever worked there run out."""
    if (world.folder / DATABASE).exists():
        connection = sqlite3.connect(world.folder / DATABASE)
        with connection, suppress(sqlite3.OperationalError):
            connection.execute("UPDATE owners SET lease_until=0")
        connection.close()


def play_uncut(world: World, plan: Plan, **options: Any) -> RunResult:
    """Play a run to its end, answering what it asks."""
    while True:
        result = asyncio.run(sit(world, plan, **options))
        if result.status != "awaiting_approval":
            return result
        kinds = answer(world, result)
        assert "unknown_outcome" not in kinds


def how_it_ended(world: World) -> dict[str, Any]:
    """Tell what must be the same however often the run was cut: its end, and what was said and shown in it."""
    with JournalStore(world.folder / DATABASE) as store:
        state = replay(store, RUN)
        check_usage(store)
    said = [(m.role, told(m.text), [(c.id, c.name, c.arguments) for c in m.calls], m.call_id) for m in state.transcript]
    thoughts = [(thought.turn, thought.plan) for thought in state.thoughts]
    output = told(str(state.output))
    return {"status": state.status, "reason": state.reason, "output": output, "said": said, "thoughts": thoughts}


def check_usage(store: JournalStore) -> None:
    """Check that a run took what its own model calls and its sub-agents took, and nothing twice."""
    runs = store.runs(limit=1000)
    for run in runs:
        own = sum(call.input_tokens or 0 for call in store.model_calls(run.run_id))
        subs = sum(sub.input_tokens for sub in runs if sub.run_id.rpartition(".")[0] == run.run_id)
        assert run.input_tokens == own + subs, (run.run_id, run.input_tokens, own, subs)


def told(text: str) -> str:
    """Give a text without what may differ: how a string was unreadable is forgotten with it, and results are counted."""
    if '"kind":"invalid_json"' in text:
        return "invalid_json"
    return re.sub(r"\br\d+\b", "r", text)


def count_effects(world: World, uncut: World) -> dict[str, int]:
    """Count what took effect. Nothing is missing or made up; what ran again under its key is told from what was repeated."""
    done, due = Counter(world.effects()), Counter(uncut.effects())
    assert done.keys() == due.keys(), set(done) ^ set(due)
    again = {effect: times - 1 for effect, times in done.items()}
    rerun = sum(times for effect, times in again.items() if effect[0] in IDEMPOTENT)
    return {"effects": len(done), "idempotent ones run again": rerun, "repeated effects": sum(again.values()) - rerun}
