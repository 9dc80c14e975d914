"""Commands in a real terminal (a pseudo one): the live view, questions, Ctrl-C, and a terminal left as it was."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import termios
import time
from pathlib import Path

import pytest
from tests.cli.commands import Command, process

from prudent.journal.store import JournalStore


class Terminal:
    """A command in a terminal, with what it has written so far."""

    def __init__(self, *arguments: str, term: str = "xterm") -> None:
        self.person, program = pty.openpty()
        self._program = program
        self.before = termios.tcgetattr(program)
        environment = {**os.environ, "TERM": term, "COLUMNS": "80", "LINES": "30"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            process(arguments),
            stdin=program,
            stdout=program,
            stderr=program,
            env=environment,
            start_new_session=True,
        )
        self.text = ""

    def read_until(self, pattern: str, seconds: float = 30) -> None:
        """Read until the text matches."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < until, self.text
            self._read(0.1)

    def type(self, keys: bytes) -> None:
        os.write(self.person, keys)

    def end(self, seconds: float = 30) -> int:
        """Read to the end and give the exit status."""
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < until, self.text
            self._read(0.1)
        self._read(0.1)
        assert termios.tcgetattr(self._program) == self.before
        assert self.text.count("\x1b[?25l") == 0 or self.text.rindex("\x1b[?25h") > self.text.rindex("\x1b[?25l")
        os.close(self.person)
        os.close(self._program)
        return self.process.returncode

    def _read(self, seconds: float) -> None:
        if select.select([self.person], [], [], seconds)[0]:
            self.text += os.read(self.person, 65_536).decode(errors="replace")


def test_the_live_view_shows_calls_and_ends_with_the_answer(project: Path):
    terminal = Terminal("run", "How long?", "--agent", "agents.py:basic")
    assert terminal.end() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.text)
    for part in (
        "Plan",
        "1. search the handbook",
        '✓ search query="yearly plan"',
        "Within 30 days",
        "Source: search",
        "2 turns",
    ):
        assert part in plain
    assert "\x1b[32m✓" in terminal.text


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_can_do_little_gets_plain_lines(term: str, project: Path):
    terminal = Terminal("run", "How long?", "--agent", "agents.py:basic", term=term)
    assert terminal.end() == 0
    assert "\x1b" not in terminal.text


def test_a_person_approves_with_one_key(project: Path):
    terminal = Terminal("run", "Delete 7.", "--agent", "agents.py:deleter")
    terminal.read_until("stop the run")
    assert "would delete record 7" in terminal.text
    assert not (project / "ledger.txt").exists()
    terminal.type(b"y")
    assert terminal.end() == 0
    assert (project / "ledger.txt").read_text() == "delete 7\n"


def test_a_person_rejects_with_a_reason(project: Path):
    terminal = Terminal("run", "Delete 7.", "--agent", "agents.py:deleter", "--json")
    terminal.read_until("stop the run")
    terminal.type(b"n")
    terminal.read_until("reason, told to the model")
    terminal.type("还在用\n".encode())
    assert terminal.end() == 0
    assert not (project / "ledger.txt").exists()
    with JournalStore(project / ".prudent" / "agent.db") as store:
        [row] = store.approvals(store.find("last"))
    assert (row.decision, row.reason) == ("reject", "还在用")


def test_a_decision_from_another_process_withdraws_the_question(project: Path, here: Command):
    terminal = Terminal("run", "Delete 7.", "--agent", "agents.py:deleter")
    terminal.read_until("stop the run")
    terminal.type(b"n")
    terminal.read_until("reason, told to the model")
    terminal.type(b"still in u")
    [waiting] = json.loads(here("approvals", "--json").out)
    assert here("approve", "last", waiting["call_id"]).status == 0
    assert terminal.end() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.text)
    assert "the question is withdrawn" in plain
    assert re.search(r"delete approved by \w+", plain)
    assert (project / "ledger.txt").read_text() == "delete 7\n"
    second = here("approve", "last", waiting["call_id"], "--reject", "too late")
    assert (second.status, second.out) == (2, "")
    assert "was decided already: approve by" in second.err


def test_always_is_typed_shown_and_kept(project: Path, here: Command):
    terminal = Terminal("run", "Delete 7.", "--agent", "agents.py:deleter")
    terminal.read_until("stop the run")
    terminal.type(b"a")
    terminal.read_until("what matters, such as id=GLOB")
    terminal.type(b"id=*\n")
    terminal.read_until("runs unasked when id is \\*")
    terminal.read_until("any other key")
    terminal.type(b"y")
    assert terminal.end() == 0
    assert here("run", "Delete 7.", "--agent", "agents.py:deleter").status == 0
    assert (project / "ledger.txt").read_text() == "delete 7\ndelete 7\n"


@pytest.mark.parametrize("agent", ["deleter", "hogger"])
def test_ctrl_c_stops_at_a_question_and_in_a_hung_call(agent: str, project: Path):
    terminal = Terminal("run", "x", "--agent", f"agents.py:{agent}")
    terminal.read_until("stop the run" if agent == "deleter" else "hog")
    time.sleep(0.3)
    began = time.monotonic()
    os.killpg(terminal.process.pid, 2)
    assert terminal.end() == 6
    assert time.monotonic() - began < 3.5
    assert "stopping (Ctrl-C); Ctrl-C again leaves at once" in terminal.text
    assert "Stopped." in terminal.text
    assert "prudent resume" in terminal.text


def test_a_chat_in_a_terminal(project: Path):
    terminal = Terminal("chat", "--agent", "agents.py:basic")
    terminal.read_until("> ")
    terminal.type(b"How lonk\x7fg?\n")
    terminal.read_until("Within 30 days")
    terminal.read_until("2 turns")
    terminal.type(b"/quit\n")
    assert terminal.end() == 0
    with JournalStore(project / ".prudent" / "agent.db") as store:
        [run] = store.runs()
    assert run.task == "How long?"
