"""Fetching an embedded model: one question in plain words, and a bar while it goes on. All on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from prudent.cli.terminals import somebody_there
from prudent.errors import ConfigurationError

_LINE_SECONDS = 5.0
"""Where there is no terminal: how often a line is written."""


def confirm_pull(*, yes: bool) -> Callable[[str], bool]:
    """Give the question that is asked before a model is fetched. Without a terminal and without `yes` it is an error."""

    def confirm(words: str) -> bool:
        sys.stderr.write(words + "\n")
        if yes:
            return True
        if not somebody_there(sys.stderr):
            raise ConfigurationError(
                "nobody can be asked whether to fetch it: run `prudent models pull NAME --yes` once, or add --yes here"
            )
        sys.stderr.write("Fetch it? [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    return confirm


@contextmanager
def progress_bar(name: str) -> Generator[Callable[[int, int], None]]:
    """Show how far a download is: a bar in a terminal, now and then a line elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines(name)
        return
    from rich.console import Console  # slow to import, and needed only in a terminal
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    task = bar.add_task(name, total=None, start=False)

    def progress(done: int, total: int) -> None:
        if not bar.live.is_started:
            bar.start()
            bar.start_task(task)
        bar.update(task, completed=done, total=total)

    try:
        yield progress
    finally:
        bar.stop()


class _Lines:
    """Progress as lines, not too many of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told_at = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._told_at < _LINE_SECONDS and done < total:
            return
        self._told_at = now
        sys.stderr.write(f"{self._name}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB\n")
        sys.stderr.flush()
