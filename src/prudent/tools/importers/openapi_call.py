"""Calling an operation over HTTP: the request from the arguments, the answer as a result, a refusal as an error."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

from prudent.errors import ToolError
from prudent.tools.context import Context
from prudent.tools.importers.openapi_schema import Place
from prudent.types import JSON, JSONObject

MOST_BYTES = 4 * 1024 * 1024
"""How much of an answer is read."""

_MOST_ERROR_CHARS = 600


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation of one server."""

    method: str
    base_url: str
    path: str
    places: Mapping[str, Place]
    headers_from: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers to send, each with the environment variable that holds its value."""

    def request(self, arguments: JSONObject) -> dict[str, Any]:
        """Give what goes to the client. Raises ToolError for a value that would lead to another path."""
        path, query, headers = self.path, list[tuple[str, str]](), dict[str, str]()
        cookies: list[str] = []
        request: dict[str, Any] = {}
        for key, value in arguments.items():
            place = self.places[key]
            if place.where == "path":
                path = path.replace("{" + place.name + "}", _segment(place, value))
            elif place.where == "query":
                query += _query(place, value)
            elif place.where == "header":
                headers[place.name] = _simple(value)
            elif place.where == "cookie":
                cookies.append(f"{place.name}={quote(_simple(value))}")
            else:
                request.update(_body(place, value))
                headers["Content-Type"] = place.media_type
        if cookies:
            headers["Cookie"] = "; ".join(cookies)
        return {"url": self.base_url + path, "params": query, "headers": headers, **request}


async def call_operation(endpoint: Endpoint, /, *, prudent_context: Context, **arguments: JSON) -> object:
    """Make the call. Redirects are not followed: they may lead anywhere."""
    import httpx2  # slow to load, and needed only when an operation is called

    request = endpoint.request(arguments)
    secrets = {name: os.environ.get(variable, "") for name, variable in endpoint.headers_from.items()}
    missing = [endpoint.headers_from[name] for name, value in secrets.items() if not value]
    if missing:
        raise ToolError(f"the operator has to set {', '.join(missing)} in the environment")
    request["headers"] = {"Accept": "application/json, text/*;q=0.9, */*;q=0.1", **request["headers"], **secrets}
    try:
        async with (
            httpx2.AsyncClient(timeout=prudent_context.timeout_seconds, follow_redirects=False) as client,
            client.stream(endpoint.method.upper(), **request) as response,
        ):
            body = await _read(response)
    except httpx2.HTTPError as error:
        raise ToolError(f"the server could not be reached ({type(error).__name__})") from error
    return _result(response, body)


async def _read(response: Any) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise ToolError(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB", fix="ask for less at a time")
    return b"".join(pieces)


def _result(response: Any, body: bytes) -> object:
    status = int(response.status_code)
    kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    text = body.decode(response.encoding or "utf-8", "replace")
    if status >= 300:
        told = " ".join(text.split())[:_MOST_ERROR_CHARS]
        where = f" to {response.headers.get('location', 'nowhere')}" if status < 400 else ""
        raise ToolError(f"the server answered {status} {response.reason_phrase}{where}{f': {told}' if told else ''}")
    if not body:
        return f"done ({status} {response.reason_phrase})"
    if kind == "application/json" or kind.endswith("+json"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text if not kind or kind.startswith("text/") or "xml" in kind else body


def _segment(place: Place, value: JSON) -> str:
    text = _simple(value)
    if text in ("", ".", ".."):
        raise ToolError(f"{place.name} may not be {text!r}: it is a part of the address")
    return quote(text, safe=",")


def _query(place: Place, value: JSON) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if place.style == "deepObject":
            yield from ((f"{place.name}[{key}]", _scalar(part)) for key, part in value.items())
        elif place.explode:
            yield from ((key, _scalar(part)) for key, part in value.items())
        else:
            yield place.name, _simple(value)
    elif isinstance(value, list):
        if place.explode:
            yield from ((place.name, _scalar(part)) for part in value)
        else:
            mark = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(place.style, ",")
            yield place.name, mark.join(map(_scalar, value))
    elif value is not None:
        yield place.name, _scalar(value)


def _body(place: Place, value: JSON) -> dict[str, Any]:
    if place.body == "text":
        return {"content": str(value).encode()}
    if place.body == "form" and isinstance(value, dict):
        return {"data": {key: _simple(part) for key, part in value.items() if part is not None}}
    return {"content": json.dumps(value, ensure_ascii=False).encode()}


def _simple(value: JSON) -> str:
    if isinstance(value, list):
        return ",".join(map(_scalar, value))
    if isinstance(value, dict):
        return ",".join(f"{key},{_scalar(part)}" for key, part in cast("dict[str, JSON]", value).items())
    return _scalar(value)


def _scalar(value: JSON) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
