"""Macros: a fixed sequence of named steps as one tool, for what is done often and must not go wrong.

```python
@macro(
    steps=[
        step("find", find_customer, name=given("customer")),
        step("book", book, customer=result("find", "id"), undo=action(cancel, booking=result("book"))),
        step("tell", send_mail, to=result("find", "mail"), text="It is booked."),
    ],
)
def book_and_tell(customer: str) -> str:
    \"\"\"Book a seat for a customer and tell them.\"\"\"
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from prudent.errors import DefinitionError
from prudent.tools.definition import Tool, tool
from prudent.tools.macro_run import MacroRun
from prudent.tools.nodes import as_list, as_object
from prudent.tools.options import Effect, ToolOptions
from prudent.tools.refusal import nearest
from prudent.tools.steps import Action, Given, Result, Step, preview_lines, references
from prudent.types import JSON, JSONMapping

_STRENGTH: Mapping[Effect | None, int] = {"read": 0, None: 1, "write": 2, "destructive": 3}
_SPARE_SECONDS = 1.0


def given(parameter: str) -> Given:
    """Stand for one of the macro's own parameters."""
    return Given(parameter)


def result(of: str, *path: str | int) -> Result:
    """Stand for an earlier step's result, or a part of it: `result("find", "id")`."""
    return Result(of, path)


def action(does: Tool | Callable[..., Any], /, **arguments: Any) -> Action:
    """Name a tool or a function with its arguments: JSON values, `given(…)` or `result(…)`."""
    return Action(does if isinstance(does, Tool) else tool(does), arguments)


def step(
    name: str,
    does: Tool | Callable[..., Any],
    /,
    *,
    undo: Action | None = None,
    says: str = "",
    **arguments: Any,
) -> Step:
    """Name one step of a macro.

    Args:
        name: what it is called in previews, errors and the record.
        does: a tool, or a function, which becomes one with its defaults.
        undo: what takes it back when a later step fails. It must cope with there being nothing to take back: a step that
            was cut off may or may not have taken effect.
        says: how the preview tells it, such as "tag {tag}": filled in from the macro's parameters and what `foresee` knows.
        **arguments: of the tool: JSON values, `given(…)`, or `result(…)` of an earlier step.
    """
    done = action(does, **arguments)
    return Step(name, done, undo, says)


def macro(
    *,
    steps: Sequence[Step],
    foresee: Callable[[JSONMapping], Mapping[str, JSON]] | None = None,
    ends_with: str = "",
    **options: Unpack[ToolOptions],
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a macro: the function's signature and docstring say what it takes and does, the steps do it; its body never runs.

    It asks like its strongest step, once, with a preview that lists all steps. It aborts at the first step that fails, takes
    back what can be taken back, and says what was done, what was undone, and what was not run.

    Args:
        steps: in order.
        foresee: looks ahead without doing anything, from the macro's arguments: gives values for the preview's `says`. What
            it raises as ToolError refuses the call before anybody is asked.
        ends_with: told to the model behind the list of what was done, filled in like `says`.
        **options: those of `@tool`, but for `effect` and `run_in`, which follow from the steps.

    Raises:
        DefinitionError: a step names what is not there, or lacks an argument.
    """

    def make(function: Callable[..., Any]) -> Tool:
        made = tool(function, **options)
        where = f"macro {made.name!r}"
        _check(made, steps, where)
        for option in ("effect", "run_in", "preview", "idempotent"):
            if option in options:
                raise DefinitionError(f"{where}: {option} follows from its steps, leave it out")
        run = MacroRun(made.name, tuple(steps), foresee, ends_with)
        return replace(
            made,
            function=run.work,
            effect=_strongest(steps),
            run_in="inline",
            confirm="always" if any(one.does.tool.confirm == "always" for one in steps) else made.confirm,
            preview=_Preview(tuple(steps), foresee),
            timeout_seconds=options.get("timeout_seconds", _all_seconds(steps)),
            context_parameter="context",
            arguments=made.arguments and _Plain(made.arguments),
        )

    return make


@dataclass(frozen=True, slots=True)
class _Plain:
    """Checks by the function's types, and hands the JSON on as it is: the steps' own tools convert it."""

    inner: Any

    def problems(self, arguments: Any) -> Any:
        return self.inner.problems(arguments)

    def convert(self, arguments: JSONMapping) -> dict[str, object]:
        return {"given": {**arguments}}


@dataclass(frozen=True, slots=True)
class _Preview:
    """Lists the steps, filled in as far as that is known beforehand."""

    steps: tuple[Step, ...]
    foresee: Callable[[JSONMapping], Mapping[str, JSON]] | None = field(default=None)

    def __call__(self, arguments: JSONMapping) -> str:
        known = {**arguments, **(self.foresee(arguments) if self.foresee else {})}
        return "\n".join(preview_lines(self.steps, arguments, known))


def _strongest(steps: Sequence[Step]) -> Effect | None:
    return max((one.does.tool.effect for one in steps), key=lambda effect: _STRENGTH[effect])


def _all_seconds(steps: Sequence[Step]) -> float:
    """Give all steps and all undoing their time: each has its own limit, so this one is never the first to be passed."""
    tools = [one.does.tool for one in steps] + [one.undo.tool for one in steps if one.undo]
    return sum(each.timeout_seconds for each in tools) + _SPARE_SECONDS * len(tools)


def _check(made: Tool, steps: Sequence[Step], where: str) -> None:
    if not steps:
        raise DefinitionError(f"{where} has no steps")
    if made.context_parameter:
        raise DefinitionError(f"{where} takes a Context: a macro's function only says what the macro takes, leave it out")
    parameters = as_object(made.parameters.get("properties"))
    earlier: list[str] = []
    for one in steps:
        if one.name in earlier:
            raise DefinitionError(f"{where} has two steps named {one.name!r}: give one of them another name")
        _check_action(one.does, parameters, earlier, f"{where}, step {one.name!r}")
        earlier.append(one.name)
        if one.undo:
            _check_action(one.undo, parameters, earlier, f"{where}, undoing step {one.name!r}")


def _check_action(act: Action, parameters: Mapping[str, JSON], earlier: Sequence[str], where: str) -> None:
    known = as_object(act.tool.parameters.get("properties"))
    for name in act.arguments:
        if name not in known:
            raise DefinitionError(f"{where}: {act.tool.name} has no parameter {name!r}{_meant(name, known)}")
    for name in as_list(act.tool.parameters.get("required")):
        if name not in act.arguments:
            raise DefinitionError(f"{where}: {act.tool.name} needs {name!r}")
    for value in references(act.arguments):
        if isinstance(value, Given) and value.parameter not in parameters:
            raise DefinitionError(
                f"{where}: the macro has no parameter {value.parameter!r}{_meant(value.parameter, parameters)}"
            )
        if isinstance(value, Result) and value.of not in earlier:
            raise DefinitionError(f"{where}: there is no earlier step {value.of!r}{_meant(value.of, earlier)}")


def _meant(name: str, known: Sequence[str] | Mapping[str, JSON]) -> str:
    close = nearest(name, known)[:1]
    return f"; do you mean {close[0]!r}?" if close else ""
