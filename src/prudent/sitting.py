"""How long a sitting of a run worked, read off its events: for one that was cut off and so never said it itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from prudent.events import ApprovalAsked, ApprovalDecided, Event, RunResumed, RunStarted


@dataclass(slots=True)
class Sitting:
    """From a run's start or resumption to the last that is known of it. Waiting for a person does not count."""

    _began: float = 0.0
    _last: float = 0.0
    _waited: float = 0.0
    _waiting_since: float = 0.0
    _asked: set[str] = field(default_factory=set[str])

    def see(self, event: Event) -> None:
        """Take the next event in."""
        match event:
            case RunStarted() | RunResumed():
                self._began = self._last = event.at
                self._waited = 0.0
                self._asked.clear()
            case ApprovalAsked():
                self._waiting_since = self._waiting_since if self._asked else event.at
                self._asked.add(event.call_id)
            case ApprovalDecided() if event.call_id in self._asked:
                self._asked.discard(event.call_id)
                self._waited += 0.0 if self._asked else event.at - self._waiting_since
            case _:
                pass
        self._last = max(self._last, event.at)

    @property
    def worked_seconds(self) -> float:
        """Seconds that count, as far as is known."""
        until = self._waiting_since if self._asked else self._last
        return max(0.0, until - self._began - self._waited)
