"""Reading the definitions of a live MCP server, by the official SDK, which is the extra `mcp`."""

from __future__ import annotations

import shlex
import tempfile
from typing import Any, cast

import anyio

from prudent.design.reading import read_definition
from prudent.design.sheet import Definition, Source
from prudent.errors import ConfigurationError, MissingExtra

_MAX_PAGES = 100
_SECONDS = 30.0
_MAX_QUOTED = 300


def read_server(server: str, *, timeout_seconds: float = _SECONDS) -> list[Definition]:
    """Start or reach a server, ask what tools it has, and leave it.

    Args:
        server: a command, such as `uvx mcp-server-git`, or a URL that begins with http.
        timeout_seconds: the longest that all of it may take.

    Raises:
        MissingExtra: the extra `mcp` is not installed.
        ConfigurationError: the server could not be started or reached, or did not answer.
    """
    try:
        import mcp  # an extra, and half a second to import
    except ImportError as error:
        raise MissingExtra("looking at an MCP server", "mcp") from error
    del mcp
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            tools = anyio.run(_list_tools, server, timeout_seconds, errors)
        except Exception as error:  # whatever the server, its process or the wire does
            errors.seek(0)
            raise ConfigurationError(_failure(server, _innermost(error), errors.read(), timeout_seconds)) from error
    return [read_definition(tool, Source(server, 0, ("tools", index))) for index, tool in enumerate(tools)]


async def _list_tools(server: str, timeout_seconds: float, errors: Any) -> list[dict[str, Any]]:
    from mcp import Client  # an extra, and half a second to import

    found: list[dict[str, Any]] = []
    with anyio.fail_after(timeout_seconds):
        async with Client(_transport(server, errors)) as client:
            cursor: str | None = None
            for _ in range(_MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                cursor = page.next_cursor
                if not cursor:
                    break
    return found


def _transport(server: str, errors: Any) -> Any:
    from mcp import StdioServerParameters, stdio_client  # an extra, and half a second to import

    if server.startswith(("http://", "https://")):
        return server
    try:
        words = shlex.split(server)
    except ValueError as error:
        raise ConfigurationError(f"{server!r} cannot be read as a command: {error}") from error
    if not words:
        raise ConfigurationError('the command of --mcp is empty: write one such as --mcp "uvx mcp-server-git"')
    return stdio_client(StdioServerParameters(command=words[0], args=words[1:]), errlog=errors)


def _innermost(error: BaseException) -> BaseException:
    """Take a failure out of the groups that task groups make."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _failure(server: str, error: BaseException, said: str, timeout_seconds: float) -> str:
    if isinstance(error, ConfigurationError):
        return str(error)
    if isinstance(error, TimeoutError):
        reason = f"it did not answer within {timeout_seconds:g} s"
    elif isinstance(error, FileNotFoundError):
        reason = "there is no such command"
    else:
        reason = str(error) or type(error).__name__
    last = said.strip()[-_MAX_QUOTED:]
    return f"the MCP server {server!r} could not be read: {reason}" + (f"; it said: {last}" if last else "")
