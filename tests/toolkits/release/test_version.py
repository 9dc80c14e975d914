from __future__ import annotations

import pytest

from prudent.errors import ToolError
from prudent.toolkits.release.version import raised, read_version, with_version


@pytest.mark.parametrize(("bump", "next_one"), [("patch", "1.9.10"), ("minor", "1.10.0"), ("major", "2.0.0")])
def test_versions_are_raised(bump: str, next_one: str) -> None:
    assert raised("1.9.9", bump) == next_one  # pyright: ignore[reportArgumentType] # one of the three


def test_only_the_version_changes() -> None:
    text = "[project]\nname = 'x'\ndependencies = []\nversion = '1.0.0'  # here\n[tool.y]\nversion = '2.0.0'\n"
    assert read_version(text, "pyproject.toml") == "1.0.0"
    assert with_version(text, "pyproject.toml", "1.0.1") == text.replace("'1.0.0'", "'1.0.1'")


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("[project]\nversion = '1.0.0rc1'\n", "pyproject.toml", "needs one of the form 1.2.3"),
        ("[tool]\nversion = '1.0.0'\n", "pyproject.toml", "no version in"),
        ("{}", "package.json", "no version in package.json"),
        ("one two", "VERSION", "no version in VERSION"),
        ("", "VERSION", "no version in VERSION"),
    ],
)
def test_what_is_no_version_is_refused(text: str, name: str, sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        read_version(text, name)
