"""Long runs: old turns are folded, nothing that is needed is lost, and a resumed run sees the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.context.test_transcript import faults

from prudent import Agent, Budget, tool
from prudent.context.view import FoldedView
from prudent.errors import ContextOverflow, ModelUnreachable
from prudent.events import ModelCallEnded, ModelCallStarted, Warned
from prudent.exchange import ModelProfile, ModelRequest
from prudent.folds import Folded
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.messages import Message
from prudent.models.scripted import Scripted, ScriptedModel, call, raw_call, reply, slow, think
from prudent.types import Usage

pytestmark = pytest.mark.anyio

NAMES = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty")
NEEDED = {name: 7001 + 13 * place for place, name in enumerate(NAMES)}
OTHER = {f"side{place}": 3001 + 17 * place for place in range(10)}
TASK = "What are the figures of " + ", ".join(NEEDED) + "? Then say that you are done."
FILLER = "Nothing else of note was written on this page by the clerk. " * 12


@tool(effect="read", max_result_chars=4000)
def page(number: int) -> str:
    """Read a page of the ledger."""
    names = [*NEEDED, *OTHER]
    if number % 2 or number // 2 >= len(names):
        return f"page {number}. {FILLER}"
    name = names[number // 2]
    return f"page {number}. {FILLER}The figure of {name} is {NEEDED.get(name) or OTHER[name]}. {FILLER}"


def forty_turns() -> list[Scripted]:
    return [call("page", number=number) for number in range(40)]


def in_view(messages: Sequence[Message], text: str) -> bool:
    return any(text in message.text for message in messages)


async def run(model: ScriptedModel, folder: Path, task: str = TASK, **options: Any) -> Any:
    options = {"tools": [page], "planning": "off", "budget": Budget(model_calls=200, seconds=60), **options}
    prepared = Agent(model, **options).prepare(task, db=folder / "agent.db")
    events: list[Any] = []
    result = await prepared.work(events.append)
    return result, events, prepared


def small(window_tokens: int = 8192) -> ModelProfile:
    return ModelProfile("scripted", context_window_tokens=window_tokens)


@pytest.mark.parametrize("written", [None, "SUMMARY: The ledger is read page by page.\nFACTS:\n- amber 7001 [call_1_0]", ""])
async def test_twenty_facts_survive_forty_turns(tmp_path: Path, written: str | None) -> None:
    model = ScriptedModel([*forty_turns(), "Done."], when_folding=written, profile=small())
    result, events, _ = await run(model, tmp_path)
    assert result.status == "completed"
    folds = [event for event in events if isinstance(event, Folded)]
    assert 2 <= len(folds) <= 8
    last = model.requests[-1].messages
    missing = [name for name, figure in NEEDED.items() if not in_view(last, str(figure))]
    assert not missing, missing
    named = {handle for message in last for handle in re.findall(r"\br\d+\b", message.text)}
    with JournalStore(tmp_path / "agent.db") as store:
        kept = "".join(str(found.content) for handle in named if (found := store.artifact(result.run_id, handle)))
    for figure in {**NEEDED, **OTHER}.values():
        assert in_view(last, str(figure)) or f"is {figure}" in kept
    assert all(not faults(request.messages) for request in model.requests)


async def test_order_of_what_the_model_sees(tmp_path: Path) -> None:
    model = ScriptedModel(
        [*forty_turns()[:14], "Done."],
        when_folding="SUMMARY: so far.",
        profile=small(4000),
    )
    _, events, prepared = await run(model, tmp_path, instructions="Be careful.")
    fold = next(event for event in events if isinstance(event, Folded))
    after = next(r for r in model.requests if r.purpose == "turn" and in_view(r.messages, "so far."))
    assert [m.role for m in after.messages] == ["system", "user", *["assistant", "tool"] * 3, "user"]
    assert after.messages[1].text == TASK
    assert after.messages[2:8] == tuple(prepared.state.transcript[fold.first_kept : fold.until])
    assert after.messages[-1] is fold.message


async def test_between_folds_the_request_only_grows(tmp_path: Path) -> None:
    model = ScriptedModel([*forty_turns(), "Done."], profile=small())
    await run(model, tmp_path)
    turns = [request.messages for request in model.requests if request.purpose == "turn"]
    broken = [place for place in range(1, len(turns)) if turns[place][: len(turns[place - 1])] != turns[place - 1]]
    assert 2 <= len(broken) <= 8
    assert all(messages[:2] == turns[0][:2] for messages in turns)


async def test_a_finished_step_is_folded_and_its_plan_pinned(tmp_path: Path) -> None:
    steps = [reply(think("on", plan=f"1. read 2. answer (at {n})", action="read"), call("page", number=n)) for n in range(12)]
    model = ScriptedModel([*steps, "Done."], when_folding="SUMMARY: read on.")
    _, events, _ = await run(model, tmp_path, planning="tool")
    folds = [event for event in events if isinstance(event, Folded)]
    assert folds
    assert {fold.trigger for fold in folds} == {"step"}
    last = model.requests[-1].messages
    assert last[1].text == TASK
    assert last[2] == folds[-1].pinned
    assert f"(at {folds[-1].turn - 1})" in last[2].text


async def test_without_a_finished_step_four_thousand_tokens_stay_whole(tmp_path: Path) -> None:
    model = ScriptedModel([*forty_turns()[:14], "Done."])
    _, events, _ = await run(model, tmp_path)
    assert not any(isinstance(event, Folded) for event in events)


async def test_a_model_that_fails_leaves_the_summary_to_rules(tmp_path: Path) -> None:
    for name, bad in {
        "down": ModelUnreachable("gone"),
        "calls": raw_call("page", "{}"),
        "cut": reply("x", finish_reason="length"),
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        model = ScriptedModel([*forty_turns()[:14], "Done."], when_folding=bad, profile=small(4000))
        result, events, _ = await run(model, folder)
        fold = next(event for event in events if isinstance(event, Folded))
        assert result.status == "completed"
        assert fold.written_by == ""
        assert "page ×" in fold.message.text


async def test_a_fold_is_a_model_call_that_is_paid_for(tmp_path: Path) -> None:
    model = ScriptedModel(
        [*forty_turns()[:14], "Done."], when_folding=reply("SUMMARY: x", usage=Usage(1000, 0, 50)), profile=small(4000)
    )
    result, events, _ = await run(model, tmp_path)
    folds = sum(isinstance(event, Folded) for event in events)
    assert folds
    assert result.model_calls == 15 + folds
    assert result.turns == 15
    assert result.usage.input_tokens == 15 * 100 + folds * 1000


async def test_the_last_calls_of_a_budget_are_not_spent_on_summaries(tmp_path: Path) -> None:
    model = ScriptedModel(
        [call("page", number=n) for n in range(9)], when_no_tools="partial", when_folding="SUMMARY: x", profile=small(4000)
    )
    result, events, _ = await run(model, tmp_path, budget=Budget(model_calls=6, seconds=60))
    assert (result.status, result.reason) == ("incomplete", "model_calls")
    assert result.model_calls <= 7  # the closing call is outside the count
    asked = [e for e in events if isinstance(e, ModelCallStarted) and e.purpose == "turn"]
    assert len(asked) >= 5


async def test_a_stop_works_while_a_summary_is_written(tmp_path: Path) -> None:
    model = ScriptedModel(
        [*forty_turns()[:14], "Done."], when_folding=slow("SUMMARY: x", delay_seconds=30), profile=small(4000)
    )
    agent = Agent(model, tools=[page], planning="off", budget=Budget(model_calls=50, seconds=60))
    prepared = agent.prepare(TASK, db=tmp_path / "agent.db")

    def watch(event: Any) -> None:
        if isinstance(event, ModelCallStarted) and event.purpose == "folding":
            prepared.stop("enough")

    with anyio.fail_after(5):
        result = await prepared.work(watch)
    assert result.status == "stopped"
    model.when_folding = "SUMMARY: after all"
    resumed = agent.resume(result.run_id, db=tmp_path / "agent.db")
    assert (await resumed.work()).status == "completed"


async def test_a_resumed_run_sees_what_the_first_one_saw(tmp_path: Path) -> None:
    model = ScriptedModel([*forty_turns()[:20]], when_folding="SUMMARY: x", when_no_tools="partial", profile=small(4000))
    agent = Agent(model, tools=[page], planning="off", budget=Budget(model_calls=18, seconds=60))
    prepared = agent.prepare(TASK, db=tmp_path / "agent.db")
    await prepared.work()
    live = prepared.loop.parts.view.view(prepared.state)
    with JournalStore(tmp_path / "agent.db") as store:
        state = replay(store, prepared.run_id)
    assert state.folds == prepared.state.folds
    assert list(FoldedView().view(state)) == list(live)


async def test_an_overflow_is_folded_and_asked_once_more(tmp_path: Path) -> None:
    full = ContextOverflow("provider answered 400: maximum context length is 8192 tokens")
    model = ScriptedModel([*forty_turns()[:5], full, call("page", number=9), "Done."], when_folding="SUMMARY: shorter")
    result, events, _ = await run(model, tmp_path)
    assert result.status == "completed"
    assert [event.trigger for event in events if isinstance(event, Folded)] == ["overflow"]
    assert in_view(model.requests[-1].messages, "shorter")


async def test_an_overflow_with_nothing_to_fold_fails_with_one_request(tmp_path: Path) -> None:
    model = ScriptedModel([ContextOverflow("too long")])
    result, _, _ = await run(model, tmp_path)
    assert (result.status, len(model.requests)) == ("failed", 1)


async def test_an_overflow_after_its_fold_fails(tmp_path: Path) -> None:
    full = ContextOverflow("too long")
    model = ScriptedModel([*forty_turns()[:5], full, full])
    result, _, _ = await run(model, tmp_path)
    assert result.status == "failed"
    assert "too long" in result.error


async def test_a_result_over_a_quarter_of_the_window_is_warned_of(tmp_path: Path) -> None:
    @tool(effect="read", max_result_chars=20_000)
    def all_of_it() -> str:
        """Read everything."""
        return "word " * 3000

    _, events, _ = await run(ScriptedModel([call("all_of_it"), "Done."], profile=small()), tmp_path, tools=[all_of_it])
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert len(warned) == 1
    assert "all_of_it" in warned[0]
    assert "max_result_chars" in warned[0]


async def test_secret_parameters_are_not_in_folds(tmp_path: Path) -> None:
    @tool(effect="read", secret=["pin"], repeatable=True)
    def look(pin: str, at: int) -> str:
        """Look."""
        return f"seen {at} " + FILLER

    seen: list[ModelRequest] = []

    def summary(request: ModelRequest) -> str:
        seen.append(request)
        return "SUMMARY: x"

    model = ScriptedModel(
        [*(call("look", pin="4711", at=n) for n in range(14)), "Done."], when_folding=summary, profile=small(4000)
    )
    _, events, _ = await run(model, tmp_path, tools=[look])
    fold = [event for event in events if isinstance(event, Folded)][-1]
    assert "4711" not in fold.message.text
    assert not any("4711" in message.text for request in seen for message in request.messages)
    with JournalStore(tmp_path / "agent.db") as store:
        kept = [
            str(store.artifact(events[0].run_id if hasattr(events[0], "run_id") else store.find("last"), h.split()[0]))
            for h in fold.handles
        ]
    assert kept
    assert "4711" not in "".join(kept)


async def test_figures_are_estimated_where_a_provider_gives_none(tmp_path: Path) -> None:
    silent = [replace(_full, usage=Usage()) for _full in (reply(call("page", number=n)) for n in range(20))]
    model = ScriptedModel(silent, when_no_tools=reply("partial", usage=Usage()))
    result, events, _ = await run(model, tmp_path, budget=Budget(model_calls=50, seconds=60, tokens=5000))
    assert (result.status, result.reason) == ("incomplete", "tokens")
    assert all(event.usage.estimated for event in events if isinstance(event, ModelCallEnded))
    assert result.usage.total_tokens >= 5000
