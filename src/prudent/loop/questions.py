"""Questions about calls: put on record, put to whoever is there, and what the answer makes of the call."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from prudent.errors import CallParked, JournalError
from prudent.events import ApprovalAsked, ApprovalDecided, Warned
from prudent.loop.gate import Gate, Job
from prudent.loop.parts import Parts
from prudent.messages import ToolCall
from prudent.ports import Ask
from prudent.standing import argument_text, holds_hidden
from prudent.types import JSON

HIDDEN = "[secret]"


@dataclass(slots=True)
class Questions:
    """Asks about one call at a time."""

    parts: Parts
    gate: Gate

    def ask(self, job: Job, ask: Ask) -> None:
        """Put a question on record, unless it stands there undecided already."""
        record = self.parts.state.calls[job.call.id]
        standing = record.question
        if standing and not record.decision and (standing.kind, standing.binding) == (ask.kind, ask.binding):
            return
        secret = job.tool.secret if job.tool else ()
        self.parts.recorder.emit(
            ApprovalAsked(
                call_id=job.call.id,
                kind=ask.kind,
                tool_name=record.tool_name,
                arguments={name: HIDDEN if name in secret else value for name, value in job.arguments.items()},
                preview=ask.preview,
                binding=ask.binding,
                each_time=ask.each_time,
            )
        )

    def park(self, job: Job, parked: CallParked) -> None:
        """Bring a sub-agent's question before whoever answers this run's questions."""
        job.parked = True
        question = parked.pending
        self.parts.recorder.emit(
            ApprovalAsked(
                call_id=job.call.id,
                kind=question["kind"],
                tool_name=question["tool_name"],
                arguments=question["arguments"],
                preview=question["preview"],
                binding=parked.sub_call,
                sub_call=parked.sub_call,
                each_time=parked.each_time,
            )
        )

    async def decide(self, job: Job) -> ApprovalDecided | None:
        """Ask whoever is there and record the answer; None when nobody is, or none that fits the question is given."""
        record = self.parts.state.calls[job.call.id]
        if self.parts.approver is None or record.question is None:
            return None
        try:
            with self.parts.pause():
                decision = await self.parts.approver.decide(record.question)
        except JournalError:
            raise
        except Exception as error:  # an approver is a user's code: when it fails, the question waits for somebody else
            self.parts.recorder.emit(Warned(text=f"asking about {record.tool_name} failed ({type(error).__name__}); it waits"))
            return None
        return self.take(job, decision) if decision and record.takes(decision) else None

    def take(self, job: Job, decision: ApprovalDecided) -> ApprovalDecided:
        """Record a decision; edited arguments are validated like the model's own."""
        question = self.parts.state.calls[job.call.id].question
        if decision.decision == "edit" and question and question.kind == "call" and not question.sub_call:
            edited = self.gate.prepare(self._edited_call(job, decision.arguments or {}), job.position, job.turn)
            if edited.refusal:
                reason = f"the edited arguments are wrong: {edited.refusal.reason}"
                decision = replace(decision, decision="reject", reason=reason, arguments=None)
            else:
                job.arguments = edited.arguments
                decision = replace(decision, arguments=edited.arguments)
        self.parts.recorder.emit(decision)
        return decision

    def _edited_call(self, job: Job, arguments: dict[str, JSON]) -> ToolCall:
        """Give the call with a person's arguments; a secret that they saw only as a mark, and left so, stays what it was."""
        true = self.gate.prepare(job.call, job.position, job.turn).arguments
        secret = job.tool.secret if job.tool else ()
        kept = {name: true[name] for name in secret if name in true and holds_hidden(argument_text(arguments.get(name)))}
        return replace(job.call, arguments=json.dumps({**arguments, **kept}, ensure_ascii=False))
