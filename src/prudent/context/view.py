"""What of a run the model sees: the whole transcript, or, once old turns are folded, what is left and their summary."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.context.transcript import TranscriptView
from prudent.folds import Folded, Folds
from prudent.messages import Message
from prudent.state import RunState


class FoldedView:
    """Shows a transcript with its latest fold, made valid. Between two folds it only ever grows at its end.

    First the system prompt and the question with the plan beside it, then the turns that were the last ones when it was
    folded, then the summary of those before them, then what came since.
    """

    def __init__(self) -> None:
        self._valid = TranscriptView()
        self._fold: Folded | None = None
        self._shown: list[Message] = []
        self._until = 0

    def view(self, state: RunState) -> Sequence[Message]:
        """Give a valid list of messages."""
        fold = state.folds.latest
        if fold is None:
            return self._valid.view(state)
        transcript = state.transcript
        if fold is not self._fold:
            self._fold, self._until = fold, fold.until
            self._shown = [*head(state.folds, transcript), *transcript[fold.first_kept : fold.until], fold.message]
        self._shown += transcript[self._until :]
        self._until = len(transcript)
        return self._valid.of(self._shown, state)


def head(folds: Folds, transcript: Sequence[Message]) -> list[Message]:
    """Give what stands before the first turn, with the plan that is pinned beside the question."""
    pinned = folds.latest.pinned if folds.latest else None
    return [*transcript[: folds.head], *([pinned] if pinned else [])]
