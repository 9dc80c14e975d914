from __future__ import annotations

from pathlib import Path

from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.ranking import rank
from prudent.toolkits.knowledge.snippets import snippet
from prudent.toolkits.knowledge.store import FileState
from prudent.toolkits.knowledge.words import query_words


def _snippet(tmp_path: Path, text: str, query: str, *, whole: bool = False) -> list[str]:
    words = query_words(query)
    with open_store(tmp_path / f"{len(list(tmp_path.iterdir()))}.db") as store:
        store.put(FileState("a.md", 1, 1, "a", "Title"), [Block(text)])
        store.put(FileState("b.md", 1, 1, "b", "Other"), [Block("nothing")])
        (passage,) = store.passages([1])
        return snippet(store, passage, words, rank(store, words, query).weights, whole=whole)


FILLER = "Some words stand here. They say nothing. Others follow them. "


def test_the_two_lines_around_the_words(tmp_path: Path) -> None:
    text = FILLER + "Returning takes 30 days. The price comes back. " + FILLER
    assert _snippet(tmp_path, text, "return price") == ["Returning takes 30 days.", "The price comes back."]


def test_chinese_sentences(tmp_path: Path) -> None:
    text = "这里没有内容。还是没有。年度套餐十五天内可以退货。全额退款。后面也没有。"
    assert _snippet(tmp_path, text, "年度套餐退货")[0] == "年度套餐十五天内可以退货。"


def test_a_row_brings_the_head_of_its_table(tmp_path: Path) -> None:
    rows = "\n".join(f"| Land{number} | {number} EUR |" for number in range(9))
    text = f"Intro.\n\n| Country | Amount |\n|---|---|\n{rows}\n\nEnd."
    assert _snippet(tmp_path, text, "amount land7") == ["| Country | Amount |", "| Land7 | 7 EUR |", "| Land8 | 8 EUR |"]


def test_without_words_the_beginning(tmp_path: Path) -> None:
    assert _snippet(tmp_path, FILLER, "absent") == ["Some words stand here.", "They say nothing."]


def test_long_lines_are_cut(tmp_path: Path) -> None:
    (line,) = _snippet(tmp_path, "word " * 300, "word")
    assert len(line) == 220
    assert line.endswith("…")
    (line,) = _snippet(tmp_path, "年度套餐" * 200, "套餐")
    assert len(line) == 110


def test_a_short_passage_can_be_given_whole(tmp_path: Path) -> None:
    assert _snippet(tmp_path, "One. Two. Three returns.", "return", whole=True) == ["One.", "Two.", "Three returns."]
    assert len(_snippet(tmp_path, FILLER * 9, "say", whole=True)) == 2
