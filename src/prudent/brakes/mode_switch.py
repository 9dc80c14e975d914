"""The model asks for another mode: only for one the agent allows, and a person says yes first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from prudent.brakes.approval import bind, rejection
from prudent.errors import CallRefused
from prudent.ports import Ask, Candidate, End, Verdict
from prudent.state import RunState
from prudent.tools.mode_switch import SWITCH_MODE, would_switch


@dataclass(frozen=True, slots=True)
class ModeSwitch:
    """Asks each time before the mode changes."""

    modes: Collection[str]
    """The modes that the model may ask for."""

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Hold a switch until somebody has decided; one that changes nothing is refused."""
        if candidate.tool.name != SWITCH_MODE:
            return None
        preview = would_switch(candidate.arguments)
        binding = bind(candidate.tool, candidate.arguments, preview)
        question, decision = candidate.question, candidate.decision
        if decision and question and question.kind == "mode" and question.binding == binding:
            return None if decision.decision in ("approve", "always") else rejection(decision)
        mode = str(candidate.arguments.get("mode"))
        if mode == state.mode or mode not in self.modes:
            others = ", ".join(other for other in self.modes if other != state.mode) or "none"
            why = f"the mode is {mode!r} already" if mode == state.mode else f"the mode {mode!r} may not be asked for"
            return CallRefused("not_allowed", why, fix=f"go on, or ask for one of: {others}")
        return Ask("mode", f"{preview}\nnow: {state.mode}", binding, each_time=True)
