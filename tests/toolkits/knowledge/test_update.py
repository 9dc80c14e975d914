from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prudent.errors import ToolError
from prudent.toolkits.knowledge import update
from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.library import Library
from prudent.toolkits.knowledge.store import Store
from prudent.toolkits.knowledge.update import Followed, follow


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "index.db") as store:
        yield store


def _age(folder: Path, seconds: float = 60) -> None:
    """Make all files look as if they had been written a while ago, so that they count as settled."""
    for file in folder.rglob("*"):
        when = time.time() - seconds
        os.utime(file, (when, when), follow_symlinks=False)


def _paths(store: Store) -> set[str]:
    return set(store.files())


def _passage_ids(store: Store, path: str) -> list[int]:
    query = "SELECT passage_id FROM passages JOIN files USING (file_id) WHERE path = ? ORDER BY 1"
    return [row[0] for row in store.connection.execute(query, (path,))]


def test_new_changed_renamed_and_deleted_files(folder: Path, store: Store) -> None:
    assert follow(store, folder, seconds=9) == Followed(3)
    (folder / "returns.md").write_text("# Returns\n\nNow 45 days.\n")
    (folder / "security.txt").unlink()
    (folder / "退货.md").rename(folder / "sub.md")
    (folder / "deep").mkdir()
    (folder / "deep" / "new.html").write_text("<h1>New</h1><p>text")
    assert follow(store, folder, seconds=9) == Followed(3)
    assert _paths(store) == {"returns.md", "sub.md", "deep/new.html"}
    bodies = [row[0] for row in store.connection.execute("SELECT body FROM passages")]
    assert "Now 45 days." in bodies
    assert not any("30 days" in body or "Passwords" in body for body in bodies)
    assert store.connection.execute("SELECT COUNT(*) FROM words").fetchone()[0] == len(bodies)


def test_a_change_within_the_same_moment_is_noticed(folder: Path, store: Store) -> None:
    file = folder / "returns.md"
    before = file.stat()
    follow(store, folder, seconds=9)
    text = file.read_text()
    file.write_text(text.replace("30 days", "31 days"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    follow(store, folder, seconds=9)
    assert store.connection.execute("SELECT COUNT(*) FROM passages WHERE body LIKE '%31 days%'").fetchone()[0] == 1


def test_settled_files_are_not_read_again(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _age(folder)
    follow(store, folder, seconds=9)
    monkeypatch.setattr(Path, "read_bytes", _refuse)
    assert follow(store, folder, seconds=9) == Followed(3)


def _refuse(_: Path) -> bytes:
    raise AssertionError("read again")


def test_a_new_time_with_the_same_content_keeps_the_passages(folder: Path, store: Store) -> None:
    _age(folder)
    follow(store, folder, seconds=9)
    ids = _passage_ids(store, "returns.md")
    _age(folder, 30)
    follow(store, folder, seconds=9)
    assert _passage_ids(store, "returns.md") == ids
    (folder / "returns.md").write_text("# Other")
    follow(store, folder, seconds=9)
    assert not set(_passage_ids(store, "returns.md")) & set(ids), "an id never comes to mean another passage"


def test_hidden_files_and_links_that_lead_out_are_left_out(folder: Path, store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nplan")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "out").symlink_to(tmp_path)
    (folder / "dangling.md").symlink_to(tmp_path / "not-there.md")
    (folder / "ring.md").symlink_to(folder / "ring.md")
    (folder / "inside.md").symlink_to(folder / "returns.md")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "a.md").write_text("# Hidden")
    (folder / ".b.md").write_text("# Hidden")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.txt")
    follow(store, folder, seconds=9)
    assert _paths(store) == {"returns.md", "退货.md", "security.txt", "inside.md"}


def test_a_folder_that_is_a_link_itself_is_followed(folder: Path, store: Store, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    assert follow(store, tmp_path / "alias", seconds=9).files == 3


def test_files_that_cannot_be_read_have_a_reason_until_they_are_mended(folder: Path, store: Store) -> None:
    (folder / "a.txt").write_bytes(bytes(range(256)))
    (folder / "b.docx").write_bytes(b"no zip")
    (folder / "c.md").write_bytes(b"")
    assert follow(store, folder, seconds=9).problems == ("a.txt (no text)", "b.docx (broken (BadZipFile))")
    (folder / "a.txt").write_text("mended")
    (folder / "b.docx").unlink()
    assert follow(store, folder, seconds=9).problems == ()


def test_too_large_files_are_left_alone(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / "large.txt").open("wb") as file:
        file.truncate(update.MAX_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", _read_small)
    assert follow(store, folder, seconds=9).problems == ("large.txt (larger than 20 MB)",)


def _read_small(path: Path) -> bytes:
    return _refuse(path) if path.name == "large.txt" else b""


def test_a_file_that_may_not_be_opened_is_tried_again(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _age(folder)
    with monkeypatch.context() as closed:
        closed.setattr(Path, "read_bytes", _closed)
        assert follow(store, folder, seconds=9).problems[0] == "returns.md (cannot be opened: Permission denied)"
    assert follow(store, folder, seconds=9).problems == ()


def _closed(_: Path) -> bytes:
    raise PermissionError(13, "Permission denied")


def test_too_many_files_are_refused(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "MAX_FILES", 2)
    with pytest.raises(ToolError, match="more than 2 documents"):
        follow(store, folder, seconds=9)


def test_a_file_that_kills_its_readers_is_given_up(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_PAUSE_SECONDS", 0.0)
    real = update.read_document

    def die(name: str, data: bytes) -> object:
        if name == "returns.md":
            raise KeyboardInterrupt
        return real(name, data)

    monkeypatch.setattr(update, "read_document", die)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            follow(store, folder, seconds=9)
    assert follow(store, folder, seconds=9) == Followed(3, 0, ("returns.md (reading it does not come to an end)",))
    monkeypatch.setattr(update, "read_document", real)
    (folder / "returns.md").write_text("# Mended\n\ntext")
    assert follow(store, folder, seconds=9) == Followed(3)


def test_other_processes_at_the_same_file_are_no_failed_attempts(folder: Path, store: Store) -> None:
    for _ in range(5):
        assert store.begin_attempt("returns.md", 1, 1, time.time(), 30) == 1
    assert follow(store, folder, seconds=9).problems == ()


_WORKER = """
    import sys
    from pathlib import Path
    from prudent.toolkits.knowledge.library import Library
    library = Library(Path(sys.argv[1]), Path(sys.argv[2]))
    for _ in range(12):
        result = library.search("common words", 10)
        assert "score" in result, result
    print("done")
"""


def test_processes_that_index_at_once_agree(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# Document {number}\n\ncommon words {number}\n\n## Part\n\nmore common words\n")
    index = tmp_path / "index.db"
    command = [sys.executable, "-c", textwrap.dedent(_WORKER), str(folder), str(index)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for number in range(60, 70):
        (folder / f"{number}.md").write_text(f"# Document {number}\n\ncommon words {number}\n")
        (folder / f"{number - 60}.md").unlink()
        time.sleep(0.03)
    for worker in workers:
        output, errors = worker.communicate(timeout=60)
        assert (output, errors) == ("done\n", "")
    Library(folder, index).search("common", 5)
    with open_store(index) as store:
        assert _paths(store) == {file.name for file in folder.iterdir()}
        (passages,) = store.connection.execute("SELECT COUNT(*) FROM passages").fetchone()
        (words,) = store.connection.execute("SELECT COUNT(*) FROM words").fetchone()
        assert passages == words == 50 * 2 + 10
        assert store.connection.execute("SELECT COUNT(*) FROM attempts").fetchone() == (0,)


def test_threads_share_a_library(folder: Path, search: Callable[[str], str]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(search, ["yearly plan"] * 20))
    assert len(set(results)) == 1
    assert folder.exists()
