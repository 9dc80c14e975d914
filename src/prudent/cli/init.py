"""`prudent init`: writes a commented agent file to begin from."""

from __future__ import annotations

import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from prudent.cli.options import teach
from prudent.errors import ConfigurationError

HELP = "Write a commented agent.toml, ready to run and to change."
EPILOG = teach(
    [
        ("prudent init my-agent", "a helpdesk agent over a small folder of documents, in my-agent/"),
        ("prudent init --template starter .", "the same in this folder"),
    ],
    "Exit status: 0 written, 2 an unknown template or a file that is there already.",
)

TEMPLATES: dict[str, frozenset[str]] = {
    "starter": frozenset({"calculator", "knowledge", "report"}),
    "analyst": frozenset({"data"}),
    "research": frozenset({"web", "knowledge"}),
    "coding": frozenset({"files", "shell"}),
}
"""Each template with the toolkits that it stands on."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Folder to write into; made if it is not there.")] = Path(),
    template: Annotated[str, typer.Option("--template", metavar="NAME", help=f"One of {', '.join(TEMPLATES)}.")] = "starter",
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
) -> None:
    """Write a template's files into a folder."""
    source = _template(template)
    pairs = [(item, folder / name) for name, item in _walk(source)]
    there = [str(target) for _, target in pairs if target.exists()]
    if there and not force:
        raise ConfigurationError(f"{', '.join(there)} is there already: choose another folder, or add --force to overwrite")
    for item, target in pairs:
        _write(item, target)
        sys.stdout.write(f"wrote {target}\n")
    sys.stdout.write(f'next: prudent run "{_QUESTIONS[template]}" --agent {folder / "agent.toml"}\n')


_QUESTIONS = {"starter": "How long can a yearly plan be returned, and what comes back?"}


def _template(name: str) -> Traversable:
    from prudent.toolkits import TOOLKITS  # needed only here

    if name not in TEMPLATES:
        raise ConfigurationError(f"there is no template {name!r}: choose one of {', '.join(TEMPLATES)}")
    source = files("prudent.cli") / "templates" / name
    missing = sorted(TEMPLATES[name] - set(TOOLKITS))
    if missing or not source.is_dir():
        ready = [known for known, needed in TEMPLATES.items() if needed <= set(TOOLKITS)]
        what = f"needs the toolkit {' and '.join(missing)}, which comes" if missing else "comes"
        raise ConfigurationError(f"the template {name!r} {what} in a later version; ready now: {', '.join(ready)}")
    return source


def _walk(folder: Traversable, prefix: str = "") -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = f"{prefix}{item.name}"
        found += _walk(item, f"{name}/") if item.is_dir() else [(name, item)]
    return found


def _write(item: Traversable, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(item.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}") from error
