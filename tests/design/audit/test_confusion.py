"""Twins: alike definitions, and tools that were taken for each other in both directions."""

from __future__ import annotations

from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.confusion import TwinPair, find_twins
from prudent.design.audit.corrections import find_corrections
from prudent.design.audit.facts import Call, Facts, RunFacts, ToolBlock

ALIKE = (
    spec("get_weather", "Get the current weather of a city.", city=""),
    spec("fetch_weather_data", "Fetch the current weather for a given city.", location=""),
)
UNLIKE = spec("browse_archive", "Goes through old papers.", words=""), spec("ask_wiki", "Answers from pages.", topic="")


def twins(found: Facts) -> list[TwinPair]:
    return find_twins(found, find_corrections(found))


def moves(first: str, then: str, times: int) -> list[list[Call]]:
    return [[failed(first, 1, words=f"word{at} again"), call(then, 2, topic=f"word{at} again")] for at in range(times)]


def test_alike_definitions_are_twins_by_meaning_alone():
    (pair,) = twins(facts([], *ALIKE, *UNLIKE))
    assert (pair.one, pair.other, pair.by_meaning, pair.by_confusion) == ("fetch_weather_data", "get_weather", True, False)


def test_tools_that_no_model_had_together_are_no_twins():
    found = Facts((RunFacts("a", (), (0,)), RunFacts("b", (), (1,))), (ToolBlock(ALIKE[:1]), ToolBlock(ALIKE[1:])))
    assert twins(found) == []


def test_going_both_ways_makes_twins_by_confusion_whatever_the_words():
    back = [failed("ask_wiki", 1, topic="word again"), call("browse_archive", 2, words="word again")]
    runs = [*moves("browse_archive", "ask_wiki", 3), back]
    (pair,) = twins(facts(runs, *UNLIKE))
    assert (pair.one, pair.other, pair.there, pair.back) == ("ask_wiki", "browse_archive", 1, 3)
    assert (pair.by_meaning, pair.by_confusion) == (False, True)
    assert pair.renames == {("topic", "words"): 4}
    assert "run-3" in pair.run_ids


def test_one_way_only_may_be_how_the_work_is_done():
    assert twins(facts(moves("browse_archive", "ask_wiki", 9), *UNLIKE)) == []


def test_moving_on_to_other_questions_is_no_confusion():
    runs = [[failed("browse_archive", 1, words=f"a{at}"), call("ask_wiki", 2, topic=f"b{at}")] for at in range(4)]
    runs += [[failed("ask_wiki", 1, topic=f"c{at}"), call("browse_archive", 2, words=f"d{at}")] for at in range(4)]
    assert twins(facts(runs, *UNLIKE)) == []
