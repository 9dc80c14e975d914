"""`prudent sessions`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.commands import Command

from prudent.cli import sessions


@pytest.fixture
def talked(project: Path, here: Command) -> Command:
    (project / "agents.py").write_text(
        "from prudent import Agent\nfrom prudent.models.scripted import ScriptedModel\n"
        "talker = Agent(ScriptedModel([lambda request: f'message {len(request.messages)}'], repeat_last=True), name='talker')\n"
    )
    for question in ("one?", "two?"):
        assert here("run", question, "--agent", "agents.py", "--session", "tax").status == 0
    return here


def test_they_are_listed_and_shown(talked: Command) -> None:
    rows = json.loads(talked("sessions", "--json").out)
    assert [(row["session"], row["runs"], row["last_task"]) for row in rows] == [("tax", 2, "two?")]
    assert "tax" in talked("sessions").out
    shown = talked("sessions", "show", "tax").out
    assert shown.index("> one?") < shown.index("message 1") < shown.index("> two?") < shown.index("message 3")
    assert json.loads(talked("sessions", "show", "tax", "--json").out)[1]["answer"] == "message 3"
    assert talked("sessions", "show", "none").status == 2


def test_a_branch_goes_on_by_itself(talked: Command) -> None:
    first = json.loads(talked("sessions", "show", "tax", "--json").out)[0]["run_id"]
    done = talked("sessions", "branch", "tax", "tax-2", "--at", first)
    assert done.status == 0
    assert "tax-2 begins with 1 run of tax" in done.out
    talked("run", "three?", "--agent", "agents.py", "--session", "tax-2")
    assert "message 3" in talked("sessions", "show", "tax-2").out
    assert "three?" not in talked("sessions", "show", "tax").out
    assert talked("sessions", "branch", "tax", "tax-2").status == 2


def test_deleting_asks_and_leaves_the_runs(talked: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = talked("sessions", "delete", "tax")
    assert refused.status == 2
    assert "--yes" in refused.err

    def there(_stream: object) -> bool:
        return True

    monkeypatch.setattr(sessions, "somebody_there", there)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert talked("sessions", "delete", "tax").status == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    done = talked("sessions", "delete", "tax")
    assert done.status == 0
    assert "The runs stay in the record" in done.err
    assert talked("sessions").out == "no sessions\n"
    assert len(json.loads(talked("runs", "--json").out)) == 2
    assert talked("sessions", "delete", "tax", "--yes").status == 2
