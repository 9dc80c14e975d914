"""What is known of one call, as a run's events tell it."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.answers import answers
from prudent.errors import ErrorKind
from prudent.events import ApprovalAsked, ApprovalDecided, CallStatus
from prudent.messages import Image
from prudent.types import JSONObject

UNANSWERED: frozenset[CallStatus] = frozenset({"pending", "running", "unknown"})


@dataclass(slots=True)
class CallRecord:
    """What is known of one call."""

    turn: int
    position: int
    call_id: str
    tool_name: str
    arguments: JSONObject
    is_task: bool
    status: CallStatus = "pending"
    error_kind: ErrorKind | None = None
    attempt: int = 0
    """How often it was started; 0 when it never ran."""

    planned: bool = False
    effect: str = "write"
    idempotent: bool = False
    shown: str = ""
    result_hash: str = ""
    artifact: str = ""
    images: tuple[Image, ...] = ()
    question: ApprovalAsked | None = None
    decision: ApprovalDecided | None = None
    same_as: str = ""
    """The first call of its reply that is equal to it, "" when it is the first itself."""

    @property
    def answered(self) -> bool:
        """Whether the call has its result, whatever it is."""
        return self.status not in UNANSWERED

    @property
    def executed(self) -> bool:
        """Whether it is a task call that really ran."""
        return self.is_task and self.attempt > 0

    def takes(self, decision: ApprovalDecided) -> bool:
        """Whether a decision answers what is asked about the call now; one for an earlier question does not."""
        if self.question is None or self.decision or self.answered:
            return False
        return answers(self.question, decision)
