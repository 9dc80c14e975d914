"""From what the model wrote to arguments that may be used: decoded, repaired where nothing is lost, checked, complete.

Everything here either returns or raises `CallRefused`, for any argument string whatever, in bounded time.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from prudent.errors import CallRefused
from prudent.messages import ToolCall, canonical_json
from prudent.tools.acceptance import accept
from prudent.tools.decoding import plain, read_object, read_strictly
from prudent.tools.definition import Tool
from prudent.tools.description import CONFIRMATION
from prudent.tools.refusal import Refusal
from prudent.types import JSONObject

_UNREADABLE = "invalid_arguments"
"""Under this key the history notes the beginning of arguments that nobody could read."""

_MAX_KEPT_CHARS = 200
_MAX_NAME_CHARS = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Validated:
    """Arguments that a tool can be called with."""

    arguments: JSONObject
    """In the schema's order, defaults filled in; equal calls give equal `canonical_json`, however they were written."""

    repairs: tuple[str, ...]
    """What was repaired and where; never a value."""

    confirmation: str = ""
    """The token that the model gave to a tool with `confirm = "model"`."""


def decode_arguments(call: ToolCall) -> tuple[JSONObject, tuple[str, ...]]:
    """Decode a call's argument string without knowing the tool; returns the object and what was repaired.

    Raises CallRefused of kind `invalid_json` or `invalid_arguments`.
    """
    decoded, repairs = _decode(call)
    return {key: plain(value, 1) for key, value in decoded.items()}, repairs


def validate(tool: Tool, call: ToolCall) -> Validated:
    """Decode a call's arguments and hold them to the tool's schema.

    Raises CallRefused of kind `invalid_json` or `invalid_arguments`, with a text that the model can act on; never for a
    `lenient` tool, which gets whatever could be decoded.
    """
    if tool.lenient:
        return _validate_leniently(call)
    refusal = Refusal(tool.name, tool.parameters, tool.examples, tool.secret)
    try:
        decoded, repairs = _decode(call, quoting=not tool.secret)
    except CallRefused as error:
        raise refusal.with_example(error) from error
    asks_model = tool.confirm == "model"
    confirmation = str(decoded.get(CONFIRMATION, "")) if asks_model else ""
    given = {name: value for name, value in decoded.items() if not (asks_model and name == CONFIRMATION)}
    validated = validate_object(tool, given)
    return Validated(validated.arguments, repairs + validated.repairs, confirmation)


def validate_object(tool: Tool, arguments: JSONObject) -> Validated:
    """Hold arguments that are JSON already to the tool's schema, such as those that a person edited."""
    if tool.lenient:
        return Validated({key: plain(value, 1) for key, value in arguments.items()}, ())
    accepted = accept(tool.parameters, tool.arguments, arguments)
    if accepted.problems:
        raise Refusal(tool.name, tool.parameters, tool.examples, tool.secret).of(accepted.problems)
    return Validated(accepted.arguments, accepted.repairs)


def history_arguments(call: ToolCall) -> str:
    """Give the argument string that may go back into the history: always a JSON object that every server can read.

    The model's own string byte for byte where it is one, else the repaired object, else a note of how it began.
    """
    try:
        if _is_strict_object(call.arguments):
            return call.arguments
        return canonical_json(decode_arguments(call)[0])
    except CallRefused:
        kept = call.arguments[:_MAX_KEPT_CHARS].encode("utf-8", "replace").decode()
        return canonical_json({_UNREADABLE: kept})


def history_name(name: str) -> str:
    """Give a name that providers accept in the history, for a tool that may not exist."""
    accepted = _NOT_IN_NAMES.sub("_", name[: 4 * _MAX_NAME_CHARS])
    if accepted != name:
        accepted = accepted.strip("_")
    return accepted[:_MAX_NAME_CHARS] or "unnamed_tool"


def _decode(call: ToolCall, *, quoting: bool = True) -> tuple[JSONObject, tuple[str, ...]]:
    decoded, repairs = read_object("" if call.arguments_were_null else call.arguments, quoting=quoting)
    if decoded.keys() == {_UNREADABLE}:
        # Either a run that was cut off takes its history up, or the model imitates it.
        raise CallRefused("invalid_json", "the arguments could not be read", fix="send the whole call again")
    return decoded, repairs


def _validate_leniently(call: ToolCall) -> Validated:
    try:
        return Validated(*decode_arguments(call))
    except CallRefused as refusal:
        return Validated({}, (f"unreadable arguments left out ({refusal.kind})",))


def _is_strict_object(text: str) -> bool:
    try:
        value = read_strictly(text)
    except json.JSONDecodeError:
        return False
    if isinstance(value, dict):
        plain(value)
    return isinstance(value, dict)
