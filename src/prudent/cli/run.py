"""`prudent run`: gives a task to an agent."""

from __future__ import annotations

from prudent.cli import exits
from prudent.cli.options import (
    DEFAULT_DATABASE,
    AgentOption,
    BaseUrlOption,
    DatabaseOption,
    JsonLinesOption,
    JsonOption,
    ModelCallsOption,
    ModelOption,
    ModeOption,
    NoOption,
    SecondsOption,
    SessionOption,
    Task,
    YesOption,
    read_task,
    teach,
)

HELP = "Give a task to an agent: it plans, uses its tools, and answers, within its budget."
EPILOG = teach(
    [
        ('prudent run "What is 19 % of 1299?" --model local', "a plain agent with a calculator, on the embedded model"),
        ('prudent run "Who may return a plan?" --agent agent.toml', "the agent that the file describes"),
        ('prudent run "Tidy up" --agent agents.py:janitor --mode plan', "only tools that write nothing"),
        ('echo "Sum up." | prudent run - --agent agent.toml --json', "task from standard input, result as JSON"),
    ],
    "Without a terminal nothing is approved by itself: the run parks (exit 4), `prudent approve` and `prudent resume` go on. "
    "Ctrl-C stops the run cleanly, a second one leaves at once.",
    exits.TABLE,
)


def run(
    task: Task,
    agent: AgentOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    session: SessionOption = "",
    mode: ModeOption = None,
    yes: YesOption = False,
    no: NoOption = False,
    max_model_calls: ModelCallsOption = None,
    seconds: SecondsOption = None,
    json: JsonOption = False,
    jsonl: JsonLinesOption = False,
) -> int:
    """Run a task to its end, or to where a person is needed."""
    from prudent.cli.agents import agent_or_plain, fetch_model  # the engine is slow to import, and --help needs none of it
    from prudent.cli.narration import line
    from prudent.cli.sitting import open_sitting

    text = read_task(task)
    sitting = open_sitting(db, yes=yes, no=no, json=json, jsonl=jsonl)
    chosen = agent_or_plain(agent)
    fetch_model(chosen, model, yes=yes)
    ready = chosen.prepare(
        text,
        model=model,
        base_url=base_url,
        db=db,
        session=session,
        mode=mode,
        max_model_calls=max_model_calls,
        seconds=seconds,
        approver=sitting.approver,
        process_ends=True,
    )
    if agent is None:
        sitting.face.say(line(("dim", "no --agent: a plain agent, which can calculate and reads no files")))
    return sitting.drive(ready)
