"""agent.toml: strict, with the line and the nearest setting, and every setting reaching the agent."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prudent.agent import Agent
from prudent.brakes.approval import Rule
from prudent.brakes.budget import Budget
from prudent.config import load_agent
from prudent.config.schema import AgentTable
from prudent.errors import ConfigurationError

TOOLS = '''
from prudent import tool

@tool(effect="read")
def lookup(word: str) -> str:
    """Look a word up.

    Args:
        word: the word.
    """
    return word

def shorter(answer: str) -> str | None:
    return None if len(answer) < 100 else "too long"

class Answer:
    pass
'''


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith("prudent"):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own_tools.py").write_text(TOOLS)
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "plans.md").write_text("# Plans\n\nA yearly plan costs 190 euros.\n")
    return tmp_path


def agent(folder: Path, text: str) -> Agent:
    (folder / "agent.toml").write_text(text, encoding="utf-8")
    return load_agent(str(folder / "agent.toml"))


def problem(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        agent(folder, text)
    return str(caught.value)


def test_every_setting_is_one_of_the_agents():
    settings, parameters = set(AgentTable.model_fields), set(inspect.signature(Agent.__init__).parameters)
    assert settings - {"toolkits"} <= parameters
    assert parameters - settings == {"self", "dependencies", "source"}


def test_an_empty_file_is_an_agent_with_the_defaults(folder: Path):
    made, plain = agent(folder, ""), Agent()
    for name in ("model", "name", "planning", "language", "budget", "mode", "instructions", "tools", "policy", "settings"):
        assert getattr(made, name) == getattr(plain, name), name


def test_every_setting_reaches_the_agent(folder: Path):
    made = agent(
        folder,
        """
        name = "helper"
        model = "openai:gpt"
        base_url = "http://localhost:1/v1"
        instructions = "Be brief."
        planning = "required"
        language = "zh"
        thinking_examples = ["First look, then answer."]
        parallel_tool_calls = true
        mode = "plan"
        surface = "mask"
        on_repetition = "nudge"
        temperature = 0
        max_tokens = 900
        reasoning = "low"
        workspace = "handbook"
        record_raw = false
        tools = ["own_tools.py:lookup"]
        answer_check = "own_tools.py:shorter"

        [budget]
        model_calls = 5
        seconds = 30
        tokens = 9000
        cost = 0.5

        [toolkits.calculator]
        [toolkits.knowledge]
        folder = "handbook"

        [[policy]]
        answer = "deny"
        tool = "look*"
        arguments = { word = "secret*" }

        [[policy]]
        answer = "ask"
        effect = "write"

        [modes]
        quick = ["lookup"]
        """,
    )
    assert (made.name, made.model, made.base_url, made.instructions) == (
        "helper",
        "openai:gpt",
        "http://localhost:1/v1",
        "Be brief.",
    )
    assert (made.planning, made.language, made.thinking_examples) == ("required", "zh", ("First look, then answer.",))
    assert (made.parallel_tool_calls, made.mode, made.on_repetition, made.record_raw) == (True, "plan", "nudge", False)
    assert (made.settings.temperature, made.settings.max_tokens, made.settings.reasoning) == (0, 900, "low")
    assert made.workspace == folder / "handbook"
    assert made.budget == Budget(model_calls=5, seconds=30, tokens=9000, cost=0.5)
    assert made.policy == (Rule("deny", "look*", arguments={"word": "secret*"}), Rule("ask", effect="write"))
    assert {"lookup", "calculator", "search_knowledge", "read_passage"} <= {tool.name for tool in made.tools}
    assert {tool.name for tool in made.surface().shown("quick")} >= {"lookup"}
    assert made.answer_check is not None
    assert made.answer_check("x" * 200) == "too long"
    assert made.source is not None
    assert made.source.path == str(folder / "agent.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nmae = 'x'", "agent.toml:1: nmae is not a setting; did you mean 'name'?"),
        ("[budget]\n\nsecnds = 3", "agent.toml:3: budget.secnds is not a setting; did you mean 'seconds'?"),
        ("name = 'x'\nseconds = 3", "agent.toml:2: seconds is not a setting; it belongs in [budget]"),
        ("[budget]\nplanning = 'off'", "agent.toml:2: budget.planning is not a setting; it belongs above the first table"),
        ("temperature = 'hot'", "agent.toml:1: temperature is 'hot': input should be a valid number"),
        ("parallel_tool_calls = 1", "agent.toml:1: parallel_tool_calls is 1: input should be a valid boolean"),
        ("planning = 'tol'", "agent.toml:1: planning is 'tol': input should be 'off', 'prompt', 'tool', 'required' or 'split'"),
        ("planning = 'split'", 'planning = "split" is not built yet'),
        ("[[policy]]\ntool = '*'", "agent.toml:1: policy.0.answer is missing"),
        ("[[policy]]\nanswer = 'maybe'", "agent.toml:2: policy.0.answer is 'maybe': input should be 'ask', 'allow' or 'deny'"),
        ("[budget]\nseconds = -1", "budget.seconds is -1"),
        ("mode = 'no-such-mode'", "no-such-mode"),
        ("name = 'x\n", "agent.toml is not valid TOML: "),
        ("\n[toolkits.calculatr]", "agent.toml:2: there is no toolkit 'calculatr'. Did you mean 'calculator'?"),
        (
            "[toolkits.knowledge]\nfoldr = 'x'",
            "agent.toml:2: toolkits.knowledge.foldr is not an option; did you mean 'folder'?",
        ),
        ("[toolkits.knowledge]\nfolder = 7", "agent.toml:2: toolkits.knowledge.folder is 7: "),
        ("[toolkits.knowledge]", "agent.toml:1: toolkits.knowledge needs folder = …"),
        ("tools = ['own_tools.py']", "agent.toml:1: tools is 'own_tools.py': write \"file.py:name\""),
        ("tools = ['own_tools.py:lokup']", "agent.toml:1: own_tools.py has no 'lokup'; did you mean 'lookup'?"),
        ("tools = ['tols.py:lookup']", "agent.toml:1: there is no file "),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_the_nearest(folder: Path, text: str, expected: str):
    assert expected in problem(folder, text)


def test_at_most_three_things_are_told_at_once(folder: Path):
    told = problem(folder, "a1 = 1\nb1 = 1\nc1 = 1\nd1 = 1\n")
    assert len(told.splitlines()) == 4
    assert told.endswith("and 1 more")


def test_the_hash_changes_with_the_file_and_with_its_tools(folder: Path):
    text = "tools = ['own_tools.py:lookup']"
    first, again = agent(folder, text), agent(folder, text)
    assert first.source == again.source
    other = agent(folder, text + "\n# changed")
    assert other.source
    assert first.source
    assert other.source.hash != first.source.hash
    (folder / "own_tools.py").write_text(TOOLS + "\n# changed\n")
    changed = agent(folder, text)
    assert changed.source
    assert changed.source.hash != first.source.hash


def test_a_missing_file_is_told_with_the_nearest(folder: Path):
    agent(folder, "")
    with pytest.raises(ConfigurationError, match=r"there is no agent file .*agnt\.toml; did you mean 'agent\.toml'"):
        load_agent(str(folder / "agnt.toml"))
    with pytest.raises(ConfigurationError, match="`prudent init` writes one"):
        load_agent(str(folder / "nowhere" / "x.toml"))


def test_a_file_with_a_byte_order_mark_is_read_and_another_encoding_is_refused(folder: Path):
    (folder / "agent.toml").write_bytes("\ufeffname = 'ä'\n".encode())
    assert load_agent(str(folder / "agent.toml")).name == "ä"
    (folder / "agent.toml").write_bytes("name = 'ä'\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="cannot be read as UTF-8"):
        load_agent(str(folder / "agent.toml"))
