from __future__ import annotations

import math
from dataclasses import replace

import pytest

from prudent.errors import ToolError
from prudent.toolkits.report.content import (
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_SECTIONS,
    MAX_TEXT_CHARS,
    Chart,
    Figure,
    Section,
    Table,
    check,
    numbered_figures,
)

GOOD = Section("Heading", "text")


def test_good_content_passes(sections: list[Section]) -> None:
    check("Title", sections)


def test_figures_are_numbered_through_the_report(sections: list[Section]) -> None:
    assert [(at, number, figure.label) for at, number, figure in numbered_figures(sections)] == [
        (0, 1, "Per diem"),
        (0, 2, "A day"),
        (2, 3, "Months"),
    ]


@pytest.mark.parametrize(
    ("title", "sections", "reason"),
    [
        ("", [GOOD], "the title has 0 characters"),
        (" ", [GOOD], "the title"),
        ("x" * 201, [GOOD], "the title has 201"),
        ("T", [], "0 sections"),
        ("T", [GOOD] * (MAX_SECTIONS + 1), "31 sections"),
        ("T", [GOOD, Section("", "text")], r"section 2 \(''\): the heading is empty"),
        ("T", [Section("Empty")], r"section 1 \('Empty'\): it is empty"),
        ("T", [Section("H", "x" * (MAX_TEXT_CHARS + 1))], "20,001 characters"),
        ("T", [Section("H", table=Table([], []))], "0 columns"),
        ("T", [Section("H", table=Table(["c"] * (MAX_COLUMNS + 1), []))], "21 columns"),
        ("T", [Section("H", table=Table(["a", "b"], [[1, 2], [1]]))], "row 2 of the table has 1 cells for 2 columns"),
        ("T", [Section("H", table=Table(["a"], [[1, 2]]))], "row 1 of the table has 2 cells for 1 columns"),
        ("T", [Section("H", table=Table(["a"], [[1]] * (MAX_ROWS + 1)))], "501 rows"),
        ("T", [Section("H", table=Table(["a"], [[math.nan]]))], "nan, which is no usable number"),
        ("T", [Section("H", table=Table(["a"], [[-math.inf]]))], "-inf, which is no usable number"),
        ("T", [Section("H", table=Table(["a"], [["x" * 501]]))], "a cell in row 1 has 501"),
        ("T", [Section("H", chart=Chart("bar", ["a"], [1, 2]))], "1 labels for 2 values"),
        ("T", [Section("H", chart=Chart("bar", [], []))], "the bar chart has 0 values"),
        ("T", [Section("H", chart=Chart("pie", ["a"] * 11, [1] * 11))], "the pie chart has 11 values"),
        ("T", [Section("H", chart=Chart("line", ["a"], [math.nan]))], "the chart holds nan"),
        ("T", [Section("H", chart=Chart("line", ["a"], [1e300]))], "no usable number"),
        ("T", [Section("H", chart=Chart("pie", ["a", "b"], [1, -1]))], "shares of a whole"),
        ("T", [Section("H", chart=Chart("pie", ["a"], [0]))], "not all 0"),
        ("T", [replace(GOOD, figures=[Figure("1", "label", "")])], "no value, label or source_call"),
        ("T", [replace(GOOD, figures=[Figure("NaN", "label", "call")])], "'label' is NaN, which is no number"),
        ("T", [replace(GOOD, figures=[Figure("1", "x" * 501, "call")])], "too long"),
        ("T", [replace(GOOD, figures=[Figure("1", "label", "call")] * 51)], "51 figures"),
    ],
)
def test_bad_content_is_refused_with_its_place_and_a_fix(title: str, sections: list[Section], reason: str) -> None:
    with pytest.raises(ToolError, match=reason) as caught:
        check(title, sections)
    assert caught.value.fix
    assert len(caught.value.reason) < 300
