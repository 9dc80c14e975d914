"""Numbers, identifiers and texts are held to what is known."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prudent.messages import ToolSpec
from prudent.models.small_draft import Draft, make_draft, wants_calculation
from prudent.models.small_grounding import answer_pattern, ground, known_numbers, numbers_in, own_numbers
from prudent.models.small_layout import tidy
from prudent.models.small_prompts import beginning, described
from prudent.models.small_situation import Fact, Step, facts_in, values_named


@given(st.lists(st.integers(0, 99_999).map(str), min_size=1, max_size=4), st.integers(0, 99_999).map(str))
def test_no_number_gets_through_that_is_not_known(known: list[str], other: str) -> None:
    pattern = answer_pattern(" and ".join(known))
    for number in known:
        assert re.search(pattern, f"It is {number} EUR.")
        assert re.search(pattern, number)
    assert bool(re.search(pattern, f"It is {other} EUR.")) == (other in known)


def test_numbers_are_not_glued_together() -> None:
    pattern = answer_pattern("18% of 2,450 is 441; call +47 55")
    assert re.search(pattern, "18% of 2,450 is 441.")
    assert re.search(pattern, "Of 2450 it is 441, call +47 55.")
    for wrong in ("18,18.2450", "18441", "It is 18.2,450", "2 450"):
        assert not re.search(pattern, wrong)


def test_a_text_without_numbers_gets_none() -> None:
    assert re.search(answer_pattern("no numbers"), "None at all: nothing.")
    for wrong in ("It is 1.", ",", "{263}", ""):
        assert not re.search(answer_pattern("no numbers"), wrong)


def test_numbers_that_words_mean() -> None:
    assert own_numbers("three boats for 2 weeks at 1,299.50") == ["2", "1299.50", "3"]
    assert own_numbers("买三台和两个") == ["3", "2"]
    assert known_numbers("What is it a year?", ["9 EUR at 13:00"]) == ["9", "12"]
    assert numbers_in("13:00 and 1,299.50") == ["13:00", "1,299.50"]


def test_an_identifier_comes_from_the_tool_that_its_description_names() -> None:
    parameters: Any = {"type": "object", "properties": {"handle": {"type": "string", "description": "As `look` gives it."}}}
    tool = ToolSpec("fetch", "", {**parameters, "required": ["handle"]})
    result = '{"hits": [{"id": "a", "handle": "h1"}, {"id": "b", "handle": "h2"}]}'
    steps = [Step("look", {}, result), Step("other", {}, '{"handle": "x"}')]
    assert ground(tool, ["look", "fetch"], [], "which?") is None
    arguments: Any = ground(tool, ["look", "fetch"], steps, "which?")
    assert {"h1", "h2"} <= set(arguments["properties"]["handle"]["enum"])
    assert "x" not in arguments["properties"]["handle"]["enum"]
    used: Any = ground(tool, ["look", "fetch"], [*steps, Step("fetch", {"handle": "h1"}, "text")], "which?")
    assert "h1" not in used["properties"]["handle"]["enum"]


def test_lists_and_texts_are_capped_and_optional_ones_left_out() -> None:
    item = {"type": "object", "properties": {"text": {"type": "string"}}}
    properties: Any = {"parts": {"type": "array", "items": item}, "note": {"type": "string"}, "unit": {"enum": ["c", "f"]}}
    arguments: Any = ground(ToolSpec("t", "", {"properties": properties, "required": ["parts"]}), ["t"], [], "q")
    parts = arguments["properties"]["parts"]
    assert parts["maxItems"] == 3
    assert parts["items"]["properties"]["text"]["maxLength"] == 200
    assert "note" not in arguments["properties"]
    assert "unit" in arguments["properties"]


def test_a_search_is_made_of_the_questions_own_words() -> None:
    schema: Any = {"properties": {"query": {"type": "string", "description": "Words taken from the question."}}}
    tool = ToolSpec("look", "", {**schema, "required": ["query"]})
    english: Any = ground(tool, ["look"], [], "What may a hotel in Norway cost, for 5 nights?")
    assert english["properties"]["query"] == {"const": "hotel Norway cost 5 nights"}
    chinese: Any = ground(tool, ["look"], [], "年度套餐多久之内可以退货？")
    assert chinese["properties"]["query"] == {"const": "年度套餐 之内 退货"}
    short: Any = ground(tool, ["look"], [], "Why?")
    assert short["properties"]["query"]["maxLength"] == 200


def test_rows_of_tables_are_told_with_their_headings() -> None:
    table = "    | Plan | Month | Year |\n    |---|---|---|\n    | A | 9 | 90 |\n    | B | 1 | 2 |\n"
    entry = f"1 of 1:\n[3] Prices (p.md; score 2)\n{table}"
    assert facts_in(Step("find", {}, entry), 100) == [Fact("Prices (p.md)", "A: Month 9; Year 90\nB: Month 1; Year 2", "3")]
    assert (
        tidy("Some\ntext.\n| one row |\n- a point\n| A | B |\n| 1 |") == "Some text.\n| one row |\n- a point\n| A | B |\n| 1 |"
    )


def test_a_bare_number_counts_only_where_its_fact_speaks_of_the_question() -> None:
    offices = [Fact("Offices", "Bergen: people 42")]
    assert make_draft("42", "How many parking spaces does the Bergen office have?", offices, 0).fact is None
    assert make_draft("42", "How many people work in Bergen?", offices, 0).fact


def test_results_are_taken_apart() -> None:
    passage = Step("read", {}, "Rules › Dogs (rules.md, line 4)\nDogs stay\nashore.")
    assert facts_in(passage, 100) == [Fact("Rules › Dogs (rules.md, line 4)", "Dogs stay ashore.")]
    assert facts_in(Step("sum", {}, "1 + 1 = 2"), 100) == [Fact("sum", "1 + 1 = 2")]
    listed = Step("look", {}, '[{"id": 5, "title": "A", "snippet": "text", "score": 3}]')
    assert facts_in(listed, 100) == [Fact("A", "text", "5")]
    assert values_named("handle", [Step("x", {}, 'cut; read_more(handle="r1", start=9)')]) == ["r1"]


def test_an_answer_is_put_on_the_fact_it_shares_most_with() -> None:
    facts = [Fact("Refunds", "By card it takes 5 days, by transfer 10 days."), Fact("Voucher", "10% on top.")]
    assert make_draft("10 days", "How many days does a transfer take?", facts, 1).fact == facts[0]
    assert make_draft("10 days", "How many days?", facts, None).fact is None


def test_a_chinese_answer_that_takes_the_question_up_stands() -> None:
    facts = [Fact("工作时间", "青岛办公室实行每周40小时工作制。 年假为每年12天，工作满五年后为15天。")]
    answer, question = "青岛办公室的员工每年有12天年假。", "青岛办公室的员工每年有多少天年假？"
    assert make_draft(answer, question, facts, 0).fact == facts[0]


def test_when_a_draft_has_to_be_calculated_on() -> None:
    def wants(answer: str, question: str) -> bool:
        return wants_calculation(Draft(answer, None), question)

    assert wants("40 EUR a day", "How much is a boat for 3 days?")
    assert wants("0.38 EUR x 240 km", "What about 240 km?")
    assert wants("3, 90 EUR", "How much do plans for 3 stations cost?")
    assert wants("每台1680元", "买3台一共多少钱？")
    assert not wants("half of the price", "What do I pay if I cancel 2 hours before?")
    assert not wants("40 EUR", "What does a boat cost?")
    assert not wants("14 days", "Can I return it after 20 days?")


def test_descriptions_lose_their_examples() -> None:
    examples = 'Example arguments: {"x": 9}'
    text = f'Work it out; gives "1 + 1 = 2", such as "5 * 3".\nMore.\n\nWhen to use: For sums. Not else.\n{examples}'
    assert described(text, 200) == 'Work it out; gives "1 + 1 = 2". For sums.'
    assert beginning("One.\n\nTwo is longer.\n\nThree.", 12) == "One."
