"""Composing the description that a model reads: what a tool does, when to choose it, when not, and examples."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from prudent.tools.nodes import as_object
from prudent.types import JSON, JSONMapping, JSONObject

CONFIRMATION = "confirmation"
"""The parameter by which a model confirms a call of a tool with `confirm = "model"`."""

_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)\s+|(?<=[。！？])\s*|\n+")
_NAMED = re.compile(r"`([A-Za-z0-9_-]{1,64})(?:\(\))?`|(?<![\w`./-])([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w`./-])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ENGLISH_LABELS = ("When to use: ", "When not to use: ", "Example arguments: ")
_CHINESE_LABELS = ("适用：", "不适用：", "参数示例：")


def compose(summary: str, when: str, not_when: str, examples: Sequence[JSONMapping]) -> str:
    """Compose a description; the labels are Chinese where the text is."""
    labels = _CHINESE_LABELS if _CHINESE.search(f"{summary}{when}{not_when}") else _ENGLISH_LABELS
    written = "; ".join(json.dumps(dict(example), ensure_ascii=False) for example in examples)
    lines = [label + text for label, text in zip(labels, (when.strip(), not_when.strip(), written), strict=True) if text]
    return "\n\n".join(part for part in (summary.strip(), "\n".join(lines)) if part)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, English or Chinese."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def tools_named(text: str, own_words: Collection[str]) -> frozenset[str]:
    """Find the tools that a text names: words in backticks, and words joined by underscores; not the tool's own words."""
    found = {backticked or joined for backticked, joined in _NAMED.findall(text)}
    return frozenset(found - set(own_words))


def without_absent(text: str, own_words: Collection[str], mounted: Collection[str]) -> str:
    """Leave out the sentences that name a tool which is not mounted."""
    kept = [sentence for sentence in sentences(text) if tools_named(sentence, own_words) <= set(mounted)]
    return " ".join(kept) if not _CHINESE.search(text) else "".join(kept)


def with_confirmation(parameters: JSONMapping) -> JSONObject:
    """Add to a schema the parameter by which the model confirms the call after it has seen the preview."""
    confirmation: JSON = {
        "type": "string",
        "description": "Leave this out at first: you get a preview and a token. Give the token here to really do it.",
    }
    return {**parameters, "properties": {**as_object(parameters.get("properties")), CONFIRMATION: confirmation}}
