from __future__ import annotations

import pytest

from prudent.tools.description import compose, sentences, tools_named, without_absent


def test_all_parts_in_a_fixed_order() -> None:
    text = compose(
        "Finds pages.", "The user asks about products.", "Not for prices.", [{"query": "返品"}, {"query": "a", "limit": 2}]
    )
    assert text == (
        "Finds pages.\n\nWhen to use: The user asks about products.\nWhen not to use: Not for prices.\n"
        'Example arguments: {"query": "返品"}; {"query": "a", "limit": 2}'
    )


def test_a_bare_summary_stays_alone() -> None:
    assert compose(" Finds pages. ", "", "", []) == "Finds pages."


def test_chinese_text_gets_chinese_labels() -> None:
    assert compose("查天气。", "问天气时", "", [{"city": "北京"}]) == '查天气。\n\n适用：问天气时\n参数示例：{"city": "北京"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Costs 1.5 euros, e.g. Monday. Then more.", ["Costs 1.5 euros, e.g. Monday.", "Then more."]),
        ("不适合实时数据。请用别的！好", ["不适合实时数据。", "请用别的！", "好"]),
        ("line one\nline two", ["line one", "line two"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_tools_are_named_in_backticks_or_with_underscores() -> None:
    text = "Not for `weather`; see query_reports or `send-mail()`. Keep `limit` small, and own_name too; not a/file_name.py."
    assert tools_named(text, {"limit", "own_name"}) == {"weather", "query_reports", "send-mail"}


def test_only_sentences_about_mounted_tools_stay() -> None:
    text = "Not for live figures: use `query_reports`. Never for letters. For sums there is `calculator`."
    assert without_absent(text, (), {"calculator"}) == "Never for letters. For sums there is `calculator`."
    assert without_absent(text, (), {"calculator", "query_reports"}) == text
    assert without_absent("实时数据用 `query_reports`。不写信。", (), ()) == "不写信。"
