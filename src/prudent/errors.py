"""Every error of Prudent. The class says who must act; the error carries data, never logs and does no I/O.

PrudentError
├── ToolError               the model acts: its text is shown to the model
├── CallRefused             the model acts: a call that may not run, with kind, reason and fix
├── ToolTimedOut            the model is told: a call passed its own limit (killed or abandoned)
├── ToolCrashed             the model is told: a worker died or a result could not be brought over
├── ConfigurationError      the developer acts: an agent, option or model name that cannot work (exit 2)
│   ├── DefinitionError     a tool whose definition is wrong
│   └── MissingExtra        an optional dependency is not installed
├── ModelError              the operator acts: a provider failed
│   ├── ModelUnreachable    no connection, or it broke
│   ├── ModelOverloaded     429 and 5xx
│   ├── ModelRefusedRequest 400, 401, 404 and the like: never tried again
│   ├── ContextOverflow     the request is longer than the model's window
│   ├── ReplyBroken         a reply without an end, an error inside a stream, or no JSON at all
│   └── ModelStalled        no byte for too long; not tried again
├── JournalError            the operator acts: the record cannot be read or written
│   ├── RunNotFound         no run by that id
│   ├── RunAlive            another process still works on the run
│   └── OwnershipLost       another process owns the run now: stop at once
└── WorkspaceEscape         a path outside the workspace
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

ErrorKind = Literal[
    "unknown_tool",
    "invalid_json",
    "invalid_arguments",
    "truncated",
    "not_allowed",
    "plan_first",
    "one_at_a_time",
    "prerequisite",
    "repetition",
    "rejected",
    "timeout",
    "stopped",
    "abandoned",
    "tool_error",
    "unknown_outcome",
    "budget",
]
"""What can be wrong with a call, as the model and the database see it (DESIGN section 6)."""


class PrudentError(Exception):
    """Root of all errors raised by Prudent."""


class ToolError(PrudentError):
    """Raised by a tool to tell the model something it can act on; the text is shown as it stands.

    Any other exception of a tool is named by its type only.
    """

    def __init__(self, reason: str, *, fix: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.fix = fix


class CallRefused(PrudentError):
    """A call that may not run; the model sees kind, reason and fix."""

    def __init__(self, kind: ErrorKind, reason: str, *, fix: str = "") -> None:
        super().__init__(reason)
        self.kind: ErrorKind = kind
        self.reason = reason
        self.fix = fix


class CallParked(PrudentError):
    """A sub-agent's run waits for a person, so its parent's call waits, too. Carries the question as `pending` has it."""

    def __init__(self, sub_call: str, pending: Mapping[str, Any], *, each_time: bool = False) -> None:
        super().__init__(f"{pending['tool_name']} of {sub_call} waits for a decision")
        self.sub_call = sub_call
        self.pending = pending
        self.each_time = each_time


class ToolTimedOut(PrudentError):
    """A call passed its limit. `killed` is false where it could only be abandoned (threads, deaf coroutines)."""

    def __init__(self, seconds: float, *, killed: bool) -> None:
        super().__init__(f"no result within {seconds:g} s")
        self.seconds = seconds
        self.killed = killed


class ToolCrashed(PrudentError):
    """The worker that ran a tool died, or its arguments or result could not be passed."""


class ConfigurationError(PrudentError):
    """Something the developer wrote cannot work. Says what, where, and how to mend it."""


class DefinitionError(ConfigurationError):
    """A tool's definition is wrong."""


class MissingExtra(ConfigurationError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra that is not installed: pip install 'prudent[{extra}]'")
        self.extra = extra


class ModelError(PrudentError):
    """A provider failed. One sentence with provider, status and cause; never the key."""

    retryable: bool = False

    def __init__(
        self,
        reason: str,
        *,
        provider: str = "",
        status: int | None = None,
        retry_after_seconds: float | None = None,
        tokens_came: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.provider = provider
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.tokens_came = tokens_came


class ModelUnreachable(ModelError):
    """No connection, or it broke."""

    retryable = True


class ModelOverloaded(ModelError):
    """The provider asks to come back later (429) or failed inside (5xx)."""

    retryable = True


class ModelRefusedRequest(ModelError):
    """The provider says that the request is wrong (400, 401, 404, …)."""


class ContextOverflow(ModelRefusedRequest):
    """The request is longer than the model's window."""


class ReplyBroken(ModelError):
    """A reply that has no end, carries an error, or is no reply at all."""

    retryable = True


class ModelStalled(ModelError):
    """The provider sent no byte for too long. Not tried again: the run's deadline is the bound."""


class JournalError(PrudentError):
    """The record cannot be read or written."""


class RunNotFound(JournalError):
    """There is no run by that id."""


class RunAlive(JournalError):
    """Another process still works on the run: wait for it, or stop it first."""


class OwnershipLost(JournalError):
    """Another process owns the run now; whatever this one does must end."""


class WorkspaceEscape(PrudentError):
    """A path leads out of the workspace."""
