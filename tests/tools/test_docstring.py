from __future__ import annotations

import pytest

from prudent.tools.docstring import read_docstring


def test_summary_and_arguments_of_a_google_style_docstring() -> None:
    read = read_docstring(
        """Find orders of a customer.

        Looks in the last two years only,
        newest first.

        Args:
            customer: the customer's number,
                as printed on the invoice.
            limit (int, optional): how many, 1 to 50: more is not given.

        Returns:
            A list of orders.

        Raises:
            ToolError: nobody has that number.
        """
    )
    assert read.summary == "Find orders of a customer.\n\nLooks in the last two years only,\nnewest first."
    assert read.parameters == {
        "customer": "the customer's number, as printed on the invoice.",
        "limit": "how many, 1 to 50: more is not given.",
    }


def test_a_chinese_docstring_is_joined_without_spaces() -> None:
    read = read_docstring(
        """查询城市天气。

        参数：
            city：城市名称，
                例如北京
            days（整数）: 天数 1 到 7

        返回：
            天气
        """
    )
    assert read.summary == "查询城市天气。"
    assert read.parameters == {"city": "城市名称，例如北京", "days": "天数 1 到 7"}


def test_text_after_a_section_belongs_to_the_summary_again() -> None:
    read = read_docstring("First.\n\nArgs:\n    a: one.\n\nLast words.")
    assert read.summary == "First.\n\nLast words."
    assert read.parameters == {"a": "one."}


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_nothing_is_nothing(text: str | None) -> None:
    assert read_docstring(text).summary == ""
    assert read_docstring(text).parameters == {}


def test_a_colon_in_the_running_text_opens_no_section() -> None:
    read = read_docstring("Draft a ticket.\n\nNote: it is not sent.\nUnits: metres.")
    assert read.summary == "Draft a ticket.\n\nNote: it is not sent.\nUnits: metres."
