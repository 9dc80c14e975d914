"""What a person is told of a run as it goes: a few lines for each thing that has happened, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Literal

from prudent.cli.board import Board, CallView
from prudent.cli.text import arguments_line, one_line, seconds_text, visible
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    CallNoted,
    CallStarted,
    CallStatus,
    Event,
    ModeChanged,
    ModelCallFailed,
    ModelCallRetried,
    RunResumed,
    RunStarted,
    ThoughtRecorded,
    Warned,
)
from prudent.folds import Folded, FoldTrigger

Style = Literal["", "dim", "strong", "good", "bad", "warn", "name"]

RESULT_LINES = 3
"""How many lines of a result are shown; `prudent show` has the rest."""

MARKS: dict[CallStatus, tuple[str, Style]] = {
    "ok": ("✓", "good"),
    "error": ("✗", "bad"),
    "timeout": ("✗", "bad"),
    "refused": ("⊘", "warn"),
    "rejected": ("⊘", "warn"),
    "stopped": ("■", "warn"),
    "abandoned": ("■", "warn"),
    "unknown": ("?", "warn"),
    "pending": ("…", "dim"),
    "running": ("…", "dim"),
}

WHY_FOLDED: dict[FoldTrigger, str] = {
    "window": "the model's window was filling up",
    "step": "a step of the plan was finished",
    "overflow": "the request was too long for the model",
}

_STEP = re.compile(
    r"(?:^|(?<=[\s;；。，,]))(?=(?:\d{1,2}[.)、．](?!\d)|第[一二三四五六七八九十\d]+步|[一二三四五六七八九十]{1,3}、)\s*\S)"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line in pieces, each with a style that a terminal may show."""

    parts: tuple[tuple[Style, str], ...]

    @property
    def text(self) -> str:
        """The line without styles."""
        return "".join(text for _, text in self.parts)

    def changed(self, change: Callable[[str], str]) -> Line:
        """Give the line with each piece of text changed, such as redacted."""
        return Line(tuple((style, change(text)) for style, text in self.parts))


def line(*parts: tuple[Style, str] | str) -> Line:
    """Make a line of plain and styled pieces."""
    return Line(tuple(("", part) if isinstance(part, str) else part for part in parts))


def plan_lines(plan: str) -> list[str]:
    """Write a plan with each step on a line of its own, also where the model wrote it in one paragraph."""
    steps = [step for paragraph in visible(plan).splitlines() for step in _STEP.split(paragraph)]
    return [step.strip(" \t;；") for step in steps if step.strip()]


def fold_words(event: Folded) -> str:
    """Say in a line what was folded, how much it saved, and who wrote the summary."""
    turns = "turn 1" if event.turns == 1 else f"turns 1 to {event.turns}"
    by = f"summary by {visible(event.written_by)}" if event.written_by else "summary by rules"
    return f"{turns} folded: about {event.before_tokens:,} tokens before, {event.after_tokens:,} after, {by}"


def call_line(call: CallView) -> Line:
    """Write one call with its state and time."""
    mark, style = MARKS[call.status]
    state = "" if call.status == "ok" else f"  {call.status}"
    took = f"  {seconds_text(call.seconds)}" if call.seconds >= 0.05 else ""
    arguments = arguments_line(call.arguments)
    return line(
        (style, mark),
        " ",
        ("name", visible(call.tool_name)),
        f" {arguments}" if arguments else "",
        (style, state),
        ("dim", took),
    )


@dataclass(slots=True)
class Narrator:
    """Turns events into lines, in the order they happen."""

    board: Board = field(default_factory=Board)
    starts: bool = False
    """Whether the start of a call is told too: where nothing else shows what is under way."""

    _told_plan: str = field(default="", init=False)

    def tell(self, event: Event) -> Sequence[Line]:
        """Take an event in and give the lines that tell it, often none."""
        self.board.apply(event)
        return self._lines(event)

    @singledispatchmethod
    def _lines(self, event: Event) -> Sequence[Line]:
        del event
        return ()

    @_lines.register
    def _(self, event: RunStarted) -> Sequence[Line]:
        head = " · ".join(visible(part) for part in (event.agent, event.model, f"run {event.run_id}") if part)
        return (line(("dim", head)),)

    @_lines.register
    def _(self, _event: RunResumed) -> Sequence[Line]:
        return (line(("dim", "resumed")),)

    @_lines.register
    def _(self, event: ThoughtRecorded) -> Sequence[Line]:
        if event.plan and event.plan != self._told_plan:
            self._told_plan = event.plan
            head = line(("strong", "Plan"), ("dim", f"  {one_line(event.thought, 160)}" if event.thought else ""))
            return (head, *(line("  ", step) for step in plan_lines(event.plan)))
        return (line(("dim", f"· {one_line(event.thought or event.action, 160)}")),)

    @_lines.register
    def _(self, event: CallStarted) -> Sequence[Line]:
        call = self.board.calls.get(event.call_id)
        if call is None or not self.starts or _is_thought(call):
            return ()
        return (line(("dim", "→ "), ("name", visible(call.tool_name)), f" {arguments_line(call.arguments)}".rstrip()),)

    @_lines.register
    def _(self, event: CallNoted) -> Sequence[Line]:
        call = self.board.calls.get(event.call_id)
        if call is None or not self.starts or not call.note:
            return ()
        return (line(("dim", f"  {visible(call.tool_name)}: {one_line(call.note, 120)}")),)

    @_lines.register
    def _(self, event: CallEnded) -> Sequence[Line]:
        call = self.board.calls.get(event.call_id)
        if call is None or (_is_thought(call) and call.status == "ok"):
            return ()
        return (call_line(call), *(line(("dim", f"    {text}")) for text in result_lines(event.shown)))

    @_lines.register
    def _(self, event: ModelCallRetried) -> Sequence[Line]:
        wait = f"trying again in {event.wait_seconds:.0f} s" if event.wait_seconds >= 1 else "trying again"
        return (line(("warn", f"! {one_line(event.reason, 300)}; {wait}")),)

    @_lines.register
    def _(self, event: ModelCallFailed) -> Sequence[Line]:
        return (line(("bad", f"! {one_line(event.reason, 300)}")),)

    @_lines.register
    def _(self, event: ApprovalAsked) -> Sequence[Line]:
        what = {"call": "waits for approval", "unknown_outcome": "may or may not have happened", "plan": "waits for approval"}
        name = "the plan" if event.kind == "plan" else visible(event.tool_name)
        return (line(("warn", f"? {name} {what.get(event.kind, 'waits for a decision')}")),)

    @_lines.register
    def _(self, event: ApprovalDecided) -> Sequence[Line]:
        words = {"approve": "approved", "edit": "approved with changes", "reject": "rejected", "always": "approved from now on"}
        call = self.board.calls.get(event.call_id)
        name = f"{visible(call.tool_name)} " if call else ""
        why = one_line(event.reason or (event.rule.words if event.rule else ""), 200)
        by = f"{words.get(event.decision, event.decision)} by {visible(event.decided_by)}"
        return (line(("dim", f"  {name}{by}{f': {why}' if why else ''}")),)

    @_lines.register
    def _(self, event: ModeChanged) -> Sequence[Line]:
        return (line(("dim", f"mode is now {visible(event.mode)}")),)

    @_lines.register
    def _(self, event: Folded) -> Sequence[Line]:
        return (line(("dim", f"  {fold_words(event)}")),)

    @_lines.register
    def _(self, event: Warned) -> Sequence[Line]:
        return (line(("warn", f"! {visible(event.text)}")),)


def result_lines(shown: str) -> list[str]:
    """Give the first lines of a result, each cut to one line."""
    lines = [text for text in shown.splitlines() if text.strip()]
    cut = [one_line(text, 140) for text in lines[:RESULT_LINES]]
    if len(lines) > RESULT_LINES:
        cut.append(f"… {len(lines) - RESULT_LINES} more lines")
    return cut


def _is_thought(call: CallView) -> bool:
    """Whether the call is the planning tool's, which is told as a thought."""
    return not call.is_task and call.tool_name == "think_and_plan"
