"""The sentry: a thread that sees to it that a stop is a stop, even where the run's own loop is held up.

Signals reach it through a pipe that the interpreter's signal handler writes to at once, whatever the main thread does.
The first one asks the run to stop. When the run has not ended in time, at a second signal, or when its own time is up and
its loop does not notice, the sentry ends it from outside: it completes the record, shows the result, and ends the
process, and with it every thread and tool of the run.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Protocol

GRACE_SECONDS = 2.0
"""How long a run may take to stop by itself. Stopped means under 3 s, and ending it from outside takes its time too."""

PEEK_SECONDS = 0.2
ENDING_SECONDS = 10.0
"""Longer than ending a run from outside can take; the process is gone before."""

SIGNALS: dict[int, str] = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
if hasattr(signal, "SIGHUP"):  # Windows has none
    SIGNALS[signal.SIGHUP] = "the terminal was closed"


class Outside(Protocol):
    """What can be done about a run without its loop."""

    def stop_requested(self) -> str | None:
        """Tell whether another process asked for a stop, with its reason."""
        ...

    def ask_to_stop(self, reason: str) -> None:
        """Ask the run to stop by itself."""
        ...

    def overdue(self) -> bool:
        """Whether the run's time is up and its loop does not notice."""
        ...

    def end(self, reason: str, *, overdue: bool) -> None:
        """Record that it was stopped, or that its time was up, show the result, and end the process. Does not return."""
        ...


class Sentry:
    """Stands beside a run: `with Sentry(outside) as sentry: …; sentry.dismiss()`."""

    def __init__(
        self,
        outside: Outside,
        *,
        last: bool = False,
        grace_seconds: float = GRACE_SECONDS,
        ending_seconds: float = ENDING_SECONDS,
    ) -> None:
        """Watch over one run; `last` says that the process ends with it."""
        self._outside = outside
        self._last = last
        self._grace_seconds, self._ending_seconds = grace_seconds, ending_seconds
        self._inner, self._outer = socket.socketpair()
        self._ended = threading.Event()
        self._decision = threading.Lock()
        self._taken_over = False
        self._asked_at: float | None = None
        self._reason = ""
        self._former: dict[int, Any] = {}
        self._former_wakeup = -1
        self._thread = threading.Thread(target=self._watch, name="prudent-sentry", daemon=True)

    def __enter__(self) -> Sentry:
        """Take the signals and begin to watch."""
        self._outer.setblocking(False)
        self._inner.settimeout(PEEK_SECONDS)  # waits by poll: select knows no file beyond number 1023
        if threading.current_thread() is threading.main_thread():
            self._former_wakeup = signal.set_wakeup_fd(self._outer.fileno(), warn_on_full_buffer=False)
            heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
            self._former = {number: signal.signal(number, _heard) for number in heeded}
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give the signals back."""
        self.dismiss()
        if self._former:
            signal.set_wakeup_fd(self._former_wakeup)
            for number, handler in self._former.items():
                # Whoever started us may pass the same signal on once more: it must not hit a process that is leaving.
                leaving = self._last and self._reason
                signal.signal(number, signal.SIG_IGN if leaving else handler or signal.SIG_DFL)
        self._thread.join(1.0)
        self._inner.close()
        self._outer.close()

    def dismiss(self) -> None:
        """Say that the run has ended by itself. Where the sentry has taken over already, wait: it ends the process."""
        with self._decision:
            taken_over = self._taken_over
            self._ended.set()
        if taken_over:
            time.sleep(self._ending_seconds)
        with contextlib.suppress(OSError):
            self._outer.send(b"\0")

    @property
    def reason(self) -> str:
        """Why the run was asked to stop; "" when it was not."""
        return self._reason

    def _watch(self) -> None:
        while not self._ended.is_set():
            heard = self._listen()
            if self._ended.is_set():
                return
            for name in heard:
                self._signalled(name)
            if self._asked_at is None:
                requested = self._outside.stop_requested()
                if requested is not None:
                    self._ask(requested)
                elif self._outside.overdue():
                    self._take_over("the run's time was up", overdue=True)
            elif time.monotonic() - self._asked_at > self._grace_seconds:
                self._take_over(self._reason)

    def _listen(self) -> list[str]:
        """Wait a moment for signals, and name those that came."""
        try:
            return [SIGNALS[number] for number in self._inner.recv(64) if number in SIGNALS]
        except OSError:  # nothing came in time, or the pipe is closed
            return []

    def _signalled(self, name: str) -> None:
        if self._asked_at is None:
            self._ask(name)
        else:
            self._take_over(f"{self._reason}, then {name}")

    def _ask(self, reason: str) -> None:
        self._asked_at, self._reason = time.monotonic(), reason
        self._outside.ask_to_stop(reason)

    def _take_over(self, reason: str, *, overdue: bool = False) -> None:
        with self._decision:
            if self._ended.is_set():
                return
            self._taken_over = True
        self._outside.end(reason, overdue=overdue)


def _heard(_number: int, _frame: FrameType | None) -> None:
    """Keep the interpreter's own answer to a signal away; the sentry has heard it through the pipe."""
