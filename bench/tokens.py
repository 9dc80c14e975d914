"""Input tokens of six tasks: through Prudent, and through the usual loop that passes every result on as it is.

    python bench/tokens.py

Both play the same steps on the same tools; the figures are estimated by the same counter, with all that is sent: prompts,
tool definitions, planning, the requests for summaries. A task's answer counts only if every fact it needs stands in the
last request: where one does not, Prudent's side has to search for it and read on, as a model would, and pays for that.
The scripted summaries hold no fact at all, so that whatever survives a fold does so by Prudent's own doing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from prudent import Agent, Budget, Tool, tool
from prudent.context.counting import TokenCounter
from prudent.exchange import ModelProfile, ModelRequest
from prudent.messages import Message, ToolCall
from prudent.models.scripted import Scripted, ScriptedModel, call, reply, think

INSTRUCTIONS = "You are a careful assistant of a trading company. Answer with figures and say where they come from."
SUMMARY = "SUMMARY: The task is being worked on step by step; the steps so far went well and nothing has failed yet."
COMMON = "The goods were checked on arrival and nothing else was noted by the clerk on duty that day. "


@dataclass
class Task:
    name: str
    text: str
    tools: Sequence[Tool]
    steps: Sequence[tuple[str, dict]]
    facts: Sequence[tuple[str, str]]
    """What the answer needs: words to search for, and the fact as it stands in the result."""


def orders() -> Task:
    chance = random.Random(1)
    rows = [
        {
            "id": 4000 + n,
            "customer": f"Customer {chance.randrange(90)}",
            "status": chance.choice(["open", "paid", "sent", "returned"]),
            "amount": round(chance.uniform(20, 900), 2),
            "currency": "EUR",
            "placed": f"2031-0{chance.randrange(1, 10)}-{chance.randrange(10, 29)}",
            "address": f"{chance.randrange(1, 200)} Harbour Road, Unit {chance.randrange(20)}",
            "notes": COMMON[: chance.randrange(20, 90)],
        }
        for n in range(200)
    ]
    rows[143] |= {"customer": "Amsel Boats", "status": "returned", "amount": 1299.5}

    @tool(effect="read")
    def list_orders() -> list:
        """List all orders."""
        return rows

    small = small_tools()
    text = "Which customer placed order 4143, what is its amount, and how much is that in dollars with 7 % tax?"
    steps = [
        ("list_orders", {}),
        ("rate", {"currency": "USD"}),
        ("tax", {"amount": 1390.47}),
        ("customer", {"name": "Amsel Boats"}),
    ]
    return Task(
        "200-row JSON", text, [list_orders, *small], steps, [("4143", "Amsel Boats"), ("4143", "1299.5"), ("rate", "1.07")]
    )


def document() -> Task:
    pages = [f"Page {n}. Section {n}: delivery terms of kind {n}.\n" + COMMON * 24 for n in range(1, 51)]
    pages[36] += "The notice period for a berth contract is 45 days to the end of a quarter.\n"

    @tool(effect="read")
    def read_contract() -> str:
        """Read the harbour contract."""
        return "\n".join(pages)

    text = "What is the notice period for a berth contract, and who is to be told?"
    steps = [("read_contract", {}), ("customer", {"name": "Amsel Boats"}), ("rate", {"currency": "USD"})]
    facts = [("notice period", "45 days to the end of a quarter"), ("contact", "Ms Reiher")]
    return Task("50-page text", text, [read_contract, *small_tools()], steps, facts)


def twelve_turns() -> Task:
    @tool(effect="read")
    def warehouse(number: int) -> str:
        """Read the sheet of a warehouse."""
        return f"Warehouse {number}. " + COMMON * 16 + f"It holds {300 + 7 * number} crates of tea. " + COMMON * 16

    steps = [("warehouse", {"number": n}) for n in range(12)]
    facts = [(f"Warehouse {n}", f"{300 + 7 * n} crates of tea") for n in range(12)]
    return Task("12 turns", "How many crates of tea do the twelve warehouses hold together?", [warehouse], steps, facts)


def web_page() -> Task:
    links = "".join(f'<li class="nav-item"><a href="/c/{n}?ref=top" data-track="{n}">Category {n}</a></li>' for n in range(180))
    script = "<script>window.data=" + json.dumps({f"k{n}": "x" * 30 for n in range(300)}) + "</script>"
    body = "".join(f'<div class="para" id="p{n}"><p>{COMMON}</p></div>' for n in range(60))
    fact = "<h2>Opening hours</h2><p>The harbour office is open from 7:30 to 16:15, on Saturdays until noon.</p>"
    styles = ".a{color:red}" * 400
    page = f"<html><head><style>{styles}</style>{script}</head><body><ul>{links}</ul>{body}{fact}{body}</body></html>"

    @tool(effect="read")
    def fetch(url: str) -> str:
        """Fetch a web page."""
        return page

    text = "When is the harbour office open? Name the opening hours and the contact."
    steps = [
        ("fetch", {"url": "https://harbour.example/office"}),
        ("customer", {"name": "Harbour office"}),
        ("rate", {"currency": "USD"}),
    ]
    facts = [("open", "7:30 to 16:15"), ("contact", "Ms Reiher")]
    return Task("web page", text, [fetch, *small_tools()], steps, facts)


def logs() -> Task:
    chance = random.Random(2)
    times = [f"2031-05-04T10:{n // 60 % 60:02}:{n % 60:02}Z" for n in range(2000)]
    done = [f"worker-{chance.randrange(8)} request {n} done in {chance.randrange(900)} ms" for n in range(2000)]
    lines = [f"{time} INFO {what}" for time, what in zip(times, done, strict=True)]
    lines[1311] = "2031-05-04T10:21:51Z ERROR worker-3 payment 88123 failed: card processor answered 502 after 3 attempts"

    @tool(effect="read")
    def read_log(day: str) -> str:
        """Read the log of a day."""
        return "\n".join(lines)

    steps = [("read_log", {"day": "2031-05-04"}), ("customer", {"name": "Amsel Boats"}), ("rate", {"currency": "USD"})]
    facts = [("ERROR", "payment 88123 failed"), ("ERROR", "502 after 3 attempts")]
    return Task("logs", "Why did a payment fail on 2031-05-04, and which one?", [read_log, *small_tools()], steps, facts)


def table() -> Task:
    chance = random.Random(3)
    rows = [f"T-{n:04},shelf {n % 40},{chance.randrange(500)},{chance.uniform(1, 90):.2f},{COMMON[:40]}" for n in range(600)]
    rows[417] = "T-0417,shelf 17,88,61.35,fragile"
    text = "\n".join(["article,place,stock,price,remark", *rows])

    @tool(effect="read")
    def stock() -> str:
        """Give the stock as CSV."""
        return text

    steps = [("stock", {}), ("tax", {"amount": 5398.8}), ("customer", {"name": "Amsel Boats"})]
    asked = "What is the stock of article T-0417 worth, where does it stand, and what is the tax on it?"
    return Task("table", asked, [stock, *small_tools()], steps, [("T-0417", "61.35"), ("T-0417", "shelf 17")])


def small_tools() -> list[Tool]:
    @tool(effect="read")
    def rate(currency: str) -> dict:
        """Give the exchange rate of the euro."""
        return {"currency": currency, "rate": 1.07}

    @tool(effect="read")
    def tax(amount: float) -> dict:
        """Work out the tax on an amount."""
        return {"amount": amount, "tax": round(amount * 0.07, 2)}

    @tool(effect="read")
    def customer(name: str) -> dict:
        """Look a customer up."""
        return {"name": name, "since": 2019, "contact": "Ms Reiher", "phone": "0100 555"}

    return [rate, tax, customer]


@dataclass
class Player:
    """Takes the steps, looks for facts that are not in view, and answers."""

    task: Task
    step: int = 0
    searched: set[tuple[str, str, str]] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)

    def __call__(self, request: ModelRequest) -> Scripted:
        if self.step < len(self.task.steps):
            name, arguments = self.task.steps[self.step]
            self.step += 1
            thought = think(
                f"Step {self.step} comes next.", plan="1. look 2. work out 3. answer", action=name, number=self.step
            )
            return reply(thought, call(name, **arguments))
        shown = "\n".join(message.text for message in request.messages)
        for words, fact in self.task.facts:
            if fact in shown:
                continue
            if look := self.look(words, fact, shown):
                return look
        self.missing = [fact for _, fact in self.task.facts if fact not in shown]
        return "The answer, with " + ", ".join(fact for _, fact in self.task.facts)

    def look(self, words: str, fact: str, shown: str) -> Scripted | None:
        """Search every result that can be read on for the words, then read on from each place that was found."""
        for handle in dict.fromkeys(re.findall(r"\br\d+\b", shown)):
            if (handle, words, "") not in self.searched:
                self.searched.add((handle, words, ""))
                return call("search_in", handle=handle, pattern=words)
        for handle, start in re.findall(r"\[lines of (r\d+)[^\n]*\n(?:line [^\n]*?start=(\d+))", shown):
            if (handle, words, start) not in self.searched:
                self.searched.add((handle, words, start))
                return call("read_more", handle=handle, start=int(start))
        return None


async def prudent_tokens(task: Task, counter: TokenCounter) -> tuple[int, int, list[str]]:
    player = Player(task)
    model = ScriptedModel([player], repeat_last=True, when_folding=SUMMARY, profile=ModelProfile("scripted"))
    agent = Agent(model, tools=task.tools, instructions=INSTRUCTIONS, budget=Budget(model_calls=80, seconds=60))
    with tempfile.TemporaryDirectory() as folder:
        result = await agent.run(task.text, db=Path(folder) / "agent.db")
    assert result.status == "completed", result
    sent = [counter.messages(request.messages) + counter.tools(request.tools) for request in model.requests]
    return sum(sent), len(sent), player.missing


def naive_tokens(task: Task, counter: TokenCounter) -> tuple[int, int]:
    """Do the same with whole results, no plan, and nothing folded."""
    by_name = {each.name: each for each in task.tools}
    specs = [each.describe(list(by_name)) for each in task.tools]
    messages = [Message("system", INSTRUCTIONS), Message("user", task.text)]
    total = counter.messages(messages) + counter.tools(specs)
    for number, (name, arguments) in enumerate(task.steps):
        result = by_name[name](**arguments)
        text = result if isinstance(result, str) else json.dumps(result)
        messages.append(Message("assistant", calls=(ToolCall(f"call_{number}", name, json.dumps(arguments)),)))
        messages.append(Message("tool", text, call_id=f"call_{number}"))
        total += counter.messages(messages) + counter.tools(specs)
    return total, len(task.steps) + 1


TASKS: Sequence[Callable[[], Task]] = (orders, document, twelve_turns, web_page, logs, table)


async def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    counter = TokenCounter()
    naive_sum = prudent_sum = lost = 0
    print(f"{'task':<14}{'usual loop':>12}{'calls':>7}{'Prudent':>10}{'calls':>7}{'share':>8}  facts in view at the answer")
    for make in TASKS:
        task = make()
        naive, naive_calls = naive_tokens(task, counter)
        ours, calls, missing = await prudent_tokens(task, counter)
        naive_sum, prudent_sum, lost = naive_sum + naive, prudent_sum + ours, lost + len(missing)
        facts = f"{len(task.facts) - len(missing)} of {len(task.facts)}" + (f", missing {missing}" if missing else "")
        print(f"{task.name:<14}{naive:>12,}{naive_calls:>7}{ours:>10,}{calls:>7}{ours / naive:>8.0%}  {facts}")
    print(f"{'in all':<14}{naive_sum:>12,}{'':>7}{prudent_sum:>10,}{'':>7}{prudent_sum / naive_sum:>8.0%}")
    return 0 if not lost and prudent_sum * 3 <= naive_sum else 1


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
