"""Making the index follow the folder: what is new, changed or gone since the last look."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from prudent.errors import ToolError, WorkspaceEscape
from prudent.toolkits.knowledge.documents import MAX_PASSAGES, Block, Unreadable, passages
from prudent.toolkits.knowledge.readers import MAX_BYTES, is_readable, read_document
from prudent.toolkits.knowledge.store import FileState, Store
from prudent.workspace import Workspace

MAX_FILES = 20_000
_MAX_ATTEMPTS = 2
_PAUSE_SECONDS = 30.0
"""Attempts at one file that are closer together are those of several processes at once."""

_COARSE_SECONDS = 3.0
"""A file that changed this shortly before it was read may change again without a new time on coarse file systems."""

_CLOSED = "cannot be opened"


@dataclass(frozen=True, slots=True)
class Followed:
    """How the index stands after a look at the folder."""

    files: int
    """Documents in the folder."""

    waiting: int = 0
    """Of these, the ones there was no time to read."""

    problems: tuple[str, ...] = ()
    """Files that cannot be read, each with its reason."""


def follow(store: Store, folder: Path, *, seconds: float) -> Followed:
    """Read what is new or changed, forget what is gone. Stops after `seconds`; the next look goes on from there."""
    deadline = time.monotonic() + seconds
    found = _scan(folder)
    known = store.files()
    for path in known.keys() - found.keys():
        store.forget(path)
    waiting = 0
    for path, state in found.items():
        before = known.get(path)
        if before and _is_unchanged(before, state):
            continue
        if time.monotonic() >= deadline:
            waiting += 1
        else:
            _read(store, folder, state, before)
    return Followed(len(found), waiting, tuple(store.problems()))


def _scan(folder: Path) -> dict[str, FileState]:
    """List the folder's documents. Hidden files are left out, and so are links that lead out of it."""
    if not folder.is_dir():
        raise ToolError(f"there is no folder {folder}", fix="Tell the user that the folder of documents is missing.")
    found: dict[str, FileState] = {}
    workspace = Workspace(folder)
    for file in _documents(workspace):
        try:
            status = file.stat()
        except OSError:
            continue
        path = file.relative_to(workspace.root).as_posix()
        found[path] = FileState(path, status.st_size, status.st_mtime_ns)
        if len(found) > MAX_FILES:
            raise ToolError(
                f"the folder holds more than {MAX_FILES:,} documents", fix="Tell the user to choose a smaller folder."
            )
    return found


def _documents(workspace: Workspace) -> Iterator[Path]:
    for root, folders, names in os.walk(workspace.root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith(".") or not is_readable(name):
                continue
            file = Path(root, name)
            try:
                resolved = workspace.resolve(file)
            except WorkspaceEscape:
                continue
            if resolved.is_file():
                yield file


def _is_unchanged(before: FileState, now: FileState) -> bool:
    if (before.size, before.mtime_ns) != (now.size, now.mtime_ns):
        return False
    # A file that could not be opened is tried again: rights change without leaving a new time.
    settled = before.read_at - before.mtime_ns / 1e9 > _COARSE_SECONDS
    return settled and not before.problem.startswith(_CLOSED)


def _read(store: Store, folder: Path, state: FileState, before: FileState | None) -> None:
    attempts = store.begin_attempt(state.path, state.size, state.mtime_ns, time.time(), _PAUSE_SECONDS)
    if attempts > _MAX_ATTEMPTS:
        # Whoever tried was killed each time: it must not take every later search along.
        store.put(replace(state, problem="reading it does not come to an end", read_at=time.time()), [])
        return
    try:
        if state.size > MAX_BYTES:
            raise Unreadable(f"larger than {MAX_BYTES // 10**6} MB")
        data = (folder / state.path).read_bytes()
    except (OSError, Unreadable) as error:
        problem = str(error) if isinstance(error, Unreadable) else f"{_CLOSED}: {error.strerror}"
        store.put(replace(state, problem=problem, read_at=time.time()), [])
        return
    state = replace(state, hash=hashlib.sha256(data).hexdigest(), read_at=time.time())
    if before and before.hash == state.hash:
        store.touch(state)
    else:
        store.put(*_digest(state, data))


def _digest(state: FileState, data: bytes) -> tuple[FileState, list[Block]]:
    """Turn a file's content into passages, or into the reason why there are none."""
    try:
        document = read_document(state.path, data)
    except Unreadable as error:
        return replace(state, problem=str(error)), []
    found = passages(document)
    notes = [*document.notes]
    if len(found) > MAX_PASSAGES:
        found = found[:MAX_PASSAGES]
        notes.append(f"only the first {MAX_PASSAGES} passages are indexed")
    title = document.title or Path(state.path).stem.replace("-", " ").replace("_", " ")
    return replace(state, title=title, notes="; ".join(notes)), found
