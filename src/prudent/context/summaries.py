"""Summaries of folded turns: what a model is given to write one from, how its answer is read, and one written by rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from prudent.context.cutting import shorten
from prudent.context.facts import Recorded
from prudent.context.words import FoldWords
from prudent.messages import Message
from prudent.state import RunState

MOST_WORDS = 130
MOST_HAN_CHARACTERS = 200
"""Longest summary; a text of both is measured by the share that each takes. Pinned facts stand apart."""

FACT_CHARS = 300
MOST_FAILURES = 4
LEAST_ENTRY_CHARS = 200

_HEADING = re.compile(r"^\W*(?:pinned\s+)?(?:facts|事实|要点)\b[^\n:：]{0,40}(?:[:：]|\W*$)", re.I | re.M)
_SUMMARY = re.compile(r"^\W*(?:summary|摘要)\W*[:：]\W*", re.I)
_BULLET = re.compile(r"^\s*(?:[-*•·]\s+|\d{1,2}[.)、]\s*)(\S.*)$")
_UNIT = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\s぀-ヿ㐀-鿿가-힯]+")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[。！？；]")


def read_notes(written: str) -> tuple[str, list[str]]:
    """Read a model's notes: the summary, cut to its length, and the facts. Takes text without any headings, too."""
    heading = _HEADING.search(written)
    text, listed = (written[: heading.start()], written[heading.end() :]) if heading else (written, "")
    facts = [found.group(1).strip() for line in listed.splitlines() if (found := _BULLET.match(line))]
    summary = " ".join(_SUMMARY.sub("", text.strip()).replace("**", "").split())
    return within_length(summary), [shorten(fact, FACT_CHARS) for fact in facts]


def within_length(text: str) -> str:
    """Cut a summary to its length, at the end of a sentence if one is near."""
    used = 0.0
    for unit in _UNIT.finditer(text):
        is_han = not unit.group()[0].isascii() and len(unit.group()) == 1
        used += 1 / MOST_HAN_CHARACTERS if is_han else 1 / MOST_WORDS
        if used > 1 + 1e-9:
            whole = text[: unit.start()].rstrip()
            ends = [found.end() for found in _SENTENCE_END.finditer(whole)]
            return whole[: ends[-1]] if ends and ends[-1] * 3 > len(whole) * 2 else whole + "…"
    return text


def summary_by_rules(state: RunState, calls: Sequence[Recorded], words: FoldWords) -> str:
    """Write a summary from the record alone: the goal, what was done, what failed, the last thought and the next step."""
    done = Counter(call.record.tool_name for call in calls if call.record.status == "ok" and call.record.is_task)
    failed = [call for call in calls if call.record.status not in ("ok", "pending", "running") and call.record.is_task]
    parts = [f"{words.goal}: {shorten(state.task, 160)}"]
    if done:
        parts.append(f"{words.done}: " + ", ".join(f"{name} ×{times}" for name, times in done.most_common(8)))
    if failed:
        told = [f"{c.record.tool_name} {shorten(c.arguments, 40)}: {_reason(c.record.shown)}" for c in failed[-MOST_FAILURES:]]
        parts.append(f"{words.failed}: " + "; ".join(told))
    thought = state.thoughts[-1] if state.thoughts else None
    if thought and thought.thought:
        parts.append(f"{words.last_thought}: {shorten(thought.thought, 200)}")
    if thought and thought.action:
        parts.append(f"{words.open_points}: {shorten(thought.action, 120)}")
    return within_length(". ".join(part.rstrip(". ") for part in parts) + ".")


def _reason(shown: str) -> str:
    found = re.search(r'"reason":\s*"((?:[^"\\]|\\.){1,120})', shown)
    return shorten(found.group(1) if found else shown, 80)


def written_out(messages: Sequence[Message], first_turn: int, calls: dict[str, Recorded], *, room: int | None = None) -> str:
    """Write turns out as text: all of them, or, within `room` characters, each as far as its share of the room goes."""
    entries = _entries(messages, first_turn, calls)
    if room is None:
        return "\n".join(entries)
    share = max(LEAST_ENTRY_CHARS, room // max(1, len(entries)))
    spare = sum(max(0, share - len(entry)) for entry in entries)
    long = sum(len(entry) > share for entry in entries)
    limit = share + spare // max(1, long)
    return "\n".join(entry if len(entry) <= limit else f"{entry[: limit - 1]}…" for entry in entries)[: room + 2000]


def _entries(messages: Sequence[Message], first_turn: int, calls: dict[str, Recorded]) -> list[str]:
    entries: list[str] = []
    turn = first_turn - 1
    for message in messages:
        if message.role == "tool":
            call = calls.get(message.call_id)
            kept = f" (whole: {call.record.artifact})" if call and call.record.artifact else ""
            status = call.record.status if call else "ok"
            entries.append(f"result of {message.call_id}, {status}{kept}: {message.text}")
            continue
        if message.role == "assistant":
            turn += 1
            entries.append(f"--- turn {turn}")
        if message.text.strip():
            entries.append(f"{message.role}: {message.text}")
        entries += [_call(call.id, call.name, calls.get(call.id)) for call in message.calls]
    return entries


def _call(call_id: str, name: str, call: Recorded | None) -> str:
    if call is None:
        return f"call {call_id}: {name}"
    return f"call {call_id}: {call.record.tool_name} {call.whole_arguments}"
