from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prudent.errors import RunAlive
from prudent.events import RunStarted, Warned
from prudent.journal import ownership
from prudent.journal.ownership import this_process
from prudent.journal.store import JournalStore

OWNER = """
import sys, time
from prudent.events import RunStarted, Warned
from prudent.journal.store import JournalStore
store = JournalStore(sys.argv[1])
journal = store.begin(RunStarted(at=1.0, run_id="run-1", agent="a", task="t", model="m"), owner="the other one")
journal.append(Warned(text="from the other process"))
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def owner(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", OWNER, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a process that is gone cannot be told there")
def test_a_run_whose_owner_was_killed_is_claimed_at_once(path: Path, owner: subprocess.Popen[str]) -> None:
    with JournalStore(path) as store:
        with pytest.raises(RunAlive, match="the other one"):
            store.claim("run-1")
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert not store.is_alive("run-1")
        store.claim("run-1").append(Warned(text="from this process"))
        assert [e.text for e in store.read("run-1") if isinstance(e, Warned)] == ["from the other process", "from this process"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_owner_that_nobody_has_buried_is_dead(path: Path, owner: subprocess.Popen[str]) -> None:
    owner.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    with JournalStore(path) as store:
        assert not store.is_alive("run-1")


def test_this_process_is_alive() -> None:
    assert not this_process().is_dead()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_process_id_that_was_used_again_is_another_process() -> None:
    assert replace(this_process(), pid_started="1").is_dead()


def test_nothing_is_known_of_a_process_on_another_machine() -> None:
    assert not replace(this_process(), machine="elsewhere", pid_started="1").is_dead()


def test_without_start_times_only_a_missing_process_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not replace(this_process(), pid_started="").is_dead()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert replace(this_process(), pid=gone.pid, pid_started="").is_dead()
    monkeypatch.setattr(ownership.sys, "platform", "win32")
    assert not replace(this_process(), pid=gone.pid, pid_started="").is_dead()


def test_the_owner_is_shown_to_people(store: JournalStore, start: Callable[..., RunStarted]) -> None:
    store.begin(start(), owner="cli")
    owner = store.owner("run-1")
    assert (owner.label, owner.pid) == ("cli", os.getpid())
