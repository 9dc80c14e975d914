"""Fetch a known model file: say what and whence, ask, fetch, verify, and only then give it its name.

Three sources, tried in this order: a file given by the caller, the publisher's repository on the hub, the package index.
Whatever the source, the file must have the sha256 that is written down in `gguf.KNOWN_MODELS`, else it is deleted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from prudent.errors import ConfigurationError
from prudent.models.gguf import MIB, KnownModel, known, models_folder, partial_path
from prudent.models.gguf_sources import Progress, append_file, fetch_from_hub, fetch_from_index, hub_reachable, hub_url

Source: TypeAlias = Path | Literal["hub", "index"]
Confirm: TypeAlias = Callable[[str], bool]

_SPARE_BYTES = 64 * MIB


def pull(name: str, *, confirm: Confirm, progress: Progress, source: Source | None = None) -> Path:
    """Fetch a model by name and return where it lies; one that is there already is not fetched again.

    Args:
        name: One of `gguf.KNOWN_MODELS`.
        confirm: Shown in plain words what would be fetched, from whom, how large and under which licence; asked once.
        progress: Called with bytes done and bytes in all, over the whole fetch.
        source: A file that holds the model, or `hub` or `index`; None takes the hub when it answers, else the index.

    Raises:
        ConfigurationError: An unknown name, a no, too little disk space, no source, or a file with the wrong hash.
    """
    model = known(name)
    target = models_folder() / model.file_name
    if _is_whole(target, model):
        return target
    chosen = source or ("hub" if hub_reachable(model) else "index")
    if not confirm(describe(model, chosen, target)):
        raise ConfigurationError(f"model {name} was not fetched: the answer was no")
    target.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(target.with_suffix(".lock")):
        if _is_whole(target, model):
            return target
        partial = partial_path(name)
        _check_space(model, partial)
        _fetch(model, chosen, partial, progress)
        _verify(model, partial)
        partial.replace(target)
    return target


def describe(model: KnownModel, source: Source, target: Path) -> str:
    """Say in plain words what a pull would do."""
    return (
        f"Fetches {model.title}: {model.bytes / 1e6:,.0f} MB, licence {model.licence}, made by {model.publisher}.\n"
        f"From: {_origin(model, source)}\n"
        f"To:   {target}\n"
        f"The file is kept only if its sha256 is that of the publisher's own file ({model.sha256[:16]}…)."
    )


def _origin(model: KnownModel, source: Source) -> str:
    """Say where the bytes come from."""
    if isinstance(source, Path):
        return f"the file {source}"
    if source == "hub":
        return f"the publisher's repository, {hub_url(model)}"
    first = model.parts[0]
    return (
        f"the Python package index, where somebody unknown to us has put the file in {len(model.parts)} packages "
        f"({first.project} to {model.parts[-1].project.rpartition('-')[2]}, version {first.version}). "
        "They are downloaded, not installed: no code in them runs, only the data in them is taken, and each has a pinned hash."
    )


def _is_whole(path: Path, model: KnownModel) -> bool:
    """Whether the file is there in full. Its hash was checked before it got this name."""
    return path.is_file() and path.stat().st_size == model.bytes


def _check_space(model: KnownModel, partial: Path) -> None:
    """Refuse before the disk is full rather than after."""
    there = partial.stat().st_size if partial.exists() else 0
    needed = model.bytes - there + max(part.bytes for part in model.parts) + _SPARE_BYTES
    free = shutil.disk_usage(partial.parent).free
    if free < needed:
        raise ConfigurationError(
            f"model {model.name} needs {needed / 1e6:,.0f} MB in {partial.parent}, where {free / 1e6:,.0f} MB are free: "
            "make room, or set PRUDENT_MODELS to a folder elsewhere"
        )


def _fetch(model: KnownModel, source: Source, partial: Path, progress: Progress) -> None:
    """Let the partial file grow until it is whole, from wherever it stands."""
    if isinstance(source, Path):
        if not source.is_file():
            raise ConfigurationError(f"there is no file {source}")
        partial.unlink(missing_ok=True)
        append_file(source, partial, model, progress)
    elif source == "hub":
        fetch_from_hub(model, partial, progress)
    else:
        fetch_from_index(model, partial, progress)


def _verify(model: KnownModel, partial: Path) -> None:
    """Fail closed: a file that is not the publisher's is deleted."""
    with partial.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    if found != model.sha256:
        partial.unlink()
        raise ConfigurationError(
            f"what came for {model.name} is not the publisher's file (sha256 {found[:16]}… where {model.sha256[:16]}… is due): "
            "it was deleted; try again, or from another source"
        )


@contextmanager
def _only_one(lock: Path) -> Generator[None]:
    """Let one process fetch a model while another that wants it waits; the system frees the lock of one that died."""
    with lock.open("a+") as file:
        if os.name == "nt":
            import msvcrt  # exists on Windows only

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl  # exists elsewhere only

            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield
