from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import CallRefused, ToolError
from prudent.toolkits.report import file_name, report, write_report
from prudent.toolkits.report.content import Section
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.types import JSONObject

ARGUMENTS: JSONObject = {
    "title": "Trip costs: Q3",
    "sections": [
        {
            "heading": "Summary",
            "text": "Fine.",
            "figures": [{"value": "96 EUR", "label": "Sum", "source_call": "calculator: 3 * 32"}],
        },
        {"heading": "Table", "table": {"columns": ["a", "b"], "rows": [["x", 1.5], [None, 2]]}},
        {"heading": "Chart", "chart": {"kind": "bar", "labels": ["a"], "values": [1]}},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "reports"


@pytest.fixture
def tool(folder: Path) -> Tool:
    (tool,) = report(folder)
    return tool


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_two_files_are_written_and_named(tool: Tool, folder: Path) -> None:
    result = tool.invoke(ARGUMENTS, Context())
    assert result == (
        f"Wrote {folder}/trip-costs-q3.html and {folder}/trip-costs-q3.md "
        "(3 sections, 1 table, 1 chart, 1 figure with its source call)."
    )
    assert _names(folder) == ["trip-costs-q3.html", "trip-costs-q3.md"]
    assert (folder / "trip-costs-q3.md").read_text(encoding="utf-8").startswith("# Trip costs: Q3\n")
    assert (folder / "trip-costs-q3.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_same_report_again_changes_nothing(tool: Tool, folder: Path) -> None:
    tool.invoke(ARGUMENTS, Context())
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert str(tool.invoke(ARGUMENTS, Context())).startswith("Already there with the same content: ")
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_other_content_under_the_same_title_gets_another_name(tool: Tool, folder: Path) -> None:
    tool.invoke(ARGUMENTS, Context())
    other: JSONObject = {**ARGUMENTS, "sections": [{"heading": "Other", "text": "x"}]}
    first, again = str(tool.invoke(other, Context())), str(tool.invoke(other, Context()))
    assert len(_names(folder)) == 4
    assert first.startswith("Wrote ")
    assert first.removeprefix("Wrote ") == again.removeprefix("Already there with the same content: ")
    assert "Fine." in (folder / "trip-costs-q3.md").read_text()


def test_half_a_report_is_completed(tool: Tool, folder: Path) -> None:
    tool.invoke(ARGUMENTS, Context())
    (folder / "trip-costs-q3.md").unlink()
    assert str(tool.invoke(ARGUMENTS, Context())).startswith("Wrote ")
    assert _names(folder) == ["trip-costs-q3.html", "trip-costs-q3.md"]


def test_files_of_others_are_left_alone(tool: Tool, folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    (folder / "trip-costs-q3.md").write_text("mine")
    tool.invoke(ARGUMENTS, Context())
    assert (folder / "trip-costs-q3.md").read_text() == "mine"
    assert "trip-costs-q3.html" not in _names(folder), "no half of a report beside it"
    (folder / "link.html").symlink_to(tmp_path / "outside.html")
    with pytest.raises(ToolError, match="could not be written"):
        tool.invoke({**ARGUMENTS, "title": "Link"}, Context())
    assert not (tmp_path / "outside.html").exists()


def test_several_at_once_lose_nothing(folder: Path) -> None:
    def write(number: int) -> str:
        return write_report("Same title", [Section("Part", f"text {number}")], folder=folder)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(write, range(16)))
    assert all(result.startswith("Wrote ") for result in results)
    texts = {file.read_text().split("\n\n")[2].strip() for file in folder.glob("*.md")}
    assert texts == {f"text {number}" for number in range(16)}


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match="could not be written") as caught:
        write_report("T", [Section("H", "x")], folder=tmp_path / "file")
    assert caught.value.fix


def test_nothing_is_written_when_the_content_is_refused(tool: Tool, folder: Path) -> None:
    with pytest.raises(ToolError, match="row 2"):
        tool.invoke({"title": "T", "sections": [{"heading": "H", "table": {"columns": ["a"], "rows": [["1"], []]}}]}, Context())
    assert not folder.exists()


@pytest.mark.parametrize(
    "section",
    [
        {"heading": "H", "text": "x", "colour": "red"},
        {"heading": "H", "chart": {"kind": "radar", "labels": ["a"], "values": [1]}},
        {"heading": "H", "figures": [{"value": "1", "label": "x"}]},
        {"text": "no heading"},
    ],
)
def test_unknown_and_missing_fields_are_refused(tool: Tool, section: JSONObject) -> None:
    with pytest.raises(CallRefused):
        tool.invoke({"title": "T", "sections": [section]}, Context())


def test_the_preview_and_the_resource_name_the_file(tool: Tool, folder: Path) -> None:
    assert tool.preview
    assert tool.resource
    assert tool.preview(ARGUMENTS) == f"Would write {folder}/trip-costs-q3.html and .md: Summary; Table; Chart"
    assert tool.resource(ARGUMENTS) == f"{folder}/trip-costs-q3"
    assert not folder.exists()


def test_the_tool_declares_what_it_does(tool: Tool) -> None:
    assert (tool.name, tool.effect, tool.idempotent, tool.toolkit) == ("write_report", "write", True, "report")
    assert "library" not in json.dumps(tool.parameters)
    assert "folder" not in json.dumps(tool.parameters)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Trip costs: Q3", "trip-costs-q3"),
        ("出差费用 2031", "出差费用-2031"),
        ("../../etc/passwd", "etc-passwd"),
        ("...", "report-"),
        ("CON", "report-con"),
        ("a" * 300, "a" * 60),
        ("Ｗｉｄｅ", "wide"),
        ("a\0b\nc", "a-b-c"),
    ],
)
def test_names_of_files(title: str, name: str) -> None:
    assert file_name(title) == name


@given(st.text(max_size=100))
def test_any_title_gives_a_plain_file_name(title: str) -> None:
    name = file_name(title)
    assert name
    assert Path(name).name == name
    assert not name.startswith(".")
    assert len(f"{name}-01234567.html".encode()) <= 255
