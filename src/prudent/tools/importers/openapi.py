"""The operations of an OpenAPI document (3.0 and 3.1) as tools. `openapi-pydantic` reads the document."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from prudent.errors import ConfigurationError, MissingExtra
from prudent.messages import canonical_json
from prudent.tools.definition import Tool
from prudent.tools.dialects import NAME_CHARS, legal_name
from prudent.tools.importers.imported import CONTEXT
from prudent.tools.importers.openapi_call import Endpoint, call_operation
from prudent.tools.importers.openapi_schema import Definitions, operation_parameters
from prudent.tools.inlining import wire_schema
from prudent.tools.options import Effect
from prudent.types import JSON, JSONMapping

_EFFECTS: Mapping[str, tuple[Effect, bool]] = {
    "get": ("read", True),
    "head": ("read", True),
    "put": ("write", True),
    "post": ("write", False),
    "patch": ("write", False),
    "delete": ("destructive", True),
}
"""By HTTP method: what a call does to the world, and whether doing it twice is the same as once (RFC 9110, section 9.2)."""

_MOST_DESCRIPTION_CHARS = 1_500


def openapi(
    document: Path,
    *,
    base_url: str = "",
    only: Collection[str] = (),
    tags: Collection[str] = (),
    headers_from: Mapping[str, str] | None = None,
    timeout_seconds: float = 30.0,
    prefix: str = "",
) -> list[Tool]:
    """Make a tool of each operation. GET and HEAD read, PUT writes and may be repeated, POST and PATCH write, DELETE destroys.

    Args:
        document: the file, JSON or YAML.
        base_url: of the server; by default the document's first.
        only: operationIds to take; all when left out.
        tags: take only operations with one of these tags.
        headers_from: headers to send, each with the environment variable that holds its value: {"Authorization": "API_AUTH"}.
        timeout_seconds: of each call.
        prefix: put before each tool's name.

    Raises:
        ConfigurationError: the document cannot be read, or says nothing usable; names the place.
        MissingExtra: the extra `openapi` is not installed.
    """
    parsed = _parse(_load(Path(document)), str(document))
    url = base_url or _server(parsed)
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(f"{document} names no server that can be called ({url or 'none'}): give base_url")
    definitions = Definitions(parsed)
    tools: list[Tool] = []
    for path, method, item, operation in _operations(parsed):
        name = operation.operationId or f"{method}_{path}"
        if (only and name not in only) or (tags and not set(tags) & set(operation.tags or ())):
            continue
        made = operation_parameters(definitions, item, operation)
        if made is None:
            continue  # its body is of a kind that cannot be written from JSON
        parameters, places = made
        endpoint = Endpoint(method, url.rstrip("/"), path, places, headers_from or {})
        effect, idempotent = _EFFECTS[method]
        tools.append(
            Tool(
                name=prefix + legal_name(name, NAME_CHARS - len(prefix)),
                function=partial(call_operation, endpoint),
                summary=_description(operation, item, method, path),
                parameters=wire_schema(parameters),
                effect=effect,
                idempotent=idempotent,
                preview=None if effect == "read" else partial(_preview, endpoint=endpoint),
                run_in="inline",
                timeout_seconds=timeout_seconds,
                context_parameter=CONTEXT,
                toolkit="openapi",
            )
        )
    _check(tools, only, document)
    return tools


def _load(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"{path} is no valid JSON: {error}") from error
    try:
        import yaml  # an extra, needed for YAML only
    except ImportError as error:
        raise MissingExtra("an OpenAPI document in YAML", "openapi") from error
    try:
        return _read_yaml(yaml, text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path} is no valid YAML: {error}") from error


def _read_yaml(yaml: Any, text: str) -> Any:
    """Read with the loader that makes plain values only; the one in C is ten times as fast, where it is there."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _parse(data: Any, where: str) -> Any:
    try:
        from openapi_pydantic import parse_obj  # an extra, and slow to load
    except ImportError as error:
        raise MissingExtra("an OpenAPI document", "openapi") from error
    if isinstance(data, dict) and "swagger" in data:
        raise ConfigurationError(f"{where} is Swagger 2.0: convert it to OpenAPI 3 first")
    try:
        return parse_obj(json.loads(json.dumps(data, default=str)))
    except ValueError as error:
        raise ConfigurationError(f"{where} is no OpenAPI 3 document: {_first_problem(error)}") from error


def _first_problem(error: ValueError) -> str:
    errors: Any = getattr(error, "errors", None)
    if not callable(errors):
        return str(error)
    first = cast("list[dict[str, Any]]", errors())[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _server(parsed: Any) -> str:
    server = next(iter(parsed.servers or ()), None)
    if server is None:
        return ""
    url, variables = str(server.url), cast("dict[str, Any]", server.variables or {})
    for name, variable in variables.items():
        url = url.replace("{" + name + "}", str(variable.default))
    return url


def _operations(parsed: Any) -> Iterator[tuple[str, str, Any, Any]]:
    for path, item in cast("dict[str, Any]", parsed.paths or {}).items():
        for method in _EFFECTS:
            operation = getattr(item, method, None)
            if operation is not None:
                yield path, method, item, operation


def _description(operation: Any, item: Any, method: str, path: str) -> str:
    told = [operation.summary or item.summary or "", operation.description or item.description or ""]
    parts = dict.fromkeys(part.strip() for part in told if part.strip())
    deprecated = ["Deprecated: choose another one if there is one."] if operation.deprecated else []
    text = "\n\n".join([*parts, *deprecated]) or f"{method.upper()} {path}"
    return text if len(text) <= _MOST_DESCRIPTION_CHARS else text[: _MOST_DESCRIPTION_CHARS - 1] + "…"


def _preview(arguments: JSONMapping, *, endpoint: Endpoint) -> str:
    request = endpoint.request({**arguments})
    body = request.get("json", request.get("data", request.get("content")))
    lines = [f"{endpoint.method.upper()} {request['url']}"]
    lines += [f"  {name}: {value}" for name, value in request.get("params", ())]
    if isinstance(body, dict):
        lines.append(canonical_json(cast("dict[str, JSON]", body)))
    elif body is not None:
        lines.append(body.decode() if isinstance(body, bytes) else str(body))
    return "\n".join(lines)


def _check(tools: Collection[Tool], only: Collection[str], document: Path) -> None:
    if not tools:
        what = f"operations named {', '.join(only)}" if only else "operations that can be called"
        raise ConfigurationError(f"{document} has no {what}")
