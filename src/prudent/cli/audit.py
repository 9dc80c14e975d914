"""`prudent audit`: what the journal tells about the tools, and what to change."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from prudent.cli.options import DEFAULT_DATABASE, JsonListOption, teach
from prudent.cli.since import read_since
from prudent.cli.text import as_json, visible
from prudent.errors import ConfigurationError

HELP = "Tell which tools are used, fail or are confused, and what to remove, merge or join."
EPILOG = teach(
    [
        ("prudent audit", "all runs of the record in this folder"),
        ("prudent audit --agent helpdesk --since 30d", "one agent's, of the last thirty days"),
        ("prudent audit --db a.db --db b.db --report audit.html", "several records in one page, with pictures"),
        ("prudent audit --json", "everything, for a program"),
    ],
    "Token figures of definitions are estimates. No model is asked.",
    "Exit status: 0 done, 2 no such record, or no run in it.",
)

Databases = Annotated[
    list[Path] | None,
    typer.Option(
        "--db",
        metavar="PATH",
        envvar="PRUDENT_DB",
        help="A record of runs, .prudent/agent.db if none is given; may be given several times.",
    ),
]


def audit(
    db: Databases = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Only this agent's runs, by its name.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Only runs begun since: 2031-05-04, 12h, 7d, 4w.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write a page with charts there as well.")
    ] = None,
    json: JsonListOption = False,
) -> None:
    """Audit the tools."""
    from prudent.auditing import gather  # the journal is slow to import, and --help needs none of it
    from prudent.cli.audit_text import audit_lines
    from prudent.design.audit.page import audit_page  # these look at all the definitions, with all their rules
    from prudent.design.audit.report import audit as look_through

    begun = read_since(since, time.time()) if since is not None else 0.0
    databases = [*dict.fromkeys(db or [DEFAULT_DATABASE])]
    found = look_through(gather(databases, since=begun, agent=agent))
    if report is not None:
        _write(report, audit_page(found))
    if json:
        sys.stdout.write(as_json(found.as_json(), indent=2) + "\n")
        return
    for line in audit_lines(found):
        sys.stdout.write(visible(line) + "\n")
    if report is not None:
        sys.stdout.write(f"\nThe page is {report}\n")


def _write(path: Path, page: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigurationError(f"--report {path} cannot be written: {error.strerror or error}") from error
