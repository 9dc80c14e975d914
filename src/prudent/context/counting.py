"""Counting tokens where the provider does not: by a tokenizer where one is at hand, else an estimate that knows Chinese.

Both are estimates, and what is made of them is marked so: every model has a vocabulary of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from prudent.exchange import ModelRequest
from prudent.messages import Message, ToolSpec
from prudent.types import Usage

CHARACTERS_A_TOKEN = 3.7
"""Of English prose between 4 and 5, of JSON, code and logs about 3."""

TOKENS_A_HAN_CHARACTER = 0.75
"""Of Chinese, Japanese and Korean: between 0.6 and 1 in the vocabularies in use."""

MESSAGE_TOKENS = 4
"""What a message takes beside its text: its role and its marks."""

IMAGE_TOKENS = 1000
KEPT_COUNTS = 4096
TOKENIZER = "o200k_base"

Count = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text has."""
    if text.isascii():
        return round(len(text) / CHARACTERS_A_TOKEN)
    # A wide character takes three bytes, so two bytes more than characters: counted without looking at each.
    wide = min(len(text), (len(text.encode("utf-8", "surrogatepass")) - len(text)) // 2)
    return round((len(text) - wide) / CHARACTERS_A_TOKEN + wide * TOKENS_A_HAN_CHARACTER)


@cache
def best_count() -> Count:
    """Give what counts best here: tiktoken, where it is installed and TIKTOKEN_CACHE_DIR says where its vocabulary lies.

    Without that folder it would fetch the vocabulary in the middle of a run, so then it is not used.
    """
    if os.environ.get("TIKTOKEN_CACHE_DIR"):
        try:
            encoding = import_module("tiktoken").get_encoding(TOKENIZER)  # optional, and slow to load
        except Exception:  # not installed, or its vocabulary is not there: estimate
            return estimate_tokens
        return lambda text: len(encoding.encode_ordinary(text))
    return estimate_tokens


class TokenCounter:
    """Counts messages, each once. Its `Counter` port."""

    def __init__(self, count: Count | None = None) -> None:
        """Count texts with `count`; by default with the best there is."""
        self._count = count or best_count()
        self._kept: dict[int, tuple[Message, int]] = {}
        self._tools: tuple[Sequence[ToolSpec], int] = ((), 0)

    def text(self, text: str) -> int:
        """Count a text."""
        return self._count(text)

    def message(self, message: Message) -> int:
        """Count a message with its calls and pictures."""
        kept = self._kept.get(id(message))
        if kept is not None and kept[0] is message:
            return kept[1]
        texts = (message.text, message.opaque, *(f"{call.id}{call.name}{call.arguments}" for call in message.calls))
        tokens = MESSAGE_TOKENS + IMAGE_TOKENS * len(message.images) + sum(self._count(text) for text in texts if text)
        if len(self._kept) >= KEPT_COUNTS:
            self._kept.clear()
        self._kept[id(message)] = (message, tokens)
        return tokens

    def messages(self, messages: Sequence[Message]) -> int:
        """Count several."""
        return sum(map(self.message, messages))

    def tools(self, tools: Sequence[ToolSpec]) -> int:
        """Count a tool block."""
        if self._tools[0] is not tools:
            self._tools = (tools, self._count(json.dumps([tool.as_json() for tool in tools], ensure_ascii=False)))
        return self._tools[1]

    def usage(self, request: ModelRequest, reply: Message) -> Usage:
        """Estimate what a model call took."""
        read = self.messages(request.messages) + self.tools(request.tools)
        return Usage(read, 0, self.message(reply) + self._count(reply.reasoning), estimated=True)
