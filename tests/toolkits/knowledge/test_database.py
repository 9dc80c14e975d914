from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from prudent.errors import ConfigurationError, ToolError
from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.library import Library
from prudent.toolkits.knowledge.store import FileState, Store


def test_the_index_is_for_its_owner_alone(library: Library) -> None:
    library.search("plan", 5)
    assert stat.S_IMODE(library.index_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(library.index_path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"# My notes\n", b"SQLite format 3\0 but not ours" + bytes(100)])
def test_a_file_of_the_user_is_never_taken_for_an_index(folder: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "precious"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="no index"):
        Library(folder, path).search("plan", 5)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE files (precious)")
    other.close()
    with pytest.raises(ConfigurationError, match="no index"):
        Library(folder, path).search("plan", 5)
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT COUNT(*) FROM files").fetchone() == (0,)
    other.close()


def test_an_index_of_another_version_is_made_anew(library: Library) -> None:
    before = library.search("yearly", 5)
    with sqlite3.connect(library.index_path) as old:
        old.execute("DROP TABLE attempts")
        old.execute("PRAGMA user_version = 99")
    old.close()
    assert library.search("yearly", 5) == before


def test_a_damaged_index_is_made_anew(library: Library) -> None:
    before = library.search("yearly", 5)
    data = bytearray(library.index_path.read_bytes())
    data[200:] = b"\xff" * (len(data) - 200)
    library.index_path.write_bytes(bytes(data))
    results: list[str] = []
    for _ in range(2):
        try:
            results.append(library.search("yearly", 5))
        except ToolError as error:
            assert "made anew" in error.reason  # noqa: PT017
    assert results[-1] == before


def test_an_index_cut_short_is_made_anew(library: Library) -> None:
    before = library.search("yearly", 5)
    library.index_path.write_bytes(library.index_path.read_bytes()[:5000])
    results: list[str] = []
    for _ in range(2):
        try:
            results.append(library.search("yearly", 5))
        except ToolError as error:
            assert "made anew" in error.reason  # noqa: PT017
    assert results[-1] == before


def test_a_place_that_cannot_be_written_is_a_clear_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match="cannot be used") as caught:
        Library(folder, tmp_path / "file" / "index.db").search("plan", 5)
    assert "index_path" in caught.value.fix
    with pytest.raises(ToolError, match="cannot be used"):
        Library(folder, tmp_path).search("plan", 5)


def _fail_half_way(store: Store) -> None:
    with store.writing():
        store.connection.execute("DELETE FROM passages")
        store.connection.execute("INSERT INTO nowhere VALUES (1)")


def test_what_fails_on_the_way_is_taken_back(tmp_path: Path) -> None:
    state = FileState("a.md", 1, 1, "hash", "Title")
    with open_store(tmp_path / "i.db") as store:
        store.put(state, [Block("one")])
        with pytest.raises(sqlite3.Error):
            _fail_half_way(store)
        assert len(store.passages([1])) == 1
