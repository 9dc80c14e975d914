from __future__ import annotations

from inline_snapshot import snapshot

from prudent.toolkits.report.content import Section, Table
from prudent.toolkits.report.markdown import to_markdown


def test_a_report_reads_well(sections: list[Section]) -> None:
    assert to_markdown("Trip costs", sections) == snapshot("""\
# Trip costs

## Summary

The trip costs **96 EUR**.

- Per diem: **96 EUR** [1]
- A day: **32 EUR** [2]

## Countries

| Country | Per diem |
|---|---|
| Germany | 32 |
| Norway | 58.5 |
| France |  |

## By month

- Months: **2** [3]

| Label | Value (EUR) |
|---|---|
| May | 10 |
| June | 20.5 |

## Where the figures come from

| No. | Figure | Value | From the call |
|---|---|---|---|
| 1 | Per diem | 96 EUR | calculator: 3 * 32 EUR |
| 2 | A day | 32 EUR | search_knowledge: per diem |
| 3 | Months | 2 | counted |
""")


def test_chinese_reports_have_chinese_words(sections: list[Section]) -> None:
    text = to_markdown("出差费用", sections)
    assert "## 数据来源" in text
    assert "| 序号 | 指标 | 数值 | 来源调用 |" in text


def test_cells_cannot_break_out_of_their_table() -> None:
    table = Table(["a|b", "c\nd"], [["x\\|y", "<img src=x>"], ["1\r\n2", "`|`"]])
    lines = to_markdown("T", [Section("H", table=table)]).splitlines()[4:]
    assert lines == ["| a\\|b | c d |", "|---|---|", "| x\\\\\\|y | &lt;img src=x> |", "| 1 2 | `\\|` |"]


def test_html_in_text_is_not_obeyed() -> None:
    text = to_markdown("<b>T</b>\n# x", [Section("H", "a <script>x</script> 1 < 2 `<b>`\n\n```\n<i>\n```")])
    assert text.startswith("# &lt;b>T&lt;/b> # x\n")
    assert "a &lt;script>x&lt;/script> 1 < 2 `<b>`\n\n```\n<i>\n```" in text


def test_numbers_keep_their_digits() -> None:
    rows: list[list[str | float | None]] = [[246.81, 1e-7, 100, 58.0, 1234567.5]]
    text = to_markdown("T", [Section("H", table=Table(list("abcde"), rows))])
    assert "| 246.81 | 0.0000001 | 100 | 58 | 1234567.5 |" in text
