"""What a tool is: a function, what the model reads about it, and how it may be run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from prudent.messages import ToolSpec
from prudent.types import JSON, JSONMapping

Effect = Literal["read", "write", "destructive"]
Confirm = Literal["policy", "always", "model", "never"]
RunIn = Literal["inline", "thread", "process", "sandbox"]

Preview: TypeAlias = Callable[[JSONMapping], object]
Check: TypeAlias = Callable[..., object]
Resource: TypeAlias = Callable[[JSONMapping], str]
ResultShape: TypeAlias = Callable[[Any], object]


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool that can be mounted on an agent. Made by `@tool`; `importers` make it from other definitions."""

    name: str
    function: Callable[..., Any]
    summary: str
    """The description's own text, without `when`, `not_when` and examples."""

    parameters: Mapping[str, JSON]
    """JSON schema of the arguments, as the model reads it."""

    when: str = ""
    """When to choose this tool; becomes part of the description."""

    not_when: str = ""
    """When to choose another one; a sentence that names another tool is shown only while that tool is mounted."""

    examples: tuple[JSONMapping, ...] = ()
    """Arguments of typical calls; become part of the description."""

    effect: Effect | None = None
    """What a call does to the world. None (undeclared) counts as `write` for plan mode, eager start and resume."""

    idempotent: bool = False
    """Whether a second equal call changes nothing more."""

    confirm: Confirm = "policy"
    preview: Preview | None = None
    """Tells what a call would do, from its decoded arguments, without doing it."""

    check: Check | None = None
    """Tells whether the call under an idempotency key happened: `check(arguments, key)`, None if it cannot tell."""

    resource: Resource | None = None
    """Names what a call works on; calls that name the same thing wait for each other."""

    timeout_seconds: float = 3.0
    run_in: RunIn = "thread"
    requires: tuple[str, ...] = ()
    """Names of tools that must have succeeded earlier in the run."""

    max_result_chars: int = 2000
    shape: ResultShape | None = None
    """Turns the raw result into what the model sees, before the common shaping."""

    repeatable: bool = False
    """Whether the same call may sensibly be made again and again (polling)."""

    secret: tuple[str, ...] = ()
    """Parameters whose values are never written or shown."""

    is_task: bool = True
    """False for the runtime's own tools (planning, reading on), which are no task calls."""

    lenient: bool = False
    """True for a tool that copes with any arguments itself (`think_and_plan`): nothing is refused for its form."""

    context_parameter: str | None = None
    """The parameter that `Context` is injected into."""

    arguments: Any = None
    """The pydantic validator of the arguments; None where only the schema is known (imported tools)."""

    aliases: tuple[str, ...] = ()
    """Other names the model may call it by."""

    @property
    def reads(self) -> bool:
        """Whether it is declared to change nothing."""
        return self.effect == "read"

    def describe(self, mounted: Collection[str]) -> ToolSpec:
        """Compose the definition that the model reads beside the tools named in `mounted`."""
        raise NotImplementedError
