"""A conversation: each question a run, the earlier answers known."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.commands import Command

from prudent.cli.chat import questions


def test_the_next_question_knows_the_answers_before(project: Path, here: Command, monkeypatch: pytest.MonkeyPatch):
    (project / "agents.py").write_text(
        "from prudent import Agent\nfrom prudent.models.scripted import ScriptedModel\n"
        "talker = Agent(ScriptedModel(['It is 19 euros.', 'Yes, that one.']), name='talker')\n"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("What is the price?\n\n/help\nThe monthly one?\n/quit\nnever read\n"))
    done = here("chat", "--agent", "agents.py")
    assert done.status == 0
    assert "It is 19 euros." in done.out
    assert "Yes, that one." in done.out
    assert "/new" in done.out
    latest, first = json.loads(here("runs", "--json").out)
    assert (first["task"], latest["task"]) == ("What is the price?", "The monthly one?")
    events = json.loads(here("show", "last", "--json").out)["events"]
    texts = [event["message"]["text"] for event in events if event["event"] == "MessageAdded"]
    assert texts[-3:] == ["What is the price?", "It is 19 euros.", "The monthly one?"]
    assert events[0]["session"].startswith("chat-")


def test_commands_are_followed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    forgotten: list[bool] = []
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n/new\n/unknown\nb\n"))
    assert [*questions(lambda: forgotten.append(True))] == ["a", "b"]
    assert forgotten == [True]
    assert "/quit" in capsys.readouterr().out


def test_another_chat_goes_on_where_a_session_was_left(project: Path, here: Command, monkeypatch: pytest.MonkeyPatch):
    (project / "agents.py").write_text(
        "from prudent import Agent\nfrom prudent.models.scripted import ScriptedModel\n"
        "talker = Agent(ScriptedModel([lambda request: f'message {len(request.messages)}'], repeat_last=True), name='talker')\n"
    )
    chat = ("chat", "--agent", "agents.py", "--session", "tax")
    for typed in ("one?\n", "two?\n/new\nthree?\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        assert here(*chat).status == 0
    answers = [run["output"] for run in json.loads(here("runs", "--json").out)]
    assert answers == ["message 1", "message 3", "message 1"]
    assert json.loads(here("run", "four?", "--agent", "agents.py", "--session", "tax", "--json").out)["output"] == "message 5"
