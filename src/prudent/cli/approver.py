"""Who answers when a call asks: a person at the terminal, or a blanket yes or no. Nobody (None) parks the run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import cast

import anyio

from prudent.cli.board import Board
from prudent.cli.editor import edit_text
from prudent.cli.faces import Face
from prudent.cli.keyboard import Keyboard
from prudent.cli.narration import Line, Style, line
from prudent.cli.text import arguments_block, as_json, json_or_text, visible
from prudent.events import ApprovalAsked, ApprovalDecided, ApprovalKind, Decision
from prudent.journal.redact import HIDDEN
from prudent.types import JSON, JSONObject

PREVIEW_LINES = 60
PERSON = "the person at the terminal"

KEYS: dict[ApprovalKind, dict[str, str]] = {
    "call": {"y": "approve", "e": "edit", "n": "reject", "a": "always", "s": "stop the run"},
    "plan": {"y": "approve", "e": "edit", "n": "reject", "s": "stop the run"},
    "mode": {"y": "allow", "n": "reject", "s": "stop the run"},
    "unknown_outcome": {"h": "it happened", "r": "run it again", "k": "skip it", "s": "stop the run"},
}
"""The keys of each kind of question, and what they do."""


class YesApprover:
    """`--yes`: approves, but never answers an unknown outcome."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Approve what may be approved unseen."""
        if question.kind == "unknown_outcome":
            return None
        return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="--yes")


class NoApprover:
    """`--no`: rejects, but never answers an unknown outcome."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Reject, saying why."""
        if question.kind == "unknown_outcome":
            return None
        return ApprovalDecided(
            call_id=question.call_id, decision="reject", decided_by="--no", reason="this run may do nothing that asks"
        )


@dataclass(frozen=True, slots=True)
class StandingYes:
    """An "always": calls of one tool whose arguments match these globs; no globs cover any arguments."""

    tool_name: str
    globs: Mapping[str, str]

    @property
    def words(self) -> str:
        """The rule as it is recorded with each decision that it makes."""
        return f"always: {self.tool_name} " + (
            " ".join(f"{name}={glob}" for name, glob in self.globs.items()) or "with any arguments"
        )

    def covers(self, question: ApprovalAsked) -> bool:
        """Whether it answers this question."""
        return (
            question.kind == "call"
            and question.tool_name == self.tool_name
            and all(
                name in question.arguments and _matches(question.arguments[name], glob) for name, glob in self.globs.items()
            )
        )


@dataclass(slots=True)
class TerminalApprover:
    """Shows each question with its arguments and preview, one at a time, and waits for a key."""

    face: Face
    board: Board
    stop: Callable[[str], None]
    """Called when the person chooses to stop the run."""

    keyboard: Keyboard = field(default_factory=Keyboard)
    standing: list[StandingYes] = field(default_factory=list["StandingYes"])
    """What was answered with "always", for as long as this run is worked on here."""

    _turn: anyio.Lock = field(default_factory=anyio.Lock, init=False)

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Ask until there is an answer; None when the input ends or the run is stopped."""
        async with self._turn:
            rule = next((rule for rule in self.standing if rule.covers(question)), None)
            if rule:
                return _decided(question, "always", reason=rule.words)
            with self.face.paused():
                for part in question_lines(question, self._shown(question)):
                    self.face.say(part)
                return await self._answer(question)

    async def _answer(self, question: ApprovalAsked) -> ApprovalDecided | None:
        keys = KEYS[question.kind]
        while True:
            key = (await self.keyboard.key()).lower()
            if key in ("", "\x04"):
                self.face.say(line(("dim", "  no answer: the run is parked")))
                return None
            if key not in keys:
                continue
            self.face.say(line(("dim", f"  {keys[key]}")))
            if key == "s":
                self.stop("stopped at a question about " + question.tool_name)
                return None
            decided = await self._decision(key, question)
            if decided:
                return decided

    async def _decision(self, key: str, question: ApprovalAsked) -> ApprovalDecided | None:
        """Turn a key into a decision; None asks for another key."""
        if key == "e":
            arguments = await self._edited(question)
            return None if arguments is None else _decided(question, "edit", arguments=arguments)
        if key == "n":
            reason = await self._line("  reason, told to the model (Enter for none): ")
            return _decided(question, "reject", reason=reason)
        if key == "h":
            text = await self._line("  what came of it, as JSON or text (Enter for nothing): ")
            return _decided(question, "happened", result=json_or_text(text))
        if key == "a":
            rule = await self._standing_yes(question)
            return None if rule is None else _decided(question, "always", reason=rule.words)
        simple: dict[str, Decision] = {"y": "approve", "r": "retry", "k": "skip"}
        return _decided(question, simple[key])

    async def _standing_yes(self, question: ApprovalAsked) -> StandingYes | None:
        """Take down which calls are approved from now on; the one at hand has to be among them."""
        words = await self._line(f"  {question.tool_name} when, such as to=*@example.com (Enter for any arguments): ")
        try:
            parts = shlex.split(words)
        except ValueError:  # a quotation mark without its partner
            parts = [words]
        pairs = [part.partition("=") for part in parts]
        rule = StandingYes(question.tool_name, {name: glob for name, _, glob in pairs})
        if not rule.covers(question):
            self.face.say(line(("bad", "  that does not cover this call")))
            self._keys_again(question)
            return None
        self.standing.append(rule)
        return rule

    async def _edited(self, question: ApprovalAsked) -> JSONObject | None:
        shown = self._shown(question)
        text = await edit_text(as_json(shown, indent=2), self._line)
        try:
            edited: object = json.loads(text)
        except ValueError as error:
            self.face.say(line(("bad", f"  not valid JSON: {error}")))
            edited = None
        if not isinstance(edited, dict):
            self._keys_again(question)
            return None
        values = cast("JSONObject", edited)
        return {name: question.arguments.get(name) if value == HIDDEN else value for name, value in values.items()}

    async def _line(self, prompt: str) -> str:
        self.face.say(line(("strong", prompt)))
        return (await self.keyboard.line() or "").strip()

    def _keys_again(self, question: ApprovalAsked) -> None:
        self.face.say(_keys_line(question.kind))

    def _shown(self, question: ApprovalAsked) -> JSONObject:
        """Give the arguments with secrets hidden."""
        call = self.board.calls.get(question.call_id)
        if call is None:
            return question.arguments
        hidden = {name for name, value in call.arguments.items() if value == HIDDEN}
        return {name: HIDDEN if name in hidden else value for name, value in question.arguments.items()}


def question_lines(question: ApprovalAsked, arguments: JSONObject) -> list[Line]:
    """Write a question so that it can be answered from what is on the screen."""
    titles = {
        "call": " wants to run",
        "plan": ": the plan, before anything is done",
        "mode": ": the model asks for another mode",
        "unknown_outcome": " was interrupted; nobody knows whether it took effect",
    }
    lines = [line(""), line(("warn", "? "), ("strong", visible(question.tool_name)), titles[question.kind])]
    lines += [line("    ", text) for text in arguments_block(arguments)]
    preview = visible(question.preview).splitlines()
    if preview:
        lines.append(line(("dim", "  preview")))
        lines += [line("    ", (_diff_style(text), text)) for text in preview[:PREVIEW_LINES]]
    if len(preview) > PREVIEW_LINES:
        lines.append(
            line(("warn", f"    … {len(preview) - PREVIEW_LINES} more lines are not shown here: `prudent approvals` has all"))
        )
    return [*lines, _keys_line(question.kind)]


def _matches(value: JSON, glob: str) -> bool:
    return fnmatchcase(value if isinstance(value, str) else as_json(value), glob)


def _keys_line(kind: ApprovalKind) -> Line:
    parts: list[tuple[Style, str] | str] = ["  "]
    for key, meaning in KEYS[kind].items():
        parts.append(("strong", key))
        parts.append(f" {meaning}   ")
    return line(*parts)


def _diff_style(text: str) -> Style:
    if text.startswith("+"):
        return "good"
    if text.startswith("-"):
        return "bad"
    return "dim" if text.startswith("@@") else ""


def _decided(
    question: ApprovalAsked,
    decision: Decision,
    *,
    reason: str = "",
    arguments: JSONObject | None = None,
    result: JSON = None,
) -> ApprovalDecided:
    return ApprovalDecided(
        call_id=question.call_id, decision=decision, decided_by=PERSON, reason=reason, arguments=arguments, result=result
    )
