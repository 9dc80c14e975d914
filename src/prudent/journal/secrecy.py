"""What one run must not write: secrets by their form, known values, and its calls' secret parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from prudent.journal.codec import compact_json
from prudent.journal.redact import Redactor, hide_parameters, secret_values
from prudent.messages import Message, ToolCall
from prudent.types import JSON, JSONMapping, JSONObject

_NOT_KEPT: Final = b'"[redacted: held a secret]"'
_LONG_ENOUGH: Final = 8
"""A secret parameter's value of that many characters is hidden in the whole run, a shorter one in its own call."""


@dataclass(frozen=True, slots=True)
class _SecretCall:
    names: tuple[str, ...]
    values: tuple[str, ...]
    redactor: Redactor


class Secrecy:
    """Knows a run's secrets, learns those of its calls as they come, and hides them in all that is written."""

    def __init__(self, redactor: Redactor, parameters: Mapping[str, Sequence[str]]) -> None:
        """Take what is secret in all runs, and tools' secret parameters by tool name as far as known beforehand."""
        self.redactor = redactor
        self._parameters = {tool: tuple(names) for tool, names in parameters.items() if names}
        self._calls: dict[str, _SecretCall] = {}
        self._raw_redactor = redactor
        self._raw_keys: re.Pattern[bytes] | None = None

    def knows(self, call_id: str) -> bool:
        """Whether something of this call is known to be secret."""
        return call_id in self._calls

    def learn(self, call_id: str, tool_name: str, names: Sequence[str], arguments: JSONMapping) -> None:
        """Take note of a call's secret parameters, and of their values so that they are found elsewhere too."""
        known = self._parameters.get(tool_name, ())
        names = self._parameters[tool_name] = (*known, *(name for name in names if name not in known))
        values = secret_values(arguments, names)
        self._calls[call_id] = _SecretCall(names, tuple(values), self.redactor.with_values(values))
        self.redactor = self.redactor.with_values(value for value in values if len(value) >= _LONG_ENOUGH)
        self._raw_redactor = self._raw_redactor.with_values(values)
        keys = b"|".join(re.escape(name.encode()) for tool in self._parameters.values() for name in tool)
        self._raw_keys = re.compile(rb'\\*"(?:' + keys + rb')\\*"\s*:')

    def event(self, data: JSONObject) -> tuple[JSONObject, str]:
        """Hide what an encoded event must not show; return it as an object and as text."""
        call = self._calls.get(str(data.get("call_id", "")))
        arguments = data.get("arguments")
        if call and isinstance(arguments, dict):
            data = {**data, "arguments": hide_parameters(arguments, call.names)}
        redactor = call.redactor if call else self.redactor
        text = compact_json(data)
        if redactor.suspects(text):
            data = redactor.mapping(data)
            text = compact_json(data)
        return data, text

    def result(self, call_id: str, content: str | bytes) -> str | bytes:
        """Hide what the result of a call must not show."""
        redactor = self._redactor_of([call_id])
        return redactor.text(content) if isinstance(content, str) else redactor.data(content)

    def message(self, message: Message) -> Message:
        """Hide what a message must not show; the same object comes back where that is nothing."""
        for call in message.calls:
            self._foresee(call)
        redactor = self._redactor_of([message.call_id, *(call.id for call in message.calls)])
        changes: dict[str, object] = {}
        for name in ("text", "reasoning", "opaque"):
            text = cast(str, getattr(message, name))
            if text and (redacted := redactor.text(text)) is not text:
                changes[name] = redacted
        calls = tuple(self._call(call) for call in message.calls)
        if any(a is not b for a, b in zip(calls, message.calls, strict=True)):
            changes["calls"] = calls
        return replace(message, **changes) if changes else message

    def raw(self, piece: bytes) -> bytes:
        """Hide what raw bytes must not show: a piece that names a secret parameter is not kept at all."""
        if self._raw_keys and self._raw_keys.search(piece):
            return _NOT_KEPT
        return self._raw_redactor.data(piece)

    def _foresee(self, call: ToolCall) -> None:
        names = self._parameters.get(call.name)
        if names and call.id not in self._calls:
            self.learn(call.id, call.name, names, _as_object(call.arguments))

    def _call(self, call: ToolCall) -> ToolCall:
        secret = self._calls.get(call.id)
        arguments = call.arguments
        if secret:
            arguments = compact_json(hide_parameters(_as_object(arguments), secret.names))
        arguments = self.redactor.text(arguments)
        return call if arguments == call.arguments else replace(call, arguments=arguments)

    def _redactor_of(self, call_ids: Iterable[str]) -> Redactor:
        values = [value for call_id in call_ids if call_id in self._calls for value in self._calls[call_id].values]
        return self.redactor.with_values(values) if values else self.redactor


def _as_object(arguments: str) -> JSONObject:
    """Read an argument string; one that is no object hides nothing that could be named."""
    try:
        value = cast(JSON, json.loads(arguments))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
