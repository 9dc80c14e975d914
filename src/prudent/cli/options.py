"""Options that several commands share, and what they mean together."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from prudent.errors import ConfigurationError

DEFAULT_DATABASE = Path(".prudent") / "agent.db"

Task = Annotated[
    str, typer.Argument(metavar="TASK", help="What is to be done; `-` reads it from standard input.", show_default=False)
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or `last`.", show_default=False)
]
AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="FILE", help="An agent: FILE.toml, FILE.py:NAME, or a FILE.py with one agent in it."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Model, such as local, openai:NAME, deepseek:NAME; before the agent's own and PRUDENT_MODEL.",
    ),
]
BaseUrlOption = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="Where the model is reached.")]
DatabaseOption = Annotated[
    Path, typer.Option("--db", metavar="PATH", envvar="PRUDENT_DB", help="The record of all runs.", show_envvar=True)
]
SessionOption = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="NAME",
        help="A conversation to go on with, or to begin: earlier questions and answers are known.",
        show_default=False,
    ),
]
ModeOption = Annotated[
    str | None,
    typer.Option("--mode", metavar="MODE", help="Choice of tools: plan (nothing that writes), act, or one of the agent's own."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Approve whatever asks; never answers an unknown outcome.")]
NoOption = Annotated[bool, typer.Option("--no", help="Reject whatever asks.")]
ModelCallsOption = Annotated[int | None, typer.Option("--max-model-calls", metavar="N", min=1, help="Most model calls.")]
SecondsOption = Annotated[float | None, typer.Option("--seconds", metavar="S", min=0.1, help="Most seconds of the whole run.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else there.")]
JsonLinesOption = Annotated[bool, typer.Option("--jsonl", help="Events as JSON lines while they happen, the object last.")]
JsonListOption = Annotated[bool, typer.Option("--json", help="JSON on standard output.")]


def teach(examples: Sequence[tuple[str, str]], *notes: str) -> str:
    """Write what stands below the options in `--help`: examples, each with what it does, then notes."""
    lines = ["\b", "Examples:"]
    for command, purpose in examples:
        lines += [f"  {command}", f"      {purpose}"]
    return "\n".join([*lines, *(f"\n{note}" for note in notes)])


def only_one(**flags: bool) -> None:
    """Refuse options that contradict each other."""
    given = [f"--{name.replace('_', '-')}" for name, value in flags.items() if value]
    if len(given) > 1:
        raise ConfigurationError(f"{' and '.join(given)} exclude each other: give one of them")


def read_task(task: str) -> str:
    """Give the task's text, from standard input for `-`."""
    if task == "-":
        task = sys.stdin.read() if sys.stdin else ""
    if not task.strip():
        raise ConfigurationError('the task is empty: say what is to be done, as in prudent run "What is 19 % of 1299?"')
    return task


def database_words(database: Path) -> str:
    """Give the database as it has to be named in a command, "" for the usual one."""
    return "" if database == DEFAULT_DATABASE else shlex.quote(str(database))
