"""A journal that is locked, full, read-only, damaged or gone: one clear sentence, tools ended, nothing recorded is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.stories.stamping import write_late

from prudent import Agent, Event, RunResult, tool
from prudent.errors import JournalError, RunNotFound
from prudent.events import CallEnded, RunEnded
from prudent.exchange import ModelRequest
from prudent.journal.database import Database
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.models.scripted import ScriptedModel, call, reply, slow
from prudent.runs import Run

pytestmark = pytest.mark.anyio

PATIENCE_SECONDS = 0.2
LATE_SECONDS = 1.0


class Harm:
    """What is done to the journal while a run works, and how it is undone."""

    words = ""
    """What the error says."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def do(self, database: Database) -> None:
        raise NotImplementedError

    def undo(self) -> None:
        """Leave it as it is."""


class Locked(Harm):
    words = "is locked by another process: wait"

    def do(self, database: Database) -> None:
        self.other = sqlite3.connect(self.db, isolation_level=None)
        self.other.execute("BEGIN IMMEDIATE")

    def undo(self) -> None:
        self.other.close()


class Full(Harm):
    words = "the disk is full: free some space, then resume the run"

    def do(self, database: Database) -> None:
        self.database = database
        database.checkpoint()
        (pages,) = database.query("PRAGMA page_count")[0]
        database.execute(f"PRAGMA max_page_count={pages}")

    def undo(self) -> None:
        self.database.execute("PRAGMA max_page_count=1000000")


class ReadOnly(Harm):
    words = "cannot be written: give yourself write permission"

    def do(self, database: Database) -> None:
        self.database = database
        database.execute("PRAGMA query_only=1")

    def undo(self) -> None:
        self.database.execute("PRAGMA query_only=0")


class Deleted(Harm):
    words = "was deleted or replaced"

    def do(self, database: Database) -> None:
        self.db.rename(self.db.with_name("kept"))

    def undo(self) -> None:
        self.db.with_name("kept").rename(self.db)


class Replaced(Deleted):
    def do(self, database: Database) -> None:
        super().do(database)
        self.db.write_bytes(b"")


class FolderGone(Harm):
    words = "was deleted or replaced"

    def do(self, database: Database) -> None:
        self.db.parent.rename(self.db.parent.with_name("moved"))

    def undo(self) -> None:
        self.db.parent.with_name("moved").rename(self.db.parent)


HARMS = [Locked, Full, ReadOnly, Deleted, Replaced, FolderGone]


class Case:
    """A run whose third tool harms its journal, while another call works in a process of its own."""

    def __init__(self, folder: Path, kind: type[Harm], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("prudent.journal.opened.JournalStore", partial(JournalStore, patience_seconds=PATIENCE_SECONDS))
        self.folder = folder
        self.db = folder / "journal" / "agent.db"
        self.harm = kind(self.db)
        self.log: list[str] = []
        self.run: Run | None = None

    @property
    def begun(self) -> bool:
        return (self.folder / "begun").exists()

    def tools(self) -> list[Any]:
        @tool(effect="write", confirm="never")
        async def act(n: int) -> str:
            """Act."""
            self.log.append(f"act {n}")
            return f"acted {n}: " + "and so on " * 2000

        @tool(effect="write", confirm="never")
        async def spoil() -> str:
            """Spoil the journal."""
            for _ in range(500):
                await anyio.sleep(0 if self.begun else 0.02)
            assert self.begun
            self.log.append("spoil")
            assert self.run
            journal: Any = self.run.loop.parts.recorder.journal
            self.harm.do(journal._database)
            return "spoilt: " + "and so on " * 2000

        return [act, spoil, write_late]

    async def work(self) -> RunResult:
        script = [call("act", n=1), reply(call("write_late", seconds=LATE_SECONDS), call("spoil")), "Done."]
        agent = Agent(
            ScriptedModel(script), tools=self.tools(), planning="off", parallel_tool_calls=True, workspace=self.folder
        )
        self.run = agent.prepare("the task", db=self.db)
        return await self.run.work()


@pytest.fixture(params=HARMS, ids=lambda kind: kind.__name__)
def case(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Case:
    return Case(tmp_path, request.param, monkeypatch)


def one_sentence(text: str) -> bool:
    return "\n" not in text and "Traceback" not in text and "sqlite3" not in text and len(text) < 300


async def test_the_run_ends_with_one_sentence_and_its_tools_with_it(case: Case) -> None:
    with pytest.raises(JournalError) as caught:
        await case.work()
    assert case.harm.words in str(caught.value)
    assert one_sentence(str(caught.value))
    await anyio.sleep(LATE_SECONDS)
    assert not (case.folder / "late").exists(), "the tool went on though its run had ended"


async def test_what_was_recorded_is_there_and_the_run_goes_on(case: Case) -> None:
    with pytest.raises(JournalError):
        await case.work()
    assert case.run
    case.harm.undo()
    with JournalStore(case.db) as store:
        state = replay(store, case.run.run_id)
        ended = [event for event in store.read(case.run.run_id) if isinstance(event, CallEnded)]
    assert [record.status for record in state.calls.values()] == ["ok", "running", "running"]
    assert len(ended) == 1
    assert "acted 1" in ended[0].shown
    assert state.transcript == case.run.state.transcript, "the run knew more than its record"
    expire_lease(case.db)
    model = ScriptedModel(["The end."])
    agent = Agent(model, tools=case.tools(), planning="off", parallel_tool_calls=True, workspace=case.folder)
    result = await agent.resume(case.run.run_id, db=case.db).work()
    assert result.status == "awaiting_approval"
    assert [pending["kind"] for pending in result.pending] == ["unknown_outcome"] * 2
    assert case.log == ["act 1", "spoil"], "what had taken effect was repeated"


async def test_a_run_that_is_on_record_as_ended_ends_though_it_cannot_be_let_go(tmp_path: Path) -> None:
    """Its end lets it go; what is done to make sure may fail."""
    db = tmp_path / "agent.db"
    others: list[sqlite3.Connection] = []

    def lock_at_the_end(event: Event) -> None:
        if isinstance(event, RunEnded):
            others.append(sqlite3.connect(db, isolation_level=None))
            others[0].execute("BEGIN IMMEDIATE")

    run = Agent(ScriptedModel(["Hi."])).prepare("x", db=db)
    assert (await run.work(lock_at_the_end)).status == "completed"
    others[0].close()


async def test_early_reads_end_when_their_reply_cannot_be_recorded(case: Case) -> None:
    @tool(effect="read", timeout_seconds=20)
    async def linger(seconds: float) -> str:
        """Linger."""
        await anyio.sleep(seconds)
        case.log.append("lingered")
        return "lingered"

    def spoil_it(_: ModelRequest) -> Any:
        assert case.run
        journal: Any = case.run.loop.parts.recorder.journal
        case.harm.do(journal._database)
        return slow(reply("text " * 4000, call("linger", seconds=0.3), call("linger", seconds=0.4)), gap_seconds=0.05)

    agent = Agent(ScriptedModel([spoil_it]), tools=[linger], planning="off", parallel_tool_calls=True)
    case.run = agent.prepare("x", db=case.db)
    with pytest.raises(JournalError):
        await case.run.work()
    case.harm.undo()
    await anyio.sleep(0.5)
    assert case.log == []


def expire_lease(db: Path) -> None:
    connection = sqlite3.connect(db)
    with connection:
        connection.execute("UPDATE owners SET lease_until=0")
    connection.close()


def remove(db: Path) -> None:
    for file in db.parent.glob("agent.db*"):
        file.unlink()


async def test_a_new_run_begins_a_new_journal_where_the_old_one_was_deleted(tmp_path: Path) -> None:
    db = tmp_path / "agent.db"
    agent = Agent(ScriptedModel(["Hi."], repeat_last=True))
    first = await agent.run("x", db=db)
    remove(db)
    second = await agent.run("x", db=db)
    with JournalStore(db) as store:
        assert store.run(second.run_id).status == "completed"
        with pytest.raises(RunNotFound):
            store.run(first.run_id)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def garbage(data: bytes) -> bytes:
    return b"x" * len(data)


@pytest.mark.parametrize("harm", [cut, garbage])
async def test_a_damaged_journal_is_neither_read_nor_mended(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    db, copy = tmp_path / "agent.db", tmp_path / "copy.db"
    agent = Agent(ScriptedModel(["Hi."], repeat_last=True))
    ids = [(await agent.run("x" * 5000, db=db)).run_id for _ in range(20)]
    with sqlite3.connect(db) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    copy.write_bytes(harm(copy.read_bytes()))
    before = copy.read_bytes()
    with pytest.raises(JournalError) as caught:
        await agent.resume(ids[-1], db=copy).work()
    assert "damaged" in str(caught.value) or "not a database" in str(caught.value)
    assert one_sentence(str(caught.value))
    assert copy.read_bytes() == before
