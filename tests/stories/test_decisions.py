"""A decision is used once, for the question that was answered, whenever it comes and however often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from prudent import Agent, Event, RunResult, tool
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.journal.decisions import leave_decision
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.models.scripted import Scripted, ScriptedModel, call, reply
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio


class Office:
    """An agent that deletes, with what it deleted and what its preview shows at the time."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "agent.db"
        self.log: list[str] = []
        self.stock = 10

    def tools(self) -> list[Any]:
        @tool(effect="destructive", preview=lambda values: f"would delete {values['number']} of {self.stock}")
        async def delete(number: int) -> str:
            """Delete."""
            self.log.append(f"delete {number}")
            return f"deleted {number}"

        @tool(effect="read")
        async def look(seconds: float) -> str:
            """Look for a while."""
            await anyio.sleep(seconds)
            return "seen"

        return [delete, look]

    def agent(self, script: list[Scripted]) -> Agent:
        return Agent(ScriptedModel(script), tools=self.tools(), planning="off", parallel_tool_calls=True)

    async def begin(self, *script: Scripted) -> RunResult:
        return await self.agent([*script]).run("x", db=self.db, run_id="r")

    async def go_on(self, *script: Scripted) -> RunResult:
        return await self.agent([*script]).resume("r", db=self.db).work()

    def post(self, call_id: str, decision: str, **more: Any) -> None:
        """Leave a decision without looking, as anybody can."""
        data: JSONObject = {"call_id": call_id, "decision": decision, "decided_by": "ann", **more}
        with JournalStore(self.db) as store:
            store.post("r", "decision", data)

    def decide(self, call_id: str, decision: str, by: str = "ann") -> ApprovalDecided | None:
        """Decide about what is asked now; gives who was first if somebody was."""
        with JournalStore(self.db) as store:
            return leave_decision(store, "r", {"call_id": call_id, "decision": decision, "decided_by": by})

    def decisions(self) -> list[tuple[str, str]]:
        with JournalStore(self.db) as store:
            return [(e.call_id, e.decision) for e in store.read("r") if isinstance(e, ApprovalDecided)]

    def questions(self) -> list[ApprovalAsked]:
        with JournalStore(self.db) as store:
            return [event for event in store.read("r") if isinstance(event, ApprovalAsked)]

    def forget_the_end_of(self, call_id: str) -> None:
        """Cut the record behind the start of a call, as if the process had been killed there, and free the run."""
        with JournalStore(self.db) as store:
            (last,) = store.database.query(
                "SELECT MAX(seq) FROM events WHERE run_id='r' AND kind='CallStarted' AND json_extract(data, '$.call_id')=?",
                (call_id,),
            )[0]
            store.database.execute("DELETE FROM events WHERE run_id='r' AND seq>?", (last,))
            store.database.execute("UPDATE runs SET status='running' WHERE run_id='r'")


DELETE = call("delete", number=7).with_id("d7")


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


async def test_one_for_another_call_answers_nothing(office: Office) -> None:
    both = reply(DELETE, call("delete", number=8).with_id("d8"))
    await office.begin(both)
    office.post("d8", "approve")
    office.post("nobody", "approve")
    result = await office.go_on()
    assert [pending["call_id"] for pending in result.pending] == ["d7"]
    assert office.log == ["delete 8"]


async def test_approving_twice_runs_it_once(office: Office) -> None:
    await office.begin(DELETE)
    for _ in range(2):
        office.post("d7", "approve")
    assert (await office.go_on("Done.")).status == "completed"
    assert office.log == ["delete 7"]
    assert office.decisions() == [("d7", "approve")]


async def test_of_two_the_first_counts_and_the_second_is_told(office: Office) -> None:
    await office.begin(DELETE)
    assert office.decide("d7", "reject", by="ann") is None
    first = office.decide("d7", "approve", by="bob")
    assert first is not None
    assert (first.decision, first.decided_by) == ("reject", "ann")
    await office.go_on("Not done.")
    assert office.log == []
    first = office.decide("d7", "approve", by="bob")
    assert first is not None, "also after the run has taken it"


async def test_a_decision_made_while_the_run_still_works_is_taken_on_resume(office: Office) -> None:
    both = reply(DELETE, call("look", seconds=0.5))

    def decide_when_asked(event: Event) -> None:
        if isinstance(event, ApprovalAsked):
            assert office.decide("d7", "approve") is None

    result = await office.agent([both]).prepare("x", db=office.db, run_id="r").work(decide_when_asked)
    assert (result.status, office.log) == ("awaiting_approval", [])
    assert (await office.go_on("Done.")).status == "completed"
    assert office.log == ["delete 7"]


async def test_where_the_preview_has_changed_it_is_asked_again(office: Office) -> None:
    await office.begin(DELETE)
    office.decide("d7", "approve")
    office.stock = 11
    result = await office.go_on()
    assert (result.status, office.log) == ("awaiting_approval", [])
    assert result.pending[0]["preview"] == "would delete 7 of 11"
    office.decide("d7", "approve")
    assert (await office.go_on("Done.")).status == "completed"
    assert office.log == ["delete 7"]
    assert [question.preview for question in office.questions()] == ["would delete 7 of 10", "would delete 7 of 11"]


async def test_a_decision_about_what_was_asked_before_does_not_answer_what_is_asked_now(office: Office) -> None:
    await office.begin(DELETE)
    seen = office.questions()[0].at
    office.decide("d7", "approve")
    office.stock = 11
    await office.go_on()
    office.post("d7", "approve", asked_at=seen)
    result = await office.go_on()
    assert (result.status, office.log) == ("awaiting_approval", [])
    assert len(result.pending) == 1, "it waits for the right one"


async def test_an_approval_is_not_used_again_after_a_crash(office: Office) -> None:
    await office.begin(DELETE)
    office.decide("d7", "approve")
    await office.go_on("Done.")
    office.forget_the_end_of("d7")
    result = await office.go_on()
    assert [pending["kind"] for pending in result.pending] == ["unknown_outcome"]
    assert office.log == ["delete 7"]


async def test_a_retry_is_for_one_crash_and_the_next_is_a_new_question(office: Office) -> None:
    await office.begin(DELETE)
    office.decide("d7", "approve")
    await office.go_on("Done.")
    office.forget_the_end_of("d7")
    await office.go_on()
    office.decide("d7", "retry")
    await office.go_on("Done.")
    assert office.log == ["delete 7"] * 2
    office.forget_the_end_of("d7")
    result = await office.go_on()
    assert [pending["kind"] for pending in result.pending] == ["unknown_outcome"]
    assert office.log == ["delete 7"] * 2, "the retry was used twice"
    office.decide("d7", "skip")
    assert (await office.go_on("Left out.")).status == "completed"
    assert office.log == ["delete 7"] * 2


@pytest.mark.parametrize("wrong", ["approve", "reject", "always", "edit"])
async def test_what_does_not_fit_an_unknown_outcome_leaves_it_to_be_answered(office: Office, wrong: str) -> None:
    await office.begin(DELETE)
    office.decide("d7", "approve")
    await office.go_on("Done.")
    office.forget_the_end_of("d7")
    await office.go_on()
    office.post("d7", wrong, arguments={"number": 8})
    result = await office.go_on()
    assert [pending["kind"] for pending in result.pending] == ["unknown_outcome"]
    office.decide("d7", "happened")
    assert (await office.go_on("Done.")).status == "completed"
    assert office.log == ["delete 7"]


@pytest.mark.parametrize("wrong", ["happened", "retry", "skip"])
async def test_and_the_other_way_round(office: Office, wrong: str) -> None:
    await office.begin(DELETE)
    office.post("d7", wrong)
    result = await office.go_on()
    assert (len(result.pending), office.log) == (1, [])


async def test_an_approver_whose_answer_does_not_fit_parks_the_run(office: Office) -> None:
    class Wrong:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            return ApprovalDecided(call_id=question.call_id, decision="retry", decided_by="a robot")

    result = await office.agent([DELETE]).run("x", db=office.db, run_id="r", approver=Wrong())
    assert (result.status, office.log) == ("awaiting_approval", [])


async def test_an_approver_that_fails_leaves_the_question_for_somebody_else(office: Office) -> None:
    class Broken:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            raise ConnectionError("no network")

    result = await office.agent([DELETE]).run("x", db=office.db, run_id="r", approver=Broken())
    assert (result.status, len(result.pending)) == ("awaiting_approval", 1)
    office.decide("d7", "approve")
    assert (await office.go_on("Done.")).status == "completed"
    assert office.log == ["delete 7"]


async def test_a_stop_at_an_unknown_outcome_leaves_the_question_for_later(office: Office) -> None:
    await office.begin(DELETE)
    office.decide("d7", "approve")
    await office.go_on("Done.")
    office.forget_the_end_of("d7")
    await office.go_on()
    run = office.agent([]).resume("r", db=office.db)
    run.stop("not now")
    assert (await run.work()).status == "stopped"
    result = await office.go_on()
    assert [pending["kind"] for pending in result.pending] == ["unknown_outcome"]
    with JournalStore(office.db) as store:
        assert replay(store, "r").calls["d7"].status == "unknown"
