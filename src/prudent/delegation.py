"""Agents inside agents: one as another's tool, one as another's judge.

A sub-agent's work is a run of its own in the same journal, with its own budget inside its parent's. It is stopped with its
parent, its questions surface as its parent's, its usage is added to its parent's. When the parent is resumed it goes on where
it stood.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from prudent.errors import CallParked, JournalError, ToolError
from prudent.events import ApprovalAsked, ApprovalDecided, RunStatus, SubRunWorked
from prudent.journal.decisions import asked_about
from prudent.journal.outside import end_sub_runs
from prudent.journal.replay import replay
from prudent.journal.store import JournalStore
from prudent.loop.parts import Pause
from prudent.ports import Approver
from prudent.result import RunResult, result_of
from prudent.runs import Run
from prudent.state import RunState
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSON, JSONObject, Usage

TASK: JSONObject = {
    "type": "string",
    "description": "The whole task in words, with everything that has to be known for it: the other agent sees nothing else.",
}


JUDGE = """\
Judge the answer to a task. Does it answer the task, and does it claim nothing that it has no ground for?
Reply with the one word ACCEPT, or with REJECT: and the reason in one or two sentences, so that it can be mended.

The task:
{task}

The answer:
{answer}"""

ENDED: frozenset[RunStatus] = frozenset({"completed", "incomplete", "failed"})
"""A sub-agent's run that came to such an end is over, also when its parent is resumed."""


class Worker(Protocol):
    """Another agent, as far as its work is wanted here."""

    name: str


def sub_run_id(parent_run_id: str, call_id: str) -> str:
    """Name the run that works for a call: the same over all attempts, so that it is taken up and never begun twice."""
    return f"{parent_run_id}.{call_id}"


def agent_tool(agent: Worker, *, name: str, description: str, when: str, timeout_seconds: float) -> Tool:
    """Make a tool that gives a task to another agent."""

    async def work_on(context: Context, task: str) -> object:
        return await context.delegate(agent, task)

    return Tool(
        name=name,
        function=work_on,
        summary=description,
        when=when,
        parameters={"type": "object", "properties": {"task": TASK}, "required": ["task"], "additionalProperties": False},
        idempotent=True,
        run_in="inline",
        timeout_seconds=timeout_seconds,
        max_result_chars=8000,
        context_parameter="context",
    )


class Engage(Protocol):
    """Starts or takes up a sub-agent's run."""

    def __call__(self, parent: Run, agent: Worker, task: str, run_id: str, approver: Approver | None) -> Run:
        """Give the run with this id, new or as it was left."""
        ...


@dataclass(slots=True)
class Delegation:
    """Lets sub-agents work for one parent run."""

    store: JournalStore
    engage: Engage
    approver: Approver | None
    """Who answers questions here; what is decided elsewhere about a sub-agent's question reaches that one's own run."""

    parent: Run = field(init=False)

    async def work(self, call_id: str, agent: Worker, task: str) -> object:
        """Let the agent work on the task to its end.

        Raises CallParked when a person is needed, ToolError when it did not finish.
        """
        self._hand_over_decision(call_id)
        result = await self._sit(call_id, agent, task, self._approver(agent))
        if result.status == "awaiting_approval":
            raise self._parked(agent, result)
        return _outcome(agent, result)

    async def judge(self, agent: Worker, answer: str) -> str | None:
        """Let another agent judge an answer: the reason why it will not do, or None. One that cannot judge lets it pass."""
        state = self.parent.state
        result = await self._sit(f"check-{state.turn}", agent, JUDGE.format(task=state.task, answer=answer), None)
        verdict = str(result.output or "").strip()
        rejected = result.status == "completed" and verdict.upper().startswith("REJECT")
        return verdict[len("REJECT") :].lstrip(" :.-\n") or "it was not accepted" if rejected else None

    async def _sit(self, call_id: str, agent: Worker, task: str, approver: Approver | None) -> RunResult:
        """Begin the agent's run, take it up where it was left, or look at how it ended before its parent was cut off."""
        run_id = sub_run_id(self.parent.run_id, call_id)
        state = replay(self.store, run_id) if self.store.has(run_id) else None
        if state and state.status in ENDED:
            if run_id not in self.parent.state.sub_runs or self.parent.state.sub_runs[run_id][0] != state.usage:
                self._roll_up(call_id, agent, state)
            return result_of(state)
        run = self.engage(self.parent, agent, task, run_id, approver)
        self.parent.loop.parts.recorder.emit(SubRunWorked(call_id=call_id, run_id=run_id, agent=agent.name))
        try:
            return await run.work()
        finally:
            self._roll_up(call_id, agent, run.state)

    def close(self) -> None:
        """End what sub-agents leave behind when their parent has ended before them."""
        state = self.parent.state
        if state.sub_runs and state.status in ("stopped", "incomplete", "failed"):
            with suppress(JournalError):
                end_sub_runs(self.store, state.run_id)

    def _hand_over_decision(self, call_id: str) -> None:
        """Pass on what a person decided about a question of the sub-agent, asked by way of its parent."""
        record = self.parent.state.calls.get(call_id)
        if not record or not record.question or not record.decision or not record.question.sub_call:
            return
        run_id, _, sub_call_id = record.question.sub_call.rpartition("/")
        waiting = [row for row in self.store.approvals(run_id, undecided=True) if row.call_id == sub_call_id]
        if not waiting or waiting[-1].asked_at > record.question.at:
            return  # answered before the parent was cut off, and what is asked there now is something else
        decision = record.decision
        data: dict[str, JSON] = {"call_id": sub_call_id, "decision": decision.decision, "decided_by": decision.decided_by}
        data |= {"reason": decision.reason, "arguments": decision.arguments, "result": decision.result}
        data["rule"] = decision.rule.as_json() if decision.rule else None
        self.store.post(run_id, "decision", {**data, "asked_at": waiting[-1].asked_at})

    def _approver(self, agent: Worker) -> Approver | None:
        return _ParentApprover(self.approver, self.parent.loop.parts.pause, agent.name) if self.approver else None

    def _parked(self, agent: Worker, result: RunResult) -> CallParked:
        """Bring up what the sub-agent's run waits for first."""
        first = result.pending[0]
        call_id = str(first["call_id"])
        asked = asked_about(self.store, result.run_id, call_id)
        pending = {**first, "preview": f"[{agent.name}] {first['preview']}"}
        return CallParked(f"{result.run_id}/{call_id}", pending, each_time=bool(asked and asked.question.each_time))

    def _roll_up(self, call_id: str, agent: Worker, state: RunState) -> None:
        """Add to the parent what the sub-agent's run took so far and was not added yet."""
        usage, cost = self.parent.state.sub_runs.get(state.run_id, (Usage(), 0.0))
        more = None if state.cost is None or cost is None else state.cost - cost
        self.parent.loop.parts.recorder.emit(
            SubRunWorked(
                call_id=call_id, run_id=state.run_id, agent=agent.name, usage=state.usage - usage, cost=more, ended=True
            )
        )


@dataclass(frozen=True, slots=True)
class _ParentApprover:
    """Asks whoever the parent asks; neither clock runs meanwhile."""

    inner: Approver
    pause: Pause
    agent: str

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Ask, saying whose question it is."""
        with self.pause():
            return await self.inner.decide(replace(question, preview=f"[{self.agent}] {question.preview}"))


def _outcome(agent: Worker, result: RunResult) -> object:
    if result.status == "completed":
        return result.output
    reason = f"{result.status}{f' ({result.reason})' if result.reason else ''}"
    so_far = f"{result.error} What it has so far: {result.output or 'nothing'}".strip()
    raise ToolError(f"{agent.name} did not finish: {reason}. {so_far}")
