"""Shared options."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from prudent.cli.options import DEFAULT_DATABASE, database_words, only_one, read_task
from prudent.errors import ConfigurationError


def test_contradicting_options_are_refused_by_name():
    only_one(yes=True, no=False)
    with pytest.raises(ConfigurationError, match="--yes and --no exclude each other"):
        only_one(yes=True, no=True)


def test_a_task_comes_from_the_command_line_or_from_standard_input(monkeypatch: pytest.MonkeyPatch):
    assert read_task("What?") == "What?"
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe"))
    assert read_task("-") == "from a pipe"


@pytest.mark.parametrize("stdin", [io.StringIO(" \n"), None])
def test_an_empty_task_is_refused(stdin: io.StringIO | None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", stdin)
    for task in ("", "  ", "-"):
        with pytest.raises(ConfigurationError, match="the task is empty"):
            read_task(task)


def test_the_usual_database_need_not_be_named():
    assert database_words(DEFAULT_DATABASE) == ""
    assert database_words(Path("other.db")) == "other.db"
    assert database_words(Path("my other.db")) == "'my other.db'"
