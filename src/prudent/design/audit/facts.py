"""What an audit looks at: the calls of many runs, and the definitions that were sent to models. Gathered from journals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from prudent.design.words import estimate_tokens
from prudent.errors import ErrorKind
from prudent.events import CallStatus
from prudent.messages import ToolSpec, canonical_json
from prudent.types import JSONObject


@dataclass(frozen=True, slots=True)
class Call:
    """One task call that a model made."""

    tool: str
    """The tool's name; for an unknown tool the name as the model wrote it."""

    turn: int = 1
    arguments: JSONObject = field(default_factory=dict)
    status: CallStatus = "ok"
    error_kind: ErrorKind | None = None
    shown: str = ""
    """What the model saw of the result, or the beginning of it."""

    @property
    def fine(self) -> bool:
        """Whether it ran and gave a result."""
        return self.status == "ok"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run's task calls, in the order in which the model made them."""

    run_id: str
    calls: tuple[Call, ...] = ()
    blocks: tuple[int, ...] = ()
    """Which of the tool blocks its model calls were made with."""

    agent: str = ""
    started_at: float = 0.0
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """Definitions that were sent together, by any number of model calls. In a list of them, the one used last comes last."""

    specs: tuple[ToolSpec, ...]
    model_calls: int = 1
    input_tokens: int = 0
    """What those model calls took in all, as the provider counted."""

    cached_tokens: int = 0
    """Those of `input_tokens` that came from the provider's prompt cache."""


@dataclass(frozen=True)
class Facts:
    """All that is known of a period; definitions without the runtime's own tools."""

    runs: tuple[RunFacts, ...] = ()
    blocks: tuple[ToolBlock, ...] = ()
    effects: Mapping[str, str] = field(default_factory=dict[str, str])
    """What calls of a tool do, by its name: read, write or destructive; as last recorded."""

    notes: tuple[str, ...] = ()
    """What a reader should know of how these were gathered."""

    @cached_property
    def specs(self) -> dict[str, ToolSpec]:
        """The newest definition of each tool, by name."""
        return {spec.name: spec for block in self.blocks for spec in block.specs}

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls of all runs."""
        return tuple(call for run in self.runs for call in run.calls)

    @cached_property
    def model_calls(self) -> int:
        """How many model calls were made with tools."""
        return sum(block.model_calls for block in self.blocks)

    @cached_property
    def tokens_a_model_call(self) -> float:
        """How many tokens a model call read on average; 0 where nothing is known."""
        return sum(block.input_tokens for block in self.blocks) / self.model_calls if self.model_calls else 0.0

    @cached_property
    def tokens(self) -> dict[str, int]:
        """What each tool's newest definition takes in a model call, estimated."""
        return {name: definition_tokens(spec) for name, spec in self.specs.items()}

    @cached_property
    def carried(self) -> Counter[str]:
        """How many model calls carried each tool's definition."""
        carried: Counter[str] = Counter()
        for names, block in zip(self._names, self.blocks, strict=True):
            carried.update(dict.fromkeys(names, block.model_calls))
        return carried

    def mounted(self, run: RunFacts) -> frozenset[str]:
        """Name the tools that a run had."""
        return frozenset[str]().union(*(self._names[block] for block in run.blocks))

    def were_together(self, one: str, other: str) -> bool:
        """Whether a model ever had both tools, so that it could take one for the other."""
        return any(one in names and other in names for names in self._names)

    @cached_property
    def _names(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(spec.name for spec in block.specs) for block in self.blocks)


def definition_tokens(spec: ToolSpec) -> int:
    """Estimate what a definition takes in every model call."""
    return estimate_tokens(f"{spec.name}{spec.description}{canonical_json(spec.parameters)}")
