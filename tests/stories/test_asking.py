"""Who is asked, what is decided, and how a parked or broken-off run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from prudent import Agent, Rule, tool
from prudent.events import ApprovalAsked, ApprovalDecided, CallPrepared, CallStarted, MessageAdded, ModelCallEnded, RunStarted
from prudent.journal.store import JournalStore
from prudent.messages import Message, ToolCall
from prudent.models.scripted import ScriptedModel, call, reply, think
from prudent.types import JSONMapping, JSONObject, Usage

pytestmark = pytest.mark.anyio


class Answers:
    """An approver that answers as told."""

    def __init__(self, **decision: Any) -> None:
        self.decision = decision
        self.asked: list[ApprovalAsked] = []

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        self.asked.append(question)
        return ApprovalDecided(call_id=question.call_id, decided_by="ann", **self.decision)


def post(db: Path, run_id: str, call_id: str, **decision: Any) -> None:
    data: JSONObject = {"call_id": call_id, "decided_by": "ann", **decision}
    with JournalStore(db) as store:
        store.post(run_id, "decision", data)


async def go_on(story: Any, replies: list[Any], tools: Any = None, **options: Any) -> Any:
    model = ScriptedModel(replies)
    agent = Agent(model, tools=tools or story.tools(), planning="off", **options)
    story.run = agent.resume("last", db=story.db)
    result = await story.run.work()
    model.assert_finished()
    return result


async def test_without_anybody_to_ask_the_run_is_parked(story: Any) -> None:
    result = await story.tell([call("delete", number=7)])
    assert result.status == "awaiting_approval"
    pending = result.as_json()["pending"]
    assert pending == [
        {
            "kind": "call",
            "call_id": pending[0]["call_id"],
            "tool_name": "delete",
            "arguments": {"number": 7},
            "preview": "would delete 7",
        }
    ]
    assert story.log == []


async def test_approved_it_runs_once(story: Any) -> None:
    result = await story.tell([call("delete", number=7)])
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="approve")
    result = await go_on(story, ["7 is gone."])
    assert (result.status, result.output) == ("completed", "7 is gone.")
    assert story.log == ["delete 7"]


async def test_edited_the_edited_arguments_run(story: Any) -> None:
    result = await story.tell([call("delete", number=9)])
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="edit", arguments={"number": "10"})
    await go_on(story, ["10 is gone."])
    assert story.log == ["delete 10"]
    assert story.shown == ["deleted 10"]


async def test_a_wrong_edit_is_told_and_runs_nothing(story: Any) -> None:
    answers = Answers(decision="edit", arguments={"id": 10})
    await story.tell([call("delete", number=9), "Not done."], start={"approver": answers})
    assert story.log == []
    assert "edited arguments" in story.shown[0]


async def test_rejected_the_model_sees_the_reason(story: Any) -> None:
    result = await story.tell([call("delete", number=8)])
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="reject", reason="still in use")
    result = await go_on(story, ["I left it."])
    assert result.status == "completed"
    assert story.log == []
    assert "still in use" in story.shown[0]


async def test_siblings_go_on_and_are_not_repeated(story: Any) -> None:
    calls = reply(call("note", path="a", text="b"), call("delete", number=1), call("look", at="c"))
    result = await story.tell([calls], parallel_tool_calls=True)
    assert result.status == "awaiting_approval"
    assert sorted(story.log) == ["look c", "note a b"]
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="approve")
    await go_on(story, ["Done."], parallel_tool_calls=True)
    assert sorted(story.log) == ["delete 1", "look c", "note a b"]
    assert story.shown == ["written", "deleted 1", "seen c"]


async def test_a_decision_is_for_one_call_whatever_its_id(story: Any) -> None:
    both = reply(call("delete", number=21).with_id("dup"), call("delete", number=22).with_id("dup"))
    result = await story.tell([both], parallel_tool_calls=True)
    assert [pending["arguments"] for pending in result.pending] == [{"number": 21}, {"number": 22}]
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="approve")
    post(story.db, result.run_id, result.pending[1]["call_id"], decision="reject", reason="keep 22")
    await go_on(story, ["21 is gone."], parallel_tool_calls=True)
    assert story.log == ["delete 21"]


async def test_somebody_who_is_there_is_asked_at_once(story: Any) -> None:
    answers = Answers(decision="approve")
    result = await story.tell([call("delete", number=3), "Gone."], start={"approver": answers})
    assert result.status == "completed"
    assert [question.preview for question in answers.asked] == ["would delete 3"]


async def test_a_policy_can_widen_and_narrow(story: Any) -> None:
    policy = [Rule("allow", tool="delete", arguments={"number": "1?"}), Rule("ask", tool="look")]
    result = await story.tell([call("delete", number=12), call("look", at="x")], policy=policy)
    assert story.log == ["delete 12"]
    assert result.status == "awaiting_approval"
    assert result.pending[0]["tool_name"] == "look"


async def test_secret_arguments_are_hidden_and_still_arrive(story: Any) -> None:
    seen: list[str] = []

    @tool(effect="destructive", secret=["key"])
    def login(user: str, key: str) -> str:
        """Log in."""
        seen.append(key)
        return f"{user} is in"

    result = await story.tell([call("login", user="ann", key="hunter2hunter2")], tools=[login])
    assert "hunter2" not in str(result.as_json())
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="approve")
    await go_on(story, ["In."], tools=[login])
    assert seen == ["hunter2hunter2"]
    for path in story.db.parent.glob("agent.db*"):
        assert b"hunter2hunter2" not in path.read_bytes()


@pytest.mark.parametrize("mark", ["[secret]", "[redacted: secret parameter]"])
@pytest.mark.parametrize("at_once", [True, False])
async def test_an_edit_that_leaves_the_mark_of_a_secret_keeps_the_secret(story: Any, mark: str, *, at_once: bool) -> None:
    seen: list[tuple[str, str]] = []

    @tool(effect="destructive", secret=["key"])
    def login(user: str, key: str) -> str:
        """Log in."""
        seen.append((user, key))
        return f"{user} is in"

    edit: dict[str, Any] = {"decision": "edit", "arguments": {"user": "bob", "key": mark}}
    asks = call("login", user="ann", key="hunter2hunter2")
    if at_once:
        await story.tell([asks, "In."], tools=[login], start={"approver": Answers(**edit)})
    else:
        result = await story.tell([asks], tools=[login])
        post(story.db, result.run_id, result.pending[0]["call_id"], **edit)
        await go_on(story, ["In."], tools=[login])
    assert seen == [("bob", "hunter2hunter2")]
    for path in story.db.parent.glob("agent.db*"):
        assert b"hunter2hunter2" not in path.read_bytes()


def broken_off(db: Path, *, effect: str, idempotent: bool = False) -> str:
    """Leave a record as a process does that was killed while a call ran."""
    store = JournalStore(db)
    journal = store.begin(RunStarted(run_id="killed", agent="a", task="x", model="m"))
    journal.append(MessageAdded(message=Message("user", "x")))
    message = Message("assistant", calls=(ToolCall("c1", "act", '{"n":1}'),))
    journal.append(
        ModelCallEnded(turn=1, purpose="turn", message=message, finish_reason="tool_calls", usage=Usage(), seconds=0)
    )
    journal.append(CallPrepared(turn=1, position=0, call_id="c1", tool_name="act", arguments={"n": 1}))
    journal.append(CallStarted(turn=1, call_id="c1", effect=effect, idempotent=idempotent))
    journal.release()
    store.close()
    return "c1"


def acting(log: list[str], **options: Any) -> Any:
    @tool(**options)
    def act(n: int) -> str:
        """Act."""
        log.append(f"act {n}")
        return f"acted {n}"

    return act


async def test_an_idempotent_call_without_outcome_runs_again(story: Any) -> None:
    broken_off(story.db, effect="write", idempotent=True)
    result = await go_on(story, ["Done."], tools=[acting(story.log, effect="write", idempotent=True)])
    assert result.status == "completed"
    assert story.log == ["act 1"]
    assert story.run.state.calls["c1"].attempt == 2


async def test_a_call_that_a_stop_cut_off_may_be_asked_for_again(story: Any) -> None:
    attempts: list[str] = []

    @tool(effect="read", timeout_seconds=20)
    async def fetch(page: int) -> str:
        """Fetch a page."""
        attempts.append(f"fetch {page}")
        if len(attempts) == 1:
            story.run.stop("lunch")
            await anyio.sleep(10)
        return f"page {page}"

    stopped = await story.tell([call("fetch", page=1)], tools=[fetch])
    assert stopped.status == "stopped"
    result = await go_on(story, [call("fetch", page=1), "Page 1."], tools=[fetch])
    assert (result.status, result.output) == ("completed", "Page 1.")
    assert attempts == ["fetch 1", "fetch 1"]


async def test_another_waits_for_a_person_who_says_what_happened(story: Any) -> None:
    call_id = broken_off(story.db, effect="write")
    act = acting(story.log, effect="write", confirm="never")
    result = await go_on(story, [], tools=[act])
    assert result.status == "awaiting_approval"
    assert result.pending[0]["kind"] == "unknown_outcome"
    post(story.db, "killed", call_id, decision="happened", result="receipt 7")
    result = await go_on(story, ["Receipt 7."], tools=[act])
    assert result.status == "completed"
    assert story.log == []
    assert story.shown == ["receipt 7"]


@pytest.mark.parametrize(("decision", "log"), [("retry", ["act 1"]), ("skip", [])])
async def test_or_has_it_tried_again_or_left_out(story: Any, decision: str, log: list[str]) -> None:
    call_id = broken_off(story.db, effect="destructive")
    act = acting(story.log, effect="destructive")
    await go_on(story, [], tools=[act])
    post(story.db, "killed", call_id, decision=decision)
    result = await go_on(story, ["Done."], tools=[act])
    assert result.status == "completed"
    assert story.log == log


async def test_a_plain_yes_never_answers_an_unknown_outcome(story: Any) -> None:
    call_id = broken_off(story.db, effect="write")
    act = acting(story.log, effect="write", confirm="never")
    await go_on(story, [], tools=[act])
    post(story.db, "killed", call_id, decision="approve")
    result = await go_on(story, [], tools=[act])
    assert result.status == "awaiting_approval"
    assert story.log == []


async def test_the_tools_own_check_answers(story: Any) -> None:
    broken_off(story.db, effect="write")
    keys: list[str] = []

    def check(arguments: Any, key: str) -> str:
        keys.append(key)
        return f"{arguments['n']} is booked"

    result = await go_on(story, ["Done."], tools=[acting(story.log, effect="write", confirm="never", check=check)])
    assert result.status == "completed"
    assert story.log == []
    assert story.shown == ["1 is booked"]
    assert keys == ["killed:c1"]


def would_book(arguments: JSONMapping) -> str:
    return f"would book {arguments['n']}"


async def test_a_small_risk_is_confirmed_by_the_model_with_its_token(story: Any) -> None:
    act = acting(story.log, effect="write", confirm="model", preview=would_book)

    def confirm(request: Any) -> Any:
        token = request.messages[-1].text.split('\\"confirmation\\": \\"')[1][:8]
        return call("act", n=1, confirmation=token)

    def confirm_another(request: Any) -> Any:
        token = request.messages[-1].text.split('\\"confirmation\\": \\"')[1][:8]
        return call("act", n=2, confirmation=token)

    result = await story.tell([call("act", n=1), confirm_another, confirm, call("act", n=1), "Booked."], tools=[act])
    assert "would book 1" in story.shown[0]
    assert "would book 2" in story.shown[1], "a token is for one call only"
    assert "would book 2" not in story.shown[2]
    assert result.status == "completed"


async def test_the_token_runs_exactly_the_previewed_call(story: Any) -> None:
    act = acting(story.log, effect="write", confirm="model")

    def confirm(request: Any) -> Any:
        token = request.messages[-1].text.split('\\"confirmation\\": \\"')[1][:8]
        return call("act", n=1, confirmation=token)

    await story.tell([call("act", n=1), confirm, "Booked."], tools=[act])
    assert story.log == ["act 1"]
    assert "confirmation" in str(story.model.requests[0].tools)


THOUGHT = think("t", plan="1. look 2. answer", action="look")


async def test_the_plan_is_approved_before_the_first_task_call(story: Any) -> None:
    options: dict[str, Any] = {"planning": "tool", "approve_plan": True}
    result = await story.tell([reply(THOUGHT, call("look", at="a"))], **options)
    assert result.status == "awaiting_approval"
    assert (result.pending[0]["kind"], result.pending[0]["preview"]) == ("plan", "1. look 2. answer")
    assert story.log == []
    post(story.db, result.run_id, result.pending[0]["call_id"], decision="approve")
    model = ScriptedModel([call("look", at="b"), "Done."])
    run = Agent(model, tools=story.tools(), **options).resume("last", db=story.db)
    assert (await run.work()).status == "completed"
    assert story.log == ["look a", "look b"]


async def test_a_changed_plan_reaches_the_model_and_stands(story: Any) -> None:
    answers = Answers(decision="edit", arguments={"plan": "1. look at b"})
    script = [reply(THOUGHT, call("look", at="a")), call("look", at="b"), "Done."]
    await story.tell(script, planning="tool", approve_plan=True, start={"approver": answers})
    assert story.log == ["look b"]
    assert "1. look at b" in story.shown[1]
    assert len(answers.asked) == 1


async def test_without_a_plan_there_is_no_task_call_and_a_rejected_plan_is_made_anew(story: Any) -> None:
    answers = Answers(decision="reject", reason="look at b first")
    script = [call("look", at="a"), reply(THOUGHT, call("look", at="a")), "I give up."]
    await story.tell(script, planning="tool", approve_plan=True, start={"approver": answers})
    assert story.log == []
    assert "think_and_plan first" in story.shown[0]
    assert "look at b first" in story.shown[2]
