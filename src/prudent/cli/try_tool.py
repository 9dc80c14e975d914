"""`prudent try`: tries one tool alone, before it joins the others."""

from __future__ import annotations

from typing import Annotated

import typer

from prudent.cli.options import (
    DEFAULT_DATABASE,
    BaseUrlOption,
    DatabaseOption,
    JsonLinesOption,
    JsonOption,
    ModelCallsOption,
    ModelOption,
    NoOption,
    SecondsOption,
    SessionOption,
    YesOption,
    read_task,
    teach,
)
from prudent.errors import ConfigurationError

HELP = "Try one tool alone: look at its definition and call it once, or give an agent that has nothing else a task."
EPILOG = teach(
    [
        ("prudent try tools.py:lookup", "the definition as the model reads it, a form, and one call"),
        ("""prudent try tools.py:lookup --arguments '{"id": 7}'""", "one call with these arguments"),
        ('prudent try tools.py:lookup "Who is customer 7?" --model local', "an agent with this tool and the planning tool"),
        ("prudent try agent.toml:search_knowledge", "a tool that an agent file mounts"),
    ],
    "A tool that is not declared to read is called only after a yes, or with --yes. Arguments are asked for in a terminal; "
    "elsewhere they are the tool's first example, or what --arguments says.",
    "Exit status: 0 called or shown, 2 usage or configuration error, 5 the call failed; with a TASK those of `prudent run`.",
)

ToolArgument = Annotated[
    str,
    typer.Argument(metavar="FILE:TOOL", help="FILE.py:NAME (a tool or a function), or AGENT.toml:TOOL.", show_default=False),
]
TaskArgument = Annotated[
    str | None, typer.Argument(metavar="TASK", help="What an agent is to do with it; `-` reads it from standard input.")
]
ArgumentsOption = Annotated[
    str | None, typer.Option("--arguments", metavar="JSON", help="Arguments of the one call, an object.")
]


def try_tool(
    tool: ToolArgument,
    task: TaskArgument = None,
    arguments: ArgumentsOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    session: SessionOption = "",
    yes: YesOption = False,
    no: NoOption = False,
    max_model_calls: ModelCallsOption = None,
    seconds: SecondsOption = None,
    json: JsonOption = False,
    jsonl: JsonLinesOption = False,
) -> int:
    """Try a tool by hand, or with an agent when there is a task."""
    if task is None:
        given = [name for name, value in (("--json", json), ("--jsonl", jsonl), ("--model", model)) if value]
        if given:
            raise ConfigurationError(f'{given[0]} goes with a TASK, as in prudent try {tool} "What is to be done?" {given[0]}')
        from prudent.cli.trying import try_by_hand  # the engine is slow to import, and --help needs none of it

        return try_by_hand(tool, arguments, yes=yes, no=no)
    if arguments is not None:
        raise ConfigurationError("--arguments is for a call by hand: leave the TASK out, or the arguments")
    from prudent.cli.agents import fetch_model  # the engine is slow to import, and --help needs none of it
    from prudent.cli.sitting import open_sitting
    from prudent.trial import trial_agent

    text = read_task(task)
    sitting = open_sitting(db, yes=yes, no=no, json=json, jsonl=jsonl)
    agent = trial_agent(tool, seconds=seconds)
    fetch_model(agent, model, yes=yes)
    ready = agent.prepare(
        text,
        model=model,
        base_url=base_url,
        db=db,
        session=session,
        max_model_calls=max_model_calls,
        seconds=seconds,
        approver=sitting.approver,
        process_ends=True,
    )
    return sitting.drive(ready)
