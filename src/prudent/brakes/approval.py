"""Confirmation: who is asked about which call, and what a decision covers.

By default a `destructive` call asks, and so does a declared `write` that is not idempotent; a `read` never does, and an
undeclared tool does not. A policy, whose first matching rule counts, can widen or narrow that. A decision is bound to a
hash of the tool, the decoded arguments and, where the preview showed state, of that state: drift asks again. What was
answered with "always" is a standing rule; it takes the place of a default, never of what the policy or the tool's author says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias, get_args

from prudent.errors import CallRefused, ConfigurationError, ToolError
from prudent.events import ApprovalDecided
from prudent.ports import Ask, Candidate, End, Verdict
from prudent.standing import StandingRule, argument_text
from prudent.state import RunState
from prudent.tools.definition import Tool
from prudent.types import JSON, JSONMapping, JSONObject

PREVIEW_CHARS = 20_000
TOKEN_CHARS = 8
PolicyAnswer = Literal["ask", "allow", "deny"]
Answer: TypeAlias = PolicyAnswer | Literal["model"]
"""`model`: the model itself confirms, by repeating the call with the token that came with its preview. For small risks.

Only a tool can say so, not a policy: the token's parameter has to stand in the tool's definition."""

_BY_DECLARATION: dict[str, Answer] = {"never": "allow", "always": "ask", "model": "model"}


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a policy. What is left out matches everything."""

    answer: PolicyAnswer
    tool: str = "*"
    """Glob on the tool's name."""

    effect: str = "*"
    """`read`, `write`, `destructive` or `undeclared`; a glob."""

    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    """Globs on arguments by name, compared with their text (JSON for objects and lists)."""

    def __post_init__(self) -> None:
        if self.answer not in get_args(PolicyAnswer):
            raise ConfigurationError(
                f"a policy's answer is {self.answer!r}: use {', '.join(get_args(PolicyAnswer))} "
                '(that the model confirms by itself is said by the tool: confirm="model")'
            )

    def matches(self, tool: Tool, arguments: JSONMapping) -> bool:
        """Whether the rule speaks of this call."""
        return (
            fnmatchcase(tool.name, self.tool)
            and fnmatchcase(tool.effect or "undeclared", self.effect)
            and all(
                name in arguments and fnmatchcase(argument_text(arguments[name]), glob) for name, glob in self.arguments.items()
            )
        )


@dataclass(frozen=True, slots=True)
class ApprovalBrake:
    """Asks before a call that should not run unasked."""

    policy: Sequence[Rule] = ()
    standing: Sequence[StandingRule] = ()
    """What people allowed once for all in earlier sittings with this agent; the run's own come from its state."""

    forgotten: Collection[str] = ()
    """Ids of standing rules that were taken back since the sitting began."""

    def before_model(self, state: RunState) -> End | None:
        """Nothing to see here."""
        del state

    def before_call(self, candidate: Candidate, state: RunState) -> Verdict | None:
        """Ask, refuse, or let the call through by the decision that was given for exactly this call."""
        said = self._said(candidate.tool, candidate.arguments)
        answer = said or self._default(candidate, state)
        if answer == "deny":
            return CallRefused(
                "not_allowed",
                f"the policy does not allow this call of {candidate.tool.name}",
                fix="go on without it, and tell the user that it is not allowed",
            )
        if _decided(candidate) == "reject" and candidate.decision:
            return rejection(candidate.decision)
        return None if answer == "allow" else self._ask(candidate, answer, each_time=said == "ask")

    def _ask(self, candidate: Candidate, answer: Answer, *, each_time: bool) -> Verdict | None:
        try:
            preview = preview_text(candidate.tool, candidate.arguments)
        except ToolError as error:
            return CallRefused("tool_error", error.reason, fix=error.fix)
        except Exception as error:  # a preview is a user's code: whatever it raises must not end the run
            return CallRefused("tool_error", f"the preview of {candidate.tool.name} failed ({type(error).__name__})")
        binding = bind(candidate.tool, candidate.arguments, preview)
        if answer == "model":
            return _ask_model(candidate, preview, binding[:TOKEN_CHARS])
        return None if _covers(candidate, binding) else Ask("call", preview, binding, each_time)

    def _said(self, tool: Tool, arguments: JSONMapping) -> Answer | None:
        """Give what the policy says, else the tool's author; None where it is left to the default."""
        rule = next((rule for rule in self.policy if rule.matches(tool, arguments)), None)
        return rule.answer if rule else _BY_DECLARATION.get(tool.confirm)

    def _default(self, candidate: Candidate, state: RunState) -> Answer:
        tool = candidate.tool
        asks = tool.effect == "destructive" or (tool.effect == "write" and not tool.idempotent)
        return "ask" if asks and not self._stands(candidate, state) else "allow"

    def _stands(self, candidate: Candidate, state: RunState) -> bool:
        """Whether a person allowed calls like this one once for all."""
        return any(
            rule.covers(candidate.tool.name, candidate.arguments) and rule.rule_id not in self.forgotten
            for rule in (*self.standing, *state.standing)
        )


def rejection(decision: ApprovalDecided) -> CallRefused:
    """Turn a person's no into what the model is told."""
    reason = f": {decision.reason}" if decision.reason else ""
    return CallRefused("rejected", f"rejected by {decision.decided_by}{reason}", fix="go on without this call, or ask the user")


def preview_text(tool: Tool, arguments: JSONObject) -> str:
    """Tell what the call would do, by the tool's own preview, else by the call itself in readable form."""
    if tool.preview is None:
        lines = [f"  {name}: {_text(value)}" for name, value in arguments.items() if name not in tool.secret]
        return "\n".join([f"{tool.name}", *lines])[:PREVIEW_CHARS]
    shown = tool.preview(arguments)
    return (shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False, default=str, indent=1))[:PREVIEW_CHARS]


def bind(tool: Tool, arguments: JSONMapping, preview: str) -> str:
    """Hash what a decision is about."""
    whole = json.dumps([tool.name, arguments, preview if tool.preview else ""], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _ask_model(candidate: Candidate, preview: str, token: str) -> CallRefused | None:
    """Let the model look at the preview first; the token binds its yes to exactly this call."""
    if candidate.confirmation == token:
        return None
    return CallRefused(
        "not_allowed",
        f"not run yet; it would do this: {preview}",
        fix=f'if that is right, make the same call again with "confirmation": "{token}"',
    )


def _decided(candidate: Candidate) -> str:
    """Tell what was decided about the call itself; a decision about the plan is none."""
    question = candidate.question
    about_call = question is not None and question.kind != "plan" and not question.sub_call
    return candidate.decision.decision if candidate.decision and about_call else ""


def _covers(candidate: Candidate, binding: str) -> bool:
    """Whether the decision at hand was given for exactly this call."""
    decision, question = candidate.decision, candidate.question
    if decision is None or question is None or question.kind == "plan":
        return False
    if decision.decision == "edit":
        return decision.arguments == candidate.arguments
    if decision.decision == "retry":
        return True
    return decision.decision in ("approve", "always") and question.binding == binding


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
