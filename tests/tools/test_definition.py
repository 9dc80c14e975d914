from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import Field

from prudent.errors import DefinitionError
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool

pytestmark = pytest.mark.anyio


@dataclass
class Point:
    x: int
    y: int = 0


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@tool(
    effect="read",
    when="A distance is asked for.",
    not_when="For times use `clock`. Not for areas.",
    examples=[{"to": {"x": 3}}],
)
async def distance(to: Point, context: Context, scale: float = 1.0) -> tuple[Point, str, float]:
    """Measure a distance."""
    return to, context.run_id, scale


def plain(number: int) -> int:
    """Give a number back."""
    return number


def counted() -> Iterator[int]:
    yield 1


async def counted_later() -> AsyncIterator[int]:
    yield 1


async def later() -> None: ...


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, by: int = 1) -> int:
        """Count on."""
        self.count += by
        return self.count

    async def wait(self, seconds: float) -> None:
        """Wait."""


def test_a_bare_decorator_gives_a_tool() -> None:
    assert (double.name, double.summary, double.run_in, double.effect) == ("double", "Double a number.", "thread", None)
    assert (double.timeout_seconds, double.confirm, double.max_result_chars) == (3.0, "policy", 2000)
    assert not double.reads
    assert not double.is_async


def test_a_decorated_function_can_still_be_called_and_read() -> None:
    assert double(4) == 8
    assert list(inspect.signature(double).parameters) == ["number"]
    assert double.function.__qualname__ == "double"
    assert double.function.__module__ == __name__


async def test_async_functions_run_inline_and_can_be_awaited() -> None:
    assert distance.is_async
    assert distance.run_in == "inline"
    awaitable: Any = distance.invoke({"to": {"x": 3}, "scale": 2}, Context(run_id="r1"))
    assert await awaitable == (Point(3), "r1", 2.0)
    assert await distance(Point(1), Context(run_id="r2")) == (Point(1), "r2", 1.0)


def test_the_context_is_injected_and_not_shown() -> None:
    assert distance.context_parameter == "context"
    assert "context" not in json.dumps(distance.parameters)


def test_what_the_function_raises_comes_out() -> None:
    @tool
    def fail(text: str) -> None:
        raise RuntimeError(text)

    with pytest.raises(RuntimeError, match="broken"):
        fail.invoke({"text": "broken"}, Context())


def test_all_options_arrive() -> None:
    def preview(arguments: Any) -> str:
        return str(arguments)

    def resource(arguments: Any) -> str:
        return str(arguments["key"])

    made = tool(
        plain,
        name="give",
        description="Another text.",
        effect="destructive",
        idempotent=True,
        confirm="always",
        preview=preview,
        check=preview,
        resource=resource,
        shape=str,
        fields=["id"],
        summarise=True,
        timeout_seconds=9,
        run_in="process",
        requires=["double"],
        max_result_chars=500,
        repeatable=True,
        secret=["number"],
        toolkit="table",
    )
    fields = {f.name: getattr(made, f.name) for f in dataclasses.fields(made) if not f.name.startswith("_")}
    fields.pop("parameters")
    fields.pop("arguments")
    assert fields == {
        "name": "give",
        "function": plain,
        "summary": "Another text.",
        "when": "",
        "not_when": "",
        "examples": (),
        "effect": "destructive",
        "idempotent": True,
        "confirm": "always",
        "preview": preview,
        "check": preview,
        "resource": resource,
        "timeout_seconds": 9,
        "run_in": "process",
        "requires": ("double",),
        "max_result_chars": 500,
        "shape": str,
        "fields": ("id",),
        "summarise": True,
        "repeatable": True,
        "secret": ("number",),
        "is_task": True,
        "lenient": False,
        "enum_values": {},
        "context_parameter": None,
        "aliases": (),
        "toolkit": "table",
    }


def test_the_description_names_only_tools_that_are_there() -> None:
    alone = distance.describe({"distance"}).description
    assert alone == (
        "Measure a distance.\n\nWhen to use: A distance is asked for.\nWhen not to use: Not for areas.\n"
        'Example arguments: {"to": {"x": 3}}'
    )
    assert "For times use `clock`. Not for areas." in distance.describe(["clock", "distance"]).description


def test_a_description_is_made_once_for_each_set_that_matters() -> None:
    assert distance.describe({"a"}) is distance.describe({"b", "c"})
    assert distance.describe({"clock"}) is distance.describe({"clock", "a"})
    assert distance.describe({"clock"}) is not distance.describe({"a"})
    renamed = dataclasses.replace(distance, name="range")
    assert renamed.describe({"a"}).name == "range"


def test_other_things_that_can_be_called() -> None:
    counter = tool(Counter(), name="count")
    assert (counter.summary, counter.invoke({"by": 2}, Context())) == ("Count on.", 2)
    assert tool(Counter().wait).is_async
    assert tool(functools.partial(later)).is_async
    assert tool(functools.partial(plain, number=3)).parameters["properties"] == {}


def test_a_tool_without_a_validator_gets_the_json_as_keywords() -> None:
    def call(**arguments: Any) -> Any:
        return arguments

    imported = Tool("add", call, "Adds.", {"type": "object"}, context_parameter="run")
    context = Context()
    assert imported.invoke({"a": [1], "run": "theirs"}, context) == {"a": [1], "run": context}


def local_tool() -> None:
    def inner() -> None: ...

    tool(inner, run_in="process")


@pytest.mark.parametrize(
    ("define", "says"),
    [
        (
            lambda: tool(later, run_in="process"),
            "is async and cannot run in 'process': make it a plain function",
        ),
        (lambda: tool(later, run_in="thread"), "is async and cannot run in 'thread'"),
        (lambda: tool(counted), "yields its result: return it as a whole"),
        (lambda: tool(counted_later), "yields its result"),
        (local_tool, "cannot run in a process, since a worker has to import it by name: define it with def at module level"),
        (lambda: tool(Counter(), name="count", run_in="process"), "cannot run in a process"),
        (lambda: tool(functools.partial(Counter()), name="count", run_in="process"), "cannot run in a process"),
        (lambda: tool(plain, secret=["key"]), "secret names 'key', but its parameters are: number"),
        (lambda: tool(plain, enum_help={"x": "y"}), "enum_help explains x"),
        (lambda: tool(plain, examples=[{"numbr": 3}]), "an example is refused by its own parameters"),
        (lambda: tool(plain, timeout_seconds=0), "timeout_seconds is 0"),
        (lambda: tool(plain, name="a b"), "a name has 1 to 64"),
        (lambda: tool(lambda: None), "a name has 1 to 64"),
        (lambda: tool(Counter()), "a name has 1 to 64"),
        (lambda: tool(double), "is a tool already"),
    ],
)
def test_bad_definitions_are_one_clear_sentence(define: Callable[[], Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says) as caught:
        define()
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(("tool '", "parameter '"))


def test_annotations_stay_usable_by_a_type_checker() -> None:
    @tool(effect="read")
    def limited(count: Annotated[int, Field(ge=1)] = 1) -> int:
        return count

    assert limited.reads
    assert limited() == 1


def test_importing_the_definition_brings_no_pydantic() -> None:
    code = "import sys, prudent.tools.surface, prudent.tools.validation; print('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_a_function_with_something_bound_to_it_can_run_in_a_process() -> None:
    assert tool(functools.partial(plain), run_in="process").run_in == "process"
