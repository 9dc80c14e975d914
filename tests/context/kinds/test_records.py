"""Lists, tables and objects as an index."""

from __future__ import annotations

import json
import re

import pytest

from prudent.context.cutting import Draft
from prudent.context.kinds.objects import shorten_json
from prudent.context.kinds.tables import read_table, shorten_table
from prudent.context.kinds.texts import shorten_text

ROWS = [{"id": number, "city": f"City {number}", "country": "Austria", "sales": number * 10} for number in range(500)]


def shorten(value: object, limit: int = 1500, terms: tuple[str, ...] = ()) -> tuple[str, Draft]:
    text = json.dumps(value, ensure_ascii=False)
    draft = shorten_json(text, limit, terms)
    assert draft
    assert len(draft.body) <= limit
    return text, draft


def test_records_are_counted_described_and_listed() -> None:
    text, draft = shorten(ROWS)
    lines = draft.body.split("\n")
    assert lines[0] == "500 records; fields: id number 0…499, city text, country text, sales number 0…4990"
    assert lines[1] == 'the same in all: {"country":"Austria"}'
    assert lines[2] == "# | id | city | sales"
    assert lines[3] == "1 | 0 | City 0 | 0"
    assert lines[-1] == "last: 500 | 499 | City 499 | 4990"
    shown = len(lines) - 4
    assert draft.left_out == f"{500 - shown} of 500 entries"
    assert json.loads(text[draft.next_start :].split("}")[0] + "}")["id"] == shown


def test_records_with_the_words_of_the_task_are_shown_with_their_place() -> None:
    text, draft = shorten(ROWS, terms=("city", "321"))
    found = re.search(r"322 \| 321 \| City 321 \| 3210 \(at start=(\d+)\)", draft.body)
    assert found
    assert text[int(found[1]) :].startswith('{"id": 321')


def test_a_record_is_listed_once() -> None:
    _, draft = shorten(ROWS, terms=("city", "3", "499"))
    numbers = re.findall(r"^(?:last: )?(\d+) \|", draft.body, re.MULTILINE)
    assert len(numbers) == len(set(numbers))


def test_what_only_some_records_have_is_not_said_of_all() -> None:
    _, draft = shorten([{"id": number, **({"flag": "x"} if number % 2 else {})} for number in range(400)])
    assert "the same in all" not in draft.body


def test_of_very_many_records_no_range_is_given() -> None:
    _, draft = shorten([{"id": number, "n": 1} for number in range(6000)])
    assert "id number, n number" in draft.body


def test_fields_that_are_rare_or_many_are_named_but_not_shown() -> None:
    rows = [{f"field {number}": number * at for number in range(1, 15)} for at in range(1, 100)]
    rows[5]["odd"] = 1
    _, draft = shorten(rows)
    assert "fields not shown here: field 11" in draft.body
    assert "odd" in draft.body.split("\n")[1]


def test_a_field_named_in_the_task_is_shown() -> None:
    rows = [{f"field {number}": number * at for number in range(1, 15)} for at in range(1, 100)]
    _, draft = shorten(rows, terms=("field 14",))
    header = next(line for line in draft.body.split("\n") if line.startswith("# |"))
    assert "field 14" in header


def test_rows_given_as_lists_have_their_header() -> None:
    _, draft = shorten([["id", "city"], *([number, f"City {number}"] for number in range(400))])
    assert "400 records; fields: id number 0…399, city text" in draft.body


def test_one_member_that_is_nearly_everything_is_entered() -> None:
    text, draft = shorten({"status": "ok", "page": {"next": 2}, "data": {"items": ROWS}})
    assert 'status: "ok"' in draft.body
    assert 'page: {"next": 2}' in draft.body
    assert "data.items: 500 items; fields: id number" in draft.body
    assert text[draft.next_start :].startswith('{"id":')


def test_of_an_object_short_members_are_whole_and_long_ones_have_their_place() -> None:
    value = {"name": "Report", "body": "word " * 900, "notes": "note " * 900, "pages": 3}
    text, draft = shorten(value, 800)
    assert 'name: "Report"' in draft.body
    assert "pages: 3" in draft.body
    found = re.search(r"notes: \(4,500 characters, at start=(\d+)\) note note", draft.body)
    assert found
    assert text[int(found[1]) :].startswith('"note note')


def test_members_that_do_not_fit_are_counted() -> None:
    _, draft = shorten({f"key {number}": "value " * 20 for number in range(400)})
    shown = draft.body.count("\n")
    assert draft.body.endswith(f"… {400 - shown} more members")


def test_several_texts_are_shown_by_their_beginnings_and_the_most_relevant_part_named() -> None:
    texts = [f"Chapter {number} begins here and goes on.\n\n" + "filler words " * 200 for number in range(6)]
    texts[4] += "The warranty of the yearly plan lasts 30 days."
    text, draft = shorten(texts, 2000, ("warranty", "yearly"))
    assert all(f"Chapter {number} begins" in draft.body for number in range(6))
    found = re.search(r"most relevant to the task at start=(\d+): .*warranty", draft.body)
    assert found
    assert "warranty" in text[int(found[1]) : int(found[1]) + 400]


def test_records_of_long_texts_show_their_beginnings_and_the_most_relevant_part() -> None:
    pages = [
        {"url": f"https://example.org/{n}", "title": f"Page {n}", "text": f"Beginning {n}. " + "filler words " * 300}
        for n in range(5)
    ]
    pages[3]["text"] += "The warranty of the yearly plan lasts 30 days."
    text, draft = shorten(pages, 2000, ("warranty", "yearly"))
    assert all(f"https://example.org/{n} | Page {n} | Beginning {n}." in draft.body for n in range(5))
    found = re.search(r"most relevant to the task at start=(\d+): .*warranty", draft.body)
    assert found
    assert "warranty" in text[int(found[1]) : int(found[1]) + 400]
    assert draft.left_out


def test_numbers_stand_on_one_line() -> None:
    text, draft = shorten(list(range(3000)), 600)
    assert draft.body.startswith("3,000 numbers, from 0 to 2999\n0, 1, 2, 3")
    following = int(text[draft.next_start :].split(",")[0])
    assert draft.left_out == f"{3000 - following:,} of 3,000 numbers"


ODD_LISTS: list[object] = [
    [None] * 900,
    [{}] * 900,
    [[]] * 900,
    ["a", 1, None, {"b": 2}] * 300,
    [{"a": [1, {"b": 2}]}] * 200,
    [True] * 900,
]


@pytest.mark.parametrize("value", ODD_LISTS)
def test_odd_lists_are_listed_too(value: object) -> None:
    _, draft = shorten(value)
    assert draft.left_out


def test_json_lines_are_an_index() -> None:
    draft = shorten_text("\n".join(json.dumps(row) for row in ROWS), 1500, ())
    assert draft.body.startswith("500 lines of JSON; fields: id number 0…499")


def test_what_only_begins_like_json_is_a_text() -> None:
    draft = shorten_text("[see below] " + "words and more words. " * 400, 1500, ())
    assert draft.body.startswith("[see below] words")


CSV = "id,city,code,sales\n" + "".join(f'{number},"City, {number}",0{number},{number}.50\n' for number in range(300))


def test_a_table_has_its_shape_types_and_first_rows() -> None:
    grid = read_table(CSV)
    assert grid
    draft = shorten_table(CSV, grid, 1200, ())
    assert len(draft.body) <= 1200
    assert draft.body.startswith(
        "table of 300 rows × 4 columns; fields: id number 0…299, city text, code text, sales number 0.5…299.5"
    )
    assert "1 | 0 | City, 0 | 00 | 0.50\n" in draft.body
    shown = len([line for line in draft.body.split("\n") if re.match(r"\d+ \|", line)])
    assert CSV[draft.next_start :].startswith(f"{shown},")


@pytest.mark.parametrize("separator", ["\t", ";", "|"])
def test_other_separators_are_found(separator: str) -> None:
    grid = read_table("".join(f"a{number}{separator}{number}{separator}x\n" for number in range(30)))
    assert grid
    assert len(grid.rows) == 29


def test_prose_is_no_table() -> None:
    assert read_table("Well, this is a text, with commas.\nAnd one more.\n" * 50) is None
    assert read_table("one column\n" * 100) is None


def test_rows_of_a_table_keep_their_place_across_quoted_lines() -> None:
    text = "id,note\n" + "".join(f'{number},"two\nlines"\n' for number in range(50))
    grid = read_table(text)
    assert grid
    assert all(text[start:].startswith(f"{row[0]},") for row, start in zip(grid.rows, grid.starts, strict=True))
