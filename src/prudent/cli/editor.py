"""A text edited by a person: in their editor, or as one line."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import anyio
from anyio.abc import Process


def _editor() -> list[str]:
    return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")


LEAVE_SECONDS = 0.5
"""How long an editor may take to leave, and to put the terminal right, when nobody waits for its text any more."""


async def edit_text(text: str, ask_line: Callable[[str], Awaitable[str]]) -> str:
    """Let the person change a text: in $VISUAL or $EDITOR, else as a line that replaces it (nothing typed keeps it)."""
    command = _editor()
    if not command:
        one = " ".join(text.split())
        return await ask_line(f"  now: {one}\n  new, as JSON on one line: ") or text
    with tempfile.TemporaryDirectory(prefix="prudent-") as folder:
        file = Path(folder) / "arguments.json"  # the folder is its owner's alone: arguments may hold secrets
        file.write_text(text + "\n", encoding="utf-8")
        try:
            process = await anyio.open_process([*command, str(file)], stdin=None, stdout=None, stderr=None)
        except OSError as error:
            return await ask_line(f"  {command[0]} does not start ({error.strerror}); new, as JSON on one line: ") or text
        async with process:
            await _ended(process)
        return file.read_text(encoding="utf-8")


async def _ended(process: Process) -> None:
    """Wait for the editor; when that is cancelled, ask it to leave first, since one that is killed leaves a spoilt terminal."""
    try:
        await process.wait()
    except anyio.get_cancelled_exc_class():
        with suppress(ProcessLookupError):
            process.terminate()
        with anyio.move_on_after(LEAVE_SECONDS, shield=True):
            await process.wait()
        raise
