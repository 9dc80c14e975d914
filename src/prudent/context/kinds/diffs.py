"""Diffs: which files change by how much, then whole hunks as far as they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prudent.context.cutting import Draft, Lines, characters_left, cut_at, shorten

_FILE = re.compile(r"^(?:diff --git a/.+ b/(.+)|--- .*\n\+\+\+ (?:b/)?([^\t\n]+).*)$", re.MULTILINE)
_HUNK = re.compile(r"^@@ .*$|^diff --git |^--- .*\n\+\+\+ ", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )", re.MULTILINE)
_REMOVED = re.compile(r"^-(?!-- )", re.MULTILINE)

MAX_FILES = 40


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    added: int
    removed: int


def looks_like_diff(text: str) -> bool:
    """Whether a text is a unified diff."""
    head = text[:4000]
    return bool(re.search(r"^@@ -\d+(?:,\d+)? \+\d+", head, re.MULTILINE)) and bool(_FILE.search(head))


def shorten_diff(text: str, limit: int) -> Draft:
    """Show the list of changed files and the first hunks, whole ones where possible."""
    files = list(_files_of(text))
    out = Lines(limit)
    out.add(f"diff of {len(files):,} files: +{sum(each.added for each in files):,} -{sum(each.removed for each in files):,}")
    for number, each in enumerate(files):
        line = f"{shorten(each.name, 100)} +{each.added:,} -{each.removed:,}"
        if number >= MAX_FILES or len(line) + limit // 2 > out.room:
            out.add(f"… {len(files) - number:,} more files")
            break
        out.add(line)
    place = _hunk_end(text, out.room)
    out.add(text[:place].rstrip("\n"))
    return Draft(out.text(), characters_left(len(text) - place, len(text)), place)


def _files_of(text: str) -> Iterator[_File]:
    starts = [found for found in _FILE.finditer(text) if found[1] or not _is_part_of_git_head(text, found.start())]
    for found, following in zip(starts, [*(each.start() for each in starts[1:]), len(text)], strict=True):
        body = text[found.end() : following]
        yield _File(found[1] or found[2], len(_ADDED.findall(body)), len(_REMOVED.findall(body)))


def _is_part_of_git_head(text: str, at: int) -> bool:
    """Whether a `---` line belongs to a `diff --git` line that stands just above it."""
    return "\ndiff --git " in "\n" + text[max(0, at - 600) : at].rsplit("\n@@", 1)[-1]


def _hunk_end(text: str, room: int) -> int:
    """Give the last end of a hunk that fits, or of a line when the first hunk is too long."""
    if len(text) <= room:
        return len(text)
    ends = [found.start() for found in _HUNK.finditer(text, 1, room + 1)]
    return ends[-1] if ends and ends[-1] * 2 > room else cut_at(text, max(room, 1))
