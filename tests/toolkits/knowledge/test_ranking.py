from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from prudent.errors import ToolError
from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.library import Library
from prudent.toolkits.knowledge.ranking import rank
from prudent.toolkits.knowledge.store import FileState, Store
from prudent.toolkits.knowledge.words import query_words


def _fill(store: Store, texts: dict[str, str]) -> None:
    for number, (path, text) in enumerate(texts.items()):
        store.put(FileState(path, 1, number, path, path.removesuffix(".md")), [Block(text)])


def _order(store: Store, query: str) -> list[str]:
    found = [one.passage_id for one in rank(store, query_words(query), query).found]
    return [passage.path for passage in store.passages(found)]


def test_other_forms_of_a_word_count(tmp_path: Path) -> None:
    with open_store(tmp_path / "i.db") as store:
        _fill(store, {"a.md": "Returning things", "b.md": "Nothing of the kind"})
        found = rank(store, ["returned"], "returned").found
        assert [(one.passage_id, one.matched) for one in found] == [(1, ("returned",))]


def test_titles_weigh_more_than_text(tmp_path: Path) -> None:
    with open_store(tmp_path / "i.db") as store:
        _fill(store, {"x.md": "The warranty of something", "warranty.md": "The period of something", "y.md": "Other things"})
        assert _order(store, "warranty") == ["warranty.md", "x.md"]


def test_passages_with_more_of_the_words_come_first(tmp_path: Path) -> None:
    with open_store(tmp_path / "i.db") as store:
        _fill(store, {"a.md": "plan plan plan plan", "b.md": "a plan for the year with a price", "c.md": "price"})
        assert _order(store, "plan year price")[0] == "b.md"


def test_equal_passages_stay_in_order(tmp_path: Path) -> None:
    with open_store(tmp_path / "i.db") as store:
        _fill(store, {f"{number}.md": "same words" for number in range(9)})
        assert _order(store, "same") == [f"{number}.md" for number in range(9)]


def test_no_words_find_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path / "i.db") as store:
        _fill(store, {"a.md": "text"})
        assert rank(store, [], "").found == ()


MEANINGS = {"car": (1.0, 0.0), "automobile": (0.9, 0.1), "boat": (0.0, 1.0)}


class Meanings:
    """An embedder that knows three words, and counts the texts it was given."""

    name = "meanings"

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.texts += len(texts)
        return [next((vector for word, vector in MEANINGS.items() if word in text), (0.0, 0.0)) for text in texts]


@pytest.fixture
def garage(tmp_path: Path) -> Path:
    folder = tmp_path / "garage"
    folder.mkdir()
    (folder / "a.txt").write_text("About the boat")
    (folder / "b.txt").write_text("About the automobile")
    return folder


def test_with_an_embedder_meaning_finds_what_words_do_not(garage: Path, tmp_path: Path) -> None:
    assert "No passage" in Library(garage, tmp_path / "i.db").search("car", 5)
    result = Library(garage, tmp_path / "i.db", Meanings()).search("car", 5)
    assert "b.txt" in result.split("\n")[1]
    assert "0 of 1 words" in result
    assert "About the automobile" in result


def test_words_and_meaning_are_joined(garage: Path, tmp_path: Path) -> None:
    (garage / "c.txt").write_text("A car")
    result = Library(garage, tmp_path / "i.db", Meanings()).search("car", 5)
    assert "c.txt" in result.split("\n")[1]
    assert "b.txt" in result


def test_vectors_are_made_once_and_follow_changes(garage: Path, tmp_path: Path) -> None:
    embedder = Meanings()
    library = Library(garage, tmp_path / "i.db", embedder)
    library.search("car", 5)
    assert embedder.texts == 2 + 1
    library.search("boat", 5)
    assert embedder.texts == 2 + 1 + 1
    (garage / "a.txt").write_text("Now another car")
    library.search("car", 5)
    assert embedder.texts == 2 + 1 + 1 + 1 + 1
    other = Meanings()
    other.name = "another"
    Library(garage, tmp_path / "i.db", other).search("car", 5)
    assert other.texts == 2 + 1


def test_an_embedder_that_loses_texts_is_refused(garage: Path, tmp_path: Path) -> None:
    def broken(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [(1.0,)] * (len(texts) - 1)

    with pytest.raises(ToolError, match="1 vectors for 2 texts"):
        Library(garage, tmp_path / "i.db", broken).search("car", 5)
