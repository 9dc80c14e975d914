"""What a tool is: a function, what the model reads about it, and how it may be run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction, isgeneratorfunction
from typing import Any, Unpack, overload

from prudent.errors import DefinitionError
from prudent.messages import ToolSpec
from prudent.tools.acceptance import ArgumentTypes, accept
from prudent.tools.context import Context
from prudent.tools.description import compose, tools_named, with_confirmation, without_absent
from prudent.tools.docstring import read_docstring
from prudent.tools.nodes import as_object
from prudent.tools.options import (
    Check,
    Confirm,
    Effect,
    Preview,
    Resource,
    ResultShape,
    RunIn,
    ToolOptions,
    check_options,
)
from prudent.tools.refusal import Refusal
from prudent.tools.signature import Signature, innermost, place, read_signature
from prudent.tools.spelling import SpelledTypes, Spelling
from prudent.types import JSON, JSONMapping, JSONObject


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

    fields: tuple[str, ...] = ()
    """Of each object in a list that it returns, the model sees these; `shape` goes before it."""

    summarise: bool = False
    """Whether a long result is summarised by the agent's `summary_model`, if it has one."""

    repeatable: bool = False
    """Whether the same call may sensibly be made again and again (polling)."""

    secret: tuple[str, ...] = ()
    """Parameters whose values are never written or shown."""

    is_task: bool = True
    """False for the runtime's own tools (planning, reading on), which are no task calls."""

    lenient: bool = False
    """True for a tool that copes with any arguments itself (`think_and_plan`): nothing is refused for its form."""

    enum_values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Values of enumerations as the model reads them, each with the function's own."""

    context_parameter: str | None = None
    """The parameter that `Context` is injected into."""

    arguments: ArgumentTypes | None = None
    """The pydantic validator of the arguments; None where only the schema is known (imported tools)."""

    aliases: tuple[str, ...] = ()
    """Other names the model may call it by."""

    toolkit: str = ""
    """The family it belongs to, such as `web`, `files` or `table`; task-type profiles choose by it."""

    _specs: dict[frozenset[str], ToolSpec] = field(default_factory=dict[frozenset[str], ToolSpec], init=False, repr=False)

    @property
    def reads(self) -> bool:
        """Whether it is declared to change nothing."""
        return self.effect == "read"

    @property
    def is_async(self) -> bool:
        """Whether its function is a coroutine function."""
        return _is_async(self.function)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The function, for `inspect.signature` and the like."""
        return self.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, as a program or a test does: nothing is checked, converted or injected."""
        return self.function(*args, **kwargs)

    def describe(self, mounted: Collection[str]) -> ToolSpec:
        """Compose the definition that the model reads beside the tools named in `mounted`.

        The same object is given for every set of tools that makes no difference, so that the tool block stays the same.
        """
        own_words = {self.name, *self.aliases, *as_object(self.parameters.get("properties"))}
        visible = tools_named(self.not_when, own_words).intersection(mounted)
        if visible not in self._specs:
            not_when = without_absent(self.not_when, own_words, visible)
            description = compose(self.summary, self.when, not_when, self.examples)
            parameters = with_confirmation(self.parameters) if self.confirm == "model" else dict(self.parameters)
            self._specs[visible] = ToolSpec(self.name, description, parameters)
        return self._specs[visible]

    def invoke(self, arguments: JSONObject, context: Context) -> object:
        """Call the function with validated JSON arguments, turned into the Python objects it wants.

        The context goes into the parameter typed `Context`. A tool without a validator gets the JSON as keyword arguments.

        Returns:
            The result, or for an async function what has to be awaited.

        Raises:
            CallRefused: the arguments were not validated before.
            Exception: whatever the function raises.
        """
        values: dict[str, object] = {**arguments} if self.arguments is None else self.arguments.convert(arguments)
        if self.context_parameter is not None:
            values[self.context_parameter] = context
        return self.function(**values)


@overload
def tool(function: Callable[..., Any], /, **options: Unpack[ToolOptions]) -> Tool: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: `@tool` or `@tool(effect="read", when="…")`.

    The schema comes from the signature and the docstring. For a tool whose schema is all that is known (from a server, say),
    make a `Tool` instead.

    Args:
        function: a function with annotated parameters, sync or async.
        **options: see `ToolOptions`.

    Raises:
        DefinitionError: the function or an option cannot work; says where it stands and how to mend it.
    """
    if function is None:
        return partial(_make_tool, options=options)
    return _make_tool(function, options)


def _make_tool(function: Callable[..., Any], options: ToolOptions) -> Tool:
    from prudent.tools.schema import build, explain_values  # brings pydantic: 0.1 s to import, nothing to do without a tool

    name = options.get("name", _own_name(function))
    where = place(function, name)
    if isinstance(function, Tool):
        raise DefinitionError(f"{where} is a tool already: mount it as it is, or make another one of its function")
    check_options(options, name, where)
    signature = read_signature(function, where)
    documentation = read_docstring(innermost(function).__doc__)
    parameters, types = build(signature, documentation.parameters, where)
    spelling = Spelling(options.get("enum_values", {}))
    spelling.spell(parameters, where)
    explain_values(parameters, {spelling.shown(key): text for key, text in options.get("enum_help", {}).items()}, where)
    made = Tool(
        name=name,
        function=function,
        summary=options.get("description", documentation.summary),
        parameters=parameters,
        when=options.get("when", ""),
        not_when=options.get("not_when", ""),
        examples=tuple(spelling.shown_in(parameters, example) for example in options.get("examples", ())),
        effect=options.get("effect"),
        idempotent=options.get("idempotent", False),
        confirm=options.get("confirm", "policy"),
        preview=options.get("preview"),
        check=options.get("check"),
        resource=options.get("resource"),
        timeout_seconds=options.get("timeout_seconds", 3.0),
        run_in=_run_in(function, options.get("run_in"), where),
        requires=tuple(options.get("requires", ())),
        max_result_chars=options.get("max_result_chars", 2000),
        shape=options.get("shape"),
        fields=tuple(options.get("fields", ())),
        summarise=options.get("summarise", False),
        repeatable=options.get("repeatable", False),
        secret=tuple(options.get("secret", ())),
        enum_values=options.get("enum_values", {}),
        context_parameter=signature.context_parameter,
        arguments=SpelledTypes(types, parameters, spelling) if options.get("enum_values") else types,
        toolkit=options.get("toolkit", ""),
    )
    _check_secrets(made, signature, where)
    _check_examples(made, where)
    return made


def _own_name(function: Callable[..., Any]) -> str:
    """Give the name a function was defined by; an object that can be called has none."""
    name = getattr(innermost(function), "__name__", "")
    return "" if name == "__call__" else name


def _run_in(function: Callable[..., Any], wanted: RunIn | None, where: str) -> RunIn:
    """Choose where a function runs; refuse a place where it cannot."""
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        raise DefinitionError(f"{where} yields its result: return it as a whole, such as a list")
    if _is_async(function):
        if wanted in (None, "inline"):
            return "inline"
        raise DefinitionError(f"{where} is async and cannot run in {wanted!r}: make it a plain function, or leave run_in out")
    plain = function.func if isinstance(function, partial) else function
    if wanted == "process" and not (isfunction(plain) and "<" not in plain.__qualname__):
        raise DefinitionError(
            f"{where} cannot run in a process, since a worker has to import it by name: define it with def at module level"
        )
    return wanted or "thread"


def _is_async(function: Callable[..., Any]) -> bool:
    called: Callable[..., Any] = function.func if isinstance(function, partial) else function
    return iscoroutinefunction(called) or iscoroutinefunction(type(called).__call__)


def _check_secrets(made: Tool, signature: Signature, where: str) -> None:
    known = {parameter.name for parameter in signature.parameters}
    for name in made.secret:
        if name not in known:
            raise DefinitionError(
                f"{where}: secret names {name!r}, but its parameters are: {', '.join(sorted(known)) or 'none'}"
            )


def _check_examples(made: Tool, where: str) -> None:
    for example in made.examples:
        problems = accept(made.parameters, made.arguments, dict(example)).problems
        if problems:
            refusal = Refusal(made.name, made.parameters).of(problems)
            raise DefinitionError(f"{where}: an example is refused by its own parameters ({refusal.reason}): mend the example")
