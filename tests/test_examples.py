"""The examples do what they say: each is run, and what it prints is what stands below it."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
ALL = sorted(EXAMPLES.glob("*.py"))
PROGRAMS = [path for path in ALL if not path.name.startswith("test_")]
MOST_LINES = 40


def promised(path: Path) -> str:
    """Read what the comment at the end of an example says that it prints."""
    _, mark, comment = path.read_text(encoding="utf-8").partition("\n# prints:\n")
    assert mark, f"{path.name} does not say what it prints"
    return "".join(line.removeprefix("#").removeprefix(" ") for line in comment.splitlines(keepends=True))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, in which the record is kept as well."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_prints_what_it_says(path: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out == promised(path)
    assert (elsewhere / ".prudent" / "agent.db").exists()


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python as somebody would who tries the examples."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, env=environment)


def test_an_example_is_a_program_that_ends_cleanly(elsewhere: Path) -> None:
    """The one with a process, since that is where a program could hang or complain at its end."""
    path = EXAMPLES / "stop.py"
    done = run(str(path), folder=elsewhere)
    assert (done.stdout, done.stderr, done.returncode) == (promised(path), "", 0)


def test_the_example_of_a_test_passes_and_can_fail(elsewhere: Path) -> None:
    text = (EXAMPLES / "test_an_agent.py").read_text(encoding="utf-8")
    (elsewhere / "test_right.py").write_text(text, encoding="utf-8")
    (elsewhere / "test_wrong.py").write_text(text.replace('confirm="always"', 'confirm="never"'), encoding="utf-8")
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", folder=elsewhere)
    outcome = {line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED"))}
    assert outcome == {
        "PASSED test_right.py::test_it_asks_before_it_sends",
        "PASSED test_right.py::test_it_is_told_what_is_wrong",
        "FAILED test_wrong.py::test_it_asks_before_it_sends",
        "PASSED test_wrong.py::test_it_is_told_what_is_wrong",
    }, done.stdout + done.stderr
