"""A stop, or a deadline, in whatever state a run is: it ends in time, nothing takes effect afterwards, it can be resumed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.context.test_transcript import faults
from tests.stories.stamping import write_late

from prudent import Agent, Budget, Event, RunResult, tool
from prudent.context.transcript import TranscriptView
from prudent.errors import ModelUnreachable
from prudent.events import ApprovalAsked, ApprovalDecided, CallStarted, ModelCallRetried, ModelCallStarted, TextArrived
from prudent.exchange import ModelProfile, ModelRequest
from prudent.journal.outside import end_from_outside
from prudent.journal.store import JournalStore
from prudent.models.retrying import RetryingModel
from prudent.models.scripted import Scripted, ScriptedModel, call, reply, slow, think
from prudent.ports import Model
from prudent.runs import Run
from prudent.types import JSONMapping

pytestmark = pytest.mark.anyio

LATE_SECONDS = 0.4
"""How long after it began a thing would take effect if it were not stopped."""


@tool(effect="read")
async def idle() -> str:
    """Do nothing."""
    return "nothing"


class Never:
    """An approver who is asked and does not answer."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        await anyio.sleep_forever()
        raise AssertionError


def begins(*kinds: type[Event]) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, kinds)


@dataclass
class Scene:
    """A run that comes into a certain state and stays there for longer than a test waits."""

    folder: Path
    script: list[Scripted] = field(default_factory=list[Scripted])
    tools: list[Any] = field(default_factory=list[Any])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    when_no_tools: Scripted = "as far as I came"
    when_folding: Scripted | None = None
    profile: ModelProfile = field(default_factory=lambda: ModelProfile("scripted"))
    approver: Any = None
    is_there: Callable[[Event], bool] = lambda _: False
    """Tells by an event that the state is reached; the others tell by `reached`."""

    wrap: Callable[[Model], Model] = lambda model: model
    log: list[str] = field(default_factory=list[str])
    """What took effect."""

    reached: anyio.Event = field(default_factory=anyio.Event)
    counts: bool = True
    """Whether time counts in this state: it does not while a person is being waited for."""

    @property
    def wrote_late(self) -> bool:
        return (self.folder / "late").exists()

    @property
    def db(self) -> Path:
        return self.folder / "agent.db"

    def prepare(self, seconds: float = 30) -> Run:
        played = ScriptedModel(
            self.script, when_no_tools=self.when_no_tools, when_folding=self.when_folding, profile=self.profile
        )
        model = self.wrap(played)
        budget = self.options.pop("budget", None) or Budget(model_calls=20, seconds=seconds)
        options: dict[str, Any] = {"planning": "off", **self.options}
        agent = Agent(model, tools=[idle, *self.tools], budget=budget, workspace=self.folder, **options)
        return agent.prepare("the task", db=self.db, approver=self.approver)

    def watch(self, event: Event) -> None:
        if self.is_there(event):
            self.reached.set()

    def lingering(self, name: str = "linger", **options: Any) -> Any:
        """Make a tool that takes effect late."""

        async def function(text: str = "") -> str:
            """Take a while."""
            self.reached.set()
            await anyio.sleep(LATE_SECONDS)
            self.log.append(f"{name} {text}")
            return text

        return tool(function, name=name, timeout_seconds=20, **options)


def streaming(scene: Scene) -> None:
    scene.script = [slow(reply("word " * 200, piece_chars=5), gap_seconds=0.05)]
    scene.is_there = begins(TextArrived)


def waiting_for_the_first_token(scene: Scene) -> None:
    scene.script = [slow("late", delay_seconds=20)]
    scene.is_there = begins(ModelCallStarted)


def backing_off(scene: Scene) -> None:
    scene.script = [ModelUnreachable("gone"), "back again"]
    scene.wrap = lambda model: RetryingModel(model, sleep=lambda _: anyio.sleep(20))
    scene.is_there = begins(ModelCallRetried)


def running_a_tool(scene: Scene) -> None:
    scene.tools = [scene.lingering()]
    scene.script = [call("linger")]


def running_a_process(scene: Scene) -> None:
    scene.tools = [write_late]
    scene.script = [call("write_late", seconds=LATE_SECONDS)]
    scene.is_there = begins(CallStarted)


def reading_early(scene: Scene) -> None:
    scene.tools = [scene.lingering(effect="read")]
    scene.script = [slow(reply(call("linger", text="a"), call("linger", text="b")), gap_seconds=20)]
    scene.options = {"parallel_tool_calls": True}


def the_one(_: JSONMapping) -> str:
    return "the one"


def waiting_for_a_resource(scene: Scene) -> None:
    scene.tools = [scene.lingering(effect="write", confirm="never", resource=the_one)]
    scene.script = [reply(call("linger", text="a"), call("linger", text="b"))]
    scene.options = {"parallel_tool_calls": True}


def waiting_for_approval(scene: Scene) -> None:
    scene.tools = [scene.lingering(effect="destructive")]
    scene.script = [call("linger")]
    scene.approver = Never()
    scene.is_there = begins(ApprovalAsked)
    scene.counts = False


def waiting_for_the_plan(scene: Scene) -> None:
    scene.tools = [scene.lingering()]
    scene.script = [reply(think("t", plan="1. a 2. b", action="a"), call("linger"))]
    scene.options = {"planning": "tool", "approve_plan": True}
    scene.approver = Never()
    scene.is_there = begins(ApprovalAsked)
    scene.counts = False


def closing(scene: Scene) -> None:
    scene.tools = [scene.lingering(effect="read")]
    scene.script = [call("linger", text="a")]
    scene.options = {"budget": Budget(model_calls=1, seconds=30)}
    scene.when_no_tools = slow("late", delay_seconds=20)
    scene.reached = anyio.Event()
    scene.is_there = lambda event: isinstance(event, ModelCallStarted) and event.purpose == "closing"


def folding(scene: Scene) -> None:
    @tool(effect="read")
    async def page(number: int) -> str:
        """Read a page."""
        return f"page {number} " + "and so on " * 150

    scene.tools = [page]
    scene.script = [call("page", number=number) for number in range(9)]
    scene.profile = ModelProfile("scripted", context_window_tokens=1200)
    scene.when_folding = slow("late", delay_seconds=20)
    scene.is_there = lambda event: isinstance(event, ModelCallStarted) and event.purpose == "folding"


def checking_the_answer(scene: Scene) -> None:
    async def check(_: str) -> None:
        scene.reached.set()
        await anyio.sleep(20)

    scene.script = ["It is so."]
    scene.options = {"answer_check": check}


def working_in_a_sub_agent(scene: Scene) -> None:
    model = ScriptedModel([call("linger")], when_no_tools="nothing")
    scene.tools = [Agent(model, name="clerk", tools=[scene.lingering()], planning="off", workspace=scene.folder)]
    scene.script = [call("ask_clerk", task="x")]


def asking_in_a_sub_agent(scene: Scene) -> None:
    model = ScriptedModel([call("linger")], when_no_tools="nothing")
    scene.tools = [Agent(model, name="clerk", tools=[scene.lingering(effect="destructive")], planning="off")]
    scene.script = [call("ask_clerk", task="x")]

    class Asked(Never):
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            scene.reached.set()
            return await super().decide(question)

    scene.approver = Asked()
    scene.counts = False


STATES = [
    streaming,
    waiting_for_the_first_token,
    backing_off,
    running_a_tool,
    running_a_process,
    reading_early,
    waiting_for_a_resource,
    waiting_for_approval,
    waiting_for_the_plan,
    closing,
    folding,
    checking_the_answer,
    working_in_a_sub_agent,
    asking_in_a_sub_agent,
]


def is_sound(scene: Scene, run: Run, result: RunResult) -> None:
    """Check what must hold of a run that was cut short in any way."""
    assert not faults(TranscriptView().view(run.state))
    assert not [record for record in run.state.calls.values() if not record.answered]
    with JournalStore(scene.db) as store:
        rows = store.runs()
        assert store.run(run.run_id).status == result.status
        assert all(row.ended_at is not None for row in rows)
        assert not any(store.is_alive(row.run_id) for row in rows)
        assert all(call.status != "running" for row in rows for call in store.tool_calls(row.run_id))


async def in_the_midst(scene: Scene, run: Run, act: Callable[[], Any]) -> tuple[RunResult, float]:
    """Let the run come into its state, act, and give how it ended and how long that took."""
    acted, results = 0.0, list[RunResult]()

    async def act_in_time() -> None:
        nonlocal acted
        with anyio.fail_after(20):
            await scene.reached.wait()
        await anyio.sleep(0.05)
        acted = time.monotonic()
        act()

    async with anyio.create_task_group() as group:
        group.start_soon(act_in_time)
        results.append(await run.work(scene.watch))
    return results[0], time.monotonic() - acted


@pytest.fixture
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Scene:
    made = Scene(tmp_path)
    request.param(made)
    return made


def stop_by_hand(scene: Scene, run: Run) -> None:
    run.stop("enough")


def stop_twice(scene: Scene, run: Run) -> None:
    run.stop("enough")
    run.stop("I said enough")


def stop_from_elsewhere(scene: Scene, run: Run) -> None:
    with JournalStore(scene.db) as store:
        store.post(run.run_id, "stop", {"reason": "enough"})


@pytest.mark.parametrize("stop", [stop_by_hand, stop_twice, stop_from_elsewhere])
async def test_a_stop_ends_it_and_nothing_takes_effect_afterwards(tmp_path: Path, stop: Callable[[Scene, Run], None]) -> None:
    async def one(state: Callable[[Scene], None]) -> None:
        scene = Scene(tmp_path / state.__name__)
        state(scene)
        run = scene.prepare()
        requests = scene_requests(run)
        result, seconds = await in_the_midst(scene, run, lambda: stop(scene, run))
        assert (result.status, result.error) == ("stopped", "enough"), state
        assert seconds < 2, state
        is_sound(scene, run, result)
        seen, done = len(requests), list(scene.log)
        await anyio.sleep(LATE_SECONDS + 0.2)
        assert (len(requests), scene.log) == (seen, done), state
        assert not scene.wrote_late, state

    async with anyio.create_task_group() as group:
        for state in STATES:
            group.start_soon(one, state)


def scene_requests(run: Run) -> list[ModelRequest]:
    model = run.loop.parts.model
    inner = getattr(model, "inner", model)
    assert isinstance(inner, ScriptedModel)
    return inner.requests


@pytest.mark.parametrize("scene", STATES, indirect=True)
async def test_after_a_stop_the_run_goes_on_where_it_stood(scene: Scene) -> None:
    run = scene.prepare()
    await in_the_midst(scene, run, lambda: run.stop("enough"))
    model = ScriptedModel(["The end."])
    again = Agent(model, tools=scene.tools, planning="off", budget=Budget(model_calls=50))
    result = await again.resume(run.run_id, db=scene.db).work()
    assert result.status == "completed"
    assert [faults(request.messages) for request in model.requests] == [[]] * len(model.requests)
    assert all(request.messages[-1].role != "assistant" for request in model.requests)


async def test_a_deadline_ends_it_with_what_is_known(tmp_path: Path) -> None:
    async def one(state: Callable[[Scene], None]) -> None:
        scene = Scene(tmp_path / state.__name__)
        state(scene)
        run = scene.prepare(seconds=0.4)
        if not scene.counts:
            result, _ = await in_the_midst(scene, run, lambda: asyncio.get_running_loop().call_later(0.8, run.stop))
            assert result.status == "stopped", "while a person is being waited for no time passes"
            return
        began = time.monotonic()
        result = await run.work(scene.watch)
        assert time.monotonic() - began < 2.5, state
        assert (result.status, result.reason, result.output) == ("incomplete", "seconds", "as far as I came"), state
        is_sound(scene, run, result)
        done = list(scene.log)
        await anyio.sleep(LATE_SECONDS + 0.2)
        assert scene.log == done, state
        assert not scene.wrote_late, state

    async with anyio.create_task_group() as group:
        for state in STATES:
            if state is not closing:
                group.start_soon(one, state)


@pytest.mark.parametrize("scene", STATES, indirect=True)
async def test_a_program_that_is_cancelled_leaves_a_clean_record(scene: Scene) -> None:
    run = scene.prepare()
    with anyio.CancelScope() as scope:
        await in_the_midst(scene, run, scope.cancel)
    assert run.state.status == "stopped"
    is_sound(scene, run, run.result())


@pytest.mark.parametrize("stop", [stop_by_hand, stop_twice, stop_from_elsewhere])
async def test_a_run_stopped_before_it_works_does_nothing(tmp_path: Path, stop: Callable[[Scene, Run], None]) -> None:
    scene = Scene(tmp_path)
    hasty(scene)
    run = scene.prepare()
    stop(scene, run)
    result = await run.work()
    assert result.status == "stopped"
    assert scene.log == []
    assert scene_requests(run) == []
    is_sound(scene, run, result)


def hasty(scene: Scene) -> None:
    """Make an agent that never waits for anything."""

    @tool(effect="write", confirm="never")
    async def act() -> str:
        """Act at once."""
        scene.log.append("acted")
        return "done"

    scene.tools = [act]
    scene.script = [call("act"), "Done."]


async def test_a_stop_between_reply_and_call_lets_nothing_start(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    hasty(scene)
    run = scene.prepare()

    def stop_at_the_call(event: Event) -> None:
        if type(event).__name__ == "CallPrepared":
            run.stop("enough")

    result = await run.work(stop_at_the_call)
    assert result.status == "stopped"
    assert scene.log == []
    is_sound(scene, run, result)


async def test_what_started_early_ends_with_a_reply_that_is_cut_for_length(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    early = [call("linger", text="a"), call("linger", text="b")]
    scene.tools = [scene.lingering(effect="read")]
    scene.script = [slow(reply(*early, finish_reason="length"), gap_seconds=0.1), "Done."]
    scene.options = {"parallel_tool_calls": True}
    result = await scene.prepare().work()
    assert scene.reached.is_set()
    assert (result.status, result.tool_calls) == ("completed", 0)
    await anyio.sleep(LATE_SECONDS + 0.2)
    assert scene.log == []


async def test_what_another_run_left_running_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    """Ids of calls are unique in one run only, and the runners serve all of them."""

    @tool(timeout_seconds=20)
    async def deaf() -> str:
        """Do not listen for a while."""
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            try:
                await anyio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        return "late"

    statuses: list[str] = []
    for name, tool_name in (("a", "deaf"), ("b", "linger")):
        scene = Scene(tmp_path / name)
        scene.tools = [deaf, scene.lingering()]
        scene.script = [call(tool_name).with_id("one")]
        scene.is_there = begins(CallStarted)
        run = scene.prepare()
        await in_the_midst(scene, run, run.stop)
        statuses += [record.status for record in run.state.calls.values()]
    assert statuses == ["abandoned", "stopped"]


@pytest.mark.parametrize("from_outside", [False, True])
async def test_a_sub_agents_question_ends_with_its_parent(tmp_path: Path, from_outside: bool) -> None:
    scene = Scene(tmp_path)
    asking_in_a_sub_agent(scene)
    scene.approver = None
    run = scene.prepare()
    assert (await run.work()).status == "awaiting_approval"
    if from_outside:
        end_from_outside(scene.db, run.run_id, error="enough")
    else:
        model = ScriptedModel([])
        again = Agent(model, tools=[idle, *scene.tools], planning="off").resume(run.run_id, db=scene.db)
        again.stop("enough")
        assert (await again.work()).status == "stopped"
    with JournalStore(scene.db) as store:
        assert [row.status for row in store.runs()] == ["stopped", "stopped"]
        assert store.approvals(undecided=True) == []
    assert scene.log == []
