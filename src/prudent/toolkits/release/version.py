"""The version in its file: read, raised, written, everything else as it was."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from prudent.errors import ToolError

Bump: TypeAlias = Literal["patch", "minor", "major"]

_PLAIN = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_IN_PYPROJECT = re.compile(r"""(?ms)^\[project\](?:(?!^\[).)*?^version\s*=\s*(["'])(?P<version>[^"'\n]+)\1""")
_IN_PACKAGE = re.compile(r'"version"\s*:\s*"(?P<version>[^"\n]+)"')
_ALONE = re.compile(r"\s*(?P<version>\S+)\s*\Z")


def read_version(text: str, file_name: str) -> str:
    """Find the version in a file's text. Raises ToolError where there is none of the form 1.2.3."""
    version = _find(text, file_name)["version"]
    if not _PLAIN.fullmatch(version):
        raise ToolError(f"the version in {file_name} is {version!r}: a release needs one of the form 1.2.3")
    return version


def raised(version: str, bump: Bump) -> str:
    """Give the next version by semantic versioning."""
    major, minor, patch = map(int, version.split("."))
    if bump == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if bump == "minor" else f"{major}.{minor}.{patch + 1}"


def with_version(text: str, file_name: str, version: str) -> str:
    """Put another version into a file's text."""
    start, end = _find(text, file_name).span("version")
    return text[:start] + version + text[end:]


def _find(text: str, file_name: str) -> re.Match[str]:
    pattern = _IN_PYPROJECT if file_name.endswith(".toml") else _IN_PACKAGE if file_name.endswith(".json") else _ALONE
    found = pattern.search(text) if pattern is not _ALONE else pattern.match(text)
    if found is None:
        where = "[project] of " if file_name.endswith(".toml") else ""
        raise ToolError(f"there is no version in {where}{file_name}")
    return found
