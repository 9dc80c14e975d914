"""The few words that a report brings along, in the language of its title, and how its values are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one language."""

    language: str
    sources: str
    number: str
    figure: str
    value: str
    source: str
    label: str


ENGLISH = Words("en", "Where the figures come from", "No.", "Figure", "Value", "From the call", "Label")
CHINESE = Words("zh-CN", "数据来源", "序号", "指标", "数值", "来源调用", "名称")


def words_for(title: str) -> Words:
    """Choose the words by the title."""
    return CHINESE if _HAN.search(title) else ENGLISH


def written(value: str | float | None) -> str:
    """Write a value with the digits that it has."""
    if value is None:
        return ""
    return clean(value) if isinstance(value, str) else f"{Decimal(repr(value)):f}".removesuffix(".0")


def grouped(value: float) -> str:
    """Write a number with separators of thousands, for charts."""
    return f"{Decimal(repr(value)):,f}".removesuffix(".0")


def clean(text: str) -> str:
    """Leave out control characters and halves of characters, which neither Markdown nor HTML may hold."""
    return _UNFIT.sub("", text).encode("utf-8", "replace").decode("utf-8")


def one_line(text: str) -> str:
    """Write a text on one line."""
    return " ".join(clean(text).split())
