"""What an error of the layer means: which `ModelError` it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import httpx2
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)

from prudent.errors import ContextOverflow, ModelError, ModelRefusedRequest, ModelStalled, ModelUnreachable, ReplyBroken
from prudent.models.failures import ServerError, Speaker, read_payload, retry_after
from prudent.models.untrusted import object_of, text_of
from prudent.models.wire import CONNECT_SECONDS, cause_of

_ACCOUNT_LIBRARIES = ("botocore", "google")
"""What raises errors of its own before anything is sent, such as for credentials that are missing."""

_REFUSING = re.compile(r"support|permit|allow|unknown|unrecogni[sz]ed|unexpected|extra|invalid|deprecated|not available", re.I)


def refused(error: Exception, names: Iterable[str]) -> str | None:
    """Tell which of these parameters a server refuses by name."""
    if not isinstance(error, ModelHTTPError) or error.status_code not in (400, 422) or error.in_stream:
        return None
    found = server_error(error)
    if not _REFUSING.search(found.message):
        return None
    words = f"{found.message} {found.parameter}"
    return next((name for name in names if re.search(rf"(?<!\w){re.escape(name)}\b", words)), None)


def server_error(error: ModelHTTPError) -> ServerError:
    """Read what the server said."""
    found = read_payload(error.status_code, error.body)
    if not found.message:
        # Amazon's form.
        inner = object_of(object_of(error.body).get("Error"))
        found = replace(found, message=text_of(inner.get("Message")), code=text_of(inner.get("Code")))
    code = found.code or error.provider_error_code or error.provider_error_type or ""
    return replace(found, status=error.status_code, code=code)


def failure(error: Exception, speaker: Speaker, *, stall_seconds: float) -> ModelError:
    """Turn whatever the layer raised into the error whose class says who must act."""
    if isinstance(error, ModelError):
        return error
    connection = next((inner for inner in _chain(error) if isinstance(inner, httpx2.HTTPError)), None)
    if connection is not None and not isinstance(error, ModelHTTPError):
        return _connection_failure(connection, speaker, stall_seconds)
    if isinstance(error, ModelConnectionError | TimeoutError):
        return _transport_failure(error, speaker, stall_seconds)
    if isinstance(error, ModelAPIError):
        return _refusal(error, speaker)
    words = speaker.cleaned(str(error)) or type(error).__name__
    if isinstance(error, UserError) or type(error).__module__.partition(".")[0] in _ACCOUNT_LIBRARIES:
        # Google's say whether it may be otherwise in a moment.
        kind = ModelUnreachable if getattr(error, "retryable", False) else ModelRefusedRequest
        return kind(f"{speaker.provider}: {words}", provider=speaker.provider)
    if isinstance(error, UnexpectedModelBehavior):
        return ReplyBroken(f"{speaker.provider} sent no reply that can be read: {words}")
    return ReplyBroken(f"{speaker.provider} sent no reply that can be read ({type(error).__name__}: {words})")


def _refusal(error: ModelAPIError, speaker: Speaker) -> ModelError:
    if isinstance(error, ModelHTTPError):
        headers = error.headers or {}
        after = error.retry_after
        if after is None and not error.in_stream:
            after = retry_after(headers)
        found = server_error(error)
    else:
        after = error.retry_after
        code = error.provider_error_code or error.provider_error_type or ""
        found = ServerError(0, error.message, code)
    told = speaker.error(found, retry_after_seconds=after, in_reply=error.in_stream or not found.status)
    kind = type(told)
    if isinstance(error, ModelContextWindowExceededError):
        kind = ContextOverflow
    elif isinstance(error, ModelQuotaExceededError):
        kind = ModelRefusedRequest
    if kind is type(told):
        return told
    return kind(told.reason, provider=told.provider, status=told.status, retry_after_seconds=told.retry_after_seconds)


def _connection_failure(error: httpx2.HTTPError, speaker: Speaker, stall_seconds: float) -> ModelError:
    if isinstance(error, httpx2.ReadTimeout):
        return _stalled(speaker, stall_seconds)
    if isinstance(error, httpx2.ConnectTimeout):
        return ModelUnreachable(f"{speaker.provider} did not accept a connection within {CONNECT_SECONDS:g} s")
    how = "cannot be reached" if isinstance(error, httpx2.ConnectError) else "lost the connection"
    return ModelUnreachable(f"{speaker.provider} {how}: {speaker.cleaned(cause_of(error))}")


def _transport_failure(error: Exception, speaker: Speaker, stall_seconds: float) -> ModelError:
    """Judge a lost connection by what the layer says of it, where it does not go through our client."""
    phase = error.phase if isinstance(error, ModelConnectionError) else "read"
    if isinstance(error, ModelTimeoutError | TimeoutError) and phase in ("read", None):
        return _stalled(speaker, stall_seconds)
    how = "cannot be reached" if phase == "connect" else "lost the connection"
    return ModelUnreachable(f"{speaker.provider} {how}: {speaker.cleaned(cause_of(error))}")


def _stalled(speaker: Speaker, stall_seconds: float) -> ModelError:
    return ModelStalled(f"{speaker.provider} sent no byte for {stall_seconds:g} s")


def _chain(error: BaseException) -> Iterator[BaseException]:
    inner: BaseException | None = error
    for _ in range(10):
        if inner is None:
            return
        yield inner
        inner = inner.__cause__ or inner.__context__
