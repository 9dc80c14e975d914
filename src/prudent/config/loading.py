"""One reference, one agent: `agent.toml`, `agents.py:support`, or `agents.py` with one agent in it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType

from prudent.agent import Agent, AgentSource
from prudent.config.python_file import find_name, load_python_file, split_reference
from prudent.errors import ConfigurationError


def load_agent(reference: str) -> Agent:
    """Load the agent that a reference names, and note in it where it came from.

    Args:
        reference: `FILE.toml`, `FILE.py:NAME`, or `FILE.py` when the file has one agent.

    Raises:
        ConfigurationError: There is no such file or agent, or what it says cannot work; names the place and the remedy.
    """
    file, name = split_reference(reference)
    path = Path(file).expanduser()
    if path.suffix.lower() == ".toml":
        from prudent.config.agent_file import read_agent_file  # pydantic is slow to load, and a Python file may need none

        return read_agent_file(path)
    if path.suffix.lower() == ".py":
        return _from_python(path, name)
    raise ConfigurationError(f"{reference!r} is no agent: name a FILE.toml, a FILE.py:NAME or a FILE.py")


def _from_python(path: Path, name: str) -> Agent:
    module = load_python_file(path)
    name = name or _only_agent(module, path)
    found = find_name(module, name, path)
    if not isinstance(found, Agent):
        raise ConfigurationError(f"{path.name}:{name} is of type {type(found).__name__}, not an Agent{_agents_in(module)}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    found.source = AgentSource(str(path.resolve()), name, digest)
    return found


def _only_agent(module: ModuleType, path: Path) -> str:
    names = _agent_names(module)
    if not names:
        raise ConfigurationError(f"{path.name} makes no Agent: write `agent = Agent(…)` at its top level")
    if len(names) > 1:
        raise ConfigurationError(
            f"{path.name} has {len(names)} agents: choose one, as in {path.name}:{names[0]}{_agents_in(module)}"
        )
    return names[0]


def _agent_names(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if isinstance(value, Agent)]


def _agents_in(module: ModuleType) -> str:
    names = _agent_names(module)
    return f"\n    its agents: {', '.join(names)}" if names else ""
