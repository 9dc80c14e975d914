"""The transcript made valid before every request, whatever went before.

Providers refuse a history in which a call has no result, a result no call, an id comes twice or a message is empty; and
such a refusal ends a run for good, since the same history goes out again. So nothing leaves without having passed here.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NoReturn

from prudent.context.failures import error_text
from prudent.messages import Message, ToolCall
from prudent.state import RunState
from prudent.types import JSON

NO_OUTPUT = "(no output)"
"""Stands where a result would be empty, which some providers refuse."""

FINE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every provider accepts as a tool's name."""

Unanswered = Callable[[str], Message]
"""Gives the result message of a call, by its id, that the transcript has no result for."""


def repair(messages: Sequence[Message], unanswered: Unanswered | None = None) -> list[Message]:
    """Make a history valid: the one place that knows what valid means.

    Every call gets exactly one result, in call order, directly behind its message: a result that stands elsewhere is
    moved, a second one dropped, a missing one written (by `unanswered`, else an error of kind `stopped`). Results
    without a call and empty messages are dropped, ids become unique, names and arguments such that providers accept
    them, and system messages after the head become user messages. A valid history comes out equal, and so does one
    that was repaired before.
    """
    return _Repair(messages, unanswered or stopped_result).run()


def stopped_result(call_id: str) -> Message:
    """Answer a call of which nothing is known."""
    text = error_text("stopped", "the call was stopped before it had a result", "call it again if it is still needed")
    return Message("tool", text, call_id=call_id)


class TranscriptView:
    """Shows the whole transcript, made valid. Costs nothing to speak of while it is valid, as it nearly always is."""

    def __init__(self) -> None:
        self._check = _Check()
        self._transcript: list[Message] | None = None

    def view(self, state: RunState) -> Sequence[Message]:
        """Give a valid list of messages: the transcript itself where nothing is wrong with it."""
        return self.of(state.transcript, state)

    def of(self, transcript: list[Message], state: RunState) -> Sequence[Message]:
        """Do the same for a part of the transcript, a list that from one time to the next only grows, or is another one."""
        if transcript is not self._transcript or not self._check.is_prefix(transcript):
            self._check, self._transcript = _Check(), transcript
        if self._check.advance(transcript):
            return transcript
        return repair(transcript, lambda call_id: _known_result(state, call_id))


def _known_result(state: RunState, call_id: str) -> Message:
    """Answer a call from the run's record, where its result waits for those of its neighbours."""
    record = state.calls.get(call_id)
    if record is None:
        return stopped_result(call_id)
    if record.answered:
        return Message("tool", record.shown, call_id=call_id, images=record.images)
    if record.status == "unknown":
        reason = "the run was interrupted during this call; whether it happened is not known"
        text = error_text("unknown_outcome", reason, "do not call it again before that is known")
        return Message("tool", text, call_id=call_id)
    return stopped_result(call_id)


class _Check:
    """Follows a transcript as it grows and looks at each message once."""

    def __init__(self) -> None:
        self._checked = 0
        self._last: Message | None = None
        self._sound = True
        self._in_head = True
        self._due: deque[str] = deque()
        self._ids: set[str] = set()

    def is_prefix(self, messages: Sequence[Message]) -> bool:
        """Whether these are the messages looked at so far, perhaps with more behind them."""
        return self._checked <= len(messages) and (not self._checked or messages[self._checked - 1] is self._last)

    def advance(self, messages: Sequence[Message]) -> bool:
        """Look at what is new and tell whether all of it is valid."""
        while self._sound and self._checked < len(messages):
            self._last = messages[self._checked]
            self._sound = self._accepts(self._last)
            self._checked += 1
        return self._sound and not self._due

    def _accepts(self, message: Message) -> bool:
        if message.role == "tool":
            return self._accepts_result(message)
        if self._due or (message.calls and message.role != "assistant"):
            return False
        if message.role == "system":
            return self._in_head and _says_something(message)
        self._in_head = False
        return all(map(self._accepts_call, message.calls)) and (bool(message.calls) or _says_something(message))

    def _accepts_result(self, message: Message) -> bool:
        if not self._due or message.call_id != self._due.popleft():
            return False
        return not message.calls and bool(message.text.strip() or message.images)

    def _accepts_call(self, call: ToolCall) -> bool:
        if not call.id or call.id in self._ids or not _is_fine(call):
            return False
        self._ids.add(call.id)
        self._due.append(call.id)
        return True


class _Repair:
    """One repair. Results are taken out first and then dealt out to the calls before them."""

    def __init__(self, messages: Sequence[Message], unanswered: Unanswered) -> None:
        self._messages = messages
        self._unanswered = unanswered
        self._ids: set[str] = set()
        self._given: dict[str, Message] = {}
        self._fixed: list[Message] = []

    def run(self) -> list[Message]:
        calls = self._name_calls()
        head = True
        for position, message in enumerate(self._messages):
            if message.role == "tool":
                continue
            if message.role == "assistant":
                self._add_assistant(message, calls.get(position, ()))
            elif _says_something(message):
                role = "system" if head and message.role == "system" else "user"
                self._fixed.append(
                    message if role == message.role and not message.calls else replace(message, role=role, calls=())
                )
            head = not self._fixed or (head and self._fixed[-1].role == "system")
        return self._fixed

    def _name_calls(self) -> dict[int, tuple[ToolCall, ...]]:
        """Give every call a unique id, and the result that answers it, by the position of its message."""
        taken = {call.id for message in self._messages for call in message.calls if call.id}
        named: dict[int, tuple[ToolCall, ...]] = {}
        waiting: dict[str, deque[str]] = {}
        for position, message in enumerate(self._messages):
            if message.role == "assistant":
                named[position] = tuple(self._name_call(call, taken) for call in message.calls)
                fresh: dict[str, deque[str]] = {}
                for call, new in zip(message.calls, named[position], strict=True):
                    fresh.setdefault(call.id, deque()).append(new.id)
                # A later call under the same id takes over: what comes now answers it and not the earlier one.
                waiting.update(fresh)
            elif message.role == "tool" and waiting.get(message.call_id):
                self._given[waiting[message.call_id].popleft()] = message
        return named

    def _name_call(self, call: ToolCall, taken: set[str]) -> ToolCall:
        call_id = call.id
        if not call_id or call_id in self._ids:
            call_id = _free_id(call.id or "call", taken)
            taken.add(call_id)
        self._ids.add(call_id)
        if call_id == call.id and _is_fine(call):
            return call
        arguments = call.arguments if is_json_object(call.arguments) else "{}"
        return replace(call, id=call_id, name=_fine_name(call.name), arguments=arguments)

    def _add_assistant(self, message: Message, calls: tuple[ToolCall, ...]) -> None:
        if not calls and not _says_something(message):
            return
        same = all(new is old for new, old in zip(calls, message.calls, strict=True))
        self._fixed.append(message if same else replace(message, calls=calls))
        self._fixed.extend(self._result(call.id) for call in calls)

    def _result(self, call_id: str) -> Message:
        result = self._given.get(call_id) or self._unanswered(call_id)
        says_something = bool(result.text.strip() or result.images)
        if result.call_id == call_id and not result.calls and says_something:
            return result
        return Message("tool", result.text if says_something else NO_OUTPUT, call_id=call_id, images=result.images)


def _says_something(message: Message) -> bool:
    """Whether there is a text that is not blank, or, from a user, a picture."""
    return bool(message.text.strip()) or (message.role == "user" and bool(message.images))


def _free_id(base: str, taken: Collection[str]) -> str:
    number = 2
    while f"{base}_{number}" in taken:
        number += 1
    return f"{base}_{number}"


def _is_fine(call: ToolCall) -> bool:
    return bool(FINE_NAME.fullmatch(call.name)) and is_json_object(call.arguments)


def _fine_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def is_json_object(text: str) -> bool:
    """Whether a text is a JSON object by the letter of the standard: without NaN or infinity."""
    try:
        value: JSON = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
