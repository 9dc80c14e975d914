"""Tables that stay straight."""

from __future__ import annotations

from rich.cells import cell_len

from prudent.cli.tables import table_lines


def test_columns_are_straight_with_chinese_in_them():
    lines = table_lines([["name", "n", "task"], ["北京", "5", "x"], ["ann", "12", "长" * 40]], right=(1,), width=40)
    assert lines == ["name   n  task", "北京   5  x", "ann   12  " + "长" * 14 + " …"]
    assert all(cell_len(line) <= 40 for line in lines)
