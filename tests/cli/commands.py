"""What the tests of commands share: agents on scripted models, and what a command gave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

AGENTS = '''
import os, sys, time
from pathlib import Path
from prudent import Agent, Budget, tool
from prudent.models.scripted import ScriptedModel, call, slow, think

@tool(effect="read")
def search(query: str) -> str:
    """Search the handbook.

    Args:
        query: words.
    """
    print("noise of a tool")
    os.write(1, b"noise of C code\\n")
    return "returns.md: a yearly plan can be returned within 30 days; 年费套餐也一样"

@tool(effect="destructive", preview=lambda values: f"would delete record {values['id']}")
def delete(id: int) -> str:
    """Delete a record.

    Args:
        id: its number.
    """
    with open("ledger.txt", "a") as ledger:
        ledger.write(f"delete {id}\\n")
    return f"record {id} deleted"

@tool(timeout_seconds=60)
async def hog(seconds: float) -> str:
    """Hold everything up.

    Args:
        seconds: how long.
    """
    Path("hog.start").touch()
    time.sleep(seconds)
    Path("hog.end").touch()
    return "done"

@tool(effect="read")
def login(user: str, key: str) -> str:
    """Log in.

    Args:
        user: who.
        key: the key.
    """
    return "welcome"

def playing(*replies):
    return ScriptedModel(list(replies))

PLAN = think("I have to look it up.", plan="1. search the handbook 2. answer", action="search")
ANSWER = "Within 30 days (returns.md)."
basic = Agent(playing([PLAN, call("search", query="yearly plan")], ANSWER), name="basic", tools=[search])
deleter = Agent(playing([call("delete", id=7)], "Done."), name="deleter", tools=[delete], planning="off")
hogger = Agent(playing([call("hog", seconds=20)], "Done."), name="hogger", tools=[hog], planning="off")
AGAIN = [call("search", query="x")]
looper = Agent(playing(AGAIN, AGAIN, "It goes round."), name="looper", tools=[search], planning="off")
'''


@dataclass(frozen=True, slots=True)
class Done:
    """What a command gave."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]


def process(arguments: Sequence[str]) -> list[str]:
    """Give the command line that runs a command in a process of its own."""
    return [sys.executable, "-m", "prudent.cli.main", *arguments]
