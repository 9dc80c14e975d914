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


_TEXTS: Final = frozenset(
    ("task", "base_url", "agent_file", "text", "note", "reason", "repairs", "shown", "error")
) | frozenset(("decided_by", "preview", "number", "thought", "plan", "action", "facts"))
"""Fields of events that hold anybody's words; all others are the runtime's own and stay as they are."""

_PAYLOADS: Final = frozenset(("arguments", "output", "result", "budget", "settings", "data", "raw", "rule"))
"""Fields of events that hold anybody's JSON."""


@dataclass(frozen=True, slots=True)
class _SecretCall:
    tool_name: str
    names: tuple[str, ...]
    values: tuple[str, ...]


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
        self._calls[call_id] = _SecretCall(tool_name, names, ())
        self.learn_values(call_id, arguments)
        keys = b"|".join(re.escape(name.encode()) for tool in self._parameters.values() for name in tool)
        self._raw_keys = re.compile(rb'\\*"(?:' + keys + rb')\\*"\s*:')

    def learn_values(self, call_id: str, arguments: JSONMapping) -> None:
        """Take note of the values that a known call's secret parameters have by now, such as after an edit."""
        call = self._calls[call_id]
        values = secret_values(arguments, call.names)
        self._calls[call_id] = replace(call, values=(*call.values, *values))
        self.redactor = self.redactor.with_values(value for value in values if len(value) >= _LONG_ENOUGH)
        self._raw_redactor = self._raw_redactor.with_values(values)

    def event(self, data: JSONObject) -> tuple[JSONObject, str]:
        """Hide what an encoded event must not show; return it as an object and as text."""
        call_id = str(data.get("call_id", ""))
        call, arguments = self._calls.get(call_id), data.get("arguments")
        if call and isinstance(arguments, dict):
            data = {**data, "arguments": hide_parameters(arguments, call.names)}
        if call and isinstance(rule := data.get("rule"), dict):
            globs = cast(JSONObject, rule["globs"])
            data = {**data, "rule": {**rule, "globs": hide_parameters(globs, call.names)}}
        redactor = self._redactor_of([call_id])
        text = compact_json(data)
        if redactor.suspects(text):
            data = {name: _redacted(redactor, name, value) for name, value in data.items()}
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
        for name, redact in (("text", redactor.text), ("reasoning", redactor.text), ("opaque", redactor.json)):
            text = cast(str, getattr(message, name))
            if text and (redacted := redact(text)) is not text:
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
        arguments = self.redactor.json(arguments)
        return call if arguments == call.arguments else replace(call, arguments=arguments)

    def _redactor_of(self, call_ids: Iterable[str]) -> Redactor:
        values = [value for call_id in call_ids if call_id in self._calls for value in self._calls[call_id].values]
        return self.redactor.with_values(values) if values else self.redactor


def _redacted(redactor: Redactor, name: str, value: JSON) -> JSON:
    if name in _PAYLOADS or name in _TEXTS:
        return redactor.value(value)
    return value


def _as_object(arguments: str) -> JSONObject:
    """Read an argument string; one that is no object hides nothing that could be named."""
    try:
        value = cast(JSON, json.loads(arguments))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
