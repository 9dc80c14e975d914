"""What may stand in an agent file, and of which type."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Table(BaseModel):
    """A table of the file: nothing unknown, nothing of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BudgetTable(Table):
    """`[budget]`: what a run may spend."""

    model_calls: int | Literal["auto"] = "auto"
    """Every model call counts. `auto`: as many turns as the plan needs, 3 to 8."""

    seconds: float = 60.0
    tokens: int | None = None
    cost: float | None = None
    """US dollars."""


class RuleTable(Table):
    """One `[[policy]]`: the first that matches a call decides whether it asks."""

    answer: Literal["ask", "allow", "deny"]
    tool: str = "*"
    effect: str = "*"
    arguments: dict[str, str] = Field(default_factory=dict[str, str])
    """Globs on arguments, by name."""


class AgentTable(Table):
    """The whole file. Every setting is that of `Agent` by the same name."""

    name: str = "agent"
    model: str | None = None
    base_url: str | None = None
    summary_model: str | None = None
    instructions: str = ""
    planning: Literal["off", "prompt", "tool", "required", "split"] = "tool"
    language: Literal["en", "zh"] = "en"
    thinking_examples: list[str] = Field(default_factory=list[str])
    parallel_tool_calls: bool = False
    mode: str = "act"
    mode_switch: list[str] = Field(default_factory=list[str])
    surface: Literal["hide", "mask"] = "hide"
    tool_search: bool | Literal["auto"] = "auto"
    always_visible: list[str] = Field(default_factory=list[str])
    on_repetition: Literal["end", "nudge"] = "end"
    temperature: float | None = None
    max_tokens: int | None = None
    reasoning: str | None = None
    workspace: str | None = None
    record_raw: bool = True
    approve_plan: bool = False
    output_type: str | None = None
    """`file.py:Class`."""

    answer_check: str | None = None
    """`file.py:function`."""

    tools: list[str] = Field(default_factory=list[str])
    """`file.py:function`, one for each."""

    budget: BudgetTable = Field(default_factory=BudgetTable)
    toolkits: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    """`[toolkits.NAME]`, each with the options of that toolkit."""

    policy: list[RuleTable] = Field(default_factory=list[RuleTable])
    modes: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    """Names of the tools that a mode shows, by mode."""


TABLES: dict[str, type[Table]] = {"": AgentTable, "budget": BudgetTable, "policy": RuleTable}
"""The table that stands under each name, for finding the nearest setting."""
