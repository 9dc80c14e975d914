"""The command itself: help that teaches, errors that name the nearest, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import Command, process

from prudent.cli import main, run

HELP = Path(__file__).parent / "help"
COMMANDS = [
    "run",
    "chat",
    "resume",
    "stop",
    "approvals",
    "approve",
    "runs",
    "show",
    "audit",
    "lint",
    "try",
    "sessions",
    "init",
    "models",
]
SESSIONS = ["sessions show", "sessions branch", "sessions delete"]


@pytest.mark.parametrize("name", ["", *COMMANDS, "models list", "models pull", "models path", "models rm", *SESSIONS])
def test_help_is_pinned(name: str, here: Command, monkeypatch: pytest.MonkeyPatch):
    """To accept a change: PRUDENT_PIN=1 pytest tests/cli/test_main.py."""
    monkeypatch.setenv("COLUMNS", "80")
    done = here(*name.split(), "--help")
    file = HELP / f"{name.replace(' ', '-') or 'prudent'}.txt"
    if os.environ.get("PRUDENT_PIN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(done.out, encoding="utf-8")
    assert done.status == 0
    assert done.out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [*COMMANDS, "models-list", "models-pull", "models-path", "models-rm", *(name.replace(" ", "-") for name in SESSIONS)],
)
def test_help_teaches_by_examples_and_tells_the_exit_statuses(name: str):
    text = (HELP / f"{name}.txt").read_text(encoding="utf-8")
    assert f"  prudent {name.replace('-', ' ')}" in text
    assert "Exit status: 0" in " ".join(text.split())


def test_without_a_command_there_is_help(here: Command):
    assert here().out == (HELP / "prudent.txt").read_text(encoding="utf-8")


def test_the_version_is_told(here: Command):
    assert here("--version").out.startswith("prudent ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["rnu"], "Did you mean 'run'"),
        (["run", "x", "--jsn"], "did you mean --json"),
        (["run", "-5 + 3"], "goes behind `--`"),
        (["run"], "Missing argument 'TASK'"),
        (["run", "x", "--seconds", "soon"], "Invalid value for '--seconds'"),
        (["run", "x", "--yes", "--no"], "--yes and --no exclude each other"),
        (["run", "x", "--json", "--jsonl"], "--json and --jsonl exclude each other"),
        (["run", ""], "the task is empty"),
        (["models", "lst"], "Did you mean 'list'"),
        (["models", "path", "nothing"], "no model is known as 'nothing'"),
        (["init", "--template", "nothing"], "there is no template 'nothing'"),
        (["init", "--template", "coding"], "comes in a later version; ready now: starter"),
        (["approve", "last", "c1", "--happened", "--retry"], "--happened and --retry exclude each other"),
        (["approve", "last", "c1", "--result", "1"], "--result goes with --happened only"),
        (["approve", "last", "c1", "--edit", "7"], "--edit is no JSON object"),
        (["runs", "--status", "runing"], "did you mean 'running'"),
        (["show", "last"], "there is no journal at .prudent/agent.db"),
        (["run", "x", "--agent", "nowhere.toml"], "there is no agent file nowhere.toml"),
    ],
)
def test_usage_and_configuration_errors(arguments: list[str], expected: str, here: Command, project: Path):
    done = here(*arguments)
    assert (done.status, done.out) == (2, "")
    assert expected in done.err
    assert 1 <= len(done.err.splitlines()) <= 3
    assert "Traceback" not in done.err


def test_a_bug_is_a_sentence_and_a_report(here: Command, project: Path, monkeypatch: pytest.MonkeyPatch):
    def broken(_task: str) -> str:
        raise KeyError("oops")

    monkeypatch.setattr(run, "read_task", broken)
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    monkeypatch.setenv("HOME", str(project))
    done = here("run", "x")
    assert (done.status, done.out) == (5, "")
    assert "this is a bug in Prudent: KeyError: 'oops'" in done.err
    assert "Traceback" not in done.err
    reports = [*project.rglob("bug-*.txt")]
    assert "KeyError: 'oops'" in reports[0].read_text()
    assert reports[0].stat().st_mode & 0o077 == 0
    assert str(reports[0]) in done.err
    monkeypatch.setenv("PRUDENT_DEBUG", "1")
    assert "Traceback" in here("run", "x").err


def test_an_error_in_a_thread_is_a_sentence_too(project: Path):
    code = """
import threading
from prudent.cli.mishaps import quieten_threads
quieten_threads(["run"])
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
"""
    environment = {**os.environ, "HOME": str(project)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment)
    assert "this is a bug in Prudent: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_before_anything_ran_is_a_stop(here: Command, project: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(_task: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "read_task", interrupted)
    done = here("run", "x")
    assert done.status == 6
    assert "stopped before anything ran" in done.err


def test_a_reader_who_leaves_is_no_error():
    command = f"{' '.join(process(['run', '--help']))} | head -c 1"
    done = subprocess.run(["/bin/bash", "-c", f"set -o pipefail; {command}"], capture_output=True, timeout=60)
    assert done.stdout == b"U"
    assert done.stderr == b""


def test_help_needs_neither_the_terminal_library_nor_a_provider():
    code = """
import sys
from prudent.cli.main import run_command
run_command(["--help"])
print([name for name in ("rich", "httpx2", "pydantic_ai", "xllamacpp") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


def test_all_commands_are_listed(here: Command):
    listed = here("--help").out
    for name in COMMANDS:
        assert f"\n  {name} " in listed
    assert main.app.registered_commands
