from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.calls import CallRecord
from prudent.context.facts import Recorded, choose, facts_of, grounded, says_as_much, source_of
from prudent.context.summaries import read_notes, summary_by_rules, within_length, written_out
from prudent.context.words import EN, ZH
from prudent.events import ThoughtRecorded
from prudent.messages import Message, ToolCall
from prudent.state import RunState


def recorded(call_id: str, shown: str, *, status: str = "ok", artifact: str = "", secret: tuple[str, ...] = ()) -> Recorded:
    record = CallRecord(1, 0, call_id, "look", {"at": "shelf", "pin": "4711"}, is_task=True)
    record.status, record.shown, record.artifact, record.attempt = status, shown, artifact, 1  # pyright: ignore[reportAttributeAccessIssue]
    return Recorded(record, secret)


def test_notes_are_read_in_their_parts() -> None:
    summary, facts = read_notes(
        "SUMMARY: Two shelves were read.\n\nFACTS:\n- Shelf 1 holds 12 tins [c1]\n* Shelf 2 is empty [c2]\n"
    )
    assert summary == "Two shelves were read."
    assert facts == ["Shelf 1 holds 12 tins [c1]", "Shelf 2 is empty [c2]"]


@pytest.mark.parametrize("written", ["**SUMMARY:** It went well.\n**FACTS:**\n1. a [c]", "摘要:It went well.\n事实:\n- a [c]"])
def test_other_ways_of_writing_them(written: str) -> None:
    assert read_notes(written) == ("It went well.", ["a [c]"])


def test_plain_text_is_all_summary() -> None:
    assert read_notes("It went well. In fact: very well.") == ("It went well. In fact: very well.", [])
    assert read_notes("") == ("", [])


def test_a_summary_has_its_length() -> None:
    assert len(within_length("word " * 300).split()) == 130
    assert len(within_length("字" * 300)) == 201
    assert within_length("Short one. 短的。") == "Short one. 短的。"
    assert within_length("One sentence of five words. " * 60).endswith("words.")


@given(st.text(max_size=3000))
def test_no_text_of_any_kind_breaks_the_reading(written: str) -> None:
    summary, facts = read_notes(written)
    assert within_length(summary) == summary or summary.endswith("…")
    assert all(facts)


def test_a_summary_by_rules_tells_goal_work_failures_and_what_is_next() -> None:
    state = RunState(task="Count the tins.")
    state.thoughts.append(ThoughtRecorded(turn=1, number="1", thought="two are left", plan="1. go on", action="read shelf 9"))
    failed = recorded("c2", '{"error": {"kind": "tool_error", "reason": "the shelf is locked"}}', status="error")
    text = summary_by_rules(state, [recorded("c1", "12 tins"), failed], EN)
    for part in ("Count the tins", "look ×1", "the shelf is locked", "two are left", "read shelf 9"):
        assert part in text
    assert summary_by_rules(state, [], ZH).startswith("目标")


def test_short_results_are_facts_and_long_ones_give_what_the_task_asks_for() -> None:
    long = "Filler without end. " * 40 + "The harbour holds 93 boats. " + "Filler without end. " * 40
    facts = facts_of([recorded("c1", "12 tins"), recorded("c2", long, artifact="r4")], ["harbour"])
    assert facts[0].endswith(": 12 tins [c1]")
    assert facts[1].endswith(": The harbour holds 93 boats. [c2, r4]")
    assert source_of(facts[1]) == "c2"


def test_where_no_word_is_found_the_beginnings_are_facts() -> None:
    facts = facts_of([recorded("c1", "Something else entirely. " * 40)], ["harbour"])
    assert len(facts) == 1
    assert "Something else" in facts[0]


def test_failures_and_secrets_are_no_facts() -> None:
    facts = facts_of([recorded("c1", "locked", status="error"), recorded("c2", "open", secret=("pin",))], [])
    assert len(facts) == 1
    assert "4711" not in facts[0]


def test_figures_that_nobody_saw_are_not_believed() -> None:
    assert grounded("The harbour holds 93 boats [c2]", "… 93 boats …")
    assert not grounded("The harbour holds 94 boats [c2]", "… 93 boats …")


def test_a_fact_told_already_is_not_told_twice() -> None:
    assert says_as_much(["Harbour: 93 boats [c2]"], 'look {"at":"harbour"}: it holds 93 boats [c2]')
    assert not says_as_much(["Harbour: 93 boats [c2]"], 'look {"at":"harbour"}: it holds 93 boats [c3]')
    assert not says_as_much(["Harbour: boats [c2]"], 'look {"at":"harbour"}: it holds boats [c2]')


def test_what_the_task_asks_for_is_kept_when_room_is_short() -> None:
    facts = ["old and asked for: harbour 93", *(f"filler number {n}" for n in range(50))]
    kept = choose(facts, ["harbour"], room=200)
    assert kept[0] == facts[0]
    assert kept[-1] == facts[-1]
    assert sum(len(fact) + 3 for fact in kept) <= 200


def test_turns_are_written_out_within_their_room() -> None:
    messages = [Message("assistant", "I look.", (ToolCall("c1", "look", "{}"),)), Message("tool", "x" * 9000, call_id="c1")] * 4
    calls = {"c1": recorded("c1", "x" * 9000)}
    assert "x" * 9000 in written_out(messages, 3, calls)
    assert "--- turn 6" in written_out(messages, 3, calls)
    assert len(written_out(messages, 3, calls, room=4000)) < 6500
