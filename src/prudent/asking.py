"""Asking somebody here while somebody elsewhere may answer, too: by another process, or by a standing rule just made."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from prudent.answers import answers, with_rule
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.ports import Approver
from prudent.runs import Keeper, first_error
from prudent.standing import StandingRule

LOOK_SECONDS = 0.2
"""How often an open question looks for an answer from elsewhere."""


@dataclass(slots=True, eq=False)
class _OpenQuestion:
    question: ApprovalAsked
    decision: ApprovalDecided | None = None
    scope: anyio.CancelScope | None = None
    """Of the asking; cancelled as soon as there is an answer."""

    def settle(self, decision: ApprovalDecided | None) -> None:
        """Take the first answer and withdraw the question."""
        self.decision = self.decision or decision
        if self.scope:
            self.scope.cancel()

    def may_be_settled_by(self, rule: StandingRule) -> bool:
        question = self.question
        may = question.kind == "call" and not question.each_time and not question.sub_call
        return may and rule.covers(question.tool_name, question.arguments)


@dataclass(slots=True)
class AnsweredAnywhere:
    """An approver around another one, for one run: the first answer counts, whoever gives it, and the other is withdrawn.

    The inner approver is withdrawn by cancelling it.
    """

    inner: Approver
    keeper: Keeper
    _open: list[_OpenQuestion] = field(default_factory=list[_OpenQuestion], init=False)

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Ask, until there is an answer from anywhere; None when the inner approver gives none, or one that does not fit."""
        open_question = _OpenQuestion(question)
        self._open.append(open_question)
        try:
            await self._ask(open_question)
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
        finally:
            self._open.remove(open_question)
        return open_question.decision

    async def _ask(self, open_question: _OpenQuestion) -> None:
        async with anyio.create_task_group() as group:
            open_question.scope = group.cancel_scope
            group.start_soon(self._look_elsewhere, open_question)
            decision = await self.inner.decide(open_question.question)
            fits = decision is not None and answers(open_question.question, decision)
            self._settle(open_question, with_rule(open_question.question, decision) if decision and fits else None)

    async def _look_elsewhere(self, open_question: _OpenQuestion) -> None:
        while open_question.decision is None:
            if decision := self.keeper.decision_on(open_question.question):
                self._settle(open_question, decision)
            await anyio.sleep(LOOK_SECONDS)

    def _settle(self, open_question: _OpenQuestion, decision: ApprovalDecided | None) -> None:
        """Take an answer, and let the standing rule that it makes answer the other open questions that it covers.

        That is done before anything else can run, so that nobody is shown a question which has its answer already.
        """
        open_question.settle(decision)
        if decision is None or decision.rule is None or open_question.decision is not decision:
            return
        for other in self._open:
            if other is not open_question and other.may_be_settled_by(decision.rule):
                by, words = decision.decided_by, decision.rule.words
                other.settle(ApprovalDecided(call_id=other.question.call_id, decision="approve", decided_by=by, reason=words))
