"""Long results that are summarised by a cheaper model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from prudent import Agent, Budget, tool
from prudent.events import CallEnded, ModelCallEnded, ModelCallStarted
from prudent.models.scripted import Scripted, ScriptedModel, call, slow
from prudent.types import Usage

pytestmark = pytest.mark.anyio

TEXT = "A sentence about nothing in particular. " * 300 + "The notice period is 45 days. " + "More of the same. " * 300


@tool(effect="write", confirm="never", summarise=True)
def contract(part: int = 0) -> str:
    """Read a contract."""
    return TEXT if part == 0 else "short"


def agent_of(model: ScriptedModel, summary: Scripted | None, **options: Any) -> tuple[Agent, ScriptedModel]:
    writer = ScriptedModel([], when_folding=summary, name="cheap")
    budget = options.pop("budget", Budget(model_calls=20, seconds=20))
    return Agent(model, tools=[contract], planning="off", summary_model=writer, budget=budget, **options), writer


async def shown(folder: Path, summary: Scripted | None, **options: Any) -> tuple[str, list[Any], ScriptedModel]:
    agent, writer = agent_of(ScriptedModel([call("contract"), "Done."], when_no_tools="partial"), summary, **options)
    events: list[Any] = []
    await agent.prepare("What is the notice period?", db=folder / "agent.db").work(events.append)
    return next(event.shown for event in events if isinstance(event, CallEnded)), events, writer


async def test_the_model_sees_the_summary_and_how_to_read_on(tmp_path: Path) -> None:
    text, events, writer = await shown(tmp_path, "The notice period is 45 days. The rest is general.")
    assert text.startswith("[summary by cheap of 17,")
    assert "The notice period is 45 days. The rest is general." in text
    assert 'read_more(handle="r1", start=0)' in text
    assert "What is the notice period?" in writer.requests[0].messages[1].text
    assert "45 days" in writer.requests[0].messages[1].text
    paid = [event for event in events if isinstance(event, ModelCallEnded) and event.purpose == "digest"]
    assert [event.usage for event in paid] == [Usage(100, 0, 20)]


async def test_sentences_with_figures_that_nobody_wrote_are_left_out(tmp_path: Path) -> None:
    text, _, _ = await shown(tmp_path, "The notice period is 45 days. The fee is 999 euros.")
    assert "45 days" in text
    assert "999" not in text


@pytest.mark.parametrize("summary", [None, "", "The fee is 999 euros.", call("contract")])
async def test_without_a_summary_to_be_believed_the_result_is_cut_as_ever(tmp_path: Path, summary: Scripted | None) -> None:
    text, _, _ = await shown(tmp_path, summary)
    assert text.startswith("A sentence about nothing")
    assert "left out" in text


async def test_a_short_result_is_not_summarised(tmp_path: Path) -> None:
    agent, writer = agent_of(ScriptedModel([call("contract", part=1), "Done."]), "never")
    await agent.run("x", db=tmp_path / "agent.db")
    assert not writer.requests


async def test_a_budget_that_is_nearly_spent_is_not_spent_on_it(tmp_path: Path) -> None:
    text, _, writer = await shown(tmp_path, "never", budget=Budget(model_calls=2, seconds=20))
    assert text.startswith("A sentence about nothing")
    assert not writer.requests


async def test_a_stop_in_the_middle_loses_nothing_that_has_happened(tmp_path: Path) -> None:
    agent, _ = agent_of(ScriptedModel([call("contract"), "Done."]), slow("late", delay_seconds=30))
    run = agent.prepare("x", db=tmp_path / "agent.db")

    def watch(event: Any) -> None:
        if isinstance(event, ModelCallStarted) and event.purpose == "digest":
            run.stop()

    with anyio.fail_after(5):
        result = await run.work(watch)
    assert result.status == "stopped"
    assert [record.status for record in run.state.calls.values()] == ["ok"]
