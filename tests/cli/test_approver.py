"""Who answers a question: blanket answers, and a person with keys."""

from __future__ import annotations

import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from prudent.cli.approver import NoApprover, TerminalApprover, YesApprover, question_lines
from prudent.cli.board import Board, CallView
from prudent.cli.keyboard import Keyboard
from prudent.cli.narration import Line
from prudent.cli.text import json_or_text
from prudent.events import ApprovalAsked, ApprovalDecided, ApprovalKind, Event
from prudent.journal.redact import HIDDEN
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio


def question(kind: ApprovalKind = "call", **changes: Any) -> ApprovalAsked:
    values: dict[str, Any] = {
        "call_id": "c1",
        "kind": kind,
        "tool_name": "send",
        "arguments": {"to": "ann", "key": "hunter2"},
        "preview": "would send\n-old\n+new",
        "binding": "b",
    }
    return ApprovalAsked(**{**values, **changes})


@dataclass
class FakeFace:
    said: list[str] = field(default_factory=list[str])
    is_paused: bool = False

    def watch(self, event: Event) -> None: ...

    def say(self, text: Line) -> None:
        assert self.is_paused
        self.said.append(text.text)

    @contextmanager
    def paused(self) -> Generator[None]:
        self.is_paused = True
        try:
            yield
        finally:
            self.is_paused = False

    def end(self, result: JSONObject) -> None: ...

    def close(self) -> None: ...


class FakeKeyboard(Keyboard):
    def __init__(self, keys: str, lines: list[str]) -> None:
        super().__init__(0)
        self.keys, self.lines = list(keys), lines

    async def key(self) -> str:
        return self.keys.pop(0) if self.keys else ""

    async def line(self) -> str | None:
        return self.lines.pop(0) if self.lines else None


def approver(keys: str, *lines: str, stops: list[str] | None = None) -> TerminalApprover:
    board = Board()
    board.calls["c1"] = CallView("c1", "send", {"to": "ann", "key": HIDDEN})
    stopped = [] if stops is None else stops
    return TerminalApprover(FakeFace(), board, stopped.append, FakeKeyboard(keys, list(lines)))


def said(asked: TerminalApprover) -> list[str]:
    assert isinstance(asked.face, FakeFace)
    return asked.face.said


async def decided(keys: str, *lines: str, kind: ApprovalKind = "call") -> ApprovalDecided | None:
    return await approver(keys, *lines).decide(question(kind))


@pytest.mark.parametrize("kind", ["call", "plan", "mode"])
async def test_yes_approves_and_no_rejects(kind: ApprovalKind):
    yes, no = await YesApprover().decide(question(kind)), await NoApprover().decide(question(kind))
    assert yes
    assert no
    assert (yes.decision, yes.decided_by, no.decision, no.decided_by) == ("approve", "--yes", "reject", "--no")
    assert no.reason


async def test_neither_answers_an_unknown_outcome():
    assert await YesApprover().decide(question("unknown_outcome")) is None
    assert await NoApprover().decide(question("unknown_outcome")) is None


@pytest.mark.parametrize(("key", "decision"), [("y", "approve"), ("Y", "approve"), ("xqy", "approve")])
async def test_one_key_answers(key: str, decision: str):
    answer = await decided(key)
    assert answer
    assert answer.decision == decision
    assert answer.call_id == "c1"


async def test_always_is_a_rule_that_is_shown_before_it_is_saved():
    asked = approver("a", "")
    answer = await asked.decide(question(arguments={"to": "ann", "copies": 2}))
    assert answer
    assert answer.decision == "always"
    assert answer.rule
    assert (answer.rule.tool_name, answer.rule.globs, answer.rule.exact) == ("send", {"to": "ann", "copies": "2"}, True)
    assert said(asked)[-2:] == [
        "  from now on `send` runs unasked when to is ann and copies is 2, with no other argument",
        "  Enter keeps that; else what matters, such as to=GLOB: ",
    ]


async def test_always_for_the_arguments_that_matter_is_kept_with_a_second_key():
    asked = approver("ay", "to='a*'")
    answer = await asked.decide(question(arguments={"to": "ann", "copies": 2}))
    assert answer
    assert answer.rule
    assert (answer.rule.globs, answer.rule.exact) == ({"to": "a*"}, False)
    assert "  from now on `send` runs unasked when to is a*" in said(asked)


async def test_a_rule_that_is_not_kept_goes_back_to_the_question():
    answer = await approver("any", "to=*").decide(question(arguments={"to": "ann"}))
    assert answer
    assert (answer.decision, answer.rule) == ("approve", None)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("to=b*", "does not cover this call"),
        ("wrong=*", "no argument 'wrong'"),
        ("everything", "'everything' names no pattern"),
        ("to='b", "does not cover this call"),
        ("key=h*", "key cannot stand in a rule"),
    ],
)
async def test_a_rule_that_cannot_stand_is_refused_with_the_reason(words: str, reason: str):
    asked = approver("ay", words)
    answer = await asked.decide(question(arguments={"to": "ann", "key": "[secret]"}))
    assert answer
    assert answer.decision == "approve"
    assert any(reason in text for text in said(asked))


async def test_where_an_argument_is_secret_the_others_have_to_be_named():
    asked = approver("ay", "to=ann key=*")
    answer = await asked.decide(question(arguments={"to": "ann", "key": "[secret]"}))
    assert answer
    assert answer.rule
    assert answer.rule.globs == {"to": "ann", "key": "*"}
    assert any("key of this call cannot stand in a rule" in text for text in said(asked))


async def test_what_is_asked_each_time_has_no_always():
    asked = approver("ay")
    answer = await asked.decide(question(each_time=True))
    assert answer
    assert answer.decision == "approve"
    assert "always" not in "".join(said(asked))


async def test_a_question_that_was_answered_elsewhere_is_withdrawn():
    class Silent(FakeKeyboard):
        async def key(self) -> str:
            await anyio.sleep(20)
            return "y"

    face = FakeFace()
    asked = TerminalApprover(face, Board(), list[str]().append, Silent("", []))
    with anyio.move_on_after(0.1):
        await asked.decide(question())
    assert face.said[-1] == "  the question is withdrawn"
    assert not face.is_paused


async def test_a_question_that_was_answered_while_it_waited_is_never_shown():
    face = FakeFace()
    asked = TerminalApprover(face, Board(), list[str]().append, FakeKeyboard("yy", []))
    scope = anyio.CancelScope()

    async def second() -> None:
        with scope:
            await asked.decide(question(tool_name="second"))

    async with anyio.create_task_group() as group:
        group.start_soon(second)
        assert await asked.decide(question())
        scope.cancel()
    assert not any("second" in text for text in face.said)


async def test_a_rejection_has_a_reason():
    answer = await decided("n", "still in use")
    assert answer
    assert (answer.decision, answer.reason) == ("reject", "still in use")


async def test_an_unknown_outcome_has_its_own_keys():
    happened = await decided("yah", '{"receipt": 7}', kind="unknown_outcome")
    assert happened
    assert (happened.decision, happened.result) == ("happened", {"receipt": 7})
    for key, decision in (("r", "retry"), ("k", "skip")):
        answer = await decided(key, kind="unknown_outcome")
        assert answer
        assert answer.decision == decision


async def test_the_end_of_input_parks_the_run():
    assert await decided("") is None
    assert await decided("\x04") is None


async def test_the_run_can_be_stopped_at_a_question():
    stops: list[str] = []
    assert await approver("s", stops=stops).decide(question()) is None
    assert stops == ["stopped at a question about send"]


async def test_edited_arguments_keep_what_was_hidden(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    answer = await decided("e", f'{{"to": "bob", "key": "{HIDDEN}"}}')
    assert answer
    assert answer.decision == "edit"
    assert answer.arguments == {"to": "bob", "key": "hunter2"}


async def test_broken_json_is_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    asked = approver("eey", "{broken", "[1]")
    answer = await asked.decide(question())
    assert answer
    assert answer.decision == "approve"
    assert isinstance(asked.face, FakeFace)
    assert any("not valid JSON" in text for text in asked.face.said)


async def test_an_editor_edits_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script = tmp_path / "editor.sh"
    script.write_text(f'#!/bin/sh\nstat -c %a "$(dirname "$1")" > {tmp_path}/mode\nsed -i s/ann/eve/ "$1"\n')
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("VISUAL", str(script))
    answer = await decided("e")
    assert answer
    assert answer.arguments == {"to": "eve", "key": "hunter2"}
    assert (tmp_path / "mode").read_text().strip() == "700"


async def test_an_editor_is_asked_to_leave_when_the_question_is_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script, left = tmp_path / "editor.sh", tmp_path / "left"
    script.write_text(f"#!/bin/sh\ntrap 'touch {left}; exit' TERM\ntouch {tmp_path}/open\nwhile :; do sleep 0.05; done\n")
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("VISUAL", str(script))
    scope = anyio.CancelScope()

    async def answered_elsewhere() -> None:
        await anyio.to_thread.run_sync(wait_for, tmp_path / "open")
        scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(answered_elsewhere)
        with scope:
            await decided("e")
    assert left.exists()


def wait_for(file: Path) -> None:
    until = time.monotonic() + 10
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


async def test_an_editor_that_does_not_start_is_no_dead_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VISUAL", "/nowhere/editor")
    answer = await decided("e", '{"to": "bob"}')
    assert answer
    assert answer.arguments == {"to": "bob"}


def test_a_question_can_be_answered_from_what_it_shows():
    text = [line.text for line in question_lines(question(), {"to": "ann\u202e", "key": HIDDEN})]
    assert "? send wants to run" in text
    assert '    to: "ann\\u202e"' in text
    assert "    would send" in text
    assert text[-1].split() == ["y", "approve", "e", "edit", "n", "reject", "a", "always", "s", "stop", "the", "run"]


def test_a_long_preview_says_where_the_rest_is():
    text = [line.text for line in question_lines(question(preview="row\n" * 100), {})]
    assert any("40 more lines" in part for part in text)


@pytest.mark.parametrize(("text", "value"), [("", None), ("42", 42), ('"paid"', "paid"), ("receipt 7", "receipt 7")])
def test_results_are_json_or_text(text: str, value: object):
    assert json_or_text(text) == value
