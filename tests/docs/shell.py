"""What stands in bash blocks: its commands, and whether each exists with all its options."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup

from prudent.cli.main import app

ROOT = Path(__file__).parents[2]
PLAIN = frozenset(("cd", "git", "export", "echo", "cat", "sqlite3", "curl", "ollama", "kill", "ls", "rm", "mkdir"))
"""Commands that are not ours and are taken at their word."""

SEPARATORS = frozenset(("&&", "||", "|", ";", "&"))


class WrongCommand(AssertionError):
    """A command that the page promises and that does not exist."""


def commands(source: str) -> Iterator[list[str]]:
    """Split a block into simple commands, without prompts, comments, variables set before them, and redirections."""
    joined = re.sub(r"\\\n\s*", " ", source)
    for line in re.sub(r"\s\d?>&\d", "", joined).splitlines():
        lexer = shlex.shlex(line.strip().removeprefix("$ "), posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words: list[str] = []
        is_target = False
        for word in [*lexer, ";"]:
            if word in SEPARATORS:
                if words:
                    yield words
                words = []
            elif word and set(word) <= set("<>&"):
                is_target = True
            elif is_target:
                is_target = False
            elif words or not re.fullmatch(r"[A-Z_]+=.*", word):
                words.append(word)


def check(words: list[str], folder: Path) -> None:
    """Raise WrongCommand for a command or an option that does not exist."""
    name, rest = words[0], words[1:]
    if name == "prudent":
        check_prudent(rest, folder)
    elif name == "uv":
        _check_uv(rest, folder)
    elif name in ("pip", "pip3"):
        _check_requirements(rest)
    elif name == "just":
        recipes = re.findall(r"^([a-z]+)[^:=\n]*:(?!=)", (ROOT / "justfile").read_text(encoding="utf-8"), re.MULTILINE)
        _require(rest and rest[0] in recipes, f"just has no recipe {rest}; it has {recipes}")
    elif name in ("python", "python3", "pytest"):
        files = [word for word in rest if word.endswith(".py")]
        _require(all(_exists(file, folder) for file in files), f"there is no file {files}")
    else:
        _require(name in PLAIN, f"unknown command in the documentation: {shlex.join(words)}")


def check_prudent(words: list[str], folder: Path) -> None:
    """Read a command line as `prudent` itself does, without running it."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    if set(words) & {"--help", "-h", "--version"}:
        named = [word for word in words if not word.startswith("-")]
        _require(set(named) <= _names(group), f"there is no command {named}")
        return
    try:
        context = group.make_context("prudent", words[:1])
        command, rest = group.get_command(context, words[0]), words[1:]
        if isinstance(command, TyperGroup) and rest:
            command, rest = command.get_command(context, rest[0]), rest[1:]
        _require(command, f"there is no command: prudent {shlex.join(words)}")
        assert command
        chosen = command.make_context(command.name or "", rest, parent=context)
    except typer.TyperException as error:
        raise WrongCommand(f"prudent {shlex.join(words)}: {error.format_message()}") from error
    agent = str(chosen.params.get("agent") or "")
    if "/" in agent and command.name in ("run", "chat", "resume"):
        file = agent.rpartition(":")[0] if ".py:" in agent else agent
        _require(_exists(file, folder), f"prudent {shlex.join(words)}: there is no {file}")


def _names(group: TyperGroup) -> set[str]:
    inner = [command for command in group.commands.values() if isinstance(command, TyperGroup)]
    return set(group.commands).union(*(command.commands for command in inner))


def _check_uv(words: list[str], folder: Path) -> None:
    if words[0] in ("add", "pip", "tool"):
        _check_requirements(words)
        return
    rest = words[1:]
    extras = [following for word, following in zip(words, rest, strict=False) if word == "--extra"]
    _require(set(extras) <= set(_extras()), f"there is no extra {extras}")
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("--extra", "--group", "--with") else rest[1:]
    if words[0] == "run":
        check(rest, folder)
    else:
        _require(words[0] in ("sync", "lock", "build"), f"uv {shlex.join(words)}")


def _check_requirements(words: list[str]) -> None:
    for word in words:
        found = re.fullmatch(r"prudent\[(.*)\]", word)
        _require(found is None or set(found[1].split(",")) <= set(_extras()), f"there is no extra in {word}")


def _extras() -> dict[str, list[str]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def _exists(file: str, folder: Path) -> bool:
    return (ROOT / file).exists() or (folder / file).exists()


def _require(fine: object, message: str) -> None:
    if not fine:
        raise WrongCommand(message)
