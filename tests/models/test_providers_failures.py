from __future__ import annotations

from typing import Any

import httpx2
import pytest
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

from prudent.errors import (
    ContextOverflow,
    ModelError,
    ModelOverloaded,
    ModelRefusedRequest,
    ModelStalled,
    ModelUnreachable,
    ReplyBroken,
)
from prudent.models.failures import Speaker
from prudent.models.providers_failures import failure, refused

WHO = Speaker("bedrock", "secret-key-123", "SOME_KEY")


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def connection(phase: Any = None) -> ModelConnectionError:
    return ModelConnectionError("m", "Connection error.", phase=phase)


def categorised(category: Any, status: int, message: str) -> ModelHTTPError:
    return ModelHTTPError.for_category(category, status_code=status, model_name="m", body={"message": message})


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (ModelHTTPError(400, "m", {"message": "no"}), ModelRefusedRequest, "bedrock answered 400: no"),
        (ModelHTTPError(403, "m", {"message": "no"}), ModelRefusedRequest, "is SOME_KEY right?"),
        (ModelHTTPError(400, "m", {"Error": {"Message": "bad", "Code": "Validation"}}), ModelRefusedRequest, "400: bad"),
        (ModelHTTPError(503, "m", "Service Unavailable"), ModelOverloaded, "answered 503: Service Unavailable"),
        (ModelHTTPError(500, "m", None), ModelOverloaded, "bedrock answered 500"),
        (ModelHTTPError(529, "m", {"error": {"message": "full"}}, in_stream=True), ModelOverloaded, "off with error 529"),
        (categorised(ModelContextWindowExceededError, 400, "big"), ContextOverflow, "big"),
        (categorised(ModelQuotaExceededError, 429, "spent"), ModelRefusedRequest, "spent"),
        (ModelAPIError("m", "odd", provider_error_code="overloaded_error", in_stream=True), ModelOverloaded, "odd"),
        (ModelAPIError("m", "Failed to decode response as JSON: x"), ReplyBroken, "Failed to decode"),
        (ModelTimeoutError("m", "Request timed out.", phase="read"), ModelStalled, "no byte for 5 s"),
        (ModelTimeoutError("m", "Request timed out.", phase="connect"), ModelUnreachable, "cannot be reached"),
        (TimeoutError(), ModelStalled, "no byte for 5 s"),
        (connection("connect"), ModelUnreachable, "cannot be reached"),
        (connection("read"), ModelUnreachable, "lost the connection"),
        (caused(connection(), httpx2.ReadTimeout("")), ModelStalled, "no byte for 5 s"),
        (caused(connection(), httpx2.ConnectTimeout("")), ModelUnreachable, "did not accept a connection within 10 s"),
        (
            caused(connection(), caused(httpx2.ConnectError("x"), OSError(111, "y"))),
            ModelUnreachable,
            "Connection refused",
        ),
        (httpx2.RemoteProtocolError("peer closed"), ModelUnreachable, "lost the connection: peer closed"),
        (UnexpectedModelBehavior("odd"), ReplyBroken, "no reply that can be read: odd"),
        (UserError("not with secret-key-123"), ModelRefusedRequest, r"bedrock: not with \[key\]"),
        (AssertionError(), ReplyBroken, "AssertionError"),
        (ReplyBroken("ours"), ReplyBroken, "ours"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_what_an_error_of_the_layer_means(error: Exception, kind: type[ModelError], words: str) -> None:
    found = failure(error, WHO, stall_seconds=5)
    assert type(found) is kind
    with pytest.raises(kind, match=words):
        raise found


@pytest.mark.parametrize(("headers", "seconds"), [({"Retry-After": "7"}, 7.0), ({"x-ratelimit-reset": "3"}, 3.0), ({}, None)])
def test_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    error = ModelHTTPError(429, "m", {"message": "slow down"}, headers=headers)
    assert failure(error, WHO, stall_seconds=5).retry_after_seconds == seconds


@pytest.mark.parametrize(
    ("message", "status", "name"),
    [
        ("temperature: Extra inputs are not permitted", 400, "temperature"),
        ("system.0.cache_control: Extra inputs are not permitted", 400, "cache_control"),
        ("Unsupported parameter: 'temperature'", 422, "temperature"),
        ("temperature is the word", 400, None),
        ("my_temperature is not supported", 400, None),
        ("temperature is not supported", 500, None),
        ("reasoning is not supported", 400, None),
    ],
)
def test_which_parameter_is_refused(message: str, status: int, name: str | None) -> None:
    error = ModelHTTPError(status, "m", {"error": {"message": message}})
    assert refused(error, ["temperature", "cache_control"]) == name
    assert refused(RuntimeError(message), ["temperature"]) is None
