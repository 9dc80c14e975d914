"""Errors as the model reads them."""

from __future__ import annotations

import asyncio
import json

from prudent.context.failures import describe_exception, error_text
from prudent.errors import ToolError, WorkspaceEscape


def test_an_error_is_one_line_of_json_with_letters_as_they_are() -> None:
    text = error_text("tool_error", '没有 "客户"\n12', "先查询")
    assert "\n" not in text
    assert "客户" in text
    assert json.loads(text) == {"error": {"kind": "tool_error", "reason": '没有 "客户"\n12', "fix": "先查询"}}


def test_an_error_has_all_three_fields_always() -> None:
    assert set(json.loads(error_text("stopped", ""))["error"]) == {"kind", "reason", "fix"}


def test_a_long_reason_keeps_its_beginning_and_end() -> None:
    reason = json.loads(error_text("tool_error", "BEGIN" + "x" * 50_000 + "END"))["error"]["reason"]
    assert reason.startswith("BEGIN")
    assert reason.endswith("END")
    assert len(reason) < 1600


def test_what_to_do_depends_on_what_happened() -> None:
    fixes = {
        describe_exception(error)[2] for error in (FileNotFoundError(), ConnectionResetError(), TimeoutError(), KeyError("x"))
    }
    assert len(fixes) == 4
    assert all(fixes)


def test_a_stop_and_an_escape_have_their_own_kinds() -> None:
    assert describe_exception(asyncio.CancelledError())[0] == "stopped"
    kind, reason, _ = describe_exception(WorkspaceEscape("../etc leads out of the workspace"))
    assert (kind, reason) == ("not_allowed", "../etc leads out of the workspace")


def test_a_tool_error_without_a_text_says_so() -> None:
    assert describe_exception(ToolError(""))[1]


def test_a_type_with_an_odd_name_is_named() -> None:
    odd = type("奇" + "x" * 500, (Exception,), {})
    text = error_text(*describe_exception(odd()))
    assert len(text) < 500
    assert text.encode().decode() == text
