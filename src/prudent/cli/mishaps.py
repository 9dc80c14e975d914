"""What a person is told when a command cannot do its work, and the report of what should never happen."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import typer

from prudent.cli.text import visible


def tell(text: str) -> None:
    """Write a message to standard error; one that nobody can read is dropped."""
    try:
        sys.stderr.write(f"prudent: {visible(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return


def usage_text(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """Say what was wrong with the command line, name what is nearest, and point to the help."""
    message = error.message.rstrip(".")
    near: Sequence[str] = getattr(error, "possibilities", None) or ()
    if near:
        message += f"; did you mean {' or '.join(near)}?"
    elif not message.endswith("?"):
        message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "prudent")
    if hasattr(error, "option_name") and [*arguments[:1]] == ["run"] and not near:
        message += "\n    (a task that begins with a dash goes behind `--`)"
    return f"{message}\n    {path} --help tells what there is"


def quieten_threads(arguments: Sequence[str]) -> None:
    """Let an error in a thread of ours be a sentence and a report too, instead of a traceback; PRUDENT_DEBUG=1 keeps that."""
    if os.environ.get("PRUDENT_DEBUG") == "1":
        return

    def thread_failed(failure: threading.ExceptHookArgs) -> None:
        if failure.exc_value and not isinstance(failure.exc_value, SystemExit):
            tell(report_bug(failure.exc_value, arguments))

    threading.excepthook = thread_failed
    sys.unraisablehook = lambda _failure: None


def report_bug(error: BaseException, arguments: Sequence[str]) -> str:
    """Write a report for the makers and give the sentence that names it; with PRUDENT_DEBUG=1 the traceback too."""
    trace = "".join(traceback.format_exception(error))
    if os.environ.get("PRUDENT_DEBUG") == "1":
        sys.stderr.write(trace)
    command = " ".join(word for word in arguments[:1] if not word.startswith("-"))
    head = f"prudent {command}\n{platform.python_version()} on {platform.platform()}\n\n"
    what = f"this is a bug in Prudent: {type(error).__name__}: {error}"
    place = _write_report(head + trace)
    where = f"a report for its makers was written to {place}" if place else "a report could not be written"
    return f"{what}\n    {where}; PRUDENT_DEBUG=1 shows it here"


def _write_report(text: str) -> Path | None:
    """Keep the report where only its owner can read it: it may hold parts of tasks and results."""
    from platformdirs import user_log_path  # needed only when something went wrong

    name = f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (user_log_path("prudent"), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        with os.fdopen(file, "w", encoding="utf-8", errors="backslashreplace") as report:
            report.write(text)
        return folder / name
    return None
