"""What an agent refuses, since it could never work."""

from __future__ import annotations

from pathlib import Path

import pytest

from prudent import Agent, ConfigurationError
from prudent.models.scripted import ScriptedModel


@pytest.mark.anyio
async def test_run_sync_says_what_to_write_where_a_loop_runs_already() -> None:
    with pytest.raises(ConfigurationError, match=r"await agent\.run"):
        Agent(ScriptedModel([])).run_sync("x")


def test_run_sync_works_where_none_runs(tmp_path: Path) -> None:
    assert Agent(ScriptedModel(["Hi."])).run_sync("x", db=tmp_path / "agent.db").output == "Hi."
