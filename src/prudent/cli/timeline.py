"""A whole run as lines to read: thoughts, calls, what the model saw, tokens for each turn, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod

from prudent.cli.board import Board
from prudent.cli.narration import WHY_FOLDED, Line, Style, call_line, fold_words, line, plan_lines
from prudent.cli.text import arguments_block, count, seconds_text, visible, when_text
from prudent.events import (
    ApprovalAsked,
    ApprovalDecided,
    CallEnded,
    Event,
    ModeChanged,
    ModelCallEnded,
    ModelCallFailed,
    ModelCallRetried,
    ModelCallStarted,
    RunEnded,
    RunResumed,
    RunStarted,
    ThoughtRecorded,
    Warned,
)
from prudent.folds import Folded
from prudent.messages import Message
from prudent.toolbox import StepRecorded, StepStatus, ToolsFound

SUMMARIES = {"folding": ("Folding", "the oldest turns"), "digest": ("Summary", "a long result")}
"""Model calls beside the turns: title, and what is to be summarised."""

LONG_ARGUMENTS = 90
"""Arguments that need more characters than this are written out one a line."""


STEP_MARKS: dict[StepStatus, tuple[str, Style]] = {
    "done": ("✓", "good"),
    "failed": ("✗", "bad"),
    "not_run": ("·", "dim"),
    "undone": ("↶", "warn"),
    "undo_failed": ("✗", "bad"),
}
"""How the steps of a macro are marked."""


@dataclass(slots=True)
class Timeline:
    """Turns the events of a run into lines, in order."""

    board: Board = field(default_factory=Board)
    figures: list[tuple[ModelCallEnded, str]] = field(default_factory=list[tuple[ModelCallEnded, str]])
    """Each model call with what had grown most in its request, for the table of tokens."""

    _request: Sequence[Message] = field(default=(), init=False)
    _turn: int = field(default=0, init=False)

    def lines(self, events: Sequence[Event]) -> Iterator[Line]:
        """Give all lines."""
        for event in events:
            self.board.apply(event)
            yield from self._lines(event)
        yield from self._token_table()

    @singledispatchmethod
    def _lines(self, event: Event) -> Sequence[Line]:
        del event
        return ()

    @_lines.register
    def _(self, event: RunStarted) -> Sequence[Line]:
        facts = [
            ("task", event.task),
            ("agent", f"{event.agent}  {event.agent_file}".rstrip()),
            ("model", f"{event.model}  {event.base_url}".rstrip()),
            ("started", f"{when_text(event.at)}, mode {event.mode}" + (f", session {event.session}" if event.session else "")),
        ]
        head = line(("strong", f"run {event.run_id}"))
        return (head, *(line(("dim", f"{name:<8} "), visible(value)) for name, value in facts))

    @_lines.register
    def _(self, event: RunResumed) -> Sequence[Line]:
        return (line(""), line(("dim", f"resumed {when_text(event.at)}")))

    @_lines.register
    def _(self, event: ModelCallStarted) -> Sequence[Line]:
        self._request = event.messages
        if event.purpose == "closing":
            return (line(""), line(("strong", "Closing call"), ("dim", "  asked for an answer from what was known")))
        if event.purpose in SUMMARIES:
            title, what = SUMMARIES[event.purpose]
            return (line(""), line(("strong", title), ("dim", f"  asked for a summary of {what}")))
        if event.turn == self._turn:
            return (line(("dim", "  asked again")),)
        self._turn = event.turn
        return (line(""), line(("strong", f"Turn {event.turn}")))

    @_lines.register
    def _(self, event: ModelCallRetried) -> Sequence[Line]:
        return (line(("warn", f"  ! {visible(event.reason)}; tried again after {event.wait_seconds:g} s")),)

    @_lines.register
    def _(self, event: ModelCallFailed) -> Sequence[Line]:
        return (line(("bad", f"  ! {visible(event.reason)}  {seconds_text(event.seconds)}")),)

    @_lines.register
    def _(self, event: ModelCallEnded) -> Sequence[Line]:
        self.figures.append((event, self._grown(event)))
        lines = [line(("dim", f"  {_figures(event)}"))]
        if event.message.reasoning:
            lines += _block("reasoning", event.message.reasoning)
        if event.message.text.strip():
            title = "summary" if event.purpose in SUMMARIES else "text" if event.message.calls else "answer"
            lines += _block(title, event.message.text)
        if not event.kept:
            lines.append(line(("warn", "  this reply was not used")))
        return lines

    @_lines.register
    def _(self, event: ThoughtRecorded) -> Sequence[Line]:
        lines = [line(("strong", f"  thought {visible(event.number)}  "), visible(event.thought))]
        lines += [line(("dim", "    plan  "), step) for step in plan_lines(event.plan)]
        return [*lines, line(("dim", "    next  "), visible(event.action))] if event.action else lines

    @_lines.register
    def _(self, event: CallEnded) -> Sequence[Line]:
        call = self.board.calls.get(event.call_id)
        if call is None or (call.tool_name == "think_and_plan" and event.status == "ok"):
            return ()
        lines = [line("  ", *call_line(call).parts, ("dim", f"  {event.call_id}"))]
        block = arguments_block(call.arguments)
        if sum(map(len, block)) > LONG_ARGUMENTS:
            lines += [line("      ", text) for text in block]
        return [*lines, *_seen(event)]

    @_lines.register
    def _(self, event: ApprovalAsked) -> Sequence[Line]:
        preview = [line(("dim", f"      {text}")) for text in visible(event.preview).splitlines()]
        return (line(("warn", f"  ? {visible(event.tool_name)} asked ({event.kind.replace('_', ' ')})")), *preview)

    @_lines.register
    def _(self, event: ApprovalDecided) -> Sequence[Line]:
        why = visible(event.reason or (f"{event.rule.words} (rule {event.rule.rule_id})" if event.rule else ""))
        by = f"{event.decision} by {visible(event.decided_by)}, {when_text(event.at)}"
        return (line(("dim", f"    {by}{f': {why}' if why else ''}")),)

    @_lines.register
    def _(self, event: ModeChanged) -> Sequence[Line]:
        return (line(("dim", f"  mode is now {visible(event.mode)}")),)

    @_lines.register
    def _(self, event: ToolsFound) -> Sequence[Line]:
        return (line(("dim", f"  found for {visible(event.query)!r}: "), visible(", ".join(event.found))),)

    @_lines.register
    def _(self, event: StepRecorded) -> Sequence[Line]:
        if event.status == "started":
            return ()
        mark, style = STEP_MARKS[event.status]
        told = f"  {visible(event.detail)}" if event.detail else ""
        words = "" if event.status in ("done", "failed") else f" ({event.status.replace('_', ' ')})"
        return (line("    ", (style, mark), f" {event.number}/{event.of} {visible(event.step)}{words}", ("dim", told)),)

    @_lines.register
    def _(self, event: Folded) -> Sequence[Line]:
        head = line(("strong", f"  {fold_words(event)}"), ("dim", f"  ({WHY_FOLDED[event.trigger]}; they stand above in full)"))
        return [head, *_block("the model sees instead", event.message.text)]

    @_lines.register
    def _(self, event: Warned) -> Sequence[Line]:
        return (line(("warn", f"  ! {visible(event.text)}")),)

    @_lines.register
    def _(self, event: RunEnded) -> Sequence[Line]:
        reason = f" ({event.reason})" if event.reason else ""
        error = f": {visible(event.error)}" if event.error else ""
        status = event.status.replace("_", " ")
        return (line(""), line(("strong", f"{status}{reason}"), error, ("dim", f"  {when_text(event.at)}")))

    def _token_table(self) -> Iterator[Line]:
        if not self.figures:
            return
        yield line("")
        yield line(("dim", f"{'call':<10}{'read':>9}{'cached':>9}{'written':>9}{'seconds':>9}  grew most"))
        for call, grown in self.figures:
            name = f"turn {call.turn}" if call.purpose == "turn" else call.purpose
            usage = call.usage
            tokens = f"{usage.input_tokens:>9,}{usage.cached_tokens:>9,}{usage.output_tokens:>9,}"
            yield line(f"{name:<10}{tokens}{call.seconds:>9.1f}  {grown}{' (estimated)' if usage.estimated else ''}")

    def _grown(self, call: ModelCallEnded) -> str:
        """Name the message of the request that had grown most since the call before."""
        messages = self._request
        if not 0 <= call.largest_message < len(messages):
            return ""
        message = messages[call.largest_message]
        record = self.board.calls.get(message.call_id)
        what = f"result of {visible(record.tool_name)}" if record else f"{message.role} message"
        return f"{what}, {count(len(message.text), 'character')}"


def _figures(event: ModelCallEnded) -> str:
    usage = event.usage
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    tokens = f"{usage.input_tokens:,} read{cached}, {usage.output_tokens:,} written"
    return f"{tokens}, {seconds_text(event.seconds)}, {event.finish_reason}"


def _block(title: str, text: str) -> list[Line]:
    return [line(("strong", f"  {title}")), *(line("    ", part) for part in visible(text).splitlines())]


def _seen(event: CallEnded) -> list[Line]:
    """Write what the model saw of the result, and whether that was all."""
    whole = ""
    if event.artifact:
        whole = f"  of {count(event.result_chars, 'character')}; all of it has the handle {event.artifact}"
    head = line(("dim", f"      the model saw {count(len(event.shown), 'character')}{whole}"))
    return [head, *(line("      ", text) for text in visible(event.shown).splitlines())]
