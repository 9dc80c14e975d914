"""Commands over a journal that is locked, full, read-only, damaged or gone: a sentence, an exit status, no traceback."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Command, Done, process

AGENTS = '''
import time
from pathlib import Path
from prudent import Agent, Budget, tool
from prudent.models.scripted import ScriptedModel, call, reply
from tests.stories.stamping import write_late

@tool(effect="write", confirm="never")
def act(size: int) -> str:
    """Act, and say much about it."""
    with open("ledger", "a") as ledger:
        ledger.write("act\\n")
    return "acted " + "and so on " * size

@tool(effect="write", confirm="never", timeout_seconds=20)
def spoil() -> str:
    """Delete the journal once the other tool is at work."""
    while not Path("begun").exists():
        time.sleep(0.02)
    Path("agent.db").unlink()
    return "spoilt"

both = reply(call("write_late", seconds=8), call("spoil"))
deleter = Agent(ScriptedModel([both, "Done."]), tools=[spoil, write_late], planning="off", parallel_tool_calls=True)
calls = [call("act", size=size) for size in range(100, 180)]
filler = Agent(ScriptedModel([*calls, "Done."]), tools=[act], planning="off", budget=Budget(model_calls=100))
greeter = Agent(ScriptedModel(["Hello."]), planning="off")
'''


@pytest.fixture
def shop(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with agents whose journal is here, which is the current one."""
    (project / "shop.py").write_text(AGENTS)
    monkeypatch.setenv("PRUDENT_DB", str(project / "agent.db"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
    return project


def run(*arguments: str, before: Callable[[], Any] | None = None) -> Done:
    command = process(arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, input="", preexec_fn=before)
    return Done(done.returncode, done.stdout, done.stderr)


def told(done: Done) -> str:
    """Give the one sentence that a command ended with."""
    assert "Traceback" not in done.err
    assert "this is a bug" not in done.err
    [line] = [line for line in done.err.splitlines() if line.startswith("prudent: ")]
    return line


def no_file_over(size: int) -> Callable[[], Any]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def heed_permissions() -> None:
    """Take from root what lets it pass over permissions."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


def test_a_journal_that_another_process_holds(shop: Path) -> None:
    assert run("run", "x", "--agent", "shop.py:greeter").status == 0
    other = sqlite3.connect(shop / "agent.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    done = run("run", "x", "--agent", "shop.py:greeter", "--json")
    other.close()
    assert (done.status, done.out) == (2, "")
    assert "is locked by another process" in told(done)


def test_a_journal_that_is_deleted_during_the_run(shop: Path) -> None:
    done = run("run", "x", "--agent", "shop.py:deleter", "--json")
    assert done.status == 5
    assert "was deleted or replaced" in told(done)
    result = json.loads(done.out)
    assert (result["status"], "was deleted or replaced" in result["error"]) == ("failed", True)
    assert (shop / "begun").exists()
    assert not (shop / "late").exists()
    assert not list_of("write_late")


def list_of(word: str) -> list[str]:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    return [line for line in found.splitlines() if word in line]


def test_a_disk_that_is_full(shop: Path) -> None:
    done = run("run", "x", "--agent", "shop.py:filler", "--json", before=no_file_over(700_000))
    assert done.status == 5
    assert "the disk" in told(done)
    run_id = json.loads(done.out)["run_id"]
    shown = json.loads(run("show", run_id, "--json").out)
    assert shown["status"] == "running"
    acted = (shop / "ledger").read_text()
    assert shown["tool_calls"] >= acted.count("act"), "an effect is not on record"
    resumed = run("resume", run_id, "--json")
    pending = json.loads(resumed.out)["pending"]
    assert [question["kind"] for question in pending] in (["unknown_outcome"], [])
    assert (shop / "ledger").read_text().startswith(acted)


def test_a_disk_that_is_full_from_the_beginning(shop: Path) -> None:
    done = run("run", "x", "--agent", "shop.py:greeter", "--json", before=no_file_over(8_000))
    assert (done.status, done.out) == (2, "")
    assert "the disk" in told(done)


@pytest.mark.skipif(sys.platform != "linux", reason="permissions of root are taken away the way Linux does")
def test_a_journal_that_may_only_be_read(shop: Path) -> None:
    assert run("run", "x", "--agent", "shop.py:greeter").status == 0
    (shop / "agent.db").chmod(0o400)
    done = run("run", "x", "--agent", "shop.py:greeter", "--json", before=heed_permissions)
    assert (done.status, done.out) == (2, "")
    assert "cannot be written" in told(done)
    (shop / "agent.db").chmod(0o600)
    assert len(json.loads(run("runs", "--json").out)) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("run", "x", "--agent", "shop.py:greeter", "--json"),
        ("resume", "last", "--json"),
        ("show", "last"),
        ("runs",),
        ("stop", "last"),
        ("approvals",),
        ("approve", "last", "call_1"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("content", [b"x" * 8192, b"SQLite format 3\0" + b"\0" * 4080 + b"x" * 8192], ids=["garbage", "torn"])
def test_a_damaged_journal(shop: Path, here: Command, command: tuple[str, ...], content: bytes) -> None:
    (shop / "agent.db").write_bytes(content)
    done = here(*[word for word in command if word != "--json"])
    assert (done.status, done.out) == (2, "")
    assert "agent.db" in told(done)
    assert (shop / "agent.db").read_bytes() == content
