from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prudent.errors import ToolError
from prudent.toolkits.knowledge.library import Library, default_index_path


def _ids(result: str) -> list[int]:
    return [int(found) for found in re.findall(r"^\[(\d+)\]", result, re.MULTILINE)]


def test_hits_come_with_title_place_score_and_the_lines_that_fit(search: Callable[[str], str]) -> None:
    result = search("How long can a yearly plan be returned?")
    first, *_ = result.split("\n[")[1:]
    assert result.startswith("2 of 2 passages, best first:\n")
    assert re.match(r"\d+\] Returns › Yearly plans \(returns\.md, line 5; score \d+(\.\d+)?, 3 of 3 words\)\n", first)
    assert "    A yearly plan can be returned within 30 days.\n    The full price comes back." in first


def test_chinese_is_found_in_chinese(search: Callable[[str], str]) -> None:
    result = search("年度套餐可以退货多久？")
    assert result.split("\n")[1].startswith("[")
    assert "退货 › 年度套餐 (退货.md, line 5;" in result.split("\n")[1]
    assert "15天内可以退货" in result.split("\n")[2]


def test_languages_can_be_mixed(search: Callable[[str], str]) -> None:
    result = search("退货 returned")
    assert "returns.md" in result
    assert "退货.md" in result


def test_a_lone_chinese_character_finds_the_words_it_begins_and_ends(search: Callable[[str], str]) -> None:
    assert "退货.md" in search("款")
    assert "退货.md" in search("购")


def test_more_matching_words_come_first(search: Callable[[str], str]) -> None:
    assert "Monthly plans" in search("monthly plan returned").split("\n")[1]
    assert "Yearly plans" in search("yearly plan returned").split("\n")[1]


def test_nothing_found_says_so_and_names_what_there_is(search: Callable[[str], str]) -> None:
    result = search("holidays in Antarctica")
    assert result.startswith("No passage has any of the words: holidays, antarctica. Try other words")
    assert "Returns, security" not in result
    assert "They are: Returns, Security, 退货." in result


def test_a_query_without_words_is_refused(search: Callable[[str], str]) -> None:
    for query in ("", "?!", " \0 "):
        with pytest.raises(ToolError, match="no words"):
            search(query)


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.py").write_text("no document")
    assert "no documents" in Library(tmp_path / "documents", tmp_path / "i.db").search("plan", 5)


def test_a_folder_that_vanished_is_a_clear_error(folder: Path, library: Library) -> None:
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(ToolError, match="no folder"):
        library.search("plan", 5)


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_the_limit_bounds_the_list(folder: Path, library: Library, limit: int) -> None:
    for number in range(30):
        (folder / f"note{number}.txt").write_text(f"plan number {number}\n\n" + "long text about the plan. " * 200)
    result = library.search("plan", limit)
    assert len(_ids(result)) == limit
    assert "100 or more passages" in result
    assert len(result) < 100 + limit * 600


def test_endless_headings_and_names_do_not_swell_results(folder: Path, library: Library) -> None:
    (folder / "long.md").write_text(f"# {'Title ' * 900}\n\n## {'Heading ' * 900}\n\nThe needle.\n")
    result = library.search("needle", 5)
    assert len(result) < 600
    assert len(library.read(*_ids(result))) < 400


def test_reading_gives_the_whole_passage_and_its_neighbours(library: Library) -> None:
    (first, second) = _ids(library.search("yearly monthly plan returned", 5))
    yearly, monthly = sorted((first, second))
    text = library.read(yearly)
    assert text == (
        "Returns › Yearly plans (returns.md, line 5)\n"
        "A yearly plan can be returned within 30 days. The full price comes back.\n"
        f"(Passages of the same file: after it: {monthly}.)"
    )
    assert f"before it: {yearly}" in library.read(monthly)


def test_an_unknown_id_tells_what_to_do(library: Library) -> None:
    with pytest.raises(ToolError, match="no passage 999") as caught:
        library.read(999)
    assert "Search again" in caught.value.fix


def test_a_passage_of_a_changed_file_is_not_read_from_memory(folder: Path, library: Library) -> None:
    (first, *_) = _ids(library.search("yearly", 5))
    (folder / "returns.md").write_text("# Returns\n\nAll changed.\n")
    with pytest.raises(ToolError, match="may have changed"):
        library.read(first)


def test_what_could_not_be_searched_is_said(folder: Path, library: Library) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "gbk.txt").write_bytes("出差补贴标准\n\n每日补贴一百八十元，住宿上限六百元，须事先经部门经理批准。".encode("gbk"))
    result = library.search("住宿上限", 5)
    assert (
        result.endswith("Not searched: broken.pdf (broken (PdfStreamError)).") or "Not searched: broken.pdf (broken" in result
    )
    assert "encoding guessed: gb" in result


def test_a_large_folder_is_taken_in_over_several_calls(folder: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prudent.toolkits.knowledge.library.INDEXING_SECONDS", 0.0)
    assert "Incomplete: 3 of 3 files are not indexed yet" in library.search("yearly", 5)
    monkeypatch.undo()
    assert "Incomplete" not in library.search("yearly", 5)
    assert folder.exists()


def test_the_default_index_lies_in_the_cache_and_tells_folders_apart(tmp_path: Path) -> None:
    one, other = default_index_path(tmp_path / "a" / "docs"), default_index_path(tmp_path / "b" / "docs")
    assert one != other
    assert one.name.startswith("docs-")
    assert not one.is_relative_to(tmp_path)
    assert not one.exists()


@given(st.text(max_size=600))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_gives_a_list_or_a_tool_error(library: Library, query: str) -> None:
    try:
        result = library.search(query, 10)
    except ToolError as error:
        result = error.fix
    assert result
