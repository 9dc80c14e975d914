"""Sequences that come again and again, and where their arguments come from."""

from __future__ import annotations

from dataclasses import replace

from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.facts import Call
from prudent.design.audit.flow import Origin
from prudent.design.audit.sequences import find_sequences

TOOLS = spec("find"), spec("open"), spec("mail")


def shown(made: Call, text: str) -> Call:
    return replace(made, shown=text)


def one(at: int) -> list[Call]:
    return [
        shown(call("find", 1, words=f"lamp {at}"), f'{{"hits":[{{"id":"D-{at}00"}}],"of":9}}'),
        shown(call("open", 2, id=f"D-{at}00", mode="plain"), f"Document {at}: owner ann{at}@example.org"),
        call("mail", 3, to=f"ann{at}@example.org", about=f"lamp {at}", urgent=True),
    ]


def test_a_sequence_is_found_with_the_flow_of_its_arguments():
    (found,) = find_sequences(facts([one(at) for at in range(6)], *TOOLS))
    assert (found.tools, found.count, found.runs, found.followed, found.turns_saved) == (
        ("find", "open", "mail"),
        6,
        6,
        1.0,
        12,
    )
    assert found.run_ids[0] == "run-5"
    find, opened, mail = (dict(step.arguments) for step in found.steps)
    assert find == {"words": Origin("given")}
    assert opened == {"id": Origin("result", 0, "hits[0].id"), "mode": Origin("constant", value='"plain"')}
    assert mail == {
        "to": Origin("result", 1, ""),
        "about": Origin("argument", 0, "words"),
        "urgent": Origin("constant", value="true"),
    }


def test_too_few_runs_make_no_sequence():
    assert find_sequences(facts([one(at) for at in range(4)], *TOOLS)) == []
    assert find_sequences(facts([one(0) * 9], *TOOLS)) == []


def test_a_step_that_mostly_ends_there_is_no_beginning():
    runs = [one(at) for at in range(6)] + [[call("find", 1, words="x")] for _ in range(7)]
    assert [found.tools for found in find_sequences(facts(runs, *TOOLS))] == [("open", "mail")]


def test_failed_calls_are_passed_over():
    runs = [[one(at)[0], failed("open", 2), *(replace(made, turn=made.turn + 1) for made in one(at)[1:])] for at in range(6)]
    (found,) = find_sequences(facts(runs, *TOOLS))
    assert (found.tools, found.turns_saved) == (("find", "open", "mail"), 18)


def test_the_same_call_again_and_again_is_no_sequence():
    runs = [[call("find", turn, words=f"{turn}") for turn in range(1, 9)] for _ in range(9)]
    assert find_sequences(facts(runs, *TOOLS)) == []


def test_calls_of_one_reply_save_no_model_call():
    runs = [[call("find", 1, words=f"{at}"), call("open", 1, id=f"{at}")] for at in range(9)]
    assert find_sequences(facts(runs, *TOOLS)) == []


def test_a_text_that_the_model_writes_in_between_ends_the_sequence():
    runs = [[*one(at), call("publish", 4, text=f"Dear all, number {at}.\n" * 9)] for at in range(6)]
    (found,) = find_sequences(facts(runs, *TOOLS))
    assert found.tools == ("find", "open", "mail")


def test_two_there_and_two_back_come_as_one_sequence():
    runs = [[call(name, turn, x=f"{turn}{at}") for turn, name in enumerate(["find", "open"] * 3, 1)] for at in range(6)]
    found = find_sequences(facts(runs, *TOOLS))
    assert all(len(set(row.tools)) == 2 for row in found)
    assert len(found) == 1
