"""Whole commands on scripted models: the contract that scripts rely on."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Command, process

FIELDS = [
    "run_id",
    "status",
    "reason",
    "error",
    "output",
    "model",
    "turns",
    "model_calls",
    "tool_calls",
    "usage",
    "cost",
    "seconds",
    "artifacts",
    "pending",
]


def only_object(out: str) -> dict[str, Any]:
    """Read the one JSON object that is all of standard output."""
    assert out.count("\n") == 1
    return json.loads(out)


def test_json_is_one_object_and_nothing_else(project: Path, prudent: Command):
    done = prudent("run", "How long?", "--agent", "agents.py:basic", "--json")
    result = only_object(done.out)
    assert done.status == 0
    assert [*result] == FIELDS
    assert [*result["usage"]] == ["input_tokens", "cached_tokens", "output_tokens"]
    assert (result["status"], result["output"], result["tool_calls"]) == ("completed", "Within 30 days (returns.md).", 1)
    assert "noise of a tool" in done.err
    assert "noise of C code" in done.err


def test_jsonl_is_events_and_the_object_last(project: Path, here: Command):
    done = here("run", "Delete 7.", "--agent", "agents.py:deleter", "--jsonl", "--yes")
    lines = [json.loads(line) for line in done.out.splitlines()]
    kinds = [line.get("event") for line in lines]
    assert kinds[0] == "RunStarted"
    assert {"CallPrepared", "ApprovalAsked", "ApprovalDecided", "CallStarted", "CallEnded", "RunEnded"} <= set(kinds)
    assert [*lines[-1]] == FIELDS


def test_plain_lines_tell_the_run_and_end_with_the_answer_and_the_cost(project: Path, here: Command):
    done = here("run", "How long?", "--agent", "agents.py:basic")
    assert done.status == 0
    for part in (
        "Plan  I have to look it up.",
        "  1. search the handbook",
        '→ search query="yearly plan"',
        '✓ search query="yearly plan"',
        "    returns.md: a yearly plan",
        "\nWithin 30 days (returns.md).\n",
        'Source: search query="yearly plan"',
        "completed · 2 turns · 1 call · 240 tokens",
    ):
        assert part in done.out
    assert "\x1b" not in done.out


def test_an_incomplete_run_exits_3(project: Path, here: Command):
    done = here("run", "x", "--agent", "agents.py:looper")
    assert done.status == 3
    assert "Incomplete: it was going round in circles" in done.out


def test_a_failed_run_exits_5(project: Path, here: Command):
    (project / "agents.py").write_text(
        "from prudent import Agent, ModelError\nfrom prudent.models.scripted import ScriptedModel, failing\n"
        "broken = Agent(ScriptedModel([failing('x', ModelError('the provider is gone'))]), name='broken')\n"
    )
    done = here("run", "x", "--agent", "agents.py")
    assert done.status == 5
    assert "the provider is gone" in done.out


def test_a_configuration_error_leaves_standard_output_empty(project: Path, here: Command):
    done = here("run", "x", "--agent", "agents.py:bsic", "--json")
    assert (done.status, done.out) == (2, "")
    assert "agents.py has no 'bsic'; did you mean 'basic'?" in done.err


def test_without_a_model_it_says_how_to_name_one(project: Path, here: Command):
    done = here("run", "x")
    assert (done.status, done.out) == (2, "")
    assert "--model" in done.err


def test_a_task_comes_from_standard_input(project: Path, here: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("From a pipe?\n"))
    assert here("run", "-", "--agent", "agents.py:basic").status == 0
    assert json.loads(here("show", "last", "--json").out)["task"] == "From a pipe?\n"


def test_a_run_parks_is_approved_and_goes_on(project: Path, here: Command):
    parked = here("run", "Delete 7.", "--agent", "agents.py:deleter", "--json")
    result = only_object(parked.out)
    assert (parked.status, result["status"]) == (4, "awaiting_approval")
    [pending] = result["pending"]
    assert [*pending] == ["kind", "call_id", "tool_name", "arguments", "preview"]
    assert (pending["tool_name"], pending["arguments"], pending["preview"]) == ("delete", {"id": 7}, "would delete record 7")
    listed = here("approvals")
    assert "would delete record 7" in listed.out
    assert f"prudent approve {result['run_id']} {pending['call_id']}" in listed.out
    wrong = here("approve", "last", pending["call_id"], "--happened")
    assert wrong.status == 2
    assert "has not run yet" in wrong.err
    assert here("approve", "last", "nothing").status == 2
    noted = here("approve", result["run_id"][:15], pending["call_id"], "--edit", '{"id": 9}')
    assert "noted: edit delete" in noted.out
    (project / "agents.py").write_text((project / "agents.py").read_text() + "\n# changed\n")
    refused = here("resume", "last", "--json")
    assert (refused.status, refused.out) == (2, "")
    assert "--accept-changed-agent" in refused.err
    done = here("resume", "last", "--json", "--accept-changed-agent")
    assert (done.status, only_object(done.out)["output"]) == (0, "Done.")
    assert (project / "ledger.txt").read_text() == "delete 9\n"
    assert "nothing waits" in here("approvals").out


@pytest.mark.parametrize(("option", "ledger"), [("--yes", True), ("--no", False)])
def test_a_blanket_answer_needs_nobody(option: str, ledger: bool, project: Path, here: Command):
    done = here("run", "Delete 7.", "--agent", "agents.py:deleter", option)
    assert done.status == 0
    assert (project / "ledger.txt").exists() == ledger
    assert f"by {option}" in done.out


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        process(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(file: Path) -> None:
    until = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize(("signals", "within_seconds"), [([signal.SIGTERM], 3.5), ([signal.SIGINT, signal.SIGINT], 1.5)])
def test_a_stop_ends_a_run_whose_loop_is_held_up(
    project: Path, signals: list[signal.Signals], within_seconds: float, here: Command
):
    running = start("run", "x", "--agent", "agents.py:hogger", "--json")
    wait_for(project / "hog.start")
    began = time.monotonic()
    for number in signals:
        os.kill(running.pid, number)
        time.sleep(0.3)
    out, err = running.communicate(timeout=20)
    assert time.monotonic() - began < within_seconds
    assert running.returncode == 6
    assert only_object(out)["status"] == "stopped"
    assert "Traceback" not in err
    assert not (project / "hog.end").exists()
    shown = here("show", "last").out
    assert "■ hog seconds=20" in shown
    assert "stopped" in shown


def test_a_deadline_holds_though_the_loop_is_held_up(project: Path, prudent: Command):
    began = time.monotonic()
    done = prudent("run", "x", "--agent", "agents.py:hogger", "--seconds", "1", "--json")
    result = only_object(done.out)
    assert time.monotonic() - began < 10
    assert (done.status, result["status"], result["reason"]) == (3, "incomplete", "seconds")
    assert "a call held everything up" in result["output"]
    assert not (project / "hog.end").exists()


def test_stop_from_another_process(project: Path, here: Command):
    running = start("run", "x", "--agent", "agents.py:hogger", "--json")
    wait_for(project / "hog.start")
    stopped = here("stop", "last", "--reason", "wrong file")
    out, _ = running.communicate(timeout=20)
    assert stopped.status == 0
    assert "stopped" in stopped.out
    assert (running.returncode, only_object(out)["error"]) == (6, "wrong file")
    again = here("stop", "last")
    assert (again.status, "had ended already: stopped" in again.out) == (0, True)


def test_a_run_whose_process_died_is_marked_as_stopped(project: Path, here: Command):
    running = start("run", "x", "--agent", "agents.py:hogger", "--json")
    wait_for(project / "hog.start")
    running.kill()
    running.communicate(timeout=20)
    assert "is marked as stopped" in here("stop", "last").out
    assert json.loads(here("runs", "--json").out)[0]["status"] == "stopped"


def test_a_reader_who_leaves_stops_the_run_quietly(project: Path, here: Command):
    command = " ".join(process(["run", "x", "--agent", "agents.py:hogger"])) + " | head -1"
    (project / "agents.py").write_text((project / "agents.py").read_text().replace("time.sleep(seconds)", "time.sleep(0.5)"))
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert json.loads(here("runs", "--json").out)[0]["status"] in ("stopped", "completed")


def test_runs_are_listed_and_filtered(project: Path, here: Command):
    here("run", "How long?", "--agent", "agents.py:basic", "--session", "mine")
    here("run", "Delete 7.", "--agent", "agents.py:deleter")
    table = here("runs").out.splitlines()
    assert table[0].split() == ["run", "when", "agent", "status", "turns", "tokens", "time", "task"]
    assert ["deleter" in table[1], "basic" in table[2], len(table)] == [True, True, 3]
    assert [row["agent"] for row in json.loads(here("runs", "--status", "completed", "--json").out)] == ["basic"]
    assert [row["agent"] for row in json.loads(here("runs", "--agent", "deleter", "--json").out)] == ["deleter"]
    assert len(json.loads(here("runs", "--limit", "1", "--json").out)) == 1
    assert here("runs", "--agent", "nobody").out == "no runs\n"


def test_a_run_can_be_read(project: Path, here: Command):
    here("run", "How long?", "--agent", "agents.py:basic")
    shown = here("show", "last").out
    for part in (
        "task     How long?",
        "agent    basic",
        "Turn 1",
        "thought 1",
        "plan  1. search the handbook",
        "the model saw ",
        "returns.md: a yearly plan",
        "Turn 2",
        "answer",
        "Within 30 days",
        "grew most",
        "completed",
    ):
        assert part in shown
    raw = here("show", "last", "--raw").out
    assert "=== turn 1 (turn)" in raw
    assert '"How long?"' in raw
    whole = json.loads(here("show", "last", "--json").out)
    assert (whole["agent"], whole["status"], whole["events"][0]["event"]) == ("basic", "completed", "RunStarted")


def test_secrets_are_shown_nowhere(project: Path, here: Command):
    (project / "agents.py").write_text(
        (project / "agents.py").read_text()
        + """
from dataclasses import replace
LOGIN = [call("login", user="ann", key="hunter2!")]
SECRET = [replace(login, secret=("key",))]
TOLD = "The key hunter2! works."
logger = Agent(playing(LOGIN, TOLD, LOGIN, TOLD), name="logger", tools=SECRET, planning="off")
"""
    )
    for option in ("--json", "--jsonl"):
        done = here("run", "x", "--agent", "agents.py:logger", option)
        assert done.status == 0
        assert "hunter2!" not in done.out + done.err
    for arguments in (("show", "last"), ("show", "last", "--json"), ("show", "last", "--raw"), ("runs", "--json")):
        assert "hunter2!" not in here(*arguments).out
