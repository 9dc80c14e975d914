"""Questions of a sub-agent, asked by way of its parent: answered once, for what was asked, over restarts and crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from prudent import Agent, RunResult, tool
from prudent.events import ApprovalAsked, CallStarted
from prudent.exchange import ModelRequest
from prudent.journal.decisions import leave_decision
from prudent.journal.store import JournalStore
from prudent.models.scripted import Plain, Scripted, ScriptedModel, call, reply
from prudent.types import JSON

pytestmark = pytest.mark.anyio

ASK = call("ask_clerk", task="delete 7").with_id("c")


class Firm:
    """An agent and its clerk, who deletes."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "agent.db"
        self.log: list[str] = []
        self.stock = 10
        self.clerk_script: list[Plain] = [call("delete", number=7).with_id("d"), "Deleted."]

    def agent(self, *script: Scripted) -> Agent:
        @tool(effect="destructive", preview=lambda values: f"would delete {values['number']} of {self.stock}")
        async def delete(number: int) -> str:
            """Delete."""
            self.log.append(f"delete {number}")
            return f"deleted {number}"

        def play(request: ModelRequest) -> Plain:
            return self.clerk_script[sum(message.role == "assistant" for message in request.messages)]

        model = ScriptedModel([play], repeat_last=True)
        clerk = Agent(model, name="clerk", tools=[delete], planning="off")
        return Agent(ScriptedModel([*script]), tools=[clerk, delete], planning="off", parallel_tool_calls=True)

    async def begin(self, *script: Scripted) -> RunResult:
        return await self.agent(*script).run("x", db=self.db, run_id="r")

    async def go_on(self, *script: Scripted) -> RunResult:
        return await self.agent(*script).resume("r", db=self.db).work()

    def decide(self, call_id: str, decision: str, **more: JSON) -> None:
        with JournalStore(self.db) as store:
            note = {"call_id": call_id, "decision": decision, "decided_by": "ann", **more}
            assert leave_decision(store, "r", note) is None

    def cut_behind_the_last_start(self) -> None:
        """Cut the parent's record, as if the process had been killed there; its sub-agent's run has gone on a little."""
        with JournalStore(self.db) as store:
            events = list(store.read("r"))
            last = max(seq for seq, event in enumerate(events, 1) if isinstance(event, CallStarted))
            store.database.execute("DELETE FROM events WHERE run_id='r' AND seq>?", (last,))
            store.database.execute("UPDATE runs SET status='running' WHERE run_id='r'")


@pytest.fixture
def firm(tmp_path: Path) -> Firm:
    return Firm(tmp_path)


async def test_an_edit_is_of_the_sub_agents_call_and_not_of_its_parents(firm: Firm) -> None:
    await firm.begin(ASK)
    firm.decide("c", "edit", arguments={"number": 8})
    result = await firm.go_on("Done.")
    assert result.status == "completed"
    assert firm.log == ["delete 8"]
    with JournalStore(firm.db) as store:
        assert [row.arguments for row in store.tool_calls("r")] == ['{"task":"delete 7"}']
        assert [row.arguments for row in store.tool_calls("r.c")] == ['{"number":8}']


async def test_an_open_question_is_not_asked_again_by_every_resume(firm: Firm) -> None:
    await firm.begin(reply(ASK, call("delete", number=1).with_id("own")))
    firm.decide("own", "approve")
    result = await firm.go_on()
    assert [pending["call_id"] for pending in result.pending] == ["c"]
    assert firm.log == ["delete 1"]
    with JournalStore(firm.db) as store:
        assert len([e for e in store.read("r") if isinstance(e, ApprovalAsked) and e.call_id == "c"]) == 1
        assert len([e for e in store.read("r") if isinstance(e, CallStarted) and e.call_id == "c"]) == 1
    firm.decide("c", "approve")
    assert (await firm.go_on("Done.")).status == "completed"
    assert firm.log == ["delete 1", "delete 7"]


async def test_an_approval_is_not_handed_down_for_what_is_asked_there_since(firm: Firm) -> None:
    """The parent was cut off after its sub-agent had taken the approval and, the preview having changed, asked again."""
    await firm.begin(ASK)
    firm.decide("c", "approve")
    firm.stock = 11
    assert (await firm.go_on()).status == "awaiting_approval"
    firm.cut_behind_the_last_start()
    result = await firm.go_on()
    assert (result.status, firm.log) == ("awaiting_approval", [])
    assert "would delete 7 of 11" in str(result.pending[0]["preview"])
    firm.decide("c", "approve")
    assert (await firm.go_on("Done.")).status == "completed"
    assert firm.log == ["delete 7"]


async def test_a_sub_agent_that_had_ended_is_not_asked_to_work_again(firm: Firm) -> None:
    firm.clerk_script = ["It is done."]
    result = await firm.begin(ASK, "Done.")
    firm.cut_behind_the_last_start()
    firm.clerk_script = []
    again = await firm.go_on("Done.")
    assert again.status == "completed"
    assert again.usage.input_tokens - result.usage.input_tokens == 0, "two model calls of its own and one of the clerk's"
    with JournalStore(firm.db) as store:
        assert store.tool_calls("r")[0].shown == "It is done."
