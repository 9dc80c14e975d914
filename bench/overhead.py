"""CPU per model call, runs at once, eager start and long runs: Prudent beside a bare loop on the `openai` SDK, in one run.

    uv run --all-extras bench/overhead.py            (needs `openai`, which the extra `providers` brings)

The server is a process of its own, so only the client's CPU is counted. Rounds are interleaved; medians are printed. Only the
ratios mean anything: machines differ, and so do their hours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import provider

CALLS = 9
Loop = Callable[[str, str, int], Awaitable[None]]
DESCRIPTION = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at a place.",
        "parameters": {
            "type": "object",
            "properties": {"at": {"type": "string"}, "seconds": {"type": "number"}},
            "required": ["at"],
        },
    },
}


def result_of(at: str, chars: int) -> str:
    return (f"{at}: nothing out of the ordinary. " * (chars // 20 + 1))[: max(chars, 40)]


async def bare(url: str, model: str, chars: int, stamps: list[float] | None = None) -> None:
    """The loop everybody writes first: stream, put the calls together, run them, go on."""
    import openai  # a peer, installed for the comparison only

    client = _clients.setdefault(url, openai.AsyncOpenAI(base_url=url, api_key="none"))
    messages: list = [{"role": "system", "content": "Be careful."}, {"role": "user", "content": "Look everywhere."}]
    while True:
        if stamps is not None:
            stamps.append(time.process_time())
        stream = await client.chat.completions.create(
            model=model, messages=messages, tools=[DESCRIPTION], stream=True, stream_options={"include_usage": True}
        )
        text, calls = "", {}
        async for chunk in stream:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for delta in choice.delta.tool_calls or []:
                    call = calls.setdefault(delta.index, {"id": delta.id, "name": delta.function.name, "arguments": ""})
                    call["arguments"] += delta.function.arguments or ""
        if not calls:
            return
        wire = [
            {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
            for c in calls.values()
        ]
        messages.append({"role": "assistant", "content": text or None, "tool_calls": wire})
        for call in calls.values():
            arguments = json.loads(call["arguments"])
            await asyncio.sleep(arguments.get("seconds", 0))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result_of(arguments["at"], chars)})


_clients: dict = {}


async def prudent_loop(url: str, model: str, chars: int, stamps: list[float] | None = None) -> None:
    """The same task through Prudent: journal on, arguments validated, every brake on."""
    from prudent import Agent, Budget, tool

    @tool(effect="read", timeout_seconds=10, max_result_chars=chars + 500)
    async def look(at: str, seconds: float = 0) -> str:
        """Look at a place."""
        await asyncio.sleep(seconds)
        return result_of(at, chars)

    budget = Budget(model_calls=100, seconds=120)
    agent = Agent(
        f"openai:{model}", tools=[look], instructions="Be careful.", planning="off", parallel_tool_calls=True, budget=budget
    )

    def watch(event: object) -> None:
        if stamps is not None and type(event).__name__ == "ModelCallStarted":
            stamps.append(time.process_time())

    run = agent.prepare("Look everywhere.", base_url=url, db=_db)
    result = await run.work(watch)
    assert result.status == "completed", result


_db = Path(tempfile.mkdtemp()) / "agent.db"


async def agents_loop(url: str, model: str, chars: int) -> None:
    """OpenAI Agents, where it is installed."""
    import agents  # a peer, measured only where it is installed

    client = _clients.setdefault(url + "agents", __import__("openai").AsyncOpenAI(base_url=url, api_key="none"))
    agents.set_tracing_disabled(True)

    @agents.function_tool
    async def look(at: str, seconds: float = 0) -> str:
        """Look at a place."""
        return result_of(at, chars)

    agent = agents.Agent("bench", model=agents.OpenAIChatCompletionsModel(model, client), tools=[look])
    streamed = agents.Runner.run_streamed(agent, "Look everywhere.", max_turns=100)
    async for _ in streamed.stream_events():
        pass


async def pydantic_ai_loop(url: str, model: str, chars: int) -> None:
    """Pydantic AI, where it is installed."""
    from pydantic_ai import Agent  # a peer, measured only where it is installed
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=url, api_key="none")))

    @agent.tool_plain
    async def look(at: str, seconds: float = 0) -> str:
        """Look at a place."""
        return result_of(at, chars)

    async with agent.run_stream("Look everywhere.") as streamed:
        await streamed.get_output()


async def cpu_per_call(loops: dict[str, Loop], url: str, rounds: int) -> dict[str, float]:
    spent: dict[str, list[float]] = {name: [] for name in loops}
    for number in range(rounds + 1):
        for name, loop in loops.items():
            began = time.process_time()
            for _ in range(5):
                await loop(url, f"calls-{CALLS}", 200)
            if number:
                spent[name].append((time.process_time() - began) / (5 * CALLS) * 1000)
    return {name: statistics.median(values) for name, values in spent.items()}


async def at_once(loops: dict[str, Loop], url: str, count: int) -> dict[str, float]:
    """Runs a second with `count` of them in one process, 4 calls each, a server that answers after 50 ms."""
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(3):
        for name, loop in loops.items():
            began = time.monotonic()
            await asyncio.gather(*[loop(url, "wait-0.05-calls-4", 200) for _ in range(count)])
            rates[name].append(count / (time.monotonic() - began))
    return {name: statistics.median(values) for name, values in rates.items()}


async def eager(loops: dict[str, Loop], url: str) -> dict[str, float]:
    """Five calls 0.4 s apart, the first taking 2 s: how long, as a ratio to the ideal of 2.0 s and the answer."""
    taken = {}
    for name, loop in loops.items():
        began = time.monotonic()
        await loop(url, "five", 40)
        taken[name] = (time.monotonic() - began) / 2.0
    return taken


async def growth(loops: dict[str, Callable[..., Awaitable[None]]], url: str) -> dict[str, float]:
    """A run of 60 calls with 2 kB results: CPU of the 60th call as a ratio to the 10th (medians around them)."""
    ratios = {}
    for name, loop in loops.items():
        early, late = [], []
        for _ in range(3):
            stamps: list[float] = []
            await loop(url, "calls-61", 2000, stamps)
            spans = [after - before for before, after in pairwise(stamps)]
            early += spans[7:13]
            late += spans[-6:]
        ratios[name] = statistics.median(late) / statistics.median(early)
    return ratios


def installed(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


def show(title: str, values: dict[str, float], unit: str, *, ratio: bool = True) -> None:
    print(f"\n{title}")
    for name, value in values.items():
        print(
            f"  {name:<16} {value:8.2f} {unit}" + (f"   {value / values['bare openai']:.2f} of the bare loop" if ratio else "")
        )


async def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--runs", type=int, default=200)
    options = arguments.parse_args()
    two = {"bare openai": bare, "prudent": prudent_loop}
    peers = {"pydantic-ai": pydantic_ai_loop, "openai-agents": agents_loop}
    needs = {"pydantic-ai": "pydantic_ai", "openai-agents": "agents"}
    all_loops = two | {name: loop for name, loop in peers.items() if installed(needs[name])}
    with provider.running() as url:
        show(f"CPU per model call ({CALLS} calls a run, streamed)", await cpu_per_call(all_loops, url, options.rounds), "ms")
        show(f"{options.runs} runs at once, 4 calls each, 50 ms a reply", await at_once(two, url, options.runs), "runs/s")
        show("five calls 0.4 s apart, the first takes 2 s", await eager(two, url), "of the ideal", ratio=False)
        show("the 60th call beside the 10th, 2 kB results", await growth(two, url), "times", ratio=False)


if __name__ == "__main__":
    asyncio.run(main())
