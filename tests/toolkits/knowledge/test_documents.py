from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.toolkits.knowledge.documents import MAX_PASSAGES, PASSAGE_WIDTH, Block, Document, passages, sentences
from prudent.toolkits.knowledge.words import width


def test_blocks_under_one_heading_are_joined_until_they_are_full() -> None:
    blocks = (Block("one", ("A",), "line 1"), Block("two", ("A",), "line 3"), Block("three", ("B",), "line 5"))
    assert passages(Document("", blocks)) == [Block("one\n\ntwo", ("A",), "line 1"), Block("three", ("B",), "line 5")]


def test_headings_without_text_make_no_passage() -> None:
    assert passages(Document("T", (Block("  \n ", ("A",)),))) == []


@given(st.lists(st.text(alphabet="ab. 年度。\n", max_size=3000), max_size=4))
def test_no_passage_is_overfull_and_no_character_is_lost(texts: list[str]) -> None:
    found = passages(Document("", tuple(Block(text) for text in texts)))
    assert all(width(passage.text) <= PASSAGE_WIDTH + 2 for passage in found)
    assert "".join("".join(passage.text.split()) for passage in found) == "".join("".join(text.split()) for text in texts)


def test_a_huge_document_stops_somewhere() -> None:
    document = Document("", tuple(Block("x", (str(number),)) for number in range(MAX_PASSAGES + 50)))
    assert len(passages(document)) == MAX_PASSAGES + 1


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One line\nwrapped. Two.", ["One line wrapped.", "Two."]),
        ("第一句。第二句！", ["第一句。", "第二句！"]),
        ("Costs 3.5 EUR. Done", ["Costs 3.5 EUR.", "Done"]),
        ("| a. b | c |\n|---|---|\n| 1 | 2 |\nAfter", ["| a. b | c |", "| 1 | 2 |", "After"]),
        ("- one\n- two\n  goes on\n1. three", ["- one", "- two goes on", "1.", "three"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("", []),
    ],
)
def test_sentences_rows_and_entries(text: str, pieces: list[str]) -> None:
    assert sentences(text) == pieces
