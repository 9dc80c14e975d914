"""Errors as the model reads them: `{"error": {"kind", "reason", "fix"}}`."""

from __future__ import annotations

from asyncio import CancelledError

from prudent.context.cleaning import safe_text, type_name
from prudent.context.json_text import encode
from prudent.errors import CallRefused, ErrorKind, ToolCrashed, ToolError, ToolTimedOut, WorkspaceEscape
from prudent.types import JSON

MAX_REASON_CHARS = 1500
MAX_FIX_CHARS = 500

DEFAULT_FIX = "check the arguments or try another way; the same call is likely to fail again"

FIXES: tuple[tuple[type[BaseException], str], ...] = (
    (FileNotFoundError, "check the path; list what is there first"),
    (PermissionError, "this is not permitted here; try another way"),
    (TimeoutError, "ask for less at once, or go on without it"),
    (ConnectionError, "the service behind the tool cannot be reached; go on without it or try once more later"),
    (NotImplementedError, "the tool cannot do this; use another one"),
    (MemoryError, "ask for less at once"),
)
"""What to do about an exception whose text stays hidden; the first that fits."""


def error_text(kind: str, reason: str, fix: str = "") -> str:
    """Write an error for the model, on one line and never longer than about 2,000 characters."""
    error: JSON = {"kind": kind, "reason": _bounded(reason, MAX_REASON_CHARS), "fix": _bounded(fix, MAX_FIX_CHARS)}
    return encode({"error": error})


def describe_exception(error: BaseException) -> tuple[ErrorKind, str, str]:
    """Give kind, reason and fix of what a call raised.

    A tool's own text is shown only when it was meant for the model (`ToolError`); any other exception is named by its
    type, since its text may hold anything: keys, paths, other people's data.
    """
    match error:
        case ToolError():
            return "tool_error", error.reason or "the tool gave no reason", error.fix
        case CallRefused():
            return error.kind, error.reason, error.fix
        case ToolTimedOut():
            return "timeout", _timeout_reason(error), "ask for less at once, or go on without it"
        case ToolCrashed():
            return "tool_error", safe_text(error) or "the tool's process died", "try it with less, or go on without it"
        case WorkspaceEscape():
            return "not_allowed", safe_text(error) or "the path leads out of the workspace", "use a path inside the workspace"
        case CancelledError():
            return "stopped", "the call was stopped before it had a result", ""
        case _:
            return "tool_error", f"the tool failed with {type_name(error)}", _fix_for(error)


def _timeout_reason(error: ToolTimedOut) -> str:
    fate = "it was ended" if error.killed else "it could not be ended, but whatever it still gives is thrown away"
    return f"no result within {error.seconds:g} s; {fate}"


def _fix_for(error: BaseException) -> str:
    return next((fix for kind, fix in FIXES if isinstance(error, kind)), DEFAULT_FIX)


def _bounded(value: object, limit: int) -> str:
    text = safe_text(value)
    return text if len(text) <= limit else f"{text[: limit * 2 // 3]} … {text[-limit // 4 :]}"
