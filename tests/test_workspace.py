from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.errors import ToolError, WorkspaceEscape
from prudent.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "root"
    root.mkdir()
    return Workspace(root)


@pytest.mark.parametrize("path", ["a.txt", "a/b/../c.txt", "./x", "名字/文件.txt", "~/x", "$HOME/x", "a\\b"])
def test_paths_inside_are_resolved(workspace: Workspace, path: str) -> None:
    resolved = workspace.resolve(path)
    assert resolved.is_relative_to(workspace.root)
    assert workspace.resolve(resolved) == resolved


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "..", "a\0b", "x/" * 40 + "../" * 41])
def test_paths_outside_are_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(WorkspaceEscape):
        workspace.resolve(path)


def test_a_sibling_with_the_same_beginning_is_outside(workspace: Workspace) -> None:
    sibling = workspace.root.with_name("root-of-others")
    sibling.mkdir()
    with pytest.raises(WorkspaceEscape):
        workspace.resolve(sibling / "x")


def test_links_out_are_refused_and_links_within_are_followed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (workspace.root / "out").symlink_to(tmp_path)
    (workspace.root / "dangling").symlink_to(tmp_path / "not-there")
    (workspace.root / "in").symlink_to(workspace.root / "real")
    for path in ("out", "out/secret.txt", "dangling", "out/../root/../secret.txt"):
        with pytest.raises(WorkspaceEscape):
            workspace.resolve(path)
    assert workspace.resolve("in/x") == workspace.root / "real" / "x"


def test_a_ring_of_links_never_gets_out(workspace: Workspace) -> None:
    (workspace.root / "a").symlink_to(workspace.root / "b")
    (workspace.root / "b").symlink_to(workspace.root / "a")
    try:
        resolved = workspace.resolve("a/x")
    except WorkspaceEscape:
        return
    assert resolved.is_relative_to(workspace.root)


def test_nothing_is_written_through_a_link(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "link").symlink_to(tmp_path / "target.txt")
    for write in (workspace.create, workspace.replace):
        with pytest.raises(WorkspaceEscape):
            write("link", b"x")
    assert not (tmp_path / "target.txt").exists()


def test_create_makes_folders_and_never_overwrites(workspace: Workspace) -> None:
    path = workspace.create("a/b/c.txt", b"one")
    assert path.read_bytes() == b"one"
    with pytest.raises(FileExistsError):
        workspace.create("a/b/c.txt", b"two")
    assert path.read_bytes() == b"one"
    assert workspace.replace("a/b/c.txt", b"two").read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["c.txt"], "no scratch file stays behind"


def test_create_works_where_there_are_no_hard_links(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    assert workspace.create("x", b"1").read_bytes() == b"1"
    with pytest.raises(FileExistsError):
        workspace.create("x", b"2")


def test_replacing_a_folder_fails_and_leaves_no_scratch_file(workspace: Workspace) -> None:
    (workspace.root / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        workspace.replace("folder", b"x")
    assert [p.name for p in workspace.root.iterdir()] == ["folder"]
    with pytest.raises(WorkspaceEscape):
        workspace.replace(".", b"x")


def test_a_file_in_place_of_a_folder_is_not_taken_for_the_file_itself(workspace: Workspace) -> None:
    workspace.create("a", b"")
    for write in (workspace.create, workspace.replace):
        with pytest.raises(NotADirectoryError):
            write("a/b", b"x")


def test_the_quota_counts_what_is_there_and_what_is_replaced(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, quota_bytes=10)
    workspace.create("a", b"123456")
    with pytest.raises(ToolError, match=r"5 bytes do not fit, 4 of 10 are free"):
        workspace.create("b", b"12345")
    assert workspace.replace("a", b"1234567890").stat().st_size == 10
    assert workspace.used_bytes() == 10


def test_relative_names_are_the_same_on_every_system(workspace: Workspace) -> None:
    assert workspace.relative(workspace.root / "a" / "b.txt") == "a/b.txt"


@given(st.text(max_size=60))
def test_whatever_is_asked_for_stays_inside(path: str) -> None:
    workspace = Workspace(Path(__file__).parent)
    with contextlib.suppress(WorkspaceEscape):
        assert workspace.resolve(path).is_relative_to(workspace.root)
