"""Commands about model files, with a known model that is a few bytes long."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.commands import Command

from prudent.agent import Agent
from prudent.cli.agents import fetch_model
from prudent.cli.downloads import confirm_pull, progress_bar
from prudent.errors import ConfigurationError
from prudent.models import gguf
from prudent.models.local import DEFAULT_MODEL

CONTENT = b"GGUF and so on"


def _yes(_stream: object) -> bool:
    return True


def _no(_model: object) -> bool:
    return False


@pytest.fixture
def tiny(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for the default model, and an empty cache."""
    known = replace(gguf.KNOWN_MODELS[DEFAULT_MODEL], bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(gguf.KNOWN_MODELS, DEFAULT_MODEL, known)
    monkeypatch.setenv("PRUDENT_MODELS", str(project / "cache"))
    file = project / "given.gguf"
    file.write_bytes(CONTENT)
    return file


def test_a_model_is_pulled_listed_found_and_removed(tiny: Path, here: Command):
    pulled = here("models", "pull", DEFAULT_MODEL, "--yes", "--from", str(tiny))
    path = Path(pulled.out.strip())
    assert pulled.status == 0
    assert path.read_bytes() == CONTENT
    assert "licence Apache-2.0" in pulled.err
    assert "made by Qwen" in pulled.err
    assert here("models", "path", DEFAULT_MODEL).out.strip() == str(path)
    listed = json.loads(here("models", "list", "--json").out)
    assert {row["name"]: row["here"] for row in listed}[DEFAULT_MODEL] is True
    assert f"{DEFAULT_MODEL} " in here("models", "list").out
    assert here("models", "rm", DEFAULT_MODEL).status == 0
    assert here("models", "path", DEFAULT_MODEL).status == 2
    assert not path.exists()


def test_nobody_to_ask_is_an_error_that_names_the_command(tiny: Path, here: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    done = here("models", "pull", DEFAULT_MODEL, "--from", str(tiny))
    assert (done.status, done.out) == (2, "")
    assert "prudent models pull NAME --yes" in done.err


def test_a_person_is_asked_once_and_may_say_no(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for typed, answer in (("y\n", True), ("Yes\n", True), ("\n", False), ("", False)):
        monkeypatch.setattr("prudent.cli.downloads.somebody_there", _yes)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        assert confirm_pull(yes=False)("Fetches something.") is answer
        assert capsys.readouterr().err == "Fetches something.\nFetch it? [y/N] "


def test_a_run_fetches_the_model_it_needs(tiny: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("prudent.models.gguf_pull.hub_reachable", _no)
    with pytest.raises(ConfigurationError, match="nobody can be asked"):
        fetch_model(Agent("local"), None, yes=False)
    with pytest.raises(ConfigurationError, match="nobody can be asked"):
        fetch_model(Agent(), "local", yes=False)
    fetch_model(Agent("local"), "openai:gpt", yes=False)
    fetch_model(Agent("local:own.gguf"), None, yes=False)
    (tiny.parent / "cache").mkdir()
    (tiny.parent / "cache" / f"{DEFAULT_MODEL}.gguf").write_bytes(CONTENT)
    fetch_model(Agent("local"), None, yes=False)


def test_without_a_terminal_progress_is_a_few_lines(capsys: pytest.CaptureFixture[str]):
    with progress_bar("model") as progress:
        for done in range(0, 1001):
            progress(done * 1_000_000, 1_000_000_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "model: 0 of 1,000 MB"
    assert lines[-1] == "model: 1,000 of 1,000 MB"
    assert len(lines) < 10
