"""`prudent lint`: tool definitions that models get right."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from prudent.cli.exits import OK, THRESHOLD
from prudent.cli.options import only_one, teach
from prudent.cli.text import as_json
from prudent.errors import ConfigurationError

HELP = "Judge tool definitions: what a model will get wrong, why, and what to write instead."
EPILOG = teach(
    [
        ("prudent lint tools.py", "the tools of a Python file, or its plain functions"),
        ("prudent lint agent.toml", "the tools of an agent; also agents.py:NAME, a module, JSON, a folder of JSON"),
        ('prudent lint --mcp "uvx mcp-server-git"', "the tools of a live MCP server; a URL will do as well"),
        ("prudent lint tools.json --select schema,E301", "only some families or rules"),
        ("prudent lint tools.py --diff", "shows what --fix would write"),
        ("prudent lint tools.json --format sarif", "for a code host"),
    ],
    "Settings stand in pyproject.toml under [tool.prudent.lint]: select, ignore, fail-on, embedder, tools.",
    "Exit status: 0 nothing of the level of --fail-on (default: error) or above, 1 something, 2 it could not be read.",
)

FORMATS = ("text", "json", "sarif", "markdown")


def lint(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TARGET]...", help="Python file or module, JSON, folder, agent, or URL.", show_default=False),
    ] = None,
    mcp: Annotated[
        list[str] | None, typer.Option("--mcp", metavar="SERVER", help="A command that starts an MCP server, or its URL.")
    ] = None,
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")] = "text",
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="RULES", help="Only these codes, beginnings of codes, or families.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="RULES", help="All but these.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="LEVEL", help="Exit status 1 from here on: note, warning, error, never.", show_default="error"
        ),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Write what is mechanical: into Python files, or beside JSON files.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would write, and write nothing.")] = False,
    rewrite: Annotated[
        str | None,
        typer.Option("--rewrite", metavar="MODEL", help="Ask a model for better descriptions; shows them, writes nothing."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Where the model of --rewrite is reached.")
    ] = None,
) -> int:
    """Judge definitions."""
    # pydantic and the rules are slow to import, and --help needs neither
    from prudent.cli.lint_inputs import read_inputs
    from prudent.design.lint.judge import judge, worst
    from prudent.design.lint.rule import LEVELS  # slow with them
    from prudent.design.lint.settings import FAIL_ON, read_settings

    only_one(fix=fix, diff=diff, rewrite=rewrite is not None)
    if format not in FORMATS:
        raise ConfigurationError(f"there is no format {format!r}: choose one of {', '.join(FORMATS)}")
    settings = read_settings(Path())
    level = fail_on or settings.fail_on
    if level not in FAIL_ON:
        raise ConfigurationError(f"--fail-on is {level!r}: use {', '.join(FAIL_ON)}")
    choice = settings.choice(_words(select), _words(ignore))
    inputs = read_inputs(targets or [], mcp or [])
    if fix or diff:
        from prudent.cli.lint_changes import show_fixes  # needed only here

        return show_fixes(inputs, choice, write=fix)
    embed = _embedder(settings.embedder, settings.folder)
    verdicts = [judge(one.title, one.definitions, choice, embed) for one in inputs]
    if rewrite:
        from prudent.cli.lint_changes import show_rewrites  # needed only here

        return show_rewrites(inputs, verdicts, rewrite, base_url)
    _write(verdicts, format)
    gravest = worst(finding for verdict in verdicts for finding in verdict.all_findings)
    over = level != "never" and gravest is not None and LEVELS.index(gravest) <= LEVELS.index(level)
    return THRESHOLD if over else OK


def _write(verdicts: Sequence[Any], format: str) -> None:
    from prudent.cli.lint_text import verdict_lines, write_lines  # slow to import, and --help needs none of it
    from prudent.design.lint import reports

    if format == "text":
        write_lines(verdict_lines(verdicts, fixable="--fix; --diff shows how"))
    elif format == "markdown":
        sys.stdout.write(reports.as_markdown(verdicts) + "\n")
    elif format == "json":
        sys.stdout.write(as_json(reports.as_json(verdicts), indent=1) + "\n")
    else:
        from importlib.metadata import version  # slow, and needed only here

        sys.stdout.write(as_json(reports.as_sarif(verdicts, version("prudent")), indent=1) + "\n")


def _words(options: Sequence[str] | None) -> list[str]:
    return [word.strip() for option in options or () for word in option.split(",") if word.strip()]


def _embedder(reference: str, folder: Path) -> Callable[[Sequence[str]], Sequence[Sequence[float]]] | None:
    if not reference:
        return None
    from prudent.config.python_file import find_name, load_python_file, split_reference  # needed only with an embedder

    file, name = split_reference(reference)
    if not name:
        raise ConfigurationError(f'embedder is {reference!r}: write "file.py:function"')
    path = folder / file
    found = find_name(load_python_file(path), name, path)
    if not callable(found):
        raise ConfigurationError(f"embedder {reference!r} is no function")
    return cast("Callable[[Sequence[str]], Sequence[Sequence[float]]]", found)
