"""The public names, pinned: a change here is a change for every user."""

from __future__ import annotations

import subprocess
import sys

import prudent

PUBLIC = [
    "Agent",
    "AgentSource",
    "Budget",
    "ConfigurationError",
    "Context",
    "Event",
    "Image",
    "Message",
    "ModelError",
    "PrudentError",
    "Rule",
    "Run",
    "RunResult",
    "Tool",
    "ToolError",
    "tool",
]
HEAVY = ("httpx2", "pydantic", "rich", "typer", "openai", "pydantic_ai", "xllamacpp", "lark", "pypdf")


def test_the_public_names_are_these() -> None:
    assert prudent.__all__ == PUBLIC
    assert all(getattr(prudent, name).__doc__ for name in PUBLIC)


def test_importing_brings_nothing_heavy() -> None:
    code = f"import sys, prudent; print([name for name in {HEAVY!r} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
