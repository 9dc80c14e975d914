"""`approve_plan = true`: a person sees the first plan, may change it, and approves it before the first task call."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from prudent.errors import CallRefused
from prudent.events import ApprovalDecided
from prudent.ports import Ask, Candidate, End, Verdict
from prudent.state import RunState


@dataclass(frozen=True, slots=True)
class PlanApproval:
    """Asks about the plan before the first task call; a rejected plan is made anew and asked about again."""

    planning_tool: str
    """Name of the tool that plans are made with."""

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Hold the first task call until the plan is approved."""
        if candidate.decision and candidate.question and candidate.question.kind == "plan":
            return self._follow(candidate.decision)
        if state.plan_approved or not candidate.tool.is_task:
            return None
        plan = self._plan(candidate, state)
        if plan:
            return Ask("plan", plan, hashlib.sha256(plan.encode()).hexdigest()[:32])
        return CallRefused(
            "plan_first",
            f"{self.planning_tool} first: a person approves the plan before the first tool is used",
            fix=f"call {self.planning_tool} with a numbered plan, then {candidate.tool.name} again",
        )

    def _follow(self, decision: ApprovalDecided) -> CallRefused | None:
        why = f": {decision.reason}" if decision.reason else ""
        if decision.decision == "reject":
            return CallRefused(
                "rejected",
                f"the plan was rejected by {decision.decided_by}{why}",
                fix=f"make a better plan with {self.planning_tool}, then go on",
            )
        if decision.decision == "edit":
            plan = (decision.arguments or {}).get("plan", "")
            return CallRefused(
                "rejected", f"{decision.decided_by} changed the plan{why}. It is now: {plan}", fix="go on by this plan"
            )
        return None

    def _plan(self, candidate: Candidate, state: RunState) -> str:
        """Find the latest plan; a thought of the same reply may not be on record yet."""
        earlier = [str(e.arguments.get("plan") or "") for e in candidate.earlier if e.tool.name == self.planning_tool]
        plans = [*[thought.plan for thought in state.thoughts], *earlier]
        return next((plan for plan in reversed(plans) if plan.strip()), "")
