from __future__ import annotations

import json
from typing import Any

import pytest

from prudent.errors import ContextOverflow, ModelError, ModelOverloaded, ModelRefusedRequest, ReplyBroken
from prudent.models.failures import ServerError, Speaker, read_body, read_payload, retry_after

KEY = "sk-live-9Qz7Lm3Np5Rt8Vx1Ky4Bd6Fg"
SPEAKER = Speaker("deepseek", KEY, "DEEPSEEK_API_KEY")


@pytest.mark.parametrize(
    ("payload", "message", "code", "parameter"),
    [
        ({"error": {"message": "no", "type": "t", "code": "c", "param": "p"}}, "no", "c", "p"),
        ({"error": {"message": "no", "type": "t", "code": None}}, "no", "t", ""),
        ({"error": "no", "code": "c"}, "no", "c", ""),
        ({"object": "error", "message": "no", "code": 400}, "no", "", ""),
        ({"message": "no"}, "no", "", ""),
        ({"detail": "no"}, "no", "", ""),
        ({"detail": [{"loc": ["body", "seed"], "msg": "Extra"}]}, "seed: Extra", "", "seed"),
        ([{"error": {"code": 400, "message": "no", "status": "INVALID"}}], "no", "", ""),
        ({"error": {"code": 429, "message": "upstream", "metadata": {"raw": "slow"}}}, "upstream: slow", "", ""),
        ({"base_resp": {"status_code": 1004, "status_msg": "x"}, "message": "no"}, "no", "", ""),
        ("no", "no", "", ""),
        (None, "", "", ""),
        ([], "", "", ""),
        ({"error": {}}, "", "", ""),
    ],
)
def test_errors_of_all_shapes_are_read(payload: Any, message: str, code: str, parameter: str) -> None:
    assert read_payload(400, payload) == ServerError(400, message, code, parameter)


def test_the_body_need_not_be_json() -> None:
    assert read_body(502, b"Bad gateway\n").message == "Bad gateway"
    assert read_body(502, b"<html><head><title> 502 Bad Gateway </title></head>").message == "a web page (502 Bad Gateway)"
    assert read_body(502, b"<html></html>").message == "a web page"
    assert read_body(500, b"\xff\xfe").status == 500


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"message": "bad"}, ModelRefusedRequest),
        (401, {"message": "no key"}, ModelRefusedRequest),
        (402, {"message": "Insufficient Balance"}, ModelRefusedRequest),
        (403, {}, ModelRefusedRequest),
        (404, {"message": "no such model"}, ModelRefusedRequest),
        (422, {"message": "bad"}, ModelRefusedRequest),
        (302, {}, ModelRefusedRequest),
        (408, {}, ModelOverloaded),
        (409, {}, ModelOverloaded),
        (425, {}, ModelOverloaded),
        (429, {"message": "slow down"}, ModelOverloaded),
        (429, {"message": "Request too large for m on tokens per min"}, ModelOverloaded),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, ModelRefusedRequest),
        (500, {"message": "oops"}, ModelOverloaded),
        (503, {}, ModelOverloaded),
        (529, {"type": "overloaded_error"}, ModelOverloaded),
        (413, {}, ContextOverflow),
        (400, {"code": "tool_use_failed"}, ReplyBroken),
        (400, {"message": "Invalid 'tools[0].function.name': expected a string with maximum length 64"}, ModelRefusedRequest),
    ],
)
def test_the_class_says_who_must_act(status: int, error: dict[str, str], kind: type[ModelError]) -> None:
    found = SPEAKER.error(read_payload(status, {"error": error}))
    assert type(found) is kind
    assert (found.status, found.tokens_came) == (status, False)
    assert str(found).startswith(f"deepseek answered {status}")


@pytest.mark.parametrize(
    "message",
    [
        "context length exceeded: 9000 > 8192",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size. try increasing the context size",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "Range of input length should be [1, 30720]",
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        "Your request exceeded model token limit: 8192",
        "Trying to keep the first 9000 tokens when context the overflows.",
        "Prompt exceeds max length",
        "Input is too long for requested model.",
        "Please reduce the length of the messages or completion.",
    ],
)
@pytest.mark.parametrize("status", [400, 500])
def test_a_context_overflow_is_recognised(message: str, status: int) -> None:
    assert type(SPEAKER.error(ServerError(status, message))) is ContextOverflow


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "upstream failed", "type": "server_error", "code": 502}, ModelOverloaded),
        ({"message": "x", "code": "rate_limit_exceeded"}, ModelOverloaded),
        ({"message": "x", "type": "overloaded_error"}, ModelOverloaded),
        ({"message": "x", "code": 429}, ModelOverloaded),
        ({"message": "x", "code": 401}, ModelRefusedRequest),
        ({"message": "x", "type": "invalid_request_error", "status_code": 400}, ReplyBroken),
        ({"message": "x"}, ReplyBroken),
        ({"message": "maximum context length is 8192"}, ContextOverflow),
    ],
)
def test_errors_inside_a_reply(error: dict[str, Any], kind: type[ModelError]) -> None:
    found = SPEAKER.error(read_payload(0, {"error": error}), in_reply=True, tokens_came=True)
    assert type(found) is kind
    assert found.tokens_came
    assert str(found).startswith("deepseek broke its reply off with error")


def test_words_are_cut_to_one_line_without_any_key() -> None:
    found = SPEAKER.error(
        ServerError(401, f"Incorrect API key provided:\n {KEY}, or sk-proj-ab****yz, Bearer abcdefgh " + "x" * 500)
    )
    words = str(found)
    assert words.startswith("deepseek answered 401: Incorrect API key provided: [key], or [key], [key] xxx")
    assert "\n" not in words
    assert "…" in words
    assert words.endswith("(is DEEPSEEK_API_KEY right?)")
    assert len(words) < 400


@pytest.mark.parametrize(
    "key", ["gsk_abcdefghijkl", "xai-abcdefghijkl", "AIzaSyA1234567890123456789012", "sk-ant-api03-abcdef", "odd"]
)
def test_key_like_words_are_hidden(key: str) -> None:
    assert (key in Speaker("x").cleaned(f"bad key {key}!")) == (key == "odd")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"x-ratelimit-reset-requests": "1m2s", "x-ratelimit-remaining-requests": "0"}, 62.0),
        ({"x-ratelimit-reset-tokens": "120ms", "x-ratelimit-remaining-tokens": "0"}, 0.12),
        ({"x-ratelimit-reset-tokens": "7", "x-ratelimit-remaining-tokens": "0"}, 7.0),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "100"}, None),
        ({"x-ratelimit-reset-tokens": "3s", "x-ratelimit-reset-requests": "5s"}, 5.0),
        ({"x-ratelimit-reset": "2000000010"}, 10.0),
        ({"x-ratelimit-reset": "2000000010000", "x-ratelimit-remaining": "0"}, 10.0),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    now = 2_000_000_000.0 if "x-ratelimit-reset" in headers else 10.0
    assert retry_after(headers, now=now) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 1.5s.", 1.5),
        ("Please retry after 20 seconds", 20.0),
        ("Please try again in 250ms", 0.25),
        ("try again in 2 minutes", 120.0),
        ("try again later", None),
    ],
)
def test_the_pause_may_stand_in_words(message: str, seconds: float | None) -> None:
    assert SPEAKER.error(ServerError(429, message)).retry_after_seconds == seconds
    assert SPEAKER.error(ServerError(429, message), retry_after_seconds=3.0).retry_after_seconds == 3.0


def test_reading_survives_any_json() -> None:
    for payload in (
        1,
        True,
        "x",
        [1],
        {"error": [1]},
        {"error": {"message": {"a": 1}, "code": [1]}},
        {"detail": {"message": "m"}},
    ):
        assert isinstance(read_body(400, json.dumps(payload).encode()), ServerError)
