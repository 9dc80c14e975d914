"""`prudent sessions`: conversations that go on from run to run."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonListOption, teach
from prudent.cli.terminals import somebody_there
from prudent.cli.text import as_json, count, one_line, when_text
from prudent.errors import ConfigurationError

HELP = "List, read, branch and delete sessions: conversations that go on from run to run."
EPILOG = teach(
    [
        ("prudent sessions", "all of them, the one used last first"),
        ("prudent sessions show tax", "what was asked and answered"),
        ("prudent sessions branch tax tax-2", "a second conversation that begins with the first one's answers"),
        ("prudent sessions delete tax-2", "asks first; the runs themselves stay in the record"),
    ],
    "`prudent run --session NAME` and `prudent chat --session NAME` go on with one, or begin it.",
    "Exit status: 0 done, 2 no such session, a no, or nobody to ask.",
)

app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A session's name.", show_default=False)]


@app.callback()
def sessions(
    context: typer.Context,
    json: JsonListOption = False,
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """List sessions, unless a command about one follows."""
    if context.invoked_subcommand is None:
        _list(db, json=json)


def _list(db: Path, *, json: bool) -> None:
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.cli.tables import table_lines
    from prudent.journal.sessions import Sessions

    with open_records(db) as store:
        rows = Sessions(store.database).rows()
    if json:
        sys.stdout.write(as_json([asdict(row) for row in rows]) + "\n")
        return
    if not rows:
        sys.stdout.write("no sessions\n")
        return
    cells = [[one_line(r.session, 40), str(r.runs), when_text(r.last_at), one_line(r.last_task, 80)] for r in rows]
    for text in table_lines([["session", "runs", "last used", "last question"], *cells], right=(1,)):
        sys.stdout.write(text + "\n")


@app.command(
    "show",
    help="Show what was asked and answered in a session.",
    epilog=teach(
        [("prudent sessions show tax", "questions and answers, oldest first")], "Exit status: 0 shown, 2 no such session."
    ),
)
def show(name: _Name, json: JsonListOption = False, db: DatabaseOption = DEFAULT_DATABASE) -> None:
    """Show a session."""
    from prudent.cli.discretion import Discretion  # the journal is slow to import, and --help needs none of it
    from prudent.cli.records import open_records
    from prudent.cli.text import visible
    from prudent.journal.sessions import Sessions  # the journal, as said above

    with open_records(db) as store:
        known = Sessions(store.database)
        found, exists = known.exchanges(name), bool(known.run_ids(name))
    if not exists:
        raise ConfigurationError(f"there is no session {name!r}: see prudent sessions")
    redact = Discretion().text
    if json:
        sys.stdout.write(redact(as_json([asdict(exchange) for exchange in found])) + "\n")
        return
    for exchange in found:
        unfinished = "" if exchange.finished else "  (unfinished)"
        sys.stdout.write(
            redact(f"{exchange.run_id}{unfinished}\n> {visible(exchange.question)}\n{visible(exchange.answer)}\n\n")
        )


@app.command(
    "branch",
    help="Begin a session with what was said in another one; both then go on by themselves.",
    epilog=teach(
        [
            ("prudent sessions branch tax tax-2", "all that was said so far"),
            ("prudent sessions branch tax tax-2 --at 20310504-1015", "only up to this run"),
        ],
        "Exit status: 0 done, 2 no such session or run, or the new name is taken.",
    ),
)
def branch(
    name: _Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The branch's name.", show_default=False)],
    at: Annotated[
        str, typer.Option("--at", metavar="RUN", help="The last run that it shares.", show_default="the latest")
    ] = "",
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """Branch a session."""
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.journal.sessions import Sessions

    with open_records(db) as store:
        shared = Sessions(store.database).branch(name, new, at=store.find(at) if at else "")
    sys.stdout.write(f"{new} begins with {count(shared, 'run')} of {name}\n")
    sys.stdout.write(f"next: prudent chat --session {shlex.quote(new)}\n")


@app.command(
    "delete",
    help="Delete a session: the next run by its name knows nothing of it. Its runs stay in the record.",
    epilog=teach(
        [("prudent sessions delete tax --yes", "without asking")], "Exit status: 0 deleted, 2 no such session, or a no."
    ),
)
def delete(
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it without asking.")] = False,
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """Delete a session."""
    from prudent.cli.records import open_records  # the journal is slow to import, and --help needs none of it
    from prudent.journal.sessions import Sessions

    with open_records(db) as store:
        known = Sessions(store.database)
        runs = known.run_ids(name)
        if runs and not yes:
            _confirm(name, len(runs))
        known.delete(name)
    sys.stdout.write(f"session {name} deleted; its {count(len(runs), 'run')} can still be seen with prudent runs\n")


def _confirm(name: str, runs: int) -> None:
    """Ask before a session is deleted; raises ConfigurationError for a no, or when nobody can be asked."""
    question = (
        f"Delete the session {name!r}? The next run by this name will know nothing of its {count(runs, 'question')}. "
        "The runs stay in the record (prudent runs, prudent show). This cannot be undone. [y/N] "
    )
    if not somebody_there(sys.stderr):
        raise ConfigurationError(f"nobody can be asked: add --yes to delete the session {name!r}")
    sys.stderr.write(question)
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConfigurationError("nothing was deleted")
