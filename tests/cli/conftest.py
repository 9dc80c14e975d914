"""Commands run in this process, and in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import AGENTS, Command, Done, process

from prudent.cli import exits, sitting
from prudent.cli.main import run_command


@pytest.fixture(autouse=True)
def _stay_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a command that runs in this process from ending it, whatever threads other tests have left."""
    monkeypatch.setattr(exits, "others_alive", lambda: False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with agents, which is the current one."""
    (tmp_path / "agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in this process; what tools print is not kept apart here."""
    monkeypatch.setattr(sitting, "take_stdout", lambda: sys.stdout)

    def command(*arguments: str) -> Done:
        status = run_command(arguments)
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return command


@pytest.fixture
def prudent() -> Command:
    """Run a command in a process of its own, with standard input closed."""

    def command(*arguments: str, environment: dict[str, str] | None = None, stdin: str | None = None) -> Done:
        done = subprocess.run(
            process(arguments),
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(environment or {})},
            input=stdin or "",
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return command
