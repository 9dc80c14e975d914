"""A model that asks for another mode, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import Command

SWITCHER = '''
from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call

@tool(effect="write", idempotent=True)
def write(text: str) -> str:
    """Write it down.

    Args:
        text: what.
    """
    with open("written.txt", "a") as file:
        file.write(text)
    return "written"

careful = Agent(
    ScriptedModel([call("switch_mode", mode="act", reason="it has to be written"), call("write", text="x"), "Done."]),
    name="careful", tools=[write], planning="off", mode="plan", mode_switch=["act"],
)
'''


def test_it_parks_and_goes_on_when_it_is_approved(project: Path, here: Command) -> None:
    (project / "switcher.py").write_text(SWITCHER)
    done = here("run", "Write.", "--agent", "switcher.py:careful", "--json")
    result = json.loads(done.out)
    assert done.status == 4
    assert result["pending"][0]["kind"] == "mode"
    assert "it has to be written" in here("approvals").out
    assert here("approve", "last", result["pending"][0]["call_id"]).status == 0
    done = here("resume", "last", "--json")
    assert json.loads(done.out)["status"] == "completed", done.err
    assert (project / "written.txt").read_text() == "x"
    assert "asked (mode)" in here("show", "last").out


def test_yes_lets_it_and_no_does_not(project: Path, here: Command) -> None:
    (project / "switcher.py").write_text(SWITCHER)
    assert here("run", "Write.", "--agent", "switcher.py:careful", "--no").status == 0
    assert not (project / "written.txt").exists()
