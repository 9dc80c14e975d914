"""Facts made by hand, for the tests of single findings."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.design.audit.facts import Call, Facts, RunFacts, ToolBlock
from prudent.messages import ToolSpec
from prudent.types import JSON, JSONObject


def spec(name: str, description: str = "", required: Sequence[str] = (), **properties: JSON) -> ToolSpec:
    """A definition; parameters are strings unless they say otherwise, and required only where named."""
    nodes: JSONObject = {key: node if isinstance(node, dict) else {"type": "string"} for key, node in properties.items()}
    return ToolSpec(name, description or f"Does {name}.", {"type": "object", "properties": nodes, "required": [*required]})


def call(tool: str, turn: int = 1, /, **arguments: JSON) -> Call:
    return Call(tool, turn, arguments)


def failed(tool: str, turn: int = 1, /, **arguments: JSON) -> Call:
    return Call(tool, turn, arguments, "error", "tool_error")


def facts(runs: Sequence[Sequence[Call]], *specs: ToolSpec, tokens: int = 1_000) -> Facts:
    """Runs of one agent that always had all of these tools, and called the model once for each turn and the answer."""
    turns = sum(max((made.turn for made in calls), default=0) + 1 for calls in runs)
    return Facts(
        runs=tuple(RunFacts(f"run-{at}", tuple(calls), (0,), "clerk", float(at)) for at, calls in enumerate(runs)),
        blocks=(ToolBlock(specs, turns, tokens * turns),),
    )
