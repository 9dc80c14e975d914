"""What can be said about a tool beside its function, and whether it makes sense."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutinefunction
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from prudent.errors import DefinitionError
from prudent.tools.refusal import nearest
from prudent.types import JSONMapping

Effect = Literal["read", "write", "destructive"]
Confirm = Literal["policy", "always", "model", "never"]
RunIn = Literal["inline", "thread", "process", "sandbox"]

Preview: TypeAlias = Callable[[JSONMapping], object]
Check: TypeAlias = Callable[..., object]
Resource: TypeAlias = Callable[[JSONMapping], str]
ResultShape: TypeAlias = Callable[[Any], object]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolOptions(TypedDict, total=False):
    """The keyword-only options of `@tool`."""

    name: str
    """What the model calls it by; the function's name when left out."""

    description: str
    """What it does; the docstring's text when left out."""

    when: str
    """When to choose it."""

    not_when: str
    """When to choose another one. A sentence naming another tool (`in_backticks`) is shown only while that one is mounted."""

    examples: Sequence[JSONMapping]
    """Arguments of typical calls."""

    enum_values: Mapping[str, Any]
    """Abbreviated values of enumerations spelled in full for the model: `{"celsius": "c"}`; the function still gets `c`.
    Previews, policy and the journal see the spelled value."""

    enum_help: Mapping[Any, str]
    """When to choose which value of an enumeration, by value."""

    effect: Effect
    """What a call does to the world; counts as `write` when left out."""

    idempotent: bool
    """Whether a second equal call changes nothing more."""

    confirm: Confirm
    """Who is asked before it runs; `policy` when left out."""

    preview: Preview
    """Tells what a call would do, from its decoded arguments, without doing it."""

    check: Check
    """Tells whether a call happened: `check(arguments, idempotency_key)`; it may be async.

    True, or what came of it; False if it did not happen, and so may run; None if it cannot tell."""

    resource: Resource
    """Names what a call works on, from its decoded arguments; calls naming the same thing wait for each other."""

    timeout_seconds: float
    """The longest a call may take; 3 when left out."""

    run_in: RunIn
    """Where it runs; `thread` for a function, `inline` for an async one when left out."""

    requires: Sequence[str]
    """Tools that must have succeeded earlier in the run."""

    max_result_chars: int
    """How much of a result the model sees; 2000 when left out."""

    shape: ResultShape
    """Turns the raw result into what the model sees."""

    fields: Sequence[str]
    """Of each object in a list that it returns, the model sees these; the rest can be read on."""

    summarise: bool
    """Whether a long result is summarised by the agent's `summary_model`, if it has one."""

    repeatable: bool
    """Whether the same call may sensibly be made again and again (polling)."""

    secret: Sequence[str]
    """Parameters whose values are never written or shown."""

    toolkit: str
    """The family it belongs to, such as `web`, `files` or `table`; task-type profiles choose by it."""


_CHOICES: Mapping[str, tuple[str, ...]] = {"effect": get_args(Effect), "confirm": get_args(Confirm), "run_in": get_args(RunIn)}
_TEXTS = ("description", "when", "not_when", "toolkit")
_LISTS_OF_NAMES = ("requires", "secret", "fields")
_FUNCTIONS = ("preview", "check", "resource", "shape")


def check_options(options: ToolOptions, name: str, where: str) -> None:
    """Raise DefinitionError for an option that is unknown or makes no sense."""
    given: Mapping[str, object] = dict(options)
    if not _NAME.fullmatch(name):
        raise DefinitionError(f'{where}: a name has 1 to 64 of the characters A-Z a-z 0-9 _ -; give another one by name="…"')
    for option in given:
        if option not in ToolOptions.__annotations__:
            close = nearest(option, ToolOptions.__annotations__)[0]
            raise DefinitionError(f"{where}: @tool knows no option {option!r}; do you mean {close!r}?")
    for option, choices in _CHOICES.items():
        if given.get(option, choices[0]) not in choices:
            raise DefinitionError(f"{where}: {option} is {given[option]!r}, but must be one of {', '.join(choices)}")
    _check_kinds(given, where)
    seconds = given.get("timeout_seconds", 1)
    if not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise DefinitionError(f"{where}: timeout_seconds is {seconds!r}, but must be a number of seconds above 0")
    characters = given.get("max_result_chars", 1)
    if not isinstance(characters, int) or characters < 1:
        raise DefinitionError(f"{where}: max_result_chars is {characters!r}, but must be a whole number above 0")


def _check_kinds(given: Mapping[str, object], where: str) -> None:
    for option in _TEXTS:
        if not isinstance(given.get(option, ""), str):
            raise DefinitionError(f"{where}: {option} is {given[option]!r}, but must be a text")
    for option in _LISTS_OF_NAMES:
        if isinstance(given.get(option), str):
            raise DefinitionError(f"{where}: {option} is a text, but must be a list of names, such as [{given[option]!r}]")
    for option in _FUNCTIONS:
        if not callable(given.get(option, print)):
            raise DefinitionError(f"{where}: {option} is {given[option]!r}, but must be a function")
        if option != "check" and iscoroutinefunction(given.get(option)):
            raise DefinitionError(
                f"{where}: {option} is async, but must be a plain function; only the tool and check may be async"
            )
    spelled: object = given.get("enum_values", {})
    if not isinstance(spelled, Mapping) or not all(isinstance(key, str) and key for key in _items(spelled)):
        raise DefinitionError(
            f'{where}: enum_values must map the spelled values to the function\'s own, as in {{"celsius": "c"}}'
        )
    examples: object = given.get("examples", ())
    if not isinstance(examples, list | tuple) or not all(isinstance(example, Mapping) for example in _items(examples)):
        raise DefinitionError(f'{where}: examples must be a list of arguments, such as [{{"city": "Oslo"}}]')


def _items(values: Any) -> list[object]:
    return list(values)
