"""The gate: may this call run? Name, arguments, then the brakes in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from prudent.errors import CallRefused
from prudent.messages import ToolCall, canonical_json
from prudent.ports import Brake, Candidate, Verdict
from prudent.state import RunState
from prudent.tools.definition import Tool
from prudent.tools.surface import Surface
from prudent.tools.validation import decode_arguments, validate
from prudent.types import JSON, JSONObject


@dataclass(slots=True, eq=False)
class Job:
    """One call on its way to its result."""

    call: ToolCall
    position: int
    turn: int
    tool: Tool | None = None
    arguments: JSONObject = field(default_factory=dict[str, JSON])
    repairs: tuple[str, ...] = ()
    confirmation: str = ""
    refusal: CallRefused | None = None
    original: Job | None = None
    """The earlier call of the same reply that this one is a copy of."""

    earlier: tuple[Job, ...] = ()
    """Calls of the same reply that stand before it and were let through."""

    waits_for: list[Job] = field(default_factory=list["Job"])
    """Earlier calls of the same reply that must be through first: same resource, or a prerequisite."""

    alike: str = ""
    """Id of the first call of the reply that is equal to this one, which may be this one itself; "" while it streams.

    Kept on record, since arguments that hold a secret can be compared only as long as their call is open.
    """

    done: anyio.Event = field(default_factory=anyio.Event)
    parked: bool = False

    @property
    def key(self) -> str:
        """Equal for calls that would do the same."""
        return f"{self.call.name if self.tool is None else self.tool.name} {canonical_json(self.arguments)}"

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.tool is not None and self.tool.reads

    def candidate(self, state: RunState) -> Candidate:
        """Give the call as the brakes look at it."""
        assert self.tool
        record = state.calls.get(self.call.id)
        return Candidate(
            self.tool,
            self.call.id,
            self.arguments,
            self.turn,
            self.position,
            tuple(replace(job, earlier=()).candidate(state) for job in self.earlier if job.tool),
            record.decision if record else None,
            record.question if record else None,
            self.confirmation,
        )


@dataclass(frozen=True, slots=True)
class Gate:
    """Prepares calls and asks the brakes about them. It emits nothing: an early start looks through it, too."""

    surface: Surface
    brakes: Sequence[Brake]

    def prepare(self, call: ToolCall, position: int, turn: int) -> Job:
        """Resolve the name, decode and validate. What is wrong is kept as the job's refusal."""
        job = Job(call, position, turn)
        try:
            job.tool = self.surface.find(call.name)
            validated = validate(job.tool, call)
            job.arguments, job.repairs, job.confirmation = validated.arguments, validated.repairs, validated.confirmation
        except CallRefused as refusal:
            job.refusal = refusal
            job.arguments = _decodable(call)
        return job

    def check(self, job: Job, state: RunState) -> Verdict | None:
        """Ask every brake in order; the first verdict counts."""
        if job.refusal:
            return job.refusal
        candidate = job.candidate(state)
        for brake in self.brakes:
            if verdict := brake.before_call(candidate, state):
                return verdict
        return None

    def relate(self, job: Job, earlier: Sequence[Job]) -> None:
        """Set the job beside the calls before it: the one it is a copy of, and those it has to wait for."""
        job.earlier = tuple(earlier)
        if job.tool is None:
            return
        if not job.tool.repeatable:
            job.original = next((other for other in earlier if _are_alike(other, job)), None)
        mine = _resource(job)
        for other in earlier:
            same = mine is not None and mine == _resource(other) and not (job.reads and other.reads)
            if same or (other.tool and other.tool.name in job.tool.requires):
                job.waits_for.append(other)


def find_alike(jobs: Sequence[Job]) -> None:
    """Say of each job of a reply, in order, which call is the first that is equal to it, unless that is known already."""
    first: dict[str, str] = {}
    for job in jobs:
        job.alike = job.alike or first.get(job.key, job.call.id)
        first.setdefault(job.key, job.alike)


def _are_alike(one: Job, other: Job) -> bool:
    return one.alike == other.alike if one.alike and other.alike else one.key == other.key


def _resource(job: Job) -> str | None:
    """Name what the call works on; a function that fails on these arguments names nothing."""
    if job.tool is None or job.tool.resource is None:
        return None
    try:
        return job.tool.resource(job.arguments)
    except Exception:  # a resource function is a user's code: whatever it raises must not end the run
        return None


def _decodable(call: ToolCall) -> JSONObject:
    try:
        return decode_arguments(call)[0]
    except CallRefused:
        return {}
