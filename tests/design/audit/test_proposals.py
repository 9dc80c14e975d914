"""Proposals: what the findings suggest, how sure it is, and what it saves."""

from __future__ import annotations

from dataclasses import replace

from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.facts import Call, Facts, definition_tokens
from prudent.design.audit.proposals import Proposal
from prudent.design.audit.report import audit

USED, NEVER, RARE = spec("used", "Looks into the ledger."), spec("never", "Paints a fence."), spec("rare", "Feeds the cat.")
TWINS = (
    spec("get_weather", "Get the current weather of a city.", ["city"], city=""),
    spec("fetch_weather_data", "Fetch the current weather for a given city.", ["location"], location=""),
)


def proposals(found: Facts) -> list[Proposal]:
    return [*audit(found).proposals]


def confused() -> list[list[Call]]:
    there = [
        [failed("get_weather", 1, city=f"City {at}"), call("fetch_weather_data", 2, location=f"City {at}")] for at in range(3)
    ]
    back = [[failed("fetch_weather_data", 1, location="Oslo"), call("get_weather", 2, city="Oslo")] for _ in range(2)]
    return there + back


def test_what_is_never_called_is_to_be_removed_with_what_that_saves():
    (removal,) = proposals(facts([[call("used")] * 9] * 40, USED, NEVER))
    assert (removal.kind, removal.tools, removal.title, removal.is_firm) == ("remove", ("never",), "Remove never", True)
    assert removal.tokens_a_call == definition_tokens(NEVER)
    assert removal.tokens == 80 * definition_tokens(NEVER)
    assert removal.evidence == (
        "never: 0 of 360 calls where it was mounted (at most 1.1%, with 95 % confidence); "
        f"{definition_tokens(NEVER)} tokens in each of 80 model calls",
    )


def test_fewer_than_a_hundred_calls_prove_nothing():
    found = audit(facts([[call("used")]] * 99, USED, NEVER))
    assert [proposal.is_firm for proposal in found.proposals] == [False]
    assert found.notes == ("only 99 task calls: fewer than 100 are too few to conclude what is used rarely",)
    assert audit(facts([[call("used")]] * 100, USED, NEVER)).notes == ()


def test_a_rare_tool_goes_behind_the_search_with_the_runs_that_needed_it():
    runs = [[call("used")] * 9] * 40 + [[call("rare")]]
    (removal,) = proposals(facts(runs, USED, RARE))
    assert removal.title == "Put rare behind tool search, or remove it"
    assert removal.run_ids == ("run-40",)
    assert removal.is_firm
    assert "rare is not needless" in removal.evidence[-1]


def test_many_are_one_proposal():
    unused = [spec(f"never_{at}", f"Paints fence {at}." * (at + 1)) for at in range(20)]
    (removal,) = proposals(facts([[call("used")] * 9] * 40, USED, *unused))
    assert len(removal.tools) == 20
    assert removal.title == "Remove 20 tools (never_19, never_18, never_17, never_16 and 16 more)"
    assert len(removal.evidence) == 13


def test_twins_are_merged_ready_to_paste():
    runs = confused() * 20
    merge = next(proposal for proposal in proposals(facts(runs, *TWINS)) if proposal.kind == "merge")
    assert merge.definition
    assert (merge.is_firm, merge.tools) == (True, ("fetch_weather_data", "get_weather"))
    assert "def fetch_weather_data(location: str) -> str:" in merge.code
    assert merge.tokens_a_call == sum(map(definition_tokens, TWINS)) - definition_tokens(merge.definition)
    assert "of get_weather city is location" in merge.evidence
    assert any("models went from fetch_weather_data to get_weather 40 times, and 60 back" in line for line in merge.evidence)


def test_alike_but_never_confused_is_only_to_look_at():
    runs = [[call("get_weather", 1, city="Bern")], [call("fetch_weather_data", 1, location="Oslo")]] * 60
    (merge,) = (proposal for proposal in proposals(facts(runs, *TWINS)) if proposal.kind == "merge")
    assert not merge.is_firm
    assert "models have not confused them so far" in merge.evidence


def test_an_unused_twin_is_removed_and_not_merged():
    (removal,) = proposals(facts([[call("get_weather", 1, city="Bern")]] * 120, *TWINS))
    assert removal.kind == "remove"
    assert "get_weather reads alike and was called 120 times" in removal.evidence[0]


def test_what_reads_is_not_merged_with_what_destroys():
    found = facts(confused() * 20, *TWINS)
    deadly = replace(found, effects={"get_weather": "read", "fetch_weather_data": "destructive"})
    assert [proposal for proposal in proposals(deadly) if proposal.kind == "merge"] == []
    reading = replace(found, effects={"get_weather": "read", "fetch_weather_data": "read"})
    (merge,) = (proposal for proposal in proposals(reading) if proposal.kind == "merge")
    assert '@tool(effect="read")' in merge.code


def test_a_macro_counts_the_model_calls_it_saves_and_what_it_costs():
    steps = [call("used", 1, id="A-1"), call("rare", 2, id="A-1")]
    (macro,) = proposals(facts([steps] * 60, USED, RARE, tokens=2_000))
    assert macro.definition
    assert (macro.kind, macro.model_calls, macro.is_firm) == ("macro", 60, True)
    assert macro.tokens == 60 * 2_000 - 180 * definition_tokens(macro.definition)
    (dear,) = proposals(facts([steps] * 60, USED, RARE, tokens=10))
    assert (dear.tokens < 0, dear.is_firm) == (True, False)
