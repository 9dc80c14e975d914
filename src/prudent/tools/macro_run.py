"""Working through a macro's steps: each recorded before and after, stopped at the first that fails, taken back in reverse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from prudent.errors import CallParked, CallRefused, ToolCrashed, ToolError, ToolTimedOut
from prudent.tools.context import Context
from prudent.tools.steps import Action, Result, Step, Words, as_json, references
from prudent.tools.validation import validate_object
from prudent.tools.wording import quote
from prudent.types import JSON, JSONMapping

_DETAIL_CHARS = 300
_CUT_OFF = "cut off while it ran; whether it took effect is not known"


@dataclass(frozen=True, slots=True)
class MacroRun:
    """Does what a macro says."""

    name: str
    steps: tuple[Step, ...]
    foresee: Callable[[JSONMapping], Mapping[str, JSON]] | None = None
    ends_with: str = ""

    async def work(self, context: Context, given: JSONMapping) -> str:
        """Do all steps and tell what was done. Raises ToolError with what was done, what was undone and what was not run."""
        going = _Going(self, context, given)
        for at in range(len(self.steps)):
            await going.do(at)
        return going.summary()


@dataclass(slots=True)
class _Going:
    """One run of a macro."""

    macro: MacroRun
    context: Context
    given: JSONMapping
    results: dict[str, object] = field(default_factory=dict[str, object])
    done: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Steps that were done, by their place, each with what came of it."""

    async def do(self, at: int) -> None:
        """Do one step; on its failure take back the ones before it."""
        one = self.macro.steps[at]
        self._record(at, "started")
        try:
            value = await self._act(one.does)
        except asyncio.CancelledError:
            self._record(at, "failed", _CUT_OFF)
            raise
        except CallParked:
            raise ToolError(f"step {one.name!r} waits for a person, which a macro's step cannot do") from None
        except Exception as error:  # a step is a user's code: whatever it raises ends the macro with a word about it
            reason, fix, may_have_happened = _told(error)
            self._record(at, "failed", reason)
            raise await self._failure(at, reason, fix, may_have_happened=may_have_happened) from error
        self.results[one.name] = value
        detail = "" if value is None else _line(value)
        self.done.append((at, detail))
        self._record(at, "done", detail)

    def summary(self) -> str:
        """Tell what was done."""
        lines = [f"{at + 1}. {self.macro.steps[at].name}{f': {detail}' if detail else ''}" for at, detail in self.done]
        words = {**self.given, **{name: as_json(value) for name, value in self.results.items()}}
        for value in self.results.values():
            plain = as_json(value)
            words |= plain if isinstance(plain, dict) else {}
        ending = self.macro.ends_with.format_map(Words(words))
        return "\n".join([f"{self.macro.name}: all {len(lines)} steps are done.", *lines, *([ending] if ending else [])])

    async def _act(self, act: Action) -> object:
        arguments = act.filled(self.given, self.results)
        return await self.context.run_tool(act.tool, validate_object(act.tool, arguments).arguments)

    async def _failure(self, at: int, reason: str, fix: str, *, may_have_happened: bool) -> ToolError:
        """Take back what can be taken back, and put the failure in words."""
        steps = self.macro.steps
        for later in range(at + 1, len(steps)):
            self._record(later, "not_run")
        undone, left = await self._take_back([*self._done_places(), *([at] if may_have_happened else [])])
        parts = [f"step {at + 1} of {len(steps)} ({steps[at].name}) failed: {reason}"]
        parts += [f"undone: {', '.join(undone)}"] if undone else []
        parts += [f"not undone: {', '.join(left)}"] if left else []
        parts += ["nothing was changed before it"] if not (undone or left or may_have_happened) else []
        rest = [steps[later].name for later in range(at + 1, len(steps))]
        parts += [f"not run: {', '.join(rest)}"] if rest else []
        return ToolError(". ".join(parts), fix=fix)

    async def _take_back(self, places: list[int]) -> tuple[list[str], list[str]]:
        """Undo steps in reverse; gives the names of those undone and of those left, but for those that only read."""
        undone: list[str] = []
        left: list[str] = []
        for at in reversed(places):
            one = self.macro.steps[at]
            unsure = "" if one.name in self.results else " (whether it was done is not known)"
            if one.undo is None or (unsure and _needs_result(one.undo, one.name)):
                left += [f"{one.name}{unsure}"] if one.does.tool.effect != "read" else []
                continue
            try:
                await self._act(one.undo)
            except Exception as error:  # undoing is a user's code: that it failed is told, and the rest is undone all the same
                reason = _told(error)[0]
                self._record(at, "undo_failed", reason)
                left.append(f"{one.name} (undoing it failed: {reason})")
            else:
                self._record(at, "undone")
                undone.append(one.name)
        return undone, left

    def _done_places(self) -> list[int]:
        return [at for at, _ in self.done]

    def _record(self, at: int, status: str, detail: str = "") -> None:
        of = len(self.macro.steps)
        name = self.macro.steps[at].name
        self.context.note("step", {"number": at + 1, "of": of, "step": name, "status": status, "detail": detail})


def _told(error: Exception) -> tuple[str, str, bool]:
    """Put a step's failure in words: the reason, what to do, and whether it may have taken effect all the same."""
    if isinstance(error, ToolError | CallRefused):
        return error.reason[:_DETAIL_CHARS], error.fix, False
    if isinstance(error, ToolTimedOut):
        return f"{error}; whether it took effect is not known", "", True
    if isinstance(error, ToolCrashed):
        return f"{error}; whether it took effect is not known"[:_DETAIL_CHARS], "", True
    return f"it failed with {type(error).__name__}", "", True


def _needs_result(undo: Action, name: str) -> bool:
    """Whether undoing a step takes the result that it gave."""
    return any(isinstance(value, Result) and value.of == name for value in references(undo.arguments))


def _line(value: object) -> str:
    """Write a result in a line."""
    text = value if isinstance(value, str) else quote(as_json(value), _DETAIL_CHARS)
    return " ".join(text.split())[:_DETAIL_CHARS]
