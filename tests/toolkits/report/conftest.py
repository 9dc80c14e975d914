"""A report with everything in it."""

from __future__ import annotations

import pytest

from prudent.toolkits.report.content import Chart, Figure, Section, Table


@pytest.fixture
def sections() -> list[Section]:
    return [
        Section(
            "Summary",
            "The trip costs **96 EUR**.",
            figures=[
                Figure("96 EUR", "Per diem", "calculator: 3 * 32 EUR"),
                Figure("32 EUR", "A day", "search_knowledge: per diem"),
            ],
        ),
        Section("Countries", table=Table(["Country", "Per diem"], [["Germany", 32], ["Norway", 58.5], ["France", None]])),
        Section(
            "By month", chart=Chart("line", ["May", "June"], [10, 20.5], "EUR"), figures=[Figure("2", "Months", "counted")]
        ),
    ]
