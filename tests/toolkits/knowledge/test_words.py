from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.toolkits.knowledge.words import MAX_QUERY_WORDS, match_expression, query_words, text_words, width


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Yearly plans, 30 days.", ["yearly", "plans", "30", "days"]),
        ("年度套餐", ["年度", "度套", "套餐", "餐"]),
        ("猫", ["猫"]),
        ("用iPhone15手机", ["用", "iphone15", "手机", "机"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("The company's e-mail_address", ["the", "company", "e", "mail", "address"]),
        ("日本語のテスト", ["日本", "本語", "語の", "のテ", "テス", "スト", "ト"]),
        ("환불 정책", ["환불", "불", "정책", "책"]),
        ("", []),
        ("!?* \0", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert text_words(text) == words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("How long can a yearly plan be returned, and what comes back?", ["yearly", "plan", "returned", "comes", "back"]),
        ("年度套餐可以退货多久？", ["年度", "度套", "套餐", "退货"]),
        ("请问海岸版多少钱", ["海岸", "岸版", "钱"]),
        ("what is it", ["what", "is", "it"]),
        ("什么", ["什么"]),
        ("plan plan PLAN", ["plan"]),
        ("", []),
    ],
)
def test_words_that_say_nothing_are_left_out_unless_there_are_no_others(query: str, words: list[str]) -> None:
    assert query_words(query) == words


def test_a_long_query_is_cut() -> None:
    assert len(query_words(" ".join(f"word{number}" for number in range(500)))) == MAX_QUERY_WORDS


@given(st.text(max_size=100))
def test_no_query_is_a_syntax_error(query: str) -> None:
    table = sqlite3.connect(":memory:")
    table.execute('CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = "porter unicode61")')
    for word in [*query_words(query), *text_words(query)]:
        table.execute("SELECT 1 FROM words WHERE words MATCH ?", (match_expression(word),)).fetchall()
    table.close()


@given(st.text(alphabet="年度套餐可以退货ab c，", max_size=30), st.text(alphabet="年度套餐退货", min_size=2, max_size=6))
def test_a_run_of_chinese_is_found_wherever_it_stands(around: str, run: str) -> None:
    words = set(text_words(around + run + around))
    assert {run[at : at + 2] for at in range(len(run) - 1)} <= words


def test_wide_characters_count_twice() -> None:
    assert width("ab年度") == 6
