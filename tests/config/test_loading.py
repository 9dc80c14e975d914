"""References to agents in Python files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prudent.config import load_agent
from prudent.errors import ConfigurationError

HEAD = "from prudent.agent import Agent\n"


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith("prudent"):
            del sys.modules[name]


def write(folder: Path, text: str) -> Path:
    file = folder / f"agents_{abs(hash(text))}.py"
    file.write_text(HEAD + text)
    return file


def test_an_agent_is_found_by_name_and_knows_where_it_came_from(tmp_path: Path):
    file = write(tmp_path, "one = Agent(name='first')\ntwo = Agent(name='second')\n")
    found = load_agent(f"{file}:two")
    assert found.name == "second"
    assert found.source is not None
    assert (found.source.path, found.source.name, len(found.source.hash)) == (str(file), "two", 64)


def test_the_only_agent_needs_no_name(tmp_path: Path):
    assert load_agent(str(write(tmp_path, "only = Agent(name='only')\n"))).name == "only"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("one = Agent()\ntwo = Agent()\n", "", "has 2 agents: choose one, as in "),
        ("x = 1\n", "", "makes no Agent"),
        ("one = Agent()\n", ":oen", "did you mean 'one'?"),
        ("one = Agent()\nx = 7\n", ":x", "is of type int, not an Agent\n    its agents: one"),
        ("one = Agent(planning='maybe')\n", "", ":2: planning is 'maybe'"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, name: str, expected: str):
    with pytest.raises(ConfigurationError) as caught:
        load_agent(f"{write(tmp_path, text)}{name}")
    assert expected in str(caught.value)


def test_anything_else_is_no_agent():
    with pytest.raises(ConfigurationError, match="is no agent: name a FILE"):
        load_agent("starter")
