"""Taking a reply in: ids that are unique in the run, names and argument strings that providers take back."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

from prudent.exchange import Reply
from prudent.messages import Message, ToolCall
from prudent.tools.validation import history_arguments, history_name


@dataclass(slots=True)
class Intake:
    """Gives the calls of one reply their ids. Ids are the server's and not to be trusted: missing, doubled, used before."""

    turn: int
    taken: Container[str]
    """Ids used earlier in the run."""

    _ids: dict[int, str] = field(default_factory=dict[int, str])

    def identify(self, position: int, call: ToolCall) -> ToolCall:
        """Give a call its id; the same position always gets the same one."""
        if position not in self._ids:
            wanted = call.id.strip()
            free = wanted and wanted not in self.taken and wanted not in self._ids.values()
            self._ids[position] = wanted if free else self._new_id(position)
        return replace(call, id=self._ids[position])

    def _new_id(self, position: int) -> str:
        stem = new = f"call_t{self.turn}_{position + 1}"
        count = 1
        while new in self.taken or new in self._ids.values():
            count += 1
            new = f"{stem}_{count}"
        return new

    def calls(self, reply: Reply) -> tuple[ToolCall, ...]:
        """List the calls as the model wrote them, with their ids."""
        return tuple(self.identify(position, call) for position, call in enumerate(reply.message.calls))

    def message(self, reply: Reply) -> Message:
        """Give the message as it goes into the history."""
        calls = tuple(
            replace(call, name=history_name(call.name), arguments=history_arguments(call), arguments_were_null=False)
            for call in self.calls(reply)
        )
        return replace(reply.message, calls=calls)
