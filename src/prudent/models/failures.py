"""What a provider's error means: which `ModelError` it becomes, when to come back, and its words without any key."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from prudent.errors import ContextOverflow, ModelError, ModelOverloaded, ModelRefusedRequest, ReplyBroken
from prudent.models.untrusted import count_of, list_of, object_of, text_of
from prudent.types import JSONObject

WORDS_MAX_CHARS = 300
"""How much of a server's own words is shown."""

_COME_BACK = frozenset({408, 409, 425, 429})
_OVERLOADED_CODES = re.compile(
    r"overload|rate.?limit|too_many_requests|server_error|unavailable|timeout|capacity|insufficient_system", re.I
)
_NO_MONEY = re.compile(r"insufficient_quota|exceeded your current quota|insufficient.{0,12}balance|billing_hard_limit", re.I)
_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:context|prompt|input)|prompt exceeds max length"
    r"|(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|(?:token|input) limit"
    r"|range of input length|input token count|context the overflows|reduce the length|prompt_too_long|longer than the model",
    re.I,
)
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|nvapi|csk|tgp|hf|fw)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\b[Bb]earer\s+\S{6,}|\beyJ[\w-]{10,}\.[\w.-]+"
)
_TRY_AGAIN = re.compile(r"(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?)\s*(ms|s|seconds?|m|minutes?)\b", re.I)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error as a server put it, wherever in its answer it stood."""

    status: int
    """The HTTP status, or the one named inside a stream; 0 when there is none."""

    message: str
    code: str = ""
    """The provider's own word for it: its code, else its type."""

    parameter: str = ""
    """The request's parameter that it names, if any."""

    failed_generation: str = ""
    """What the model had written, where a provider refused its own model's call (`tool_use_failed`)."""


def read_body(status: int, body: bytes) -> ServerError:
    """Read the body of an answer that is an error."""
    try:
        payload = json.loads(body)
    except ValueError:
        return ServerError(status, _words_of_page(body))
    return read_payload(status, payload)


def read_payload(status: int, payload: object) -> ServerError:
    """Read an error from decoded JSON, in any of the shapes that servers use."""
    if isinstance(payload, str):
        return ServerError(status, payload)
    outer = object_of(payload) or object_of(next(iter(list_of(payload)), None))
    inner = outer.get("error", outer)
    if isinstance(inner, str):
        return ServerError(status, inner, text_of(outer.get("code")))
    error = object_of(inner)
    if not error:
        return ServerError(status, "")
    code, named_status = _code(error)
    parameter, message = _message(error)
    return ServerError(
        status=status or named_status,
        message=message,
        code=code,
        parameter=parameter,
        failed_generation=text_of(error.get("failed_generation")),
    )


def _code(error: JSONObject) -> tuple[str, int]:
    code = text_of(error.get("code"))
    status = count_of(error.get("status_code"))
    if code.isdigit():
        status = status or int(code)
        code = ""
    return code or text_of(error.get("type")), status if 100 <= status < 600 else 0


def _message(error: JSONObject) -> tuple[str, str]:
    """Give the parameter that is named, and the server's words."""
    parameter = text_of(error.get("param"))
    message = text_of(error.get("message") or error.get("status_msg") or error.get("msg"))
    detail = error.get("detail")
    for item in list_of(detail):
        # FastAPI's form: where stands the path to the parameter, such as ["body", "parallel_tool_calls"].
        where = [text_of(step) for step in list_of(object_of(item).get("loc")) if step != "body"]
        parameter = parameter or (where[0] if where else "")
        message = message or f"{'.'.join(where)}: {text_of(object_of(item).get('msg'))}"
    message = message or text_of(detail) or text_of(object_of(detail).get("message"))
    upstream = text_of(object_of(error.get("metadata")).get("raw"))
    return parameter, f"{message}: {upstream}" if upstream and upstream not in message else message


def _words_of_page(body: bytes) -> str:
    text = body[:4000].decode("utf-8", "replace").strip()
    if not text.startswith("<"):
        return text
    title = re.search(r"<(title|h1)[^>]*>(.*?)</\1>", text, re.I | re.S)
    return f"a web page ({title.group(2).strip()})" if title else "a web page"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks in an error's sentence, and which secret must not be in it."""

    provider: str
    """As shown to people, such as `deepseek` or `openai-compatible server at 127.0.0.1:8000`."""

    key: str = ""
    key_variable: str = ""
    """Where the key comes from, named when it is refused."""

    def cleaned(self, words: str) -> str:
        """Cut a server's words to one line without any key."""
        if len(self.key) >= 6:
            words = words.replace(self.key, "[key]")
        words = " ".join(_KEY_LIKE.sub("[key]", words).split())
        return words if len(words) <= WORDS_MAX_CHARS else words[: WORDS_MAX_CHARS - 1] + "…"

    def error(
        self,
        found: ServerError,
        *,
        retry_after_seconds: float | None = None,
        tokens_came: bool = False,
        in_reply: bool = False,
    ) -> ModelError:
        """Turn a server's error into the one whose class says who must act. `in_reply`: it stood inside a 200 answer."""
        words = self.cleaned(found.message or found.code)
        status = found.status or None
        if in_reply:
            named = f" {found.status}" if found.status else f" {self.cleaned(found.code)}" if found.code else ""
            sentence = f"{self.provider} broke its reply off with error{named}"
        else:
            sentence = f"{self.provider} answered {found.status}"
        if words:
            sentence += f": {words}"
        if found.status in (401, 403) and self.key_variable:
            sentence += f" (is {self.key_variable} right?)"
        kind = _kind(found, in_reply=in_reply)
        after = retry_after_seconds if retry_after_seconds is not None else _asked_in_words(found.message)
        return kind(sentence, provider=self.provider, status=status, retry_after_seconds=after, tokens_came=tokens_came)


def _kind(found: ServerError, *, in_reply: bool) -> type[ModelError]:
    words = f"{found.code} {found.message}"
    if found.code == "tool_use_failed":
        return ReplyBroken
    if found.status == 402 or _NO_MONEY.search(words):
        return ModelRefusedRequest
    if found.status != 429 and (found.status == 413 or _OVERFLOW.search(words)):
        return ContextOverflow
    if found.status in _COME_BACK or found.status >= 500:
        return ModelOverloaded
    if not in_reply or found.status in (401, 403, 404):
        return ModelRefusedRequest
    return ModelOverloaded if _OVERLOADED_CODES.search(found.code) else ReplyBroken


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Say how many seconds a server asks to wait, None when it does not say. Header names are in lower case."""
    milliseconds = headers.get("retry-after-ms", "")
    if _is_number(milliseconds):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _is_number(after):
        return float(after)
    if after:
        return _seconds_until(after, time.time() if now is None else now)
    resets = [
        _reset_seconds(headers[f"x-ratelimit-reset{what}"], time.time() if now is None else now)
        for what in ("", "-requests", "-tokens")
        if headers.get(f"x-ratelimit-reset{what}") and headers.get(f"x-ratelimit-remaining{what}", "0").strip() == "0"
    ]
    return max(resets, default=None)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) is not None


def _seconds_until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except ValueError:
        return None


def _reset_seconds(text: str, now: float) -> float:
    """Read when a limit ends: a span such as `1m30s`, `120ms` or `2`, or a time since 1970 in seconds or milliseconds."""
    if _is_number(text):
        number = float(text)
        since_1970 = number / 1000 if number > 1e11 else number
        return max(0.0, since_1970 - now) if number > 1e9 else number
    return sum(float(number) * _UNITS[unit] for number, unit in _SPAN.findall(text))


def _asked_in_words(message: str) -> float | None:
    found = _TRY_AGAIN.search(message)
    if found is None:
        return None
    unit = found.group(2).lower()
    return float(found.group(1)) * (0.001 if unit == "ms" else 60.0 if unit.startswith("m") else 1.0)
