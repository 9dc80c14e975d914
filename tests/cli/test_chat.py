"""A conversation: each question a run, the earlier answers known."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.commands import Command

from prudent.cli.chat import questions
from prudent.cli.conversation import HISTORY_CHARS, UNFINISHED, Conversation
from prudent.messages import Message


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


def test_a_conversation_keeps_what_fits():
    talk = Conversation()
    talk.add("old", "x" * HISTORY_CHARS, finished=True)
    talk.add("unanswered", None, finished=False)
    talk.add("empty", "  ", finished=True)
    talk.add("half", "so far", finished=False)
    talk.add("data", {"城市": "北京"}, finished=True)
    assert talk.messages() == [
        Message("user", "half"),
        Message("assistant", f"so far\n{UNFINISHED}"),
        Message("user", "data"),
        Message("assistant", '{"城市": "北京"}'),
    ]
