"""The usual loop, for comparison: tools in the chat template's own form, nothing constrained."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prudent.messages import ToolSpec
from prudent.models.local_engine import Generation, engine_for

MOST_TURNS = 6


@dataclass
class NaiveRun:
    """What came of it."""

    answer: str = ""
    tools: list[str] = field(default_factory=list)
    shown: str = ""
    turns: int = 0


def naive_run(path: Path, instructions: str, specs: Sequence[ToolSpec], tools: Mapping[str, Any], task: str) -> NaiveRun:
    """Run a task."""
    run = NaiveRun()
    messages: list[dict[str, Any]] = [{"role": "system", "content": instructions}, {"role": "user", "content": task}]
    for _ in range(MOST_TURNS):
        run.turns += 1
        text, calls = _ask(path, messages, specs)
        if not calls:
            run.answer = text
            return run
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        for call in calls:
            name = call["function"]["name"]
            run.tools.append(name)
            try:
                shown = str(tools[name](**json.loads(call["function"]["arguments"])))
            except Exception as error:
                shown = f"error: {error}"
            run.shown += shown + "\n"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": shown})
    run.answer = text
    return run


def _ask(path: Path, messages: list[dict[str, Any]], specs: Sequence[ToolSpec]) -> tuple[str, list[dict[str, Any]]]:
    """Make one model call with native tools."""
    chunks: list[Any] = []
    engine = engine_for(path, threads=1, context_tokens=8192)
    body: Any = {"messages": messages, "tools": [spec.as_json() for spec in specs], "temperature": 0, "max_tokens": 400}
    engine.generate(Generation(engine, body, chunks.append))
    text, calls = "", {}
    for chunk in chunks:
        for choice in chunk.get("choices", ()):
            text += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                call = calls.setdefault(
                    piece["index"], {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
                )
                call["id"] = piece.get("id") or call["id"] or f"call_{piece['index']}"
                call["function"]["name"] += piece["function"].get("name") or ""
                call["function"]["arguments"] += piece["function"].get("arguments") or ""
    return text, list(calls.values())
