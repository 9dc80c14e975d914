"""Tools that work in processes of their own, in a module that such a process imports quickly."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from prudent import Context, tool

LEDGER = "ledger"


def land(folder: Path, name: str, key: str, **arguments: object) -> None:
    """Write one line into the ledger, at once and for good."""
    file = os.open(folder / LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, (json.dumps([name, arguments, key]) + "\n").encode())
    os.close(file)


@tool(name="stamp", effect="write", confirm="never", run_in="process", timeout_seconds=20)
def stamp(context: Context, number: int) -> str:
    """Put a stamp somewhere, from another process."""
    land(context.workspace, "stamp", context.idempotency_key, number=number)
    return f"stamped {number}"


@tool(effect="write", confirm="never", run_in="process", timeout_seconds=20)
def write_late(context: Context, seconds: float) -> str:
    """Say that it began, and so many seconds later write a file."""
    Path(context.workspace, "begun").touch()
    time.sleep(seconds)
    Path(context.workspace, "late").touch()
    return "written"
