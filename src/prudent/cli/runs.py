"""`prudent runs`: a table of what was run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, get_args

import typer

from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonListOption, teach
from prudent.cli.text import as_json, one_line, seconds_text, when_text
from prudent.errors import ConfigurationError
from prudent.events import RunStatus
from prudent.nearest import nearest

HELP = "List runs, the newest first."
EPILOG = teach(
    [
        ("prudent runs", "the latest twenty"),
        ("prudent runs --status failed --agent starter", "only those"),
        ("prudent runs --json --limit 500", "one JSON list, for a program"),
    ],
    "Exit status: 0 listed, 2 no such database.",
)


STATUSES = get_args(RunStatus)


def runs(
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help=f"One of {', '.join(STATUSES)}."),
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Only this agent's, by its name.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many at most.")] = 20,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonListOption = False,
) -> None:
    """List runs."""
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.cli.tables import table_lines

    if status is not None and status not in STATUSES:
        raise ConfigurationError(
            f"there is no status {status!r}{nearest(status, STATUSES)}\n    there are: {', '.join(STATUSES)}"
        )
    with open_records(db) as store:
        rows = store.runs(limit=limit, status=status, agent=agent)
        turns = {row.run_id: max((call.turn for call in store.model_calls(row.run_id)), default=0) for row in rows}
    if json:
        sys.stdout.write(as_json([{**asdict(row), "turns": turns[row.run_id]} for row in rows]) + "\n")
        return
    if not rows:
        sys.stdout.write("no runs\n")
        return
    head = ["run", "when", "agent", "status", "turns", "tokens", "time", "task"]
    cells = [
        [
            row.run_id,
            when_text(row.started_at),
            one_line(row.agent, 16),
            row.status + (f"/{row.reason}" if row.reason else ""),
            str(turns[row.run_id]),
            f"{row.input_tokens + row.output_tokens:,}",
            seconds_text(row.ended_at - row.started_at) if row.ended_at else "",
            one_line(row.task, 60),
        ]
        for row in rows
    ]
    for text in table_lines([head, *cells], right=(4, 5, 6)):
        sys.stdout.write(text + "\n")
