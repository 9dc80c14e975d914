"""Reading on in a result that was shortened."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

import pytest

from prudent.context.artifacts import MemoryArtifacts, artifact_tools
from prudent.context.shaping import ResultShaper
from prudent.errors import ToolError
from prudent.tools.definition import Tool

TEXT = "".join(f"line {number}: nothing happened here\n" for number in range(1, 3001))


def tools_over(content: str | bytes, media_type: str = "text/plain") -> tuple[Callable[..., str], Callable[..., str]]:
    artifacts = MemoryArtifacts()
    artifacts.keep("c1", media_type, content)
    read_more, search_in = artifact_tools(artifacts)
    return read_more.function, search_in.function


def test_both_tools_read_and_are_no_task_calls() -> None:
    for tool in artifact_tools(MemoryArtifacts()):
        assert tool.reads
        assert not tool.is_task
        assert tool.repeatable
        assert tool.aliases


def test_reading_from_mark_to_mark_gives_the_whole_text() -> None:
    read_more, _ = tools_over(TEXT)
    start, pieces = 0, list[str]()
    while True:
        window = read_more("r1", start)
        assert len(window) < 2600
        pieces.append(window.split("\n", 1)[1].rsplit("\n", 1)[0])
        following = re.search(r'read_more\(handle="r1", start=(\d+)\)', window.rsplit("\n", 1)[1])
        if not following:
            break
        start = int(following[1])
    assert "\n".join(pieces) == TEXT.rstrip("\n")
    assert "end of r1" in window


def test_a_window_says_where_it_is() -> None:
    read_more, _ = tools_over(TEXT)
    assert read_more("r1", 100).startswith("[r1: characters 100 to 2,0")
    assert "line 3000" in read_more("r1", -40)


def test_what_these_tools_return_is_not_shortened_again() -> None:
    artifacts = MemoryArtifacts()
    artifacts.keep("c1", "text/plain", TEXT)
    for tool, arguments in zip(artifact_tools(artifacts), [("r1", 500), ("r1", "nothing")], strict=True):
        result = tool.function(*arguments)
        assert ResultShaper(artifacts).shape(tool, "c2", result).shown == result


@pytest.mark.parametrize("written", ["r1", ' "r1" ', "'r1'", 'handle="r1"', "`r1`"])
def test_a_handle_is_understood_however_it_is_quoted(written: str) -> None:
    assert "line 1:" in tools_over(TEXT)[0](written)


def test_an_unknown_handle_is_answered_with_the_known_ones() -> None:
    read_more, search_in = tools_over(TEXT)
    for call in (lambda: read_more("r9"), lambda: search_in("r9", "x")):
        with pytest.raises(ToolError, match="'r9'") as caught:
            call()
        assert caught.value.fix == "known handles: r1"
    with pytest.raises(ToolError) as caught:
        artifact_tools(MemoryArtifacts())[0].function("r1")
    assert "no result" in caught.value.fix


def test_a_start_beyond_the_end_is_refused_with_the_length() -> None:
    with pytest.raises(ToolError, match="beyond its end") as caught:
        tools_over("short")[0]("r1", 99)
    assert "below 5" in caught.value.fix


def test_an_empty_result_can_be_read() -> None:
    assert "end of r1" in tools_over("")[0]("r1")


def test_bytes_are_read_in_rows() -> None:
    read_more, search_in = tools_over(bytes(range(256)) * 8, "application/octet-stream")
    window = read_more("r1", 0)
    assert "00000000  00 01 02" in window
    assert 'read_more(handle="r1", start=480)' in window
    with pytest.raises(ToolError, match="holds bytes"):
        search_in("r1", "x")


def test_a_page_is_read_as_text_unless_its_source_is_asked_for() -> None:
    read_more, search_in = tools_over("<!doctype html><html><body><p>Two <b>euros</b></p></body></html>", "text/html")
    assert "Two euros" in read_more("r1")
    assert "<b>" not in read_more("r1")
    assert "<b>euros</b>" in read_more("r1#source")
    assert "Two euros" in search_in("r1", "two euros")


def test_a_search_gives_lines_and_the_place_to_read_on_from() -> None:
    read_more, search_in = tools_over(TEXT.replace("line 2000: nothing", "line 2000: Something"))
    found = search_in("r1", "SOMETHING")
    start = re.search(r"line 2,000, start=(\d+): line 2000: Something happened here", found)
    assert start
    assert read_more("r1", int(start[1])).split("\n")[1].startswith("line 2000: Something")


def test_a_search_takes_expressions_and_counts_what_it_does_not_show() -> None:
    found = tools_over(TEXT)[1]("r1", r"^line \d*7:")
    assert found.startswith("[lines of r1 with the expression '^line \\\\d*7:': 300, the first 12 are shown")
    assert len(found) < 2500


def test_what_occurs_to_the_letter_is_text_even_if_it_looks_like_an_expression() -> None:
    assert "line 1, start=0: f(x) = a[0]+" in tools_over("f(x) = a[0]+b")[1]("r1", "a[0]+")


def test_a_search_without_hits_says_so() -> None:
    assert "nothing in r1 holds" in tools_over(TEXT)[1]("r1", "unicorn")


@pytest.mark.parametrize("pattern", ["(", "[a", "", "   ", "x" * 501, "(?P<n>a)(?P<n", "(" * 400])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError, match="pattern"):
        tools_over(TEXT)[1]("r1", pattern)


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(x+x+)+y"])
def test_a_catastrophic_pattern_is_given_up_in_time(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prudent.context.searching.MAX_SECONDS", 0.2)
    before = time.monotonic()
    with pytest.raises(ToolError, match="given up") as caught:
        tools_over("a" * 100 + "x" * 3000 + "!")[1]("r1", pattern)
    assert time.monotonic() - before < 1.5
    assert caught.value.fix


def test_other_threads_go_on_while_a_pattern_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prudent.context.searching.MAX_SECONDS", 0.4)
    search_in = tools_over("x" * 3000)[1]
    failed: list[ToolError] = []

    def run() -> None:
        try:
            search_in("r1", r"(x+x+)+y")
        except ToolError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    ticks = 0
    while thread.is_alive():
        time.sleep(0.01)
        ticks += 1
    assert failed
    assert ticks > 10


def test_long_lines_are_shown_around_the_hit() -> None:
    found = tools_over("a" * 5000 + " NEEDLE " + "b" * 5000)[1]("r1", "needle")
    assert "NEEDLE" in found
    assert len(found) < 500
    start = re.search(r"start=(\d+)", found)
    assert start
    assert 4900 <= int(start[1]) <= 5001


def test_handles_are_given_in_order() -> None:
    artifacts = MemoryArtifacts()
    assert [artifacts.keep("c", "text/plain", text) for text in "ab"] == ["r1", "r2"]
    assert list(artifacts.handles()) == ["r1", "r2"]
    assert artifacts.find("r3") is None


def test_the_definitions_are_small() -> None:
    for tool in artifact_tools(MemoryArtifacts()):
        assert isinstance(tool, Tool)
        assert len(str(tool.parameters)) + len(tool.summary) < 500
