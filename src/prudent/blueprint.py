"""What a run is put together from: its agent, and how the run differs from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypedDict, runtime_checkable

from prudent.brakes.approval import Rule
from prudent.brakes.budget import Budget
from prudent.exchange import ModelSettings
from prudent.loop.checks import TypedAnswer
from prudent.loop.packs import Language
from prudent.loop.parts import AnswerCheck
from prudent.loop.planning import Planning
from prudent.messages import Message
from prudent.ports import Approver, Model
from prudent.tools.definition import Tool
from prudent.tools.surface import Surface


class StartOptions(TypedDict, total=False):
    """How one run differs from its agent. What is left out is the agent's own choice."""

    model: str | Model | None
    base_url: str | None
    db: str | Path | None
    """The journal's file; `PRUDENT_DB` or `.prudent/agent.db` by default."""

    session: str
    mode: str | None
    max_model_calls: int | None
    seconds: float | None
    approver: Approver | None
    """Who is asked; without one the run is parked whenever somebody has to be asked."""

    history: Sequence[Message]
    """Earlier questions and answers of a conversation."""

    run_id: str
    """The new run's id; made up by default."""

    within: Budget | None
    """What is left of a parent's budget: the run's own budget ends where this one does."""

    process_ends: bool
    """Whether the process ends with the run, so that nothing a stop left running can go on."""


@dataclass(frozen=True, slots=True)
class AgentSource:
    """Where an agent was read from; recorded with each run, so that resuming can tell whether it changed."""

    path: str
    name: str = ""
    """The variable's name in a Python file."""

    hash: str = ""
    """Of the file's content."""

    @property
    def reference(self) -> str:
        """The agent as the command line names it."""
        return f"{self.path}:{self.name}" if self.name else self.path


@runtime_checkable
class Blueprint(Protocol):
    """What has to be known of an agent; `Agent` fulfils it."""

    name: str
    source: AgentSource | None
    model: str | Model | None
    base_url: str | None
    summary_model: str | Model | None
    """Writes summaries of old turns; None has the run's own model do it."""

    instructions: str
    language: Language
    planning: Planning
    approve_plan: bool
    thinking_examples: tuple[str, ...]
    parallel_tool_calls: bool
    budget: Budget
    policy: tuple[Rule, ...]
    on_repetition: Literal["end", "nudge"]
    settings: ModelSettings
    mode: str
    mode_switch: tuple[str, ...]
    """Modes that the model may ask for."""

    record_raw: bool
    dependencies: object
    workspace: Path
    typed: TypedAnswer | None
    judge: Blueprint | None
    """Another agent that judges the answers of this one."""

    def surface(self, extra: Sequence[Tool] = ()) -> Surface:
        """Give the tools as the model sees them."""
        ...

    def check(self) -> AnswerCheck:
        """Give what judges a final answer."""
        ...
