"""Where the words of the task stand."""

from __future__ import annotations

from itertools import accumulate

from prudent.context.relevance import best_places, score_parts, terms_of


def test_telling_words_are_taken_and_common_ones_left() -> None:
    assert terms_of("What is the balance of customer R-17 in 2031?") == ("balance", "customer", "r-17", "2031")
    assert terms_of("年度套餐多少天内可以退货？")[:2] == ("年度", "度套")
    assert "可以" not in terms_of("年度套餐多少天内可以退货？")
    assert terms_of("") == ()


def test_the_passage_with_the_most_and_rarest_words_is_found() -> None:
    text = "customer list. " * 200 + "The refund window of the yearly plan is 30 days. " + "customer list. " * 200
    place = best_places(text, terms_of("refund of the yearly plan for a customer"))[0]
    assert "yearly plan is 30" in text[place.start : place.end + 20]


def test_chinese_passages_are_found() -> None:
    text = "其他内容，与问题无关。" * 300 + "年度套餐可在三十天内退货。" + "其他内容，与问题无关。" * 300
    place = best_places(text, terms_of("年度套餐多少天内可以退货？"))[0]
    assert "年度套餐" in text[place.start : place.end]


def test_only_what_lies_behind_the_start_counts() -> None:
    text = "needle " + "hay " * 100 + "needle"
    assert best_places(text, ("needle",), start=10)[0].start == len(text) - 6
    assert best_places(text, ("needle",), start=len(text)) == []


def test_places_do_not_overlap() -> None:
    places = best_places("needle " * 50 + "hay " * 500 + "needle", ("needle",), count=3)
    assert all(one.end <= two.start or two.end <= one.start for one in places for two in places if one is not two)


def test_parts_with_a_word_that_is_everywhere_score_nothing() -> None:
    lines = [f"customer {number}\n" for number in range(1000)]
    starts = [0, *accumulate(map(len, lines))][:-1]
    scores = score_parts("".join(lines), ("customer", "777"), starts)
    assert list(scores) == [777]


def test_a_word_counts_only_from_its_beginning() -> None:
    assert best_places("portable", ("table",)) == []
    assert best_places("tables", ("table",))
