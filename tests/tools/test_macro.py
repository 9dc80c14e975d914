"""Macros: declared, previewed, done, aborted, taken back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

import pytest

from prudent.errors import DefinitionError, ToolError, ToolTimedOut
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.tools.macro import action, given, macro, result, step
from prudent.tools.macro_run import MacroRun
from prudent.types import JSON, JSONMapping

pytestmark = pytest.mark.anyio


async def invoke(made: Tool, arguments: dict[str, JSON], context: Context) -> object:
    awaited: Any = made.invoke(arguments, context)
    return await awaited


class Desk:
    """Tools that write down what they do, one of which may fail."""

    def __init__(self, failing: str = "", error: Exception | None = None) -> None:
        self.log: list[str] = []
        self.notes: list[tuple[int, str, str]] = []
        self._failing, self._error = failing, error

    def _do(self, text: str) -> None:
        if text.split()[0] == self._failing:
            raise self._error or ToolError("it is closed", fix="come back tomorrow")
        self.log.append(text)

    def macro(self) -> Tool:
        @tool(effect="read")
        def find(name: str) -> dict[str, JSON]:
            """Find."""
            self._do(f"find {name}")
            return {"id": 7, "mails": ["a@x", "b@x"]}

        @tool(effect="write")
        async def book(customer: int, seats: int) -> str:
            """Book."""
            self._do(f"book {customer} {seats}")
            return f"B{customer}"

        def cancel(booking: str) -> None:
            """Cancel."""
            self._do(f"cancel {booking}")

        @tool(effect="destructive", secret=["key"], timeout_seconds=2)
        def tell(to: str, key: str) -> None:
            """Tell."""
            self._do(f"tell {to}")

        @macro(
            steps=[
                step("find", find, name=given("customer")),
                step(
                    "book",
                    book,
                    customer=result("find", "id"),
                    seats=given("seats"),
                    undo=action(cancel, booking=result("book")),
                    says="{seats} seats, {left} are left",
                ),
                step("tell", tell, to=result("find", "mails", 0), key="k"),
            ],
            foresee=lambda arguments: {"left": 10},
            ends_with="Booking {book} for {customer}.",
            when="Use it for bookings.",
        )
        def book_and_tell(customer: str, seats: Literal[1, 2] = 1) -> str:
            """Book seats for a customer and tell them.

            Args:
                customer: their name.
                seats: how many.
            """
            return "never run"

        return book_and_tell

    async def run(self, **arguments: JSON) -> object:
        done = self.macro()

        def note(kind: str, data: dict[str, JSON]) -> None:
            assert kind == "step"
            self.notes.append((int(str(data["number"])), str(data["status"]), str(data["detail"])))

        return await invoke(done, arguments, replace(Context(), note=note))


async def test_the_steps_are_one_tool() -> None:
    made = Desk().macro()
    spec = made.describe([])
    assert (spec.name, made.effect, made.run_in) == ("book_and_tell", "destructive", "inline")
    assert "Use it for bookings." in spec.description
    properties: Any = spec.parameters["properties"]
    assert properties["seats"]["enum"] == [1, 2]
    assert made.timeout_seconds == 3 + 3 + 2 + 3 + 4


async def test_the_preview_lists_the_steps_filled_in() -> None:
    made = Desk().macro()
    assert made.preview
    assert made.preview({"customer": "Ana", "seats": 2}) == (
        "1. find: find(name=\"Ana\")\n2. book: 2 seats, 10 are left\n3. tell: tell(to=<mails.0 of 'find'>, key=[secret])"
    )


async def test_all_steps_are_done_and_recorded() -> None:
    desk = Desk()
    told = await desk.run(customer="Ana", seats=2)
    assert desk.log == ["find Ana", "book 7 2", "tell a@x"]
    assert told == (
        'book_and_tell: all 3 steps are done.\n1. find: {"id": 7, "mails": ["a@x", "b@x"]}\n2. book: B7\n3. tell\n'
        "Booking B7 for Ana."
    )
    assert [(number, status) for number, status, _ in desk.notes] == [
        *((1, "started"), (1, "done"), (2, "started"), (2, "done"), (3, "started"), (3, "done"))
    ]


async def test_the_first_failure_ends_it_and_what_was_done_is_undone() -> None:
    desk = Desk("tell")
    with pytest.raises(ToolError) as failed:
        await desk.run(customer="Ana", seats=2)
    assert failed.value.reason == "step 3 of 3 (tell) failed: it is closed. undone: book"
    assert failed.value.fix == "come back tomorrow"
    assert desk.log == ["find Ana", "book 7 2", "cancel B7"]
    assert desk.notes[-2:] == [(3, "failed", "it is closed"), (2, "undone", "")]


async def test_what_was_not_run_is_said() -> None:
    desk = Desk("find")
    with pytest.raises(ToolError) as failed:
        await desk.run(customer="Ana", seats=1)
    assert failed.value.reason == (
        "step 1 of 3 (find) failed: it is closed. nothing was changed before it. not run: book, tell"
    )
    assert [status for _, status, _ in desk.notes] == ["started", "failed", "not_run", "not_run"]


async def test_a_step_that_may_have_taken_effect_is_told_where_it_cannot_be_taken_back() -> None:
    desk = Desk("book", ToolTimedOut(3, killed=True))
    with pytest.raises(ToolError) as failed:
        await desk.run(customer="Ana", seats=1)
    assert failed.value.reason == (
        "step 2 of 3 (book) failed: no result within 3 s; whether it took effect is not known. "
        "not undone: book (whether it was done is not known). not run: tell"
    )
    assert desk.log == ["find Ana"], "what it would be undone with is not known either"


async def test_a_failing_undo_is_said_and_the_rest_is_undone() -> None:
    log: list[str] = []

    def work(n: int) -> None:
        """Work."""
        if n == 3:
            raise ValueError("secret detail")
        log.append(f"work {n}")

    def back(n: int) -> None:
        """Take back."""
        if n == 2:
            raise ToolError("stuck")
        log.append(f"back {n}")

    steps = [step(f"s{n}", work, n=n, undo=action(back, n=n)) for n in (1, 2, 3)]

    @macro(steps=steps)
    def three() -> None:
        """Do three."""

    with pytest.raises(ToolError) as failed:
        await invoke(three, {}, Context())
    assert failed.value.reason == (
        "step 3 of 3 (s3) failed: it failed with ValueError. undone: s3, s1. not undone: s2 (undoing it failed: stuck)"
    )
    assert log == ["work 1", "work 2", "back 3", "back 1"]
    assert three.effect is None


async def test_arguments_of_a_step_are_checked_by_its_own_schema() -> None:
    def give() -> str:
        """Give."""
        return "seven"

    def take(n: int) -> None:
        """Take."""

    @macro(steps=[step("give", give), step("take", take, n=result("give"))])
    def both() -> None:
        """Do both."""

    with pytest.raises(ToolError, match=r"step 2 of 2 \(take\) failed: n is not right \(received \"seven\"\)"):
        await invoke(both, {}, Context())

    @macro(steps=[step("give", give), step("take", take, n=result("give", "id"))])
    def part() -> None:
        """Take a part."""

    with pytest.raises(ToolError, match="the result of step 'give' has no 'id'"):
        await invoke(part, {}, Context())


async def test_a_macro_that_is_cut_off_says_where() -> None:
    notes: list[str] = []

    async def sleep() -> None:
        """Sleep."""
        await asyncio.sleep(60)

    @macro(steps=[step("sleep", sleep)])
    def nap() -> None:
        """Nap."""

    def note(_kind: str, data: dict[str, JSON]) -> None:
        notes.append(f"{data['status']}: {data['detail']}")

    working = asyncio.create_task(invoke(nap, {}, replace(Context(), note=note)))
    await asyncio.sleep(0.01)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert notes == ["started: ", "failed: cut off while it ran; whether it took effect is not known"]


def work(n: int, text: str = "") -> str:
    """Work."""
    return f"{n}{text}"


def declared(*steps: Any, **options: Any) -> Tool:
    @macro(steps=steps, **options)
    def made(n: int) -> None:
        """Do it."""

    return made


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([], "has no steps"),
        ([step("a", work, n=1), step("a", work, n=1)], "two steps named 'a'"),
        ([step("a", work, m=1)], "step 'a': work has no parameter 'm'; do you mean 'n'?"),
        ([step("a", work, text="")], "work needs 'n'"),
        ([step("a", work, n=given("m"))], "the macro has no parameter 'm'; do you mean 'n'?"),
        ([step("a", work, n=result("b"))], "there is no earlier step 'b'"),
        ([step("a", work, n=1, text=[{"x": result("a")}])], "there is no earlier step 'a'"),
        ([step("a", work, n=1, undo=action(work, n=result("c")))], "undoing step 'a': there is no earlier step 'c'"),
    ],
)
def test_a_mistake_is_told_when_it_is_declared(steps: list[Any], sentence: str) -> None:
    with pytest.raises(DefinitionError, match=r"^macro 'made'") as wrong:
        declared(*steps)
    assert sentence in str(wrong.value)


@pytest.mark.parametrize("option", [{"effect": "read"}, {"run_in": "thread"}, {"preview": str}, {"idempotent": True}])
def test_what_follows_from_the_steps_cannot_be_said_otherwise(option: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="follows from its steps"):
        declared(step("a", work, n=1), **option)


def test_a_step_that_always_asks_makes_the_macro_ask() -> None:
    asking = tool(work, confirm="always", effect="read")
    assert declared(step("a", asking, n=1)).confirm == "always"
    assert isinstance(MacroRun("m", ()), MacroRun)


def test_foreseeing_may_refuse_before_anybody_is_asked() -> None:
    def foresee(arguments: JSONMapping) -> dict[str, JSON]:
        raise ToolError("not today")

    made = declared(step("a", work, n=1), foresee=foresee)
    assert made.preview
    with pytest.raises(ToolError, match="not today"):
        made.preview({"n": 1})
