"""`prudent show`: a run, readable from beginning to end."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonListOption, RunArgument, only_one, teach

HELP = "Show a run: its thoughts and plan, each call with what the model saw of it, tokens for each turn, and the end."
EPILOG = teach(
    [
        ("prudent show last", "the latest run"),
        ("prudent show 20310504-1015 --raw", "what went over the wire, as it went"),
        ("prudent show last --json", "the result and all events, for a program"),
    ],
    "Exit status: 0 shown, 2 no such run.",
)


def show(
    run: RunArgument,
    raw: Annotated[bool, typer.Option("--raw", help="The exact requests and replies instead.")] = False,
    json: JsonListOption = False,
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """Show one run."""
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.cli.showing import run_json, write_raw, write_timeline

    only_one(raw=raw, json=json)
    with open_records(db) as store:
        events = [*store.read(store.find(run), with_raw=raw)]
    if raw:
        write_raw(events)
    elif json:
        sys.stdout.write(run_json(events) + "\n")
    else:
        write_timeline(events)
