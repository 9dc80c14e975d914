"""Folding: when the context grows too long, its old turns are put together in a summary, with the facts pinned apart.

Done rarely and in one place, since each time the provider's prompt cache is lost from there on. A fold looks at the run's
state only and is an event, so that a resumed run sees what the one that was cut off saw.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from prudent.context.counting import TokenCounter
from prudent.context.facts import Recorded, choose, facts_of, grounded, says_as_much
from prudent.context.relevance import terms_of
from prudent.context.summaries import read_notes, summary_by_rules, written_out
from prudent.context.words import WORDS, FoldWords, Language
from prudent.folds import Folded, FoldTrigger
from prudent.messages import Message
from prudent.ports import Artifacts, Fold
from prudent.state import RunState

KEPT_TURNS = 3
WINDOW_SHARE = 0.6
STEP_TOKENS = 4000
"""A finished step of the plan is folded where the conversation is longer than this."""

LEAST_FOLDED_TOKENS = 2000
"""Less than this is not worth a summary and the loss of the prompt cache."""

LARGE_SHARE = 0.25
"""A result that takes more of the window than this is warned of."""

REQUEST_SHARE = 0.3
"""So much of the window the turns may take in the request for a summary."""

MOST_PLAN_CHARS = 1200
MOST_FACTS_CHARS = 4000
"""Of all pinned facts together, about a thousand tokens."""


def _no_secrets(_tool_name: str) -> Collection[str]:
    return ()


@dataclass(slots=True)
class ContextFolder:
    """Decides what of one run is folded, and makes folds. Its `Folder` port."""

    artifacts: Artifacts
    window_tokens: int
    language: Language = "en"
    counter: TokenCounter = field(default_factory=TokenCounter)
    secret_parameters: Callable[[str], Collection[str]] = _no_secrets
    """Parameters of a tool whose values are not written."""

    kept_turns: int = KEPT_TURNS
    _sums: list[int] = field(default_factory=lambda: [0], init=False)
    """Tokens of the transcript before each of its messages."""

    def due(self, state: RunState, *, overflow: bool = False) -> Fold | None:
        """Say what is to be folded: all but the last three turns; after an overflow all but the last one, if need be."""
        folds = state.folds
        for kept in (self.kept_turns, 1) if overflow else (self.kept_turns,):
            if len(folds.starts) <= kept:
                continue
            first_kept = folds.starts[-kept]
            if first_kept <= folds.first_kept:
                continue
            trigger = "overflow" if overflow else self._trigger(state, self._between(state, folds.first_kept, first_kept))
            if trigger:
                return Fold(trigger, first_kept, len(folds.starts) - kept, self._request(state, first_kept))
        return None

    def fold(self, state: RunState, fold: Fold, written: str, *, by: str) -> Folded:
        """Make the fold: by a model's notes where they can be read, the rest of it by rules."""
        words, latest = WORDS[self.language], state.folds.latest
        calls = self._calls(state, state.folds.first_kept, fold.first_kept)
        handles = (*(latest.handles if latest else ()), *self._keep(state, fold))
        summary, noted = read_notes(written)
        facts = self._facts(state, fold, [*calls.values()], noted)
        message = _memory(words, fold, summary or summary_by_rules(state, [*calls.values()], words), facts, handles)
        plan = next((thought.plan for thought in reversed(state.thoughts) if thought.plan.strip()), "")
        pinned = Message("user", words.plan.format(plan=plan.strip()[:MOST_PLAN_CHARS])) if plan else None
        stays = self._between(state, 0, state.folds.head) + self._between(state, fold.first_kept, len(state.transcript))
        return Folded(
            turn=state.turn,
            trigger=fold.trigger,
            message=message,
            pinned=pinned,
            first_kept=fold.first_kept,
            until=len(state.transcript),
            turns=fold.turns,
            facts=facts,
            handles=handles,
            before_tokens=self.size(state),
            after_tokens=stays + self.counter.message(message) + (self.counter.message(pinned) if pinned else 0),
            written_by=by if summary else "",
        )

    def warnings(self, state: RunState) -> list[str]:
        """Name each of the newest results that takes over a quarter of the window."""
        found: list[str] = []
        for message in reversed(state.transcript):
            if message.role != "tool":
                break
            tokens = self.counter.message(message) if len(message.text) > self.window_tokens * LARGE_SHARE else 0
            if tokens > self.window_tokens * LARGE_SHARE:
                record = state.calls.get(message.call_id)
                share = round(100 * tokens / self.window_tokens)
                name = record.tool_name if record else message.call_id
                found.append(
                    f"the result of {name} ({message.call_id}) takes about {tokens:,} tokens, {share} % of the model's window: "
                    "let the tool return less, or give it a smaller max_result_chars"
                )
        return found[::-1]

    def size(self, state: RunState) -> int:
        """Tell how many tokens the next request has: as the provider counted the last one, and what came since.

        A count that is less than half of the estimate is not believed: some servers leave cached tokens out.
        """
        folds, end = state.folds, len(state.transcript)
        estimate = self._between(state, 0, folds.head) + self._between(state, folds.first_kept, end)
        if folds.latest:
            pinned = folds.latest.pinned
            estimate += self.counter.message(folds.latest.message) + (self.counter.message(pinned) if pinned else 0)
        if not folds.read_tokens:
            return estimate
        counted = folds.read_tokens + self._between(state, folds.read_until, end)
        return counted if counted * 2 >= estimate else estimate

    def _trigger(self, state: RunState, foldable_tokens: int) -> FoldTrigger | None:
        if foldable_tokens < min(LEAST_FOLDED_TOKENS, self.window_tokens // 8):
            return None
        if self.size(state) >= self.window_tokens * WINDOW_SHARE:
            return "window"
        conversation = self._between(state, state.folds.first_kept, len(state.transcript))
        return "step" if conversation > STEP_TOKENS and _step_finished(state) else None

    def _between(self, state: RunState, start: int, end: int) -> int:
        """Count the tokens of a part of the transcript; each message is counted once."""
        sums, transcript = self._sums, state.transcript
        for place in range(len(sums) - 1, len(transcript)):
            sums.append(sums[-1] + self.counter.message(transcript[place]))
        return max(0, sums[end] - sums[start])

    def _calls(self, state: RunState, start: int, end: int) -> dict[str, Recorded]:
        """Give the calls of a part of the transcript, in order."""
        ids = [call.id for message in state.transcript[start:end] for call in message.calls]
        records = [state.calls[call_id] for call_id in ids if call_id in state.calls]
        return {r.call_id: Recorded(r, tuple(self.secret_parameters(r.tool_name))) for r in records}

    def _facts(self, state: RunState, fold: Fold, calls: list[Recorded], noted: list[str]) -> tuple[str, ...]:
        """Put together the facts of earlier folds, those that the model has noted and that stand in the turns, and the rest."""
        earlier = state.folds.latest.facts if state.folds.latest else ()
        material = " ".join([state.task, *earlier, *(f"{call.whole_arguments} {call.record.shown}" for call in calls)])
        terms = terms_of(" ".join([state.task, state.thoughts[-1].plan if state.thoughts else ""]))
        sound = [fact for fact in noted if grounded(fact, material)]
        known = [*(fact for fact in earlier if not says_as_much(sound, fact)), *sound]
        found = [fact for fact in facts_of(calls, terms) if not says_as_much(known, fact)]
        return choose(list(dict.fromkeys([*known, *found])), terms, room=self._facts_room)

    @property
    def _facts_room(self) -> int:
        """Characters for the pinned facts; in a small window about an eighth of it."""
        return min(MOST_FACTS_CHARS, self.window_tokens // 2)

    def _keep(self, state: RunState, fold: Fold) -> list[str]:
        """Keep the folded turns word for word, and give the handle with what it stands for."""
        start, latest = state.folds.first_kept, state.folds.latest
        first = (latest.turns if latest else 0) + 1
        text = written_out(state.transcript[start : fold.first_kept], first, self._calls(state, start, fold.first_kept))
        try:
            handle = self.artifacts.keep(f"fold-{state.turn}", "text/plain", text)
        except Exception:  # the fold then says nothing of a handle; a lost run shows at the next append
            return []
        return [f"{handle} (turns {first}-{fold.turns})"]

    def _request(self, state: RunState, first_kept: int) -> tuple[Message, ...]:
        """Write what a model is asked for the summary: the task, the plan, earlier notes, the turns as far as there is room."""
        words, latest, start = WORDS[self.language], state.folds.latest, state.folds.first_kept
        room = int(self.window_tokens * REQUEST_SHARE * 2)
        turns = written_out(
            state.transcript[start:first_kept],
            (latest.turns if latest else 0) + 1,
            self._calls(state, start, first_kept),
            room=room,
        )
        plan = state.thoughts[-1].plan if state.thoughts else ""
        notes = f"{latest.message.text}\n\n" if latest else ""
        text = words.material.format(task=state.task[:room], plan=plan[:MOST_PLAN_CHARS] or "-", notes=notes, turns=turns)
        return Message("system", words.ask), Message("user", text)


def _step_finished(state: RunState) -> bool:
    """Whether the last turn has begun a further step of the plan: it thought about the results of an earlier one."""
    if not state.thoughts or state.thoughts[-1].turn != state.turn:
        return False
    return any(record.turn < state.turn for record in reversed(state.executed_calls))


def _memory(words: FoldWords, fold: Fold, summary: str, facts: tuple[str, ...], handles: tuple[str, ...]) -> Message:
    """Write the message that stands for the folded turns."""
    whole = words.whole.format(handles=", ".join(handles)) if handles else ""
    parts = [words.opening.format(turns=fold.turns, whole=whole), f"{words.summary}: {summary}"]
    if facts:
        parts.append("\n".join([f"{words.facts}:", *(f"- {fact}" for fact in facts)]))
    return Message("user", "\n\n".join([*parts, words.closing]))
