"""What the model sees of a result: short, marked, and never an error, whatever the result is."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NoReturn

import pytest

from prudent.context.artifacts import MemoryArtifacts, artifact_tools
from prudent.context.shaping import ResultShaper
from prudent.errors import CallRefused, ToolCrashed, ToolError, ToolTimedOut
from prudent.messages import Image
from prudent.ports import Artifact, Shaped
from prudent.tools.definition import Tool

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)
SLACK = 300
"""Characters that the mark may take beyond the limit."""


def a_tool(**options: Any) -> Tool:
    return Tool(name="look", function=lambda: None, summary="Look.", parameters={"type": "object"}, **options)


def shape(result: object, *, task: str = "", images: bool = False, **options: Any) -> Shaped:
    return ResultShaper(MemoryArtifacts(), task=task, images=images).shape(a_tool(**options), "c1", result)


def log_of(chars: int) -> str:
    """A log with one odd line at three quarters."""
    line = "2031-01-01 all quiet on this line of the log, nothing to see here\n"
    text = (line * (chars // len(line) + 1))[:chars]
    at = chars * 3 // 4
    return text[:at] + "NEEDLE-7341" + text[at + 11 :]


# ------------------------------------------------------------------ text


def test_a_short_text_is_shown_as_it_is() -> None:
    shaped = shape("21 degrees, dry")
    assert (shaped.shown, shaped.result_chars, shaped.artifact, shaped.images) == ("21 degrees, dry", 15, "", ())


def test_a_text_of_200000_characters_is_cut_marked_and_reachable() -> None:
    artifacts = MemoryArtifacts()
    shaped = ResultShaper(artifacts, task="What is odd in the log?").shape(a_tool(), "c1", log_of(200_000))
    assert shaped.result_chars == 200_000
    assert len(shaped.shown) <= 2600
    handle = re.search(r"handle[\"']?\s*[=:]\s*[\"']?([A-Za-z0-9_:/.#-]+)", shaped.shown)
    assert handle
    assert handle[1] == shaped.artifact
    read_more = artifact_tools(artifacts)[0].function
    assert "NEEDLE-7341" in read_more(handle[1], 149_900)


def test_the_mark_says_how_much_is_missing_and_how_to_go_on() -> None:
    artifacts = MemoryArtifacts()
    text = "".join(f"Sentence number {number} of a long story. " for number in range(2000))
    shaped = ResultShaper(artifacts).shape(a_tool(), "c1", text)
    body, mark = shaped.shown.rsplit("\n", 1)
    found = re.fullmatch(
        r"\[… ([\d,]+) of ([\d,]+) characters left out; go on with read_more\(handle=\"(r1)\", start=(\d+)\), "
        r"or find places in it with search_in\]",
        mark,
    )
    assert found
    start = int(found[4])
    assert text[start:].startswith("Sentence number")
    assert text[:start] == body
    assert (found[1], found[2]) == (f"{len(text) - start:,}", f"{len(text):,}")


@pytest.mark.parametrize("limit", [-5, 0, 1, 50, 399, 400, 1000, 2000, 20_000])
@pytest.mark.parametrize(
    "result",
    [
        log_of(60_000),
        "word " * 12_000,
        "字" * 60_000,
        "没有空格的一句话。" * 8000,
        "x" * 60_000,
        [{"id": number, "name": f"customer {number}"} for number in range(3000)],
        [{"title": "A", "text": "long " * 500}] * 20,
        {"total": 3, "rows": [{"id": number} for number in range(9000)]},
        {f"key {number}": "v" * number for number in range(400)},
        ["a text. " * 100] * 50,
        list(range(30_000)),
        [[1, 2]] * 9000,
        "id,name\n" + "".join(f"{number},n{number}\n" for number in range(9000)),
        "<!doctype html><html><body>" + "<p>para</p>" * 9000 + "</body></html>",
        "--- a/x\n+++ b/x\n" + "@@ -1,2 +1,2 @@\n-old\n+new\n" * 4000,
        "\n".join(json.dumps({"line": number}) for number in range(9000)),
    ],
    ids=lambda result: str(result)[:20] if isinstance(result, str) else f"{type(result).__name__} {str(result)[:20]}",
)
def test_what_is_shown_keeps_to_the_limit_and_says_what_is_missing(result: object, limit: int) -> None:
    shaped = shape(result, max_result_chars=limit, task="customer 2000, please")
    assert 0 < len(shaped.shown) <= max(limit, 1) + SLACK
    assert shaped.artifact
    assert f'handle="{shaped.artifact}"' in shaped.shown
    assert "left out" in shaped.shown


def test_an_empty_or_blank_text_is_said_to_be_one() -> None:
    assert shape("").shown == "(empty text)"
    assert shape(" \n ").shown == "(blank text of 3 characters)"


def test_nothing_is_an_answer_too() -> None:
    assert shape(None).shown.strip()


# ------------------------------------------------------------------ data


@dataclass
class Invoice:
    number: str
    due: date
    total: Decimal


def test_a_dataclass_is_shown_as_json_with_exact_amounts() -> None:
    shaped = shape(Invoice("R-17", date(2031, 5, 4), Decimal("12.30")))
    assert json.loads(shaped.shown) == {"number": "R-17", "due": "2031-05-04", "total": "12.30"}


def test_chinese_is_never_escaped() -> None:
    assert "晴朗" in shape({"天气": "晴朗"}).shown
    shown = shape(json.dumps({"天气": "晴朗", "path": "C:\\u6674", "quote": '"'})).shown
    assert "晴朗" in shown
    assert json.loads(shown) == {"天气": "晴朗", "path": "C:\\u6674", "quote": '"'}


def refuse(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


@pytest.mark.parametrize(
    "result",
    [{"mean": math.nan, "top": math.inf, "count": 0}, [math.nan, {"low": -math.inf}], {"note": math.nan}, (1.5, math.nan)],
)
def test_nan_and_infinity_are_said_to_be_so_in_valid_json(result: object) -> None:
    shown = shape(result).shown
    data = json.loads(shown, parse_constant=refuse)
    assert '"NaN"' in shown
    assert "NaN and infinity" in str(data)


def test_a_number_alone_may_be_nan() -> None:
    assert shape(math.nan).shown.startswith("NaN")
    assert shape(3.0).shown == "3.0"
    assert shape(True).shown == "true"


def test_two_thousand_rows_become_an_index_with_the_count() -> None:
    rows = [{"id": i, "name": f"customer {i}", "note": "no remark " * 5, "balance": i * 1.5} for i in range(2000)]
    shaped = shape(rows, task="What is the balance of customer 1234?")
    assert len(shaped.shown) <= 2000 + SLACK
    assert "2,000 records" in shaped.shown
    assert "1235 | 1234 | customer 1234 | 1851.0" in shaped.shown
    assert shaped.shown.count("no remark") <= 5, "what is the same in all rows is said once"


def test_a_list_too_long_to_take_apart_is_still_counted() -> None:
    shaped = shape([{"id": number, "text": "x" * 300} for number in range(12_000)])
    assert "a list of 12,000 items" in shaped.shown
    assert len(shaped.shown) <= 2000 + SLACK


def test_pictures_go_to_models_that_take_them() -> None:
    shaped = shape(PNG, images=True)
    assert shaped.images == (Image("image/png", PNG),)
    assert "1 × 1 pixels" in shaped.shown
    inside = shape({"chart": PNG, "title": "Sales"}, images=True)
    assert inside.images == (Image("image/png", PNG),)
    assert "Sales" in inside.shown


def test_pictures_are_described_to_models_that_do_not() -> None:
    shaped = shape(Image("image/png", PNG))
    assert shaped.images == ()
    assert "image/png picture, 1 × 1 pixels, 67 bytes" in shaped.shown
    assert shaped.artifact in shaped.shown


def test_a_picture_too_large_to_send_is_described() -> None:
    large = PNG + bytes(6_000_000)
    shaped = shape(large, images=True)
    assert shaped.images == ()
    assert "6,000,067 bytes" in shaped.shown


def test_bytes_are_described_and_kept() -> None:
    artifacts = MemoryArtifacts()
    shaped = ResultShaper(artifacts).shape(a_tool(), "c1", b"\x00\xff\xfe\x80 head")
    assert "9 bytes" in shaped.shown
    assert "00 ff fe 80" in shaped.shown
    assert artifacts.find(shaped.artifact) == Artifact(shaped.artifact, "application/octet-stream", b"\x00\xff\xfe\x80 head")


def test_bytes_that_are_a_text_are_read_as_one() -> None:
    assert shape("grüß dich, 你好".encode()).shown == "grüß dich, 你好"
    assert shape("你好".encode("utf-16")).shown == "你好"


def test_a_page_is_read_as_text_and_its_source_stays_reachable() -> None:
    artifacts = MemoryArtifacts()
    head = f"<head><title>Prices</title><script>{'x' * 5000}</script></head>"
    page = f"<!doctype html><html>{head}<body><script>{'x' * 5000}</script><p>Two euros.</p></body></html>"
    shaped = ResultShaper(artifacts).shape(a_tool(), "c1", page)
    assert "Prices" in shaped.shown
    assert "Two euros." in shaped.shown
    assert "xxxx" not in shaped.shown
    assert f"{shaped.artifact}#source" in shaped.shown
    assert "<script>" in artifact_tools(artifacts)[0].function(f"{shaped.artifact}#source")


def test_a_short_piece_of_html_is_left_alone() -> None:
    assert shape("<p>Edit <b>me</b></p>").shown == "<p>Edit <b>me</b></p>"


# ------------------------------------------------------------------ a tool's own shaping


def answer_of(reply: dict[str, str]) -> str:
    return reply["answer"]


def in_degrees(number: int) -> str:
    return f"{number} degrees Celsius"


def joined(items: Iterator[str]) -> str:
    return ", ".join(items)


def test_a_tool_may_shape_its_result_itself_and_the_rest_stays_reachable() -> None:
    artifacts = MemoryArtifacts()
    tool = a_tool(shape=answer_of)
    shaped = ResultShaper(artifacts).shape(tool, "c1", {"answer": "42", "debug": "noise " * 50})
    assert shaped.shown.startswith("42\n")
    assert shaped.artifact
    kept = artifacts.find(shaped.artifact)
    assert kept
    assert "noise" in str(kept.content)
    assert shaped.result_chars == len(str(kept.content))


def test_a_shaping_that_adds_to_its_result_leaves_nothing_out() -> None:
    shaped = shape(3, shape=in_degrees)
    assert (shaped.shown, shaped.artifact) == ("3 degrees Celsius", "")


def test_a_shaping_that_fails_is_noted_and_the_raw_result_shown() -> None:
    shaped = shape({"a": 1}, shape=answer_of)
    data = json.loads(shaped.shown)
    assert data["a"] == 1
    assert "KeyError" in data["note"]


def test_a_shaping_may_use_up_an_iterator() -> None:
    shaped = shape(iter(["a", "b"]), shape=joined)
    assert shaped.shown == "a, b"


@pytest.mark.parametrize(
    ("error", "kind", "must", "must_not"),
    [
        (ToolError("no customer 12", fix="list the customers"), "tool_error", "no customer 12", "ToolError"),
        (CallRefused("not_allowed", "write is off", fix="read"), "not_allowed", "write is off", "CallRefused"),
        (ToolTimedOut(3, killed=True), "timeout", "3 s", "could not"),
        (ToolTimedOut(1.5, killed=False), "timeout", "thrown away", "it was ended"),
        (ToolCrashed("the worker died"), "tool_error", "the worker died", "ToolCrashed"),
        (RuntimeError("password=hunter2"), "tool_error", "RuntimeError", "hunter2"),
        (FileNotFoundError("/home/me/secret"), "tool_error", "FileNotFoundError", "/home/me"),
        (ToolError("路径不存在"), "tool_error", "路径不存在", "\\u"),
        (ToolError("x" * 100_000), "tool_error", "xxx", "x" * 3000),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_are_told_with_kind_reason_and_fix(error: Exception, kind: str, must: str, must_not: str) -> None:
    told, shaped = ResultShaper(MemoryArtifacts()).shape_error(error)
    data = json.loads(shaped.shown)["error"]
    assert told == data["kind"] == kind
    assert set(data) == {"kind", "reason", "fix"}
    assert must in shaped.shown
    assert must_not not in shaped.shown
    assert len(shaped.shown) < 2500
