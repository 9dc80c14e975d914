"""Which calls may run at all: the allow-list of the mode's surface, prerequisites, and one call at a time."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.errors import CallRefused
from prudent.ports import Candidate, End, Verdict
from prudent.state import RunState
from prudent.tools.surface import Surface

NAMED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class AllowList:
    """Only tools on the surface of the run's mode run."""

    surface: Surface

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Refuse a tool that the mode hides."""
        if self.surface.allows(candidate.tool, state.mode):
            return None
        names = [tool.name for tool in self.surface.shown(state.mode)]
        more = f" and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
        shown = f"{', '.join(names[:NAMED_AT_MOST])}{more}" if names else "none"
        return CallRefused(
            "not_allowed",
            f"{candidate.tool.name} is not allowed in mode {state.mode!r}",
            fix=f"allowed here: {shown}",
        )


@dataclass(frozen=True, slots=True)
class Prerequisites:
    """A tool with `requires` runs only after those tools have succeeded in this run.

    One that stands earlier in the same reply is waited for; whether it succeeded is looked at again before the call starts.
    """

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Refuse a call whose prerequisites are missing, naming them."""
        succeeded = {record.tool_name for record in state.calls.values() if record.status == "ok"}
        coming = {earlier.tool.name for earlier in candidate.earlier if not state_answered(earlier, state)}
        missing = [name for name in candidate.tool.requires if name not in succeeded and name not in coming]
        if not missing:
            return None
        return CallRefused(
            "prerequisite",
            f"{candidate.tool.name} needs a successful call of {' and '.join(missing)} first",
            fix=f"call {missing[0]} now, then {candidate.tool.name} again",
        )


def state_answered(candidate: Candidate, state: RunState) -> bool:
    """Whether the call has its result already."""
    record = state.calls.get(candidate.call_id)
    return bool(record and record.answered)


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """With parallel calls off, only the first task call of a reply runs; the others are told so, never dropped."""

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Refuse a task call that follows another one in the same reply."""
        del state
        first = next((earlier for earlier in candidate.earlier if earlier.tool.is_task), None)
        if not candidate.tool.is_task or first is None:
            return None
        return CallRefused(
            "one_at_a_time",
            f"one at a time: {first.tool.name} of the same reply was run, this call was not",
            fix="look at that result first, then make this call again if it is still needed",
        )
