"""`[tool.prudent.lint]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from prudent.design.lint.settings import read_settings
from prudent.errors import ConfigurationError


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder


def test_settings_are_found_above_a_folder(tmp_path: Path):
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    write(
        tmp_path, '[tool.prudent.lint]\nignore = ["D104"]\nfail-on = "warning"\n[tool.prudent.lint.tools]\nfetch = ["names"]\n'
    )
    settings = read_settings(inside)
    assert (settings.ignore, settings.fail_on, settings.folder) == (("D104",), "warning", tmp_path)
    choice = settings.choice([], ["cost"])
    assert not choice.applies("D104", "x")
    assert not choice.applies("C701", "x")
    assert choice.applies("N501", "x")
    assert not choice.applies("N501", "fetch")


def test_what_a_command_selects_comes_before_the_file(tmp_path: Path):
    settings = read_settings(write(tmp_path, '[tool.prudent.lint]\nselect = ["cost"]\n'))
    assert settings.choice(["names"], []).applies("N501", "x")
    assert not settings.choice(["names"], []).applies("C701", "x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.prudent.lint]\nignor = []\n", "did you mean 'ignore'"),
        ('[tool.prudent.lint]\nfail-on = "fatal"\n', "never, error, warning, note"),
        ('[tool.prudent.lint]\nselect = "D104"\n', "must be a list"),
        ("[tool.prudent.lint]\nembedder = 3\n", "embedder is 3"),
        ("[tool\n", "cannot be read"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, words: str, tmp_path: Path):
    with pytest.raises(ConfigurationError, match=words):
        read_settings(write(tmp_path, text))


def test_an_unknown_rule_is_refused_by_name(tmp_path: Path):
    settings = read_settings(write(tmp_path, '[tool.prudent.lint.tools]\nfetch = ["D999"]\n'))
    with pytest.raises(ConfigurationError, match="D999"):
        settings.choice([], [])
