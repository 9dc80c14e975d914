"""The agent and the model that a command works with."""

from __future__ import annotations

import os

from prudent.agent import Agent
from prudent.cli.downloads import confirm_pull, progress_bar
from prudent.config import load_agent
from prudent.errors import ConfigurationError
from prudent.journal.rows import RunRow
from prudent.trial import TRIAL_NAME, trial_agent

PLAIN_NAME = "plain"


def agent_or_plain(reference: str | None) -> Agent:
    """Load the named agent; without a name give a plain one that can calculate and reads no files."""
    if reference:
        return load_agent(reference)
    from prudent.toolkits import find_toolkit  # needed only for the plain agent

    return Agent(name=PLAIN_NAME, tools=find_toolkit("calculator")())


def fetch_model(agent: Agent, model: str | None, *, yes: bool) -> None:
    """Fetch the embedded model that a run would use, if it is not here yet; asks first.

    Raises:
        ConfigurationError: Nobody could be asked, or the answer was no.
    """
    wanted = model or agent.model or os.environ.get("PRUDENT_MODEL")
    if not isinstance(wanted, str) or wanted.partition(":")[0] != "local":
        return
    from prudent.models.gguf import KNOWN_MODELS  # needed for embedded models only
    from prudent.models.gguf_pull import pull
    from prudent.models.local import DEFAULT_MODEL

    name = wanted.partition(":")[2] or DEFAULT_MODEL
    if name in KNOWN_MODELS:
        with progress_bar(name) as progress:
            pull(name, confirm=confirm_pull(yes=yes), progress=progress)


def recorded_agent(run: RunRow, reference: str | None) -> Agent:
    """Load the agent that a run was started with, or the one that is named instead.

    Raises:
        ConfigurationError: The run was started from code, so that only its own program can go on with it.
    """
    if reference:
        return load_agent(reference)
    if run.agent == TRIAL_NAME and run.agent_file:
        return trial_agent(run.agent_file)
    if run.agent_file:
        return load_agent(run.agent_file)
    if run.agent == PLAIN_NAME:
        return agent_or_plain(None)
    raise ConfigurationError(
        f"run {run.run_id} was started by a program, not from an agent file: name its agent with --agent FILE.py:NAME"
    )
