"""`prudent resume`: goes on with a run that was parked, stopped, or cut off."""

from __future__ import annotations

from typing import Annotated

import typer

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
    NoOption,
    RunArgument,
    SecondsOption,
    YesOption,
    teach,
)
from prudent.errors import ConfigurationError

HELP = "Go on with a run that waits for a decision, was stopped, or whose process died."
EPILOG = teach(
    [
        ("prudent resume last", "the latest run, with the agent it was started with"),
        ("prudent resume 20310504-1015 --json", "by the beginning of its id; result as JSON"),
        ("prudent resume last --agent agent.toml --accept-changed-agent", "though the agent has changed since"),
    ],
    "Finished calls are never repeated. A call whose outcome nobody knows waits for `prudent approve RUN CALL --happened`, "
    "`--retry` or `--skip`; --yes and --no do not answer it.",
    exits.TABLE,
)


def resume(
    run: RunArgument,
    agent: AgentOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    yes: YesOption = False,
    no: NoOption = False,
    max_model_calls: ModelCallsOption = None,
    seconds: SecondsOption = None,
    accept_changed_agent: Annotated[
        bool, typer.Option("--accept-changed-agent", help="Go on though the agent's file has changed since.")
    ] = False,
    json: JsonOption = False,
    jsonl: JsonLinesOption = False,
) -> int:
    """Take a run up again where its record ends."""
    from prudent.cli.agents import fetch_model, recorded_agent  # the engine is slow to import, and --help needs none of it
    from prudent.cli.records import find_run
    from prudent.cli.sitting import open_sitting

    sitting = open_sitting(db, yes=yes, no=no, json=json, jsonl=jsonl)
    row = find_run(db, run)
    if row.status == "completed":
        raise ConfigurationError(f"run {row.run_id} is completed, so there is nothing to go on with: prudent show {row.run_id}")
    chosen = recorded_agent(row, agent)
    if isinstance(chosen.model, str | None):
        model = model or row.model
    fetch_model(chosen, model, yes=yes)
    return sitting.drive(
        chosen.resume(
            row.run_id,
            model=model,
            base_url=base_url or row.base_url or None,
            db=db,
            max_model_calls=max_model_calls,
            seconds=seconds,
            approver=sitting.approver,
            process_ends=True,
            accept_changed_agent=accept_changed_agent,
        )
    )
