"""Making prompts short: the beginning of instructions, the gist of a tool's description, a list of facts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prudent.messages import ToolSpec
from prudent.models.small_situation import Fact

_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_EXAMPLES = re.compile(r"\n*(?:Examples?|Example arguments|例如|示例|参数示例)\s*[:：].*", re.DOTALL)
_QUOTED = re.compile(r",? such as [\"`].*?[\"`](?=[.;,\s]|$)")
_WHEN = re.compile(r"(?:When to use|适用)\s*[:：](.*)")


def described(description: str, limit: int) -> str:
    """Say what a tool does and when it is used, a sentence each, without examples: those leak into arguments."""
    plain = _QUOTED.sub("", _EXAMPLES.sub("", description)).strip()
    when = _WHEN.search(plain)
    parts = [_SENTENCE.split(plain)[0], _SENTENCE.split(when[1].strip())[0] if when else ""]
    return " ".join(part for part in parts if part)[:limit]


def beginning(text: str, limit: int) -> str:
    """Give the beginning of a text in whole paragraphs, at least a part of the first."""
    kept: list[str] = []
    for paragraph in _PARAGRAPH.split(text.strip()):
        if kept and sum(map(len, kept)) + len(paragraph) > limit:
            break
        kept.append(paragraph.strip()[:limit])
    return "\n\n".join(paragraph for paragraph in kept if paragraph)


def numbered(facts: Sequence[Fact], *, ids: bool = False) -> str:
    """List facts with their numbers, or with what they are opened by."""
    listed = enumerate(facts, start=1)
    return "\n".join(f"[{fact.id if ids and fact.id else number}] {fact.label}: {fact.text}" for number, fact in listed)


def required_names(tool: ToolSpec) -> list[str]:
    """Name a tool's required parameters."""
    required = tool.parameters.get("required")
    return [str(name) for name in required] if isinstance(required, list) else []
