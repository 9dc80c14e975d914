"""The one path jail: whatever a tool does with files goes through a `Workspace`."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from prudent.errors import ToolError, WorkspaceEscape

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


class Workspace:
    """A folder that paths may not lead out of, with an optional limit on what it may hold.

    It checks paths; it confines no code. Something that swaps a folder for a link between the check and the use can still
    get out, so code that nobody trusts belongs in the sandbox runner instead.
    """

    def __init__(self, root: Path | str, *, quota_bytes: int | None = None) -> None:
        self.root = Path(root).resolve()
        self.quota_bytes = quota_bytes

    def resolve(self, path: Path | str) -> Path:
        """Give the absolute path that `path` means, with links followed; it need not exist.

        A relative path starts at the root. `~` and variables are ordinary characters.

        Raises:
            WorkspaceEscape: when the path, or a link on its way, leads out of the workspace, or it is no path at all.
        """
        try:
            resolved = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise WorkspaceEscape(f"no usable path: {_shown(path)} ({type(error).__name__})") from error
        if not resolved.is_relative_to(self.root):
            raise WorkspaceEscape(f"outside the workspace {self.root}: {_shown(path)}")
        return resolved

    def relative(self, path: Path | str) -> str:
        """Name a path from the root, with forward slashes, as it is shown to people and models."""
        return self.resolve(path).relative_to(self.root).as_posix()

    def used_bytes(self) -> int:
        """Bytes of all files below the root; links are not followed."""
        return sum(_size(Path(folder, name)) for folder, _, names in os.walk(self.root) for name in names)

    def create(self, path: Path | str, data: bytes) -> Path:
        """Write a new file, whole or not at all, and return its path; the folders on the way are made.

        Raises:
            FileExistsError: when there is something by that name, a dangling link included.
            WorkspaceEscape: as for `resolve`.
            NotADirectoryError: when a file stands where a folder is due.
            ToolError: when the quota would be passed.
        """
        target = self._prepare(path, data)
        scratch = _write_beside(target, data)
        try:
            _link_exclusively(scratch, target, data)
        finally:
            scratch.unlink()
        return target

    def replace(self, path: Path | str, data: bytes) -> Path:
        """Write a file in place of whatever has that name, whole or not at all. To overwrite nothing, use `create` instead."""
        target = self._prepare(path, data)
        scratch = _write_beside(target, data)
        try:
            scratch.replace(target)
        except OSError:
            scratch.unlink()
            raise
        return target

    def _prepare(self, path: Path | str, data: bytes) -> Path:
        target = self.resolve(path)
        if target == self.root:
            raise WorkspaceEscape(f"the workspace itself is no file: {_shown(path)}")
        if self.quota_bytes is not None:
            room = self.quota_bytes - self.used_bytes() + _size(target)
            if len(data) > room:
                raise ToolError(
                    f"the workspace is full: {len(data):,} bytes do not fit, {max(room, 0):,} of {self.quota_bytes:,} are free",
                    fix="Write less, or ask the user to make room.",
                )
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            # Not "the file is there already", which is what this error means to who calls `create`.
            raise NotADirectoryError(errno.ENOTDIR, "a file stands where a folder is due", str(target.parent)) from error
        return target


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _write_beside(target: Path, data: bytes) -> Path:
    scratch = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        scratch.write_bytes(data)
    except OSError:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise
    return scratch


def _link_exclusively(scratch: Path, target: Path, data: bytes) -> None:
    """Give `scratch` its final name unless that is taken. Where there are no hard links, a crash may leave a part of it."""
    try:
        os.link(scratch, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        with target.open("xb") as file:
            file.write(data)


def _shown(path: Path | str) -> str:
    text = repr(str(path))
    return text if len(text) <= 120 else text[:119] + "…"
