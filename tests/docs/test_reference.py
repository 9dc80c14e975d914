"""The tables of the documentation are complete: each row is there in the code, and what is in the code has its row."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sqlite3
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from pydantic import BaseModel
from typer.core import TyperGroup

import prudent
from prudent import Agent, Budget, Context, errors, events, tool
from prudent.blueprint import StartOptions
from prudent.cli.approver import KEYS
from prudent.cli.main import app
from prudent.config.schema import AgentTable, BudgetTable, RuleTable
from prudent.exchange import ModelRequest, ModelSettings
from prudent.journal.store import JournalStore
from prudent.loop.planning import Planning
from prudent.messages import Message, ToolSpec
from prudent.models import scripted
from prudent.models.facts import PROVIDERS, facts_for
from prudent.models.names import OTHER_WIRES
from prudent.models.openai_encode import RequestWriter
from prudent.models.providers_facts import WIRES
from prudent.models.scripted import ScriptedModel
from prudent.result import EXIT_STATUS, RunResult, result_of
from prudent.state import RunState
from prudent.toolkits import TOOLKITS, find_toolkit
from prudent.tools.options import ToolOptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAME = re.compile(r"`([^`]+)`")


def tables(page: str, heading: str) -> list[list[list[str]]]:
    """Read the tables below a heading, as rows of cells without their heads."""
    text = re.sub(r"^```.*?^```$", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    _, found, rest = f"\n{text}".partition(f"\n{heading}\n")
    assert found, f"{page} has no heading {heading!r}"
    section = re.split(r"^#{1,3} ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", section, flags=re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]] for block in blocks]


def first_column(page: str, heading: str, number: int = 0) -> list[str]:
    """Give the names in the first column of a table."""
    return [name for row in tables(page, heading)[number] for name in NAME.findall(row[0])]


def settings(table: type[BaseModel], *left_out: str) -> set[str]:
    return set(table.model_fields) - set(left_out)


def test_every_setting_of_an_agent_file_is_explained() -> None:
    page = "agent-files.md"
    inner = ("budget", "policy", "toolkits", "modes")
    assert set(first_column(page, "## Settings")) == settings(AgentTable, *inner)
    assert set(first_column(page, "## [budget]")) == settings(BudgetTable)
    assert set(first_column(page, "## [[policy]]")) == settings(RuleTable)
    headings = re.findall(r"^## \[+(\w+)\]+$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert set(headings) == set(inner)


def test_the_defaults_of_an_agent_file_are_as_told() -> None:
    for heading, table in (("## Settings", AgentTable), ("## [budget]", BudgetTable), ("## [[policy]]", RuleTable)):
        for row in tables("agent-files.md", heading)[0]:
            (name,), told = NAME.findall(row[0]), NAME.fullmatch(row[1])
            default = table.model_fields[name].get_default(call_default_factory=True)
            if told and told[1][0] in '"[{tf':
                assert json.loads(told[1]) == default, name


def test_every_toolkit_and_its_options_are_explained() -> None:
    rows = tables("agent-files.md", "## [toolkits]")[0]
    told = {(NAME.findall(row[0])[0], *NAME.findall(row[1])) for row in rows}
    known: set[tuple[str, ...]] = set()
    for name in TOOLKITS:
        options = [option for option in inspect.signature(find_toolkit(name)).parameters if option != "embedder"]
        known |= {(name, option) for option in options} or {(name,)}
    assert told == known


def test_every_field_of_a_tool_is_explained() -> None:
    assert set(first_column("tools.md", "## The fields of @tool")) == set(ToolOptions.__annotations__)


def test_the_defaults_of_a_tool_are_as_told() -> None:
    plain = tool(lambda: "x", name="plain")
    compared: set[str] = set()
    for row in tables("tools.md", "## The fields of @tool")[0]:
        (name,), told = NAME.findall(row[0]), NAME.match(row[1])
        if told:
            assert ast.literal_eval(told[1] if told[1] != "write" else "None") == getattr(plain, name), name
            compared.add(name)
    assert {"confirm", "timeout_seconds", "run_in", "max_result_chars", "idempotent", "repeatable"} == compared


def test_what_is_told_of_the_context_is_there() -> None:
    told = {name.partition("(")[0] for name in first_column("tools.md", "## Parameters")}
    assert told == {name for name in dir(Context()) if not name.startswith("_")} - {"note"}


def test_every_way_to_plan_is_explained() -> None:
    assert {name.strip('"') for name in first_column("planning.md", "# Planning")} == {*get_args(Planning), "split"}


def test_every_budget_is_explained() -> None:
    assert first_column("budgets.md", "# Budgets") == [field.name for field in fields(Budget)]


@pytest.mark.parametrize(
    ("heading", "number", "known"),
    [
        ("## What the model is told", 0, errors.ErrorKind),
        ("## How a call can stand", 0, events.CallStatus),
        ("## How a run can end", 0, events.RunStatus),
        ("## How a run can end", 1, events.IncompleteReason),
    ],
)
def test_every_error_status_and_reason_is_explained(heading: str, number: int, known: Any) -> None:
    assert set(first_column("errors.md", heading, number)) == set(get_args(known))


def test_exit_statuses_are_as_told() -> None:
    for row in tables("errors.md", "## How a run can end")[0]:
        (status,) = NAME.findall(row[0])
        assert row[1] == ("" if status == "running" else str(EXIT_STATUS[status])), status
    told = {int(row[0]): row[1] for row in tables("cli.md", "## Exit statuses")[0]}
    assert set(told) == {*EXIT_STATUS.values(), 1, 2}
    for status, number in EXIT_STATUS.items():
        if status != "running":
            assert told[number].startswith(status.replace("_", " "))


def test_every_decision_stands_with_its_option_and_key() -> None:
    rows = tables("approvals.md", "## Decisions")[0]
    approve = commands().get_command(typer.Context(commands()), "approve")
    assert approve
    options = {option for parameter in approve.params for option in parameter.opts}
    keys = {key for choices in KEYS.values() for key in choices} - {"s"}
    assert [NAME.findall(row[0])[0] for row in rows] == list(get_args(events.Decision))
    assert {option for row in rows for option in re.findall(r"--\w+", row[1])} <= options
    assert {row[2] for row in rows} == keys


def test_the_errors_that_a_program_gets_are_there() -> None:
    told = set(first_column("errors.md", "## What your program gets"))
    assert all(issubclass(getattr(errors, name), errors.PrudentError) for name in told)
    public = {"ConfigurationError", "ModelError", "ToolError"}
    assert public <= told


def commands() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def test_the_public_names_and_options_are_explained() -> None:
    assert sorted(first_column("python.md", "# The library")) == sorted(prudent.__all__)
    known = set(inspect.signature(Agent).parameters) - {"model"}
    assert set(first_column("python.md", "## An agent")) == known
    assert set(first_column("python.md", "## A run", 1)) == set(StartOptions.__annotations__)


def test_an_agent_file_can_say_what_an_agent_can() -> None:
    """Beside what only code can give."""
    code_only = {"source", "dependencies"}
    assert set(AgentTable.model_fields) - {"toolkits"} == set(inspect.signature(Agent).parameters) - code_only


def test_every_command_is_listed() -> None:
    assert first_column("cli.md", "# The command line") == list(commands().commands)


def test_every_member_of_the_result_is_explained() -> None:
    told = first_column("cli.md", "## For scripts")
    members = list(result_of(RunState()).as_json())
    inner = ["input_tokens", "cached_tokens", "output_tokens", "kind", "call_id", "tool_name", "arguments", "preview"]
    assert [name for name in told if name not in inner] == members
    assert set(members) == {field.name for field in fields(RunResult)}


def test_every_variable_of_the_environment_is_listed() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    known = set(re.findall(r'"(PRUDENT_[A-Z_]+)"', sources))
    assert set(first_column("cli.md", "## Environment")) == {*known, "NO_COLOR"}


def test_every_provider_stands_with_its_address_and_key() -> None:
    told = {
        NAME.findall(row[0])[0]: (NAME.findall(row[1])[0], "".join(NAME.findall(row[2])))
        for row in tables("models.md", "## OpenAI-compatible servers")[0]
    }
    assert told == {name: (facts.url, facts.key_variable) for name, facts in PROVIDERS.items()}


def test_every_other_wire_stands_with_its_key() -> None:
    rows = tables("models.md", "## Other wires")[0]
    told = {name: "".join(NAME.findall(row[1])) for row in rows for name in NAME.findall(row[0])}
    assert told == {name: WIRES[name].key_variable for name in OTHER_WIRES}


def test_every_parameter_that_goes_over_the_wire_is_listed() -> None:
    settings = ModelSettings(max_tokens=9, reasoning="low", parallel_tool_calls=False)
    tools = [ToolSpec("t", "t", {"type": "object", "properties": {}})]
    sent: set[str] = set()
    for name in PROVIDERS:
        for choice in ("auto", "none"):
            for offered in (tools, []):
                request = ModelRequest([Message("user", "x")], offered, settings, choice, {"type": "object"})
                sent |= set(json.loads(RequestWriter(facts_for(name), "m").write(request, stream=True).body))
    told = {name for name in first_column("models.md", "## What goes over the wire") if name != "none"}
    assert told == (sent - {"messages", "tools"}) | {"parallel_tool_calls"}


def test_every_public_table_and_column_is_explained(tmp_path: Path) -> None:
    with JournalStore(tmp_path / "agent.db"):
        pass
    with sqlite3.connect(tmp_path / "agent.db") as database:
        for table in ("runs", "model_calls", "tool_calls", "thoughts", "approvals", "events"):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            assert sorted(first_column("journal.md", f"### {table}")) == sorted(columns), table
    database.close()


def test_every_event_is_named() -> None:
    known = {name for name, value in vars(events).items() if inspect.isclass(value) and issubclass(value, events.Event)}
    told = {
        name for table in tables("testing.md", "## What can be looked at") for row in table for name in NAME.findall(row[0])
    }
    assert told == known - {"Event"}


def test_what_is_told_of_the_scripted_model_is_there() -> None:
    names = {name: getattr(scripted, name) for name in ("call", "think", "raw_call", "reply", "slow", "failing")}
    for row in tables("testing.md", "## What a script can say")[0]:
        (entry,) = NAME.findall(row[0])
        said = eval(entry.replace("request: …", "request: 'It is 3.'"), {**names, "ModelError": errors.ModelError})
        model = ScriptedModel([said], when_no_tools="…", repeat_last=True)
        assert list(model.script) == [said]
        assert model.requests == []


def test_every_example_is_listed() -> None:
    named = set(re.findall(r"\(\.\./examples/([\w.]+)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert named == {path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".toml")}
