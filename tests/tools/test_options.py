from __future__ import annotations

from typing import Any

import pytest

from prudent.errors import DefinitionError
from prudent.tools.definition import Tool
from prudent.tools.options import ToolOptions, check_options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"timeout": 3}, "@tool knows no option 'timeout'; do you mean 'timeout_seconds'?"),
        ({"effect": "delete"}, "effect is 'delete', but must be one of read, write, destructive"),
        ({"confirm": "maybe"}, "confirm is 'maybe'"),
        ({"run_in": "cloud"}, "run_in is 'cloud', but must be one of inline, thread, process, sandbox"),
        ({"timeout_seconds": 0}, "timeout_seconds is 0"),
        ({"timeout_seconds": -1.5}, "timeout_seconds is -1.5"),
        ({"timeout_seconds": float("inf")}, "timeout_seconds is inf"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds is nan"),
        ({"timeout_seconds": "3"}, "timeout_seconds is '3'"),
        ({"max_result_chars": 0}, "max_result_chars is 0"),
        ({"requires": "overview"}, r"requires is a text, but must be a list of names, such as \['overview'\]"),
        ({"secret": "key"}, "secret is a text"),
        ({"preview": "text"}, "preview is 'text', but must be a function"),
        ({"when": 3}, "when is 3, but must be a text"),
        ({"examples": {"a": 1}}, "examples must be a list"),
        ({"examples": ["a"]}, "examples must be a list"),
    ],
)
def test_options_that_make_no_sense(options: Any, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        check_options(options, "name", "tool 'name'")


@pytest.mark.parametrize("option", ["preview", "resource", "shape"])
def test_only_the_check_may_be_async(option: str) -> None:
    async def function(_: Any) -> str:
        return ""

    options: Any = {option: function}
    with pytest.raises(DefinitionError, match=f"{option} is async"):
        check_options(options, "name", "tool 'name'")
    check_options({"check": function}, "name", "tool 'name'")


@pytest.mark.parametrize("name", ["", "two words", "a.b", "天气", "x" * 65])
def test_names_that_providers_refuse(name: str) -> None:
    with pytest.raises(DefinitionError, match="a name has 1 to 64"):
        check_options({}, name, "tool 'name'")


def test_sensible_options_pass() -> None:
    options: ToolOptions = {
        "effect": "destructive",
        "confirm": "always",
        "run_in": "process",
        "timeout_seconds": 0.5,
        "requires": ["other"],
        "secret": ("key",),
        "preview": str,
        "examples": [{"a": 1}],
    }
    check_options(options, "delete_record-2", "tool 'x'")


def test_every_option_but_three_is_a_field_of_a_tool() -> None:
    assert set(ToolOptions.__annotations__) - {"description", "enum_help"} <= set(Tool.__dataclass_fields__)
