"""One owner at a time: a live run is nobody else's, and an owner that was held up is none any more."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.stories.kills import MARK, left_over
from tests.stories.stamping import write_late

from prudent import Agent, RunResult, tool
from prudent.errors import RunAlive
from prudent.events import CallEnded, RunEnded, RunResumed
from prudent.journal.store import JournalStore
from prudent.models.scripted import ScriptedModel, call

ROOT = Path(__file__).parents[2]
LEASE_SECONDS, RENEW_SECONDS = 1.0, 0.2
LATE_SECONDS = 15

AGENTS = f"""
from prudent import Agent
from prudent.models.scripted import ScriptedModel, call
from tests.stories.stamping import write_late

agent = Agent(ScriptedModel([call("write_late", seconds={LATE_SECONDS}), "Done."]), tools=[write_late], planning="off")
"""

PROGRAM = f"""
import sys
from prudent import keeping
from prudent.cli.main import main
from prudent.journal import ownership

ownership.LEASE_SECONDS, keeping.RENEW_SECONDS = {LEASE_SECONDS}, {RENEW_SECONDS}
main(sys.argv[1:])
"""


class Owner:
    """A command in a process of its own that works on a run whose tool takes long."""

    def __init__(self, folder: Path) -> None:
        (folder / "agents.py").write_text(AGENTS)
        self.folder, self.db = folder, folder / "agent.db"
        paths = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self.environment = {**os.environ, "PRUDENT_DB": str(self.db), "PYTHONPATH": paths, MARK: str(self.db)}
        self.process = self.start("run", "x", "--agent", "agents.py:agent", "--json")
        self.wait_for(folder / "begun")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def command(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def wait_for(self, path: Path) -> None:
        until = time.monotonic() + 60
        while not path.exists():
            assert time.monotonic() < until
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def owner(tmp_path: Path) -> Generator[Owner]:
    owner = Owner(tmp_path)
    yield owner
    owner.process.kill()
    owner.process.communicate()


def test_a_live_run_is_nobody_elses(owner: Owner) -> None:
    status, out, err = owner.command("resume", "last", "--json")
    assert (status, out) == (2, "")
    assert "is being worked on by" in err
    assert f"process {owner.process.pid}" in err
    assert "Traceback" not in err
    with JournalStore(owner.db) as store:
        run_id = store.find("last")
        assert not [event for event in store.read(run_id) if isinstance(event, RunResumed)]
    agent = Agent(ScriptedModel([]), tools=[write_late], planning="off")
    with pytest.raises(RunAlive):
        agent.resume(run_id, db=owner.db, accept_changed_agent=True)
    status, _, _ = owner.command("stop", "last")
    assert (status, owner.end()[0]) == (0, 6), "the owner was not disturbed, and still obeys"


def test_an_owner_that_was_held_up_is_none_any_more(owner: Owner) -> None:
    os.kill(owner.process.pid, signal.SIGSTOP)
    time.sleep(LEASE_SECONDS + 0.3)
    agent = Agent(ScriptedModel(["The end."]), tools=[write_late], planning="off")
    run = agent.resume("last", db=owner.db, accept_changed_agent=True)
    assert asyncio.run(run.work()).status == "awaiting_approval", "nobody knows what the other one's call did"
    with JournalStore(owner.db) as store:
        recorded = list(store.read(run.run_id))
    os.kill(owner.process.pid, signal.SIGCONT)
    status, out, err = owner.end()
    assert status == 4, "it tells how the run stands by now"
    assert "was ended or taken over by another process" in err
    assert "Traceback" not in err
    assert json.loads(out)["status"] == "awaiting_approval"
    with JournalStore(owner.db) as store:
        assert list(store.read(run.run_id)) == recorded, "it wrote what it had no right to"
        assert not [event for event in recorded if isinstance(event, CallEnded)]
        assert [event.status for event in recorded if isinstance(event, RunEnded)] == ["awaiting_approval"]
    time.sleep(0.3)
    assert left_over(str(owner.db)) == []
    assert not (owner.folder / "late").exists()


def test_it_ends_though_it_has_nothing_to_write(owner: Owner) -> None:
    """Its tool takes long, so what tells it is its own sign of life."""
    os.kill(owner.process.pid, signal.SIGSTOP)
    time.sleep(LEASE_SECONDS + 0.3)
    with JournalStore(owner.db) as store:
        run_id = store.find("last")
        journal = store.claim(run_id)
        os.kill(owner.process.pid, signal.SIGCONT)
        status, _, err = owner.end()
        assert status == 5
        assert "taken over by another process" in err
        journal.release()
        assert not [event for event in store.read(run_id) if isinstance(event, CallEnded | RunEnded)]


async def hand_over(db: Path) -> RunResult:
    clerk = Agent(ScriptedModel([call("delete", number=7)]), name="clerk", tools=[delete], planning="off")
    script = [call("ask_clerk", task="x").with_id("c")]
    return await Agent(ScriptedModel(script), tools=[clerk], planning="off").run("x", db=db, run_id="r")


@tool(effect="destructive")
async def delete(number: int) -> str:
    """Delete."""
    return f"deleted {number}"


def test_a_sub_agents_run_that_another_process_works_on_ends_its_parents_sitting(tmp_path: Path) -> None:
    """It is nothing that the model could do something about."""
    db = tmp_path / "agent.db"
    assert asyncio.run(hand_over(db)).status == "awaiting_approval"
    with JournalStore(db) as store:
        store.claim("r.c")
        store.post("r", "decision", {"call_id": "c", "decision": "approve", "decided_by": "ann"})
        clerk = Agent(ScriptedModel([]), name="clerk", tools=[delete], planning="off")
        run = Agent(ScriptedModel([]), tools=[clerk], planning="off").resume("r", db=db)
        with pytest.raises(RunAlive, match=r"run r\.c is being worked on"):
            asyncio.run(run.work())
        assert run.state.calls["c"].status == "running"
