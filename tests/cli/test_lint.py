"""`prudent lint` from end to end."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Command

from prudent.cli import lint_changes
from prudent.models.scripted import ScriptedModel

TOOLS = '''
from typing import Literal
from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel

@tool(effect="read")
def weather(city: str, unit: Literal["c", "f"] = "c") -> str:
    """Get the weather of a city. Use it when the user asks about it.

    Args:
        city: Its name, such as Oslo.
        unit: Of the temperature.
    """
    return city

@tool(effect="read")
def bare(city: str) -> str:
    return city

agent = Agent(model=ScriptedModel(["hi"]), tools=[weather])
'''
PLAIN = '''
def total(prices: list[float]) -> float:
    """Add prices up. Use it for every sum.

    Args:
        prices: What to add, in EUR.
    """
    return sum(prices)

def _hidden(x):
    return x

def untyped(x):
    """Do something with it when it is asked for."""
    return x
'''
JSON: list[dict[str, Any]] = [
    {
        "name": "get_weather",
        "description": "Gets the weather. Use it when asked.",
        "parameters": {"type": "dict", "properties": {}},
    }
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "lint_tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "lint_plain.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(JSON), encoding="utf-8")
    (tmp_path / "agent.toml").write_text('tools = ["lint_tools.py:weather"]\n[toolkits.calculator]\n', encoding="utf-8")
    return tmp_path


def test_it_tells_tool_by_tool_what_is_wrong_and_what_to_write(folder: Path, here: Command):
    done = here("lint", "lint_tools.py")
    assert done.status == 1
    assert "D101 error" in done.out
    assert '@tool(enum_values={"celsius": "c", "fahrenheit": "f"})' in " ".join(done.out.split())
    assert "2 tools, score" in done.out
    assert "tokens in every model call (estimated)" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("lint_tools.py", ["weather", "bare"]),
        ("lint_tools.py:agent", ["weather"]),
        ("lint_tools.py:bare", ["bare"]),
        ("lint_plain.py", ["total", "untyped"]),
        ("lint_plain.py:total", ["total"]),
        ("agent.toml", ["calculator", "weather"]),
        ("tools.json", ["get_weather"]),
        (".", ["get_weather"]),
        ("lint_module", ["weather", "bare"]),
    ],
)
def test_every_kind_of_input_is_read(
    target: str, names: list[str], folder: Path, here: Command, monkeypatch: pytest.MonkeyPatch
):
    (folder / "lint_module.py").write_text(TOOLS, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    told = json.loads(here("lint", target, "--format", "json", "--fail-on", "never").out)
    assert [tool["name"] for one in told["sets"] for tool in one["tools"]] == names


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0),
        (("--fail-on", "warning"), 1),
        (("--fail-on", "note"), 1),
        (("--fail-on", "never"), 0),
        (("--fail-on", "note", "--ignore", "S807,schema", "--ignore", "P"), 0),
        (("--fail-on", "note", "--select", "cost"), 0),
    ],
)
def test_the_exit_status_follows_the_level(options: tuple[str, ...], status: int, folder: Path, here: Command):
    assert here("lint", "tools.json", *options).status == status


def test_the_project_may_choose(folder: Path, here: Command):
    (folder / "pyproject.toml").write_text('[tool.prudent.lint]\nfail-on = "warning"\n', encoding="utf-8")
    assert here("lint", "tools.json").status == 1
    (folder / "pyproject.toml").write_text('[tool.prudent.lint]\nfail-on = "warning"\nignore = ["S807"]\n', encoding="utf-8")
    assert here("lint", "tools.json").status == 0


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machine_forms_are_json_and_nothing_else(form: str, folder: Path, here: Command):
    assert json.loads(here("lint", "tools.json", "--format", form).out)


def test_markdown_is_a_page(folder: Path, here: Command):
    assert here("lint", "tools.json", "--format", "markdown").out.startswith("# tools.json: ")


def test_a_diff_is_shown_and_only_fix_writes(folder: Path, here: Command):
    shown = here("lint", "lint_tools.py:weather", "--diff").out
    assert '+@tool(effect="read", enum_values={"celsius": "c", "fahrenheit": "f"})' in shown
    assert (folder / "lint_tools.py").read_text(encoding="utf-8") == TOOLS
    assert "wrote" in here("lint", "lint_tools.py:weather", "--fix").out
    assert "celsius when left out" in (folder / "lint_tools.py").read_text(encoding="utf-8")


def test_json_is_mended_beside_itself(folder: Path, here: Command):
    here("lint", "tools.json", "--fix")
    assert json.loads((folder / "tools.json").read_text(encoding="utf-8")) == JSON
    assert json.loads((folder / "tools.fixed.json").read_text(encoding="utf-8"))[0]["parameters"]["type"] == "object"
    assert "nothing here" in here("lint", "tools.fixed.json", "--fix").out


def test_an_embedder_of_the_project_takes_part(folder: Path, here: Command):
    (folder / "embed.py").write_text("def embed(texts):\n    return [[1.0, 0.0] for _ in texts]\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text('[tool.prudent.lint]\nembedder = "embed.py:embed"\n', encoding="utf-8")
    two: list[dict[str, Any]] = [
        {"name": "sky", "description": "Says if it rains.", "input_schema": {"type": "object", "properties": {}}},
        {"name": "sky_now", "description": "Tells about wet weather.", "input_schema": {"type": "object", "properties": {}}},
    ]
    (folder / "two.json").write_text(json.dumps(two), encoding="utf-8")
    assert "by words and meaning" in " ".join(here("lint", "two.json").out.split())


def test_a_live_server_is_read(folder: Path, here: Command):
    pytest.importorskip("mcp")
    (folder / "server.py").write_text(
        'from mcp.server.mcpserver import MCPServer\nserver = MCPServer("tiny")\n'
        '@server.tool()\ndef beep(times: int) -> str:\n    """Beep."""\n    return ""\nserver.run("stdio")\n',
        encoding="utf-8",
    )
    done = here("lint", "--mcp", shlex.join([sys.executable, "server.py"]), "--format", "json")
    assert json.loads(done.out)["sets"][0]["tools"][0]["name"] == "beep"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name what to look at"),
        (("missing.json",), "missing.json"),
        (("missing.py",), "no file"),
        (("no_such_module_here",), "no_such_module_here"),
        (("tools.jsn",), "did you mean 'tools.json'"),
        (("tools.json", "--format", "xml"), "json, sarif, markdown"),
        (("tools.json", "--select", "shema"), "did you mean 'schema'"),
        (("tools.json", "--fail-on", "fatal"), "never, error"),
        (("tools.json", "--fix", "--diff"), "exclude each other"),
        (("tools.json", "--rewrite", "nobody:x"), "nobody"),
        (("lint_tools.py:TOOLS",), "lint_tools.py has no 'TOOLS'"),
        (("lint_tools.py:__name__",), "name a tool"),
    ],
)
def test_what_cannot_work_is_told_in_a_sentence(words: tuple[str, ...], told: str, folder: Path, here: Command):
    done = here("lint", *words)
    assert (done.status, done.out) == (2, "")
    assert told in done.err
    assert "Traceback" not in done.err


def test_a_model_may_be_asked_for_better_words(folder: Path, here: Command, monkeypatch: pytest.MonkeyPatch):
    answer = json.dumps({"description": "Gets the weather of today. Use it when the user asks about it.", "parameters": {}})

    def scripted(name: str, base_url: str | None) -> ScriptedModel:
        assert (name, base_url) == ("local", None)
        return ScriptedModel([answer])

    monkeypatch.setattr(lint_changes, "resolve", scripted)
    done = here("lint", "tools.json", "--rewrite", "local")
    assert "+Gets the weather of today. Use it when the user asks about it." in done.out
    assert "score" in done.out
    assert json.loads((folder / "tools.json").read_text(encoding="utf-8")) == JSON
