"""`prudent approvals` and `approve`: what waits for a decision, and the decision."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated, cast

import typer

from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonListOption, RunArgument, database_words, only_one, teach
from prudent.cli.text import as_json, json_or_text
from prudent.errors import ConfigurationError
from prudent.events import Decision
from prudent.types import JSONObject

LIST_HELP = "List the calls of all runs that wait for a decision."
LIST_EPILOG = teach(
    [
        ("prudent approvals", "what waits, with its preview and the commands that answer"),
        ("prudent approvals --json", "the same for a program"),
    ],
    "Exit status: 0 listed (also when nothing waits), 2 no such database.",
)

APPROVE_HELP = "Decide about a call that waits; `prudent resume RUN` then goes on with the run."
APPROVE_EPILOG = teach(
    [
        ("prudent approve last call_1", "yes, exactly as shown"),
        ("""prudent approve last call_1 --edit '{"id": 10}'""", "yes, with these arguments instead"),
        ('prudent approve last call_1 --reject "still in use"', "no; the model is told the reason"),
        (
            "prudent approve last call_2 --happened --result '\"receipt 7718\"'",
            "it did happen, with this result",
        ),
        ("prudent approve last call_2 --retry", "it did not happen: run it again (--skip: leave it)"),
    ],
    "A call whose outcome is unknown takes --happened, --retry or --skip, any other call takes the rest. "
    "A decision is used once, for exactly the call that was shown.",
    "Exit status: 0 noted, 2 no such run or call, or a decision that does not fit.",
)

CallArgument = Annotated[
    str, typer.Argument(metavar="CALL", help="The call's id, as `prudent approvals` shows it.", show_default=False)
]


def approvals(db: DatabaseOption = DEFAULT_DATABASE, json: JsonListOption = False) -> None:
    """List what waits for a decision."""
    from prudent.cli.discretion import Discretion  # the journal is slow to import, and --help needs none of it
    from prudent.cli.pending import waiting_calls, waiting_lines

    discretion = Discretion()
    calls = [discretion.mapping(call) for call in waiting_calls(db)]
    if json:
        sys.stdout.write(as_json(calls) + "\n")
        return
    for line in waiting_lines(calls, database_words(db)):
        sys.stdout.write(discretion.text(line.text) + "\n")


def approve(
    run: RunArgument,
    call: CallArgument,
    edit: Annotated[
        str | None, typer.Option("--edit", metavar="JSON", help="Approve with these arguments, an object, instead.")
    ] = None,
    reject: Annotated[str | None, typer.Option("--reject", metavar="REASON", help="Reject; the model is told why.")] = None,
    always: Annotated[bool, typer.Option("--always", help="Approve, marked as a standing answer.")] = False,
    happened: Annotated[bool, typer.Option("--happened", help="Unknown outcome: it took effect.")] = False,
    result: Annotated[str | None, typer.Option("--result", metavar="JSON", help="With --happened: what came of it.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Unknown outcome: it did not take effect; run it again.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Unknown outcome: go on without it.")] = False,
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """Note a decision for a run."""
    from prudent.cli.pending import decide  # the journal is slow to import, and --help needs none of it

    flags = {"always": always, "happened": happened, "retry": retry, "skip": skip}
    only_one(edit=edit is not None, reject=reject is not None, **flags)
    if result is not None and not happened:
        raise ConfigurationError("--result goes with --happened only")
    chosen = next((name for name, given in flags.items() if given), "approve")
    decision = cast("Decision", "edit" if edit is not None else "reject" if reject is not None else chosen)
    note: JSONObject = {
        "decision": decision,
        "decided_by": _who(),
        "reason": (reject or "").strip(),
        "arguments": _arguments(edit),
        "result": None if result is None else json_or_text(result),
    }
    row = decide(db, run, call, note)
    words = database_words(db)
    sys.stdout.write(f"noted: {decision} {row.tool_name} ({row.call_id})\n")
    sys.stdout.write(f"next: prudent resume {row.run_id}{f' --db {words}' if words else ''}\n")


def _arguments(edit: str | None) -> JSONObject | None:
    """Read edited arguments."""
    if edit is None:
        return None
    value = json_or_text(edit)
    if not isinstance(value, dict):
        raise ConfigurationError("""--edit is no JSON object: write all arguments, as in --edit '{"id": 10}'""")
    return value


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user on this machine
        return "prudent approve"
