"""Who answers when a call asks: a person at the terminal, or a blanket yes or no. Nobody (None) parks the run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import anyio
import anyio.lowlevel

from prudent.cli.board import Board
from prudent.cli.editor import edit_text
from prudent.cli.faces import Face
from prudent.cli.keyboard import Keyboard
from prudent.cli.narration import Line, Style, line
from prudent.cli.rules import new_rule, rule_line
from prudent.cli.text import arguments_block, as_json, json_or_text, visible
from prudent.errors import ConfigurationError
from prudent.events import ApprovalAsked, ApprovalDecided, ApprovalKind, Decision
from prudent.journal.redact import HIDDEN
from prudent.standing import StandingRule
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


@dataclass(slots=True)
class TerminalApprover:
    """Shows each question with its arguments and preview, one at a time, and waits for a key."""

    face: Face
    board: Board
    stop: Callable[[str], None]
    """Called when the person chooses to stop the run."""

    keyboard: Keyboard = field(default_factory=Keyboard)
    _turn: anyio.Lock = field(default_factory=anyio.Lock, init=False)

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Ask until there is an answer; None when the input ends or the run is stopped.

        When it is cancelled, since somebody else has answered or the run ends, the question is withdrawn.
        """
        async with self._turn:
            await anyio.lowlevel.checkpoint()  # the answer to the question before may have answered this one as well
            with self.face.paused(), self.keyboard.listening():
                for part in question_lines(question, self._shown(question)):
                    self.face.say(part)
                try:
                    return await self._answer(question)
                except anyio.get_cancelled_exc_class():
                    self.face.say(line(("dim", "  the question is withdrawn")))
                    raise

    async def _answer(self, question: ApprovalAsked) -> ApprovalDecided | None:
        keys = keys_of(question)
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
            rule = await self._rule(question)
            return None if rule is None else _decided(question, "always", rule=rule)
        simple: dict[str, Decision] = {"y": "approve", "r": "retry", "k": "skip"}
        return _decided(question, simple[key])

    async def _rule(self, question: ApprovalAsked) -> StandingRule | None:
        """Take down which calls run unasked from now on, and show that in words before it counts; None goes back."""
        example = f"what matters, such as {next(iter(question.arguments), 'to')}=GLOB"
        try:
            rule = new_rule(question, None)
            self.face.say(rule_line(rule))
            words = await self._line(f"  Enter keeps that; else {example}: ")
        except ConfigurationError as error:
            rule = None
            self.face.say(line(("bad", f"  {visible(str(error))}")))
            words = await self._line(f"  {example}: ")
        if not words and rule:
            return rule
        try:
            rule = new_rule(question, _words(words))
        except ConfigurationError as error:
            self.face.say(line(("bad", f"  {visible(str(error))}")))
            self._keys_again(question)
            return None
        self.face.say(rule_line(rule))
        with self.keyboard.listening():
            self.face.say(line("  ", ("strong", "y"), " keep that   ", ("strong", "any other key"), " back"))
            if (await self.keyboard.key()).lower() == "y":
                return rule
        self._keys_again(question)
        return None

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
        self.face.say(_keys_line(question))

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
    return [*lines, _keys_line(question)]


def keys_of(question: ApprovalAsked) -> dict[str, str]:
    """Give the keys that answer a question; what is asked each time has no `always`."""
    return {key: meaning for key, meaning in KEYS[question.kind].items() if key != "a" or not question.each_time}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quotation mark without its partner
        return text.split()


def _keys_line(question: ApprovalAsked) -> Line:
    parts: list[tuple[Style, str] | str] = ["  "]
    for key, meaning in keys_of(question).items():
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
    rule: StandingRule | None = None,
) -> ApprovalDecided:
    return ApprovalDecided(
        call_id=question.call_id,
        decision=decision,
        decided_by=PERSON,
        reason=reason,
        arguments=arguments,
        result=result,
        rule=rule,
        asked_at=question.at,
    )
