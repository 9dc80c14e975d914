"""A folder of documents with its index, and pieces for both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from prudent.toolkits.knowledge.library import Library

RETURNS = """\
# Returns

## Yearly plans

A yearly plan can be returned within 30 days. The full price comes back.

## Monthly plans

A monthly plan can be returned within 7 days.
"""

CHINESE = """\
# 退货

## 年度套餐

年度套餐自购买之日起15天内可以退货，全额退款。

## 月度套餐

月度套餐3天内可以退货。
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "returns.md").write_text(RETURNS, encoding="utf-8")
    (folder / "退货.md").write_text(CHINESE, encoding="utf-8")
    (folder / "security.txt").write_text("Security\n\nPasswords have 14 characters.\n", encoding="utf-8")
    return folder


@pytest.fixture
def library(folder: Path, tmp_path: Path) -> Library:
    return Library(folder, tmp_path / "cache" / "index.db")


@pytest.fixture
def search(library: Library) -> Callable[[str], str]:
    return lambda query: library.search(query, 5)
