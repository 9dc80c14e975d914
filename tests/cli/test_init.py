"""Templates: written once, never over other files, and ready to run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import Command

from prudent.cli.init import TEMPLATES
from prudent.config import load_agent


@pytest.mark.parametrize("options", [["my-agent"], ["--template", "starter", "my-agent"]])
def test_the_starter_is_written_and_loads(options: list[str], project: Path, here: Command):
    done = here("init", *options)
    assert done.status == 0
    assert "wrote my-agent/agent.toml" in done.out
    assert "next: prudent run " in done.out
    made = load_agent("my-agent/agent.toml")
    assert made.name == "starter"
    assert {"calculator", "search_knowledge", "read_passage", "write_report"} <= {tool.name for tool in made.tools}
    assert (project / "my-agent" / "handbook" / "常见问题.md").exists()


def test_nothing_is_overwritten_unless_forced(project: Path, here: Command):
    (project / "agent.toml").write_text("mine")
    done = here("init", ".")
    assert (done.status, done.out) == (2, "")
    assert "agent.toml is there already" in done.err
    assert "--force" in done.err
    assert not (project / "handbook").exists()
    assert here("init", ".", "--force").status == 0
    assert (project / "agent.toml").read_text() != "mine"


@pytest.mark.parametrize("name", [name for name in TEMPLATES if name != "starter"])
def test_what_is_not_ready_yet_is_said_to_come(name: str, project: Path, here: Command):
    done = here("init", "--template", name)
    assert (done.status, done.out) == (2, "")
    assert f"the template '{name}'" in done.err
    assert "in a later version; ready now: starter" in done.err


def test_a_folder_that_cannot_be_written_is_told(project: Path, here: Command):
    (project / "file").write_text("")
    done = here("init", "file")
    assert done.status == 2
    assert "cannot be written" in done.err
