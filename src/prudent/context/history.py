"""Earlier questions and answers of a session, as the next run is given them: the latest whole, the oldest put together."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.context.counting import estimate_tokens
from prudent.context.cutting import cut_at, shorten
from prudent.messages import Message

WINDOW_SHARE = 0.2
"""So much of the model's window the whole exchanges may take."""

ANSWER_CHARS = 6000
QUESTION_LINE_CHARS = 160
ANSWER_LINE_CHARS = 300
FOLDED_CHARS = 6000
"""Of the exchanges that are put together, all lines."""

UNFINISHED = {"en": "(This answer is unfinished.)", "zh": "(这个回答没有完成。)"}
EARLIER = {
    "en": "[Earlier in this conversation, put together to save room. Questions (Q) and the answers (A) they got:]",
    "zh": "[此前的对话,为节省空间已归并。问题(Q)和当时的回答(A):]",
}


def history_messages(exchanges: Sequence[tuple[str, str, bool]], window_tokens: int, language: str = "en") -> list[Message]:
    """Give earlier exchanges as messages. Each is a question, its answer, and whether that is finished; oldest first."""
    whole: list[Message] = []
    room = window_tokens * WINDOW_SHARE
    first = len(exchanges)
    for question, answer, finished in reversed(exchanges):
        text = _bounded(answer) if finished else f"{_bounded(answer)}\n{UNFINISHED[language]}"
        room -= estimate_tokens(question) + estimate_tokens(text)
        if room < 0:
            break
        whole[:0] = [Message("user", question), Message("assistant", text)]
        first -= 1
    return [*_put_together(exchanges[:first], language), *whole]


def _bounded(answer: str) -> str:
    if len(answer) <= ANSWER_CHARS:
        return answer
    place = cut_at(answer, ANSWER_CHARS)
    return f"{answer[:place].rstrip()}\n[… {len(answer) - place:,} of {len(answer):,} characters left out]"


def _put_together(exchanges: Sequence[tuple[str, str, bool]], language: str) -> list[Message]:
    """Write old exchanges a line each, the latest of them if not all fit."""
    lines: list[str] = []
    room = FOLDED_CHARS
    for question, answer, _ in reversed(exchanges):
        line = f"Q: {shorten(question, QUESTION_LINE_CHARS)} A: {shorten(answer, ANSWER_LINE_CHARS)}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.insert(0, line)
    return [Message("user", "\n".join([EARLIER[language], *lines]))] if lines else []
