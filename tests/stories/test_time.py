"""What happens at once, what happens early, and what ends in time."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import anyio
import pytest

from prudent import Agent, Budget, RunResult, tool
from prudent.events import CallEnded, CallStarted, TextArrived
from prudent.models.scripted import ScriptedModel, call, reply, slow

pytestmark = pytest.mark.anyio


@tool(effect="read", timeout_seconds=20)
async def wait(seconds: float, name: str) -> str:
    """Wait."""
    await anyio.sleep(seconds)
    return f"{name} waited"


async def test_calls_run_at_once_and_are_answered_in_order(story: Any) -> None:
    began = time.monotonic()
    both = reply(call("wait", seconds=0.6, name="a"), call("wait", seconds=0.3, name="b"))
    await story.tell([both, "Done."], tools=[wait], parallel_tool_calls=True)
    assert time.monotonic() - began < 0.85
    assert story.shown == ["a waited", "b waited"]


async def test_a_reading_call_starts_while_later_ones_still_stream(story: Any) -> None:
    both = slow(reply(call("wait", seconds=0.4, name="a"), call("wait", seconds=0.1, name="b")), gap_seconds=0.4)
    began = time.monotonic()
    await story.tell([both, "Done."], tools=[wait], parallel_tool_calls=True)
    assert time.monotonic() - began < 1.15, "the stream takes 0.8 s, the calls 0.4 s beside it"
    ended = [event for event in story.events if isinstance(event, CallEnded)]
    assert ended[0].seconds >= 0.4


async def test_writes_to_one_resource_wait_for_each_other(story: Any) -> None:
    spans: dict[str, tuple[float, float]] = {}

    @tool(effect="write", idempotent=True, resource=lambda arguments: str(arguments["path"]))
    async def write(path: str, text: str) -> str:
        """Write."""
        began = time.monotonic()
        await anyio.sleep(0.2)
        spans[text] = (began, time.monotonic())
        return text

    script = reply(*[call("write", path=path, text=text) for path, text in (("a", "1"), ("a", "2"), ("b", "3"))])
    await story.tell([script, "Done."], tools=[write], parallel_tool_calls=True)
    assert spans["1"][1] <= spans["2"][0]
    assert spans["3"][0] < spans["1"][1]


async def test_the_deadline_ends_a_call_under_way(story: Any) -> None:
    began = time.monotonic()
    script, budget = [call("wait", seconds=15, name="a")], Budget(model_calls=9, seconds=0.5)
    result = await story.tell(script, tools=[wait], budget=budget, when_no_tools="Interim: nothing yet.")
    assert time.monotonic() - began < 3
    assert (result.status, result.reason, result.output) == ("incomplete", "seconds", "Interim: nothing yet.")
    assert [record.status for record in story.run.state.calls.values()] == ["stopped"]


async def test_the_deadline_ends_a_model_that_stalls(story: Any) -> None:
    result = await story.tell([slow("late", delay_seconds=15)], budget=Budget(seconds=0.3), when_no_tools="Nothing came.")
    assert (result.status, result.reason, result.output) == ("incomplete", "seconds", "Nothing came.")


async def test_stop_from_another_thread_ends_everything(story: Any) -> None:
    async def stop_soon() -> None:
        await anyio.sleep(0.4)
        assert any(isinstance(event, CallStarted) for event in story.events)
        await asyncio.to_thread(story.run.stop, "enough")

    began = time.monotonic()
    stopping = asyncio.create_task(stop_soon())
    result = await story.tell([call("wait", seconds=15, name="a")], tools=[wait])
    await stopping
    assert time.monotonic() - began < 3
    assert (result.status, result.error) == ("stopped", "enough")
    assert [record.status for record in story.run.state.calls.values()] == ["stopped"]
    assert "stopped" in story.shown[0]


async def test_a_deaf_tool_is_abandoned_in_a_foreign_process(story: Any) -> None:
    @tool(timeout_seconds=20)
    async def deaf() -> str:
        """Do not listen."""
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        return "late"

    async def stop_soon() -> None:
        await anyio.sleep(0.4)
        story.run.stop()

    began = time.monotonic()
    stopping = asyncio.create_task(stop_soon())
    result = await story.tell([call("deaf")], tools=[deaf])
    await stopping
    assert time.monotonic() - began < 1.8
    assert result.status == "stopped"
    assert [record.status for record in story.run.state.calls.values()] == ["abandoned"]


async def test_cancelling_the_program_leaves_a_clean_record(story: Any) -> None:
    with anyio.move_on_after(0.4):
        await story.tell([call("wait", seconds=15, name="a")], tools=[wait])
    assert story.run.state.status == "stopped"


async def test_leaving_a_stream_stops_the_run(tmp_path: Any) -> None:
    agent = Agent(ScriptedModel([slow(reply("word " * 50, piece_chars=5), gap_seconds=0.05)]))
    began = time.monotonic()
    stream = agent.stream("talk", db=tmp_path / "agent.db")
    async for event in stream:
        if isinstance(event, TextArrived):
            break
    await stream.aclose()
    assert time.monotonic() - began < 2


async def test_a_stream_ends_with_the_result(tmp_path: Any) -> None:
    items = [item async for item in Agent(ScriptedModel(["Hi."])).stream("talk", db=tmp_path / "agent.db")]
    assert isinstance(items[-1], RunResult)
    assert items[-1].output == "Hi."


async def test_two_hundred_runs_at_once_in_one_process(tmp_path: Any) -> None:
    @tool(effect="read")
    async def look(at: int) -> str:
        """Look."""
        return f"seen {at}"

    async def one(number: int) -> RunResult:
        model = ScriptedModel([slow(call("look", at=number), delay_seconds=0.05), slow(f"{number}", delay_seconds=0.05)])
        return await Agent(model, tools=[look]).run("x", db=tmp_path / "agent.db")

    results = await asyncio.gather(*[one(number) for number in range(200)])
    assert [result.output for result in results] == [str(number) for number in range(200)]
    assert len({result.run_id for result in results}) == 200
