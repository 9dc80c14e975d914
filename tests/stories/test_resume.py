"""What a run that was cut off at a certain point does when it is taken up; `test_chaos` cuts at random ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from prudent import Agent, Budget, Context, Rule, RunResult, tool
from prudent.events import (
    ApprovalDecided,
    CallEnded,
    CallPrepared,
    CallStarted,
    Event,
    ModeChanged,
    ModelCallEnded,
    ModelCallStarted,
)
from prudent.exchange import ModelRequest
from prudent.journal.store import JournalStore
from prudent.models.scripted import Scripted, ScriptedModel, call, raw_call, reply, think
from prudent.tools.macro import given, macro, step
from prudent.types import JSONMapping, JSONObject

pytestmark = pytest.mark.anyio


class Cut:
    """A run that is played, whose record is then cut, and that is taken up again."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "agent.db"
        self.log: list[str] = []
        self.keys: list[str] = []
        self.requests: list[ModelRequest] = []
        self.run: Any = None

    def tools(self) -> list[Any]:
        @tool(effect="write", confirm="never")
        async def post(number: int = 0) -> str:
            """Send something."""
            self.log.append(f"post {number}")
            return f"posted {number}"

        @tool(effect="read")
        async def look(number: int) -> str:
            """Look."""
            self.log.append(f"look {number}")
            return f"seen {number}"

        @tool(effect="write", idempotent=True)
        async def mark(context: Context, number: int) -> str:
            """Mark something."""
            self.keys.append(context.idempotency_key)
            return f"marked {number}"

        @macro(steps=[step("one", mark, number=given("number")), step("two", mark, number=2)])
        def mark_two(number: int) -> str:
            """Mark two things.

            Args:
                number: of the first.
            """
            return ""

        return [post, look, mark_two]

    def agent(self, *script: Scripted, **options: Any) -> Agent:
        model = ScriptedModel([*script], when_no_tools="as far as I came")
        self.requests = model.requests
        options = {"planning": "off", "parallel_tool_calls": True, "tools": self.tools(), **options}
        return Agent(model, **options)

    async def play(self, *script: Scripted, **options: Any) -> RunResult:
        return await self.agent(*script, **options).run("x", db=self.db, run_id="r")

    def behind(self, last: Callable[[Event], bool]) -> None:
        """Cut the record behind the first event of this kind."""
        with JournalStore(self.db) as store:
            place = next(seq for seq, event in enumerate(store.read("r"), 1) if last(event))
            store.database.execute("DELETE FROM events WHERE run_id='r' AND seq>?", (place,))
            store.database.execute("UPDATE runs SET status='running' WHERE run_id='r'")

    async def go_on(self, *script: Scripted, **options: Any) -> RunResult:
        self.log.clear()
        self.run = self.agent(*script, **options).resume("r", db=self.db)
        return await self.run.work()

    @property
    def shown(self) -> list[str]:
        return [message.text for message in self.run.state.transcript if message.role == "tool"]


def of(kind: type[Event], **fields: Any) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, kind) and all(getattr(event, name) == value for name, value in fields.items())


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    return Cut(tmp_path)


async def test_the_copy_of_a_call_that_ran_is_answered_and_does_not_run(cut: Cut) -> None:
    script = reply(*[call("post", number=n).with_id(name) for n, name in ((1, "a"), (2, "b"), (1, "copy"))])
    await cut.play(script, "Done.")
    cut.behind(of(CallEnded, call_id="b"))
    assert (await cut.go_on("Done.")).status == "completed"
    assert cut.log == []
    assert cut.shown == ["posted 1", "posted 2", "posted 1"]


async def test_calls_of_a_reply_that_was_cut_for_length_still_do_not_run(cut: Cut) -> None:
    script = reply(call("post", number=1), finish_reason="length")
    for last in (of(ModelCallEnded), of(CallPrepared)):
        await cut.play(script, "Done.")
        cut.behind(last)
        await cut.go_on("Done.")
        assert cut.log == []
        assert "truncated" in cut.shown[0]
        cut.db.unlink()


@pytest.mark.parametrize("wrong", [raw_call("post", '{"number": 1, '), call("post", number="many")], ids=["broken", "unfit"])
@pytest.mark.parametrize("last", [ModelCallEnded, CallPrepared])
async def test_calls_of_a_wrong_form_still_do_not_run(cut: Cut, wrong: Any, last: type[Event]) -> None:
    await cut.play(wrong, "Done.")
    cut.behind(of(last))
    await cut.go_on("Done.")
    assert cut.log == []
    assert '"kind":"invalid_' in cut.shown[0]


async def test_one_at_a_time_holds_over_a_cut(cut: Cut) -> None:
    script = reply(call("post", number=1).with_id("a"), call("post", number=2).with_id("b"))
    await cut.play(script, "Done.", parallel_tool_calls=False)
    cut.behind(of(CallPrepared, call_id="a"))
    await cut.go_on("Done.", parallel_tool_calls=False)
    assert cut.log == ["post 1"]
    assert "one at a time" in cut.shown[1]


async def test_an_answer_on_record_is_judged_and_not_asked_for_again(cut: Cut) -> None:
    await cut.play(call("look", number=1), "It is so.")
    cut.behind(of(ModelCallEnded, turn=2))
    result = await cut.go_on()
    assert (result.status, result.output, cut.requests) == ("completed", "It is so.", [])


async def test_an_answer_that_was_sent_back_is_sent_back_again(cut: Cut) -> None:
    def check(text: str) -> str | None:
        return None if "source" in text else "name your source"

    await cut.play("It is so.", "It is so (source: x).", answer_check=check)
    cut.behind(of(ModelCallEnded))
    result = await cut.go_on("It is so (source: x).", answer_check=check)
    assert result.status == "completed"
    assert "name your source" in cut.requests[0].messages[-1].text


def dislike(_: str) -> str:
    return "wrong"


def like(_: str) -> None:
    return None


async def test_behind_an_answer_that_failed_the_model_is_told_to_go_on(cut: Cut) -> None:
    result = await cut.play("Wrong.", "Wrong.", "Wrong.", answer_check=dislike)
    assert result.status == "failed"
    await cut.go_on("Wrong.", answer_check=like)
    assert cut.requests[0].messages[-1].role == "user"


async def test_the_end_by_a_repetition_is_not_forgotten(cut: Cut) -> None:
    again = call("look", number=1)
    assert (await cut.play(again, again)).reason == "repetition"
    cut.behind(of(ModelCallStarted, purpose="closing"))
    result = await cut.go_on()
    assert (result.status, result.reason, cut.log) == ("incomplete", "repetition", [])


async def test_nor_is_it_when_the_run_was_parked_in_the_same_turn(cut: Cut) -> None:
    @tool(effect="destructive")
    async def delete(number: int) -> str:
        """Delete."""
        cut.log.append(f"delete {number}")
        return f"deleted {number}"

    def decide(call_id: str) -> None:
        note: JSONObject = {"call_id": call_id, "decision": "edit", "arguments": {"number": 2}, "decided_by": "ann"}
        with JournalStore(cut.db) as store:
            store.post("r", "decision", note)

    await cut.play(call("delete", number=1).with_id("a"), tools=[delete])
    decide("a")
    await cut.go_on(call("delete", number=1).with_id("b"), tools=[delete])
    decide("b")
    assert (await cut.go_on(tools=[delete])).reason == "repetition"
    cut.behind(of(ModelCallStarted, purpose="closing"))
    result = await cut.go_on(tools=[delete])
    assert (result.status, result.reason, cut.log) == ("incomplete", "repetition", [])


async def test_a_run_that_ended_by_a_repetition_goes_on_when_it_is_resumed(cut: Cut) -> None:
    again = call("look", number=1)
    assert (await cut.play(again, again)).reason == "repetition"
    assert (await cut.go_on("So it is.")).status == "completed"


async def test_the_time_of_a_sitting_that_was_cut_off_counts(cut: Cut) -> None:
    @tool(effect="read", timeout_seconds=20)
    async def wait(seconds: float) -> str:
        """Wait."""
        await anyio.sleep(seconds)
        return "waited"

    options: dict[str, Any] = {"tools": [wait], "budget": Budget(seconds=1.0)}
    await cut.play(call("wait", seconds=0.7), "Done.", **options)
    cut.behind(of(CallEnded))
    result = await cut.go_on(call("wait", seconds=20), **options)
    assert (result.status, result.reason) == ("incomplete", "seconds")
    assert cut.run.clock.seconds < 0.4, "less than half of its time was left"


async def test_the_steps_of_a_macro_have_their_own_keys_and_keep_them(cut: Cut) -> None:
    options: dict[str, Any] = {"policy": [Rule("allow")]}
    await cut.play(call("mark_two", number=1).with_id("m"), "Done.", **options)
    cut.behind(of(CallStarted))
    assert (await cut.go_on(**options)).pending[0]["kind"] == "unknown_outcome"
    with JournalStore(cut.db) as store:
        store.post("r", "decision", {"call_id": "m", "decision": "retry", "decided_by": "ann"})
    assert (await cut.go_on("Done.", **options)).status == "completed"
    assert cut.keys == ["r:m:1", "r:m:2"] * 2


async def test_a_mode_that_was_changed_before_the_cut_is_told_as_changed(cut: Cut) -> None:
    options: dict[str, Any] = {"mode": "plan", "mode_switch": ["act"]}
    await cut.play(call("switch_mode", mode="act", reason="r").with_id("s"), **options)
    with JournalStore(cut.db) as store:
        store.post("r", "decision", {"call_id": "s", "decision": "approve", "decided_by": "ann"})
    await cut.go_on("Done.", **options)
    cut.behind(of(ModeChanged))
    await cut.go_on("Done.", **options)
    assert "The mode is 'act' now" in cut.shown[0]


async def test_who_shares_a_resource_with_a_call_of_unknown_outcome_waits_with_it(cut: Cut) -> None:
    @tool(effect="write", confirm="never", resource=lambda values: str(values["box"]))
    async def put(box: str, number: int) -> str:
        """Put something into a box."""
        cut.log.append(f"put {number}")
        return f"put {number}"

    script = reply(*[call("put", box=box, number=n).with_id(str(n)) for box, n in (("a", 1), ("a", 2), ("b", 3), ("a", 1))])
    await cut.play(script, "Done.", tools=[put])
    cut.behind(of(CallStarted, call_id="1"))
    result = await cut.go_on(tools=[put])
    assert [pending["call_id"] for pending in result.pending] == ["1"]
    assert cut.log == ["put 3"]


async def test_a_check_that_says_it_did_not_happen_lets_it_run(cut: Cut) -> None:
    happened: list[object] = []

    async def check(_arguments: JSONMapping, key: str) -> object:
        return happened[-1]

    @tool(effect="write", confirm="never", check=check)
    async def book(number: int) -> str:
        """Book."""
        cut.log.append(f"book {number}")
        return f"booked {number}"

    await cut.play(call("book", number=1), "Done.", tools=[book])
    for answer, log, shown in ((False, ["book 1"], "booked 1"), (True, [], "It did happen"), ("no. 7", [], "no. 7")):
        happened.append(answer)
        cut.behind(of(CallStarted))
        assert (await cut.go_on("Done.", tools=[book])).status == "completed"
        assert cut.log == log
        assert shown in cut.shown[0]
    happened.append(None)
    cut.behind(of(CallStarted))
    assert (await cut.go_on(tools=[book])).pending[0]["kind"] == "unknown_outcome"


async def test_an_answer_whose_check_fails_is_not_taken_for_a_checked_one(cut: Cut) -> None:
    def check(_: str) -> str | None:
        raise KeyError("secret")

    result = await cut.play("It is so.", answer_check=check)
    assert (result.status, result.output) == ("failed", "It is so.")
    assert result.error == "the answer could not be checked: KeyError"


async def test_a_call_that_the_model_confirmed_needs_no_second_token(cut: Cut) -> None:
    @tool(effect="write", confirm="model")
    async def book(number: int) -> str:
        """Book."""
        cut.log.append(f"book {number}")
        return f"booked {number}"

    def confirm(request: ModelRequest) -> Any:
        token = request.messages[-1].text.split('\\"confirmation\\": \\"')[1][:8]
        return call("book", number=1, confirmation=token).with_id("confirmed")

    await cut.play(call("book", number=1), confirm, "Booked.", tools=[book])
    assert cut.log == ["book 1"]
    cut.behind(of(CallPrepared, call_id="confirmed"))
    assert (await cut.go_on("Booked.", tools=[book])).status == "completed"
    assert cut.log == ["book 1"]
    assert cut.shown[-1] == "booked 1"


async def test_a_plan_that_was_approved_before_the_cut_is_not_asked_about_again(cut: Cut) -> None:
    options: dict[str, Any] = {"planning": "tool", "approve_plan": True}
    thought = think("t", plan="1. look 2. answer", action="look")
    await cut.play(reply(thought, call("look", number=1).with_id("a")), **options)
    with JournalStore(cut.db) as store:
        store.post("r", "decision", {"call_id": "a", "decision": "approve", "decided_by": "ann"})
    await cut.go_on("Done.", **options)
    cut.behind(of(ApprovalDecided))
    assert (await cut.go_on("Done.", **options)).status == "completed"
    assert cut.log == ["look 1"]
