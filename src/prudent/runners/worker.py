"""What runs in a worker process: it imports tools, runs calls one after the other, and answers each."""

from __future__ import annotations

import io
import os
import pickle
import socket
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

from prudent.runners.frames import MOST_BYTES, Kind, frame, receive
from prudent.runners.passing import Surroundings, pack_failure, unpack, unpack_tool
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject


def serve(channel: socket.socket) -> NoReturn:
    """Work requests off until the program closes the channel, then end the process."""
    here = os.getpid()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    tools: dict[bytes, Tool] = {}
    surroundings: Surroundings | None = None
    while request := receive(channel):
        kind, body = request
        recipe, changed, *call = unpack(body)
        surroundings = _settle_in(surroundings, changed)
        answer, body = _load(recipe, tools) if kind is Kind.LOAD else _perform(tools[recipe], *call)
        if os.getpid() != here:  # the tool forked, and its child came back too
            break
        try:
            channel.sendall(frame(answer, body, spent=_is_spent()))
        except OSError:
            break
    os._exit(0)


def _settle_in(known: Surroundings | None, changed: Surroundings | None) -> Surroundings | None:
    """Take over what the program changed, and go back to its folder, which an earlier tool may have left."""
    if changed is not None:
        os.environ.clear()
        os.environ.update(changed.environment)
        sys.path[:] = changed.path
    now = changed or known
    if now is not None:
        with suppress(OSError):
            os.chdir(now.folder)
    return now


def _load(recipe: bytes, tools: dict[bytes, Tool]) -> tuple[Kind, bytes]:
    try:
        tools[recipe] = unpack_tool(recipe)
    except BaseException as error:
        return Kind.CRASH, f"the tool cannot be imported in a worker process: {type(error).__name__}: {error}".encode()
    return Kind.READY, b""


def _perform(tool: Tool, arguments: JSONObject, context: dict[str, Any]) -> tuple[Kind, bytes]:
    """Run one call and pack what comes of it."""
    try:
        result = tool.invoke(arguments, Context(**context))
    except Exception as error:
        return Kind.FAILURE, pack_failure(error)
    except BaseException as error:
        return Kind.CRASH, f"the tool tried to end the process with {type(error).__name__}".encode()
    try:
        body = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        reason = f"the tool's result, of type {type(result).__name__}, cannot be brought over from the worker process: {error}"
        return Kind.CRASH, reason.encode()
    if len(body) > MOST_BYTES:
        return (
            Kind.CRASH,
            f"the tool's result has {len(body):,} bytes, more than the {MOST_BYTES:,} that are brought over".encode(),
        )
    return Kind.RESULT, body


def perform_once(recipe: bytes, arguments: JSONObject, context: dict[str, Any]) -> tuple[Kind, bytes]:
    """Import a tool and run one call of it, in a worker process of somebody else's making."""
    tools: dict[bytes, Tool] = {}
    failed = _load(recipe, tools)
    return failed if failed[0] is Kind.CRASH else _perform(tools[recipe], arguments, context)


def _is_spent() -> bool:
    """Whether something was left behind that goes on running: a thread, or a process, also one that ended unnoticed."""
    if threading.active_count() > 1:
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
