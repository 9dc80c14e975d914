"""`prudent stop`: stops a run of another process."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from prudent.cli import exits
from prudent.cli.mishaps import tell
from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, RunArgument, teach

HELP = "Stop a run that another process works on, or one that is parked."
EPILOG = teach(
    [
        ("prudent stop last", "the latest run"),
        ('prudent stop 20310504-1015 --reason "wrong file"', "by the beginning of its id, with a reason for the record"),
    ],
    "It waits until the run has ended. A run whose process is dead is marked as stopped. `prudent resume` can go on with it.",
    "Exit status: 0 it is stopped or had ended already, 2 no such run, 5 it did not answer.",
)

WAIT_SECONDS = 6.0
"""A run stops within 3 s; twice as long on a machine that is busy."""

LOOK_SECONDS = 0.05


def stop(
    run: RunArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = "prudent stop",
    db: DatabaseOption = DEFAULT_DATABASE,
) -> int:
    """Ask a run to stop and wait until it has."""
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.journal.outside import end_from_outside

    with open_records(db) as store:
        run_id = store.find(run)
        row = store.run(run_id)
        if row.status not in ("running", "awaiting_approval"):
            sys.stdout.write(f"run {run_id} had ended already: {row.status}\n")
            return exits.OK
        if not store.is_alive(run_id):
            end_from_outside(db, run_id, error=reason)
            sys.stdout.write(f"run {run_id} is marked as stopped; no process was working on it\n")
            return exits.OK
        owner = store.owner(run_id)
        store.post(run_id, "stop", {"reason": reason})
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            row = store.run(run_id)
            if row.status != "running":
                sys.stdout.write(f"run {run_id}: {row.status}\n")
                return exits.OK
            if not store.is_alive(run_id):
                end_from_outside(db, run_id, error=reason)
                sys.stdout.write(f"run {run_id} is marked as stopped; its process has died\n")
                return exits.OK
            time.sleep(LOOK_SECONDS)
    tell(f"run {run_id} was asked to stop, but process {owner.pid} does not answer; end it with: kill {owner.pid}")
    return exits.FAILED
