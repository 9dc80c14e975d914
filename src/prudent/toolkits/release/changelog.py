"""The changelog, written anew from the history: a section for each release, its commits by what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prudent.toolkits.release.git import Repository

RELEASE_SUBJECT = "chore: release v"
_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
_SUBJECT = re.compile(r"(?P<kind>[a-z]+)(?:\((?P<scope>[^)]*)\))?(?P<breaks>!)?:\s*(?P<text>.+)")
_HEADINGS = ("Changed, and no longer compatible", "Added", "Fixed", "Changed", "Other")
_BY_KIND = {"feat": "Added", "fix": "Fixed", "perf": "Changed", "refactor": "Changed", "revert": "Changed"}
_LEFT_OUT = frozenset({"chore", "ci", "build", "test", "tests", "style", "docs"})
_FIELD, _RECORD = "\x01", "\x02"
"""Signs that no commit message holds, and that are no blanks to Python."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history."""

    short: str
    subject: str
    body: str


def releases(repository: Repository) -> list[str]:
    """List the tags of releases that the branch has, the latest version first."""
    tags = repository.git("tag", "--merged", "HEAD", "--list", "v*").split()
    return sorted(filter(_TAG.fullmatch, tags), key=lambda tag: tuple(map(int, tag[1:].split("."))), reverse=True)


def commits(repository: Repository, since: str | None, until: str) -> list[Commit]:
    """List what was committed between two points, the latest first, without merges and earlier releases."""
    span = f"{since}..{until}" if since else until
    told = repository.git("log", "--no-merges", "--format=%h%x01%s%x01%b%x02", span, "--")
    found = [Commit(*record.strip("\n").split(_FIELD, 2)) for record in told.split(_RECORD) if record.strip()]
    return [commit for commit in found if not commit.subject.startswith(RELEASE_SUBJECT)]


def changelog(repository: Repository, version: str, date: str) -> str:
    """Write the whole changelog, with the coming release at its head."""
    tags = releases(repository)
    sections = [_section(version, date, commits(repository, tags[0] if tags else None, "HEAD"))]
    for tag, before in zip(tags, [*tags[1:], None], strict=True):
        when = repository.git("log", "-1", "--format=%cs", tag, "--")
        sections.append(_section(tag[1:], when, commits(repository, before, tag)))
    return "\n".join(["# Changelog\n\nWritten from the history at each release; changes made by hand are lost.\n", *sections])


def _section(version: str, date: str, found: Sequence[Commit]) -> str:
    by_heading: dict[str, list[str]] = {heading: [] for heading in _HEADINGS}
    for commit in found:
        heading, text = _sorted(commit)
        if heading:
            by_heading[heading].append(f"- {text} ({commit.short})")
    parts = [f"### {heading}\n\n" + "\n".join(lines) + "\n" for heading, lines in by_heading.items() if lines]
    return f"## {version} ({date})\n\n" + ("\n".join(parts) or "Nothing that users see.\n")


def _sorted(commit: Commit) -> tuple[str, str]:
    """Tell under which heading a commit goes, "" for none, and how it reads there."""
    parts = _SUBJECT.fullmatch(commit.subject)
    if parts is None:
        return "Other", commit.subject
    text = f"{parts['scope']}: {parts['text']}" if parts["scope"] else parts["text"]
    if parts["breaks"] or "BREAKING CHANGE" in commit.body:
        return "Changed, and no longer compatible", text
    return ("" if parts["kind"] in _LEFT_OUT else _BY_KIND.get(parts["kind"], "Other")), text
