"""A question that several may answer: the first answer counts, and the others are spared."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from prudent.asking import AnsweredAnywhere
from prudent.events import ApprovalAsked, ApprovalDecided, Decision
from prudent.ports import Approver
from prudent.standing import StandingRule

pytestmark = pytest.mark.anyio


def question(call_id: str = "c", **changes: Any) -> ApprovalAsked:
    values: dict[str, Any] = {"kind": "call", "tool_name": "delete", "arguments": {"id": 7}, **changes}
    return ApprovalAsked(at=5.0, call_id=call_id, preview="", binding="b", **values)


def decided(by: str, decision: Decision = "approve", call_id: str = "c", **more: Any) -> ApprovalDecided:
    return ApprovalDecided(call_id=call_id, decision=decision, decided_by=by, **more)


@dataclass
class Box:
    """A keeper with what came from elsewhere, by call."""

    notes: dict[str, ApprovalDecided] = field(default_factory=dict[str, ApprovalDecided])

    def renew(self) -> None: ...

    def stop_requested(self) -> str | None: ...

    def close(self) -> None: ...

    def decision_on(self, question: ApprovalAsked) -> ApprovalDecided | None:
        return self.notes.pop(question.call_id, None)


@dataclass
class Person:
    """Answers after a while."""

    answer: ApprovalDecided | None = None
    after_seconds: float = 0.0
    withdrawn: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        self.asked.append(question.call_id)
        try:
            await anyio.sleep(self.after_seconds)
        except anyio.get_cancelled_exc_class():
            self.withdrawn.append(question.call_id)
            raise
        return self.answer and replace(self.answer, call_id=question.call_id)


async def test_who_is_here_answers() -> None:
    person = Person(decided("ann"))
    assert await AnsweredAnywhere(person, Box()).decide(question()) == decided("ann")
    assert person.withdrawn == []


async def test_nobody_here_is_nobody() -> None:
    assert await AnsweredAnywhere(Person(None), Box()).decide(question()) is None


async def test_an_answer_from_elsewhere_withdraws_the_question_at_once() -> None:
    person, box = Person(decided("ann"), after_seconds=20), Box()
    began = time.monotonic()

    async def post() -> None:
        await anyio.sleep(0.3)
        box.notes["c"] = decided("bob", "reject")

    async with anyio.create_task_group() as group:
        group.start_soon(post)
        assert await AnsweredAnywhere(person, box).decide(question()) == decided("bob", "reject")
    assert time.monotonic() - began < 2
    assert person.withdrawn == ["c"]


async def test_what_was_decided_before_counts_though_somebody_is_quick() -> None:
    person, box = Person(decided("ann"), after_seconds=0.05), Box({"c": decided("bob")})
    assert await AnsweredAnywhere(person, box).decide(question()) == decided("bob")


async def test_an_answer_for_another_call_is_left_for_it() -> None:
    box = Box({"other": decided("bob", call_id="other")})
    assert await AnsweredAnywhere(Person(decided("ann"), 0.3), box).decide(question()) == decided("ann")
    assert "other" in box.notes


async def test_an_answer_that_cannot_be_one_is_none() -> None:
    person = Person(decided("ann", "approve"))
    assert await AnsweredAnywhere(person, Box()).decide(question(kind="unknown_outcome")) is None


async def test_an_always_is_for_exactly_this_call_unless_it_says_otherwise() -> None:
    decision = await AnsweredAnywhere(Person(decided("ann", "always")), Box()).decide(question())
    assert decision
    assert decision.rule
    assert (decision.rule.globs, decision.rule.exact) == ({"id": "7"}, True)


async def test_an_error_of_the_approver_comes_as_it_is() -> None:
    class Broken:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            raise LookupError(question.call_id)

    with pytest.raises(LookupError):
        await AnsweredAnywhere(Broken(), Box()).decide(question())


async def test_a_stop_goes_through() -> None:
    person = Person(decided("ann"), after_seconds=20)
    with anyio.move_on_after(0.2) as scope:
        await AnsweredAnywhere(person, Box()).decide(question())
    assert scope.cancelled_caught
    assert person.withdrawn == ["c"]


async def test_a_new_rule_answers_the_other_open_questions_that_it_covers() -> None:
    rule = StandingRule("r1", "delete", {"id": "*"})

    class Slow:
        """Answers the first question with a rule; the rest wait their turn and then for ever."""

        def __init__(self) -> None:
            self.turn = anyio.Lock()
            self.shown: list[str] = []

        async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
            async with self.turn:
                await anyio.lowlevel.checkpoint()
                self.shown.append(question.call_id)
                if len(self.shown) > 1:
                    await anyio.sleep(20)
                await anyio.sleep(0.1)
                return decided("ann", "always", question.call_id, rule=rule)

    slow = Slow()
    approver: Approver = AnsweredAnywhere(slow, Box())
    answers: dict[str, ApprovalDecided | None] = {}

    async def ask(asked: ApprovalAsked) -> None:
        answers[asked.call_id] = await approver.decide(asked)

    others = {
        "uncovered tool": question("uncovered tool", tool_name="drop"),
        "plan": question("plan", kind="plan"),
        "each time": question("each time", each_time=True),
        "sub": question("sub", sub_call="r/c"),
    }
    with anyio.move_on_after(0.6):
        async with anyio.create_task_group() as group:
            for asked in (question("first"), question("covered", arguments={"id": 9}), *others.values()):
                group.start_soon(ask, asked)
    assert set(answers) == {"first", "covered"}
    covered = answers["covered"]
    assert covered
    assert (covered.decision, covered.decided_by, covered.reason) == ("approve", "ann", "`delete` runs unasked when id is *")
    assert "covered" not in slow.shown, "the person never saw it"
