"""Folds: old turns put together in a summary. The event that says so, and what a run knows of its turns and folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from prudent.events import Event, ModelCallEnded, ModelCallStarted
from prudent.messages import Message

FoldTrigger = Literal["window", "step", "overflow"]
"""Why it was folded: the window filled, a step of the plan was finished, or the provider refused the request as too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded(Event):
    """Old turns were put together.

    From here on the model sees what comes before the first turn, `pinned`, the messages of the transcript from
    `first_kept` to `until`, `message`, and whatever follows: all of it fixed until the next fold.
    """

    turn: int
    trigger: FoldTrigger
    message: Message
    """The summary and the pinned facts, as the model reads them."""

    pinned: Message | None = None
    """The latest plan, which stands beside the question."""

    first_kept: int
    until: int
    turns: int
    """How many turns are folded by now, counted from the first."""

    facts: tuple[str, ...] = ()
    """The pinned facts, each with the call it came from."""

    handles: tuple[str, ...] = ()
    """What was folded, whole: `r7 (turns 1-9)`, one for each fold."""

    before_tokens: int = 0
    after_tokens: int = 0
    written_by: str = ""
    """The model that wrote the summary; empty when it was written by rules."""


@dataclass(slots=True)
class Folds:
    """Where the turns of a run begin, what was folded, and how much the model read last."""

    head: int = 0
    """How many messages stand before the first turn: the system prompt, earlier questions and answers, the task."""

    starts: list[int] = field(default_factory=list[int])
    """Where each turn begins in the transcript: its assistant message, with its results and remarks behind it."""

    latest: Folded | None = None
    read_tokens: int = 0
    """Tokens of the last turn's request as the provider counted them; 0 when it did not, or when it was folded since."""

    read_until: int = 0
    """How much of the transcript stood in that request."""

    @property
    def first_kept(self) -> int:
        """Where in the transcript the first turn begins that is not folded."""
        return self.latest.first_kept if self.latest else self.head

    def see(self, event: Event, transcript: Sequence[Message]) -> None:
        """Take the next event in, after the transcript has."""
        match event:
            case ModelCallStarted(purpose="turn"):
                self.head = self.head or len(transcript)
                self.read_tokens, self.read_until = 0, len(transcript)
            case ModelCallEnded(purpose="turn"):
                self.read_tokens = 0 if event.usage.estimated else event.usage.input_tokens
                if event.kept:
                    self.starts.append(len(transcript) - 1)
            case Folded():
                self.latest, self.read_tokens = event, 0
            case _:
                pass
