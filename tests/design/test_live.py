"""A real MCP server on standard input and output, started here; and servers that fail."""

from __future__ import annotations

import builtins
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from prudent.design.live import read_server
from prudent.errors import ConfigurationError, MissingExtra

SERVER = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("tiny")


@server.tool()
def get_weather(city: str, unit: str = "celsius") -> str:
    """Get the weather of a city."""
    return city


@server.tool()
def drop(number: int) -> str:
    """Drop it."""
    return ""


server.run("stdio")
'''


def command(folder: Path, text: str) -> str:
    path = folder / "a server.py"
    path.write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


def test_the_tools_of_a_live_server_are_read(tmp_path: Path):
    pytest.importorskip("mcp")
    first, second = read_server(command(tmp_path, SERVER))
    assert (first.name, first.description, first.form) == ("get_weather", "Get the weather of a city.", "mcp")
    assert [parameter.name for parameter in first.parameters] == ["city", "unit"]
    assert second.name == "drop"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sys; sys.exit('no database')", "no database"),
        ("import time; time.sleep(30)", "within 2 s"),
    ],
)
def test_a_server_that_fails_is_told_in_a_sentence(text: str, words: str, tmp_path: Path):
    pytest.importorskip("mcp")
    with pytest.raises(ConfigurationError, match=words):
        read_server(command(tmp_path, text), timeout_seconds=2)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("no-such-command-anywhere", "no such command"),
        ("", "is empty"),
        ("'unclosed", "cannot be read as a command"),
        ("http://127.0.0.1:9/mcp", "could not be read"),
    ],
)
def test_a_server_that_is_not_there_is_told_in_a_sentence(server: str, words: str):
    pytest.importorskip("mcp")
    with pytest.raises(ConfigurationError, match=words):
        read_server(server, timeout_seconds=5)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "mcp":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"prudent\[mcp\]"):
        read_server("anything")
