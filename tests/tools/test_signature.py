from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from prudent.errors import DefinitionError
from prudent.tools.context import Context
from prudent.tools.signature import NO_DEFAULT, is_context, place, read_signature


def plain(a: int, b: str = "x", *, c: float = 1.5) -> None: ...


def with_context(query: str, context: Context) -> None: ...


def with_optional_context(query: str, run: Annotated[Context, "the run"] | None = None) -> None: ...


def two_contexts(one: Context, two: Context) -> None: ...


def stars(*args: int) -> None: ...


def double_stars(**kwargs: int) -> None: ...


def position_only(a: int, /) -> None: ...


def no_type(a) -> None: ...  # pyright: ignore


def unknown_type(a: NotThere) -> None: ...  # pyright: ignore  # noqa: F821 - the fault under test


class Adder:
    def __call__(self, a: int) -> None: ...

    def method(self, b: str) -> None: ...


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def names(function: Callable[..., Any]) -> list[str]:
    return [parameter.name for parameter in read_signature(function, "tool 'x'").parameters]


def test_parameters_with_their_types_and_defaults() -> None:
    parameters = read_signature(plain, "tool 'x'").parameters
    assert [(p.name, p.annotation, p.default) for p in parameters] == [
        ("a", int, NO_DEFAULT),
        ("b", str, "x"),
        ("c", float, 1.5),
    ]


@pytest.mark.parametrize(("function", "parameter"), [(with_context, "context"), (with_optional_context, "run"), (plain, None)])
def test_the_context_is_not_shown(function: Callable[..., Any], parameter: str | None) -> None:
    read = read_signature(function, "tool 'x'")
    assert read.context_parameter == parameter
    assert parameter not in [p.name for p in read.parameters]


def test_whatever_can_be_called() -> None:
    assert names(functools.partial(plain, b="secret")) == ["a", "c"]
    assert names(Adder()) == ["a"]
    assert names(Adder().method) == ["b"]
    assert names(decorated(plain)) == ["a", "b", "c"]


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (two_contexts, "two parameters typed Context"),
    (stars, r"takes \*args"),
    (double_stars, r"takes \*\*kwargs"),
    (position_only, "by position only"),
    (no_type, "'a' of tool 'x' has no type: annotate it, such as a: str"),
    (unknown_type, "names 'NotThere', which is not known"),
    (Adder.method, "'self' of tool 'x' has no type"),
]


@pytest.mark.parametrize(("function", "says"), REFUSED)
def test_what_a_model_cannot_be_asked_for(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        read_signature(function, "tool 'x'")


def test_a_place_has_file_and_line() -> None:
    assert place(plain, "p").startswith("tool 'p' (test_signature.py:")
    assert place(len, "l") == "tool 'l'"


def test_is_context() -> None:
    class Special(Context): ...

    assert is_context(Special)
    assert not is_context(int)
    assert not is_context("Context")
