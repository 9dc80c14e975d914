"""What must not be shown: known keys, keys by their form, and the values of a call's secret parameters."""

from __future__ import annotations

import string
from dataclasses import replace

from prudent.assembly import secrets_of_environment
from prudent.events import CallPrepared, Event, ModelCallStarted, ReasoningArrived, TextArrived
from prudent.journal.codec import describe
from prudent.journal.redact import Redactor, hide_parameters, secret_values
from prudent.journal.run_journal import RunJournal
from prudent.types import JSONObject

_KEY_CHARACTERS = string.ascii_letters + string.digits + "_-./+=~:@%"
_LONGEST_HELD = 4096


class Pieces:
    """Streaming text, cut so that no key falls into two pieces, of which neither looks like one."""

    def __init__(self) -> None:
        self._held: TextArrived | ReasoningArrived | None = None

    def settle(self, event: Event) -> list[Event]:
        """Take an event; give those that can be shown now. The end of a text waits for what follows it."""
        if not isinstance(event, TextArrived | ReasoningArrived):
            return [*self._release(), event]
        released = self._release() if type(self._held) is not type(event) else []
        text = (self._held.text if self._held else "") + event.text
        ready = text if len(text) > _LONGEST_HELD else text.rstrip(_KEY_CHARACTERS)
        rest = text[len(ready) :]
        self._held = replace(event, text=rest) if rest else None
        return [*released, replace(event, text=ready)] if ready else released

    def _release(self) -> list[Event]:
        held, self._held = self._held, None
        return [held] if held else []


class Discretion:
    """Redacts all that a command shows; learns the secrets of a run's calls as they come."""

    def __init__(self) -> None:
        self._redactor = Redactor(secrets_of_environment())
        self.journal: RunJournal | None = None
        """The journal of the run that is shown, which knows the secret parameters of its tools beforehand."""

    def notice(self, event: Event) -> None:
        """Learn what an event says is secret. Call it before the event is shown."""
        if isinstance(event, CallPrepared) and event.secret:
            self._redactor = self._redactor.with_values(secret_values(event.arguments, event.secret))

    def text(self, text: str) -> str:
        """Redact a text."""
        return self._redactor.text(text)

    def mapping(self, value: JSONObject) -> JSONObject:
        """Redact a JSON object."""
        return self._redactor.mapping(value)

    def event_json(self, event: Event) -> JSONObject:
        """Write an event as a line of `--jsonl`. Of what goes to the model only the size is told: the journal has it whole."""
        if self.journal and event.recorded:
            data = self.journal.export(event)
        else:
            data = self.mapping(describe(event, lambda message: message))
        if isinstance(event, ModelCallStarted):
            data |= {"messages": len(event.messages), "tools": [tool.name for tool in event.tools]}
        if isinstance(event, CallPrepared):
            data["arguments"] = self.mapping(hide_parameters(event.arguments, event.secret))
        return data
