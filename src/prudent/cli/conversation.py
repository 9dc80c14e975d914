"""The earlier questions and answers of a chat, as the next run is given them."""

from __future__ import annotations

from dataclasses import dataclass, field

from prudent.cli.text import as_json
from prudent.messages import Message
from prudent.types import JSON

HISTORY_CHARS = 24_000
"""Of all that is carried along; the oldest exchanges are left out first."""

UNFINISHED = "(This answer is unfinished.)"


@dataclass(slots=True)
class Conversation:
    """Questions and answers in order."""

    exchanges: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, question: str, output: JSON, *, finished: bool) -> None:
        """Remember an answered question; one without any answer is forgotten."""
        text = output if isinstance(output, str) else as_json(output) if output is not None else ""
        if text.strip():
            self.exchanges.append((question, text if finished else f"{text}\n{UNFINISHED}"))

    def messages(self) -> list[Message]:
        """Give the latest exchanges as messages, oldest first, as many as fit."""
        kept: list[Message] = []
        left = HISTORY_CHARS
        for question, answer in reversed(self.exchanges):
            left -= len(question) + len(answer)
            if left < 0:
                break
            kept[:0] = [Message("user", question), Message("assistant", answer)]
        return kept
