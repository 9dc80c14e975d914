"""Trying one tool alone, by hand and with an agent."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Command

from prudent.models.scripted import ScriptedModel, call

TOOLS = '''
from pathlib import Path
from prudent import Agent, ToolError, tool
from prudent.models.scripted import ScriptedModel, call

@tool(effect="read", examples=[{"id": 7, "deep": True}])
def lookup(id: int, deep: bool = False) -> str:
    """Look a customer up.

    Args:
        id: the customer's number.
        deep: whether to look everywhere.
    """
    return f"customer {id}, {'deep' if deep else 'flat'}"

@tool(effect="destructive", preview=lambda values: f"would delete {values['id']}")
def delete(id: int) -> str:
    """Delete a customer."""
    Path("deleted.txt").write_text(str(id))
    return "deleted"

def plain(text: str) -> str:
    """Say it again."""
    raise ToolError("no voice", fix="whisper")

@tool(effect="read")
def nothing() -> list:
    """Give a long list."""
    return ["entry"] * 3000

@tool(effect="read", secret=["key"])
def secretive(key: str) -> str:
    """Take a key."""
    return "taken"

number = 7
'''


@pytest.fixture
def tools(project: Path) -> Path:
    (project / "my_tools.py").write_text(TOOLS)
    return project


def test_by_hand_it_shows_the_definition_the_form_and_one_call(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:lookup")
    assert done.status == 0, done.err
    for part in (
        "lookup  (effect: read; runs in: thread; limit: 3 s; about ",
        '  "name": "lookup"',
        "  id: a whole number; required\n      the customer's number.",
        "  deep: true or false; false when left out",
        'call  lookup {"id": 7, "deep": true}',
        "result, as a model sees it",
        "customer 7, deep",
    ):
        assert part in done.out, done.out


def test_arguments_may_be_given_and_are_checked(tools: Path, here: Command) -> None:
    assert "customer 9, flat" in here("try", "my_tools.py:lookup", "--arguments", '{"id": 9}').out
    done = here("try", "my_tools.py:lookup", "--arguments", '{"id": "nine"}')
    assert done.status == 5
    assert 'refused: id is not right (received "nine"); allowed is a whole number' in done.out
    assert here("try", "my_tools.py:lookup", "--arguments", "[1]").status == 2


def test_what_may_change_something_is_not_called_unasked(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:delete", "--arguments", '{"id": 3}')
    assert done.status == 0
    assert "it would do this\nwould delete 3" in done.out
    assert "not called: it may change something" in done.out
    assert not (tools / "deleted.txt").exists()
    assert here("try", "my_tools.py:delete", "--arguments", '{"id": 3}', "--yes").status == 0
    assert (tools / "deleted.txt").read_text() == "3"


def test_without_an_example_nothing_is_made_up(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:plain")
    assert done.status == 0
    assert """not called: give it arguments, as in --arguments '{"text": "…"}'""" in done.out


def test_a_failure_is_shown_as_a_model_would_see_it(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:plain", "--arguments", '{"text": "x"}', "--yes")
    assert done.status == 5
    assert '{"error":{"kind":"tool_error","reason":"no voice","fix":"whisper"}}' in done.out


def test_a_long_result_is_shortened_as_for_a_model(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:nothing")
    assert "it takes no arguments" in done.out
    assert "shortened from" in done.out
    assert len(done.out) < 5000


def test_a_secret_is_not_printed(tools: Path, here: Command) -> None:
    done = here("try", "my_tools.py:secretive", "--arguments", '{"key": "hunter22"}')
    assert "taken" in done.out
    assert "hunter22" not in done.out


def test_in_a_terminal_the_form_is_filled_in(tools: Path, here: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def there(_stream: object) -> bool:
        return True

    monkeypatch.setattr("prudent.cli.trying.somebody_there", there)
    monkeypatch.setattr(sys, "stdin", io.StringIO("12\n\n"))
    done = here("try", "my_tools.py:lookup")
    assert "customer 12, deep" in done.out
    assert "  id [7]: " in done.err
    monkeypatch.setattr(sys, "stdin", io.StringIO("4\ny\n"))
    assert "deleted" in here("try", "my_tools.py:delete").out
    monkeypatch.setattr(sys, "stdin", io.StringIO("5\nn\n"))
    here("try", "my_tools.py:delete")
    assert (tools / "deleted.txt").read_text() == "4"


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("my_tools.py:look", "my_tools.py has no 'look'; did you mean 'lookup'?"),
        ("my_tools.py:number", "is of type int: name a tool or a function"),
        ("my_tools.py", "names no tool: write FILE.py:NAME"),
        ("agent.toml:calc", "agent.toml has no tool 'calc'"),
    ],
)
def test_what_is_no_tool_is_said(tools: Path, here: Command, reference: str, sentence: str) -> None:
    (tools / "agent.toml").write_text("[toolkits.calculator]\n")
    done = here("try", reference)
    assert done.status == 2
    assert sentence in done.err
    assert done.out == ""


def test_an_agent_file_s_tool_can_be_tried(tools: Path, here: Command) -> None:
    (tools / "agent.toml").write_text("[toolkits.calculator]\n")
    assert "1299 EUR * 19% = 246.81 EUR" in here("try", "agent.toml:calculator").out


def script(monkeypatch: pytest.MonkeyPatch, *replies: Any) -> Any:
    model = ScriptedModel(list(replies))

    def resolve(*_: object, **_options: object) -> ScriptedModel:
        return model

    monkeypatch.setattr("prudent.chosen_models.resolve", resolve)
    return model


def test_with_a_task_an_agent_has_this_tool_and_no_other(tools: Path, here: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    model = script(monkeypatch, call("lookup", id=7), "Customer 7.")
    done = here("try", "my_tools.py:lookup", "Who is customer 7?", "--model", "openai:x", "--json")
    result = json.loads(done.out)
    assert (done.status, result["output"], result["tool_calls"]) == (0, "Customer 7.", 1)
    assert [spec.name for spec in model.requests[0].tools] == ["think_and_plan", "lookup", "read_more", "search_in"]


def test_a_trial_that_waits_for_a_person_is_resumed(tools: Path, here: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, call("delete", id=7), "Deleted.")
    done = here("try", "my_tools.py:delete", "Delete 7.", "--model", "openai:x", "--json")
    assert done.status == 4
    assert here("approve", "last", json.loads(done.out)["pending"][0]["call_id"]).status == 0
    done = here("resume", "last", "--model", "openai:x", "--json")
    assert json.loads(done.out)["output"] == "Deleted.", done.err
    assert (tools / "deleted.txt").read_text() == "7"


def test_options_that_do_not_go_together_are_refused(tools: Path, here: Command) -> None:
    assert "goes with a TASK" in here("try", "my_tools.py:lookup", "--json").err
    assert "--arguments is for a call by hand" in here("try", "my_tools.py:lookup", "task", "--arguments", "{}").err
