"""Conversations that go on from run to run, and summaries by a model of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stories.test_folding import forty_turns, page, small

from prudent import Agent, Budget, ConfigurationError
from prudent.events import ModelCallStarted
from prudent.folds import Folded
from prudent.messages import Message
from prudent.models.scripted import ScriptedModel, call

pytestmark = pytest.mark.anyio


def asked(model: ScriptedModel) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in model.requests[-1].messages if message.role != "system"]


async def test_a_run_knows_what_its_session_said(tmp_path: Path) -> None:
    db = tmp_path / "agent.db"
    model = ScriptedModel(["It is 19 euros.", "Yes.", "Who asks?"])
    agent = Agent(model)
    await agent.run("What is the price?", db=db, session="tax")
    await agent.run("The monthly one?", db=db, session="tax")
    assert asked(model) == [
        ("user", "What is the price?"),
        ("assistant", "It is 19 euros."),
        ("user", "The monthly one?"),
    ]
    await agent.run("And now?", db=db, session="law")
    assert asked(model) == [("user", "And now?")]


async def test_a_history_of_ones_own_comes_before_the_sessions(tmp_path: Path) -> None:
    db = tmp_path / "agent.db"
    model = ScriptedModel(["One.", "Two."])
    await Agent(model).run("first", db=db, session="tax")
    await Agent(model).run("second", db=db, session="tax", history=[Message("user", "mine"), Message("assistant", "yours")])
    assert asked(model) == [("user", "mine"), ("assistant", "yours"), ("user", "second")]


async def test_a_sub_agent_knows_nothing_of_the_session(tmp_path: Path) -> None:
    db = tmp_path / "agent.db"
    clerk = ScriptedModel(["clerk's answer"], repeat_last=True)
    model = ScriptedModel([call("ask_clerk", task="look it up"), "One.", call("ask_clerk", task="again"), "Two."])
    agent = Agent(model, tools=[Agent(clerk, name="clerk")], planning="off")
    for task in ("first", "second"):
        await agent.run(task, db=db, session="tax")
        assert len([role for role, _ in asked(clerk) if role == "user"]) == 1
    assert [text for role, text in asked(model) if role == "user"] == ["first", "second"]


async def test_a_cheaper_model_writes_the_summaries(tmp_path: Path) -> None:
    writer = ScriptedModel([], when_folding="SUMMARY: by the cheap one.", name="cheap")
    model = ScriptedModel([*forty_turns()[:14], "Done."], profile=small(4000))
    agent = Agent(model, tools=[page], planning="off", budget=Budget(model_calls=40, seconds=60), summary_model=writer)
    events: list[object] = []
    await agent.prepare("Read on.", db=tmp_path / "agent.db").work(events.append)
    folds = [event for event in events if isinstance(event, Folded)]
    assert folds
    assert {fold.written_by for fold in folds} == {"cheap"}
    assert len(writer.requests) == len(folds)
    assert all(request.purpose == "turn" for request in model.requests)
    assert all("Read on." in e.messages[1].text for e in events if isinstance(e, ModelCallStarted) and e.purpose == "folding")


async def test_a_summary_model_that_is_none_is_refused_before_the_run(tmp_path: Path) -> None:
    agent = Agent(ScriptedModel([]), summary_model="nowhere:model")
    with pytest.raises(ConfigurationError):
        agent.prepare("x", db=tmp_path / "agent.db")
