"""`[tool.prudent.lint]` of pyproject.toml: which rules apply, and when the exit status says no."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from prudent.design.lint.judge import Choice
from prudent.design.lint.rule import LEVELS
from prudent.errors import ConfigurationError
from prudent.nearest import nearest

_KEYS = ("select", "ignore", "fail-on", "embedder", "tools")
FAIL_ON = ("never", *LEVELS)
"""From which level on the exit status is 1."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the project says about its tools."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tool_ignores: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """`[tool.prudent.lint.tools]`: for each tool the rules that do not apply to it."""

    fail_on: str = "error"
    embedder: str = ""
    """`file.py:function` that turns a list of texts into vectors, so that twins are found by meaning as well."""

    folder: Path = Path()
    """Where pyproject.toml is."""

    def choice(self, select: Sequence[str], ignore: Sequence[str]) -> Choice:
        """Give the rules that apply; what a command names comes before what the file names."""
        made = Choice(tuple(select) or self.select, (*self.ignore, *ignore), self.tool_ignores)
        made.check()
        return made


def read_settings(folder: Path) -> Settings:
    """Read the settings of the project that a folder belongs to; the usual ones where there is none.

    Raises:
        ConfigurationError: The file cannot be read, or says something that cannot work.
    """
    for place in (folder.resolve(), *folder.resolve().parents):
        file = place / "pyproject.toml"
        if file.is_file():
            return _read(file)
    return Settings()


def _read(file: Path) -> Settings:
    try:
        parsed = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
    table = _table(_table(_table(parsed, "tool"), "prudent"), "lint")
    for key in table:
        if key not in _KEYS:
            raise ConfigurationError(f"{file}: [tool.prudent.lint] has no setting {key!r}{nearest(key, _KEYS)}")
    fail_on = table.get("fail-on", "error")
    if fail_on not in FAIL_ON:
        raise ConfigurationError(f"{file}: fail-on is {fail_on!r}: use {', '.join(FAIL_ON)}")
    embedder = table.get("embedder", "")
    if not isinstance(embedder, str):
        raise ConfigurationError(f'{file}: embedder is {embedder!r}: write "file.py:function"')
    tools = table.get("tools", {})
    ignores = {str(name): _words(file, f"tools.{name}", words) for name, words in _table({"tools": tools}, "tools").items()}
    select, ignore = (_words(file, key, table.get(key, [])) for key in ("select", "ignore"))
    return Settings(select, ignore, ignores, fail_on, embedder, file.parent)


def _table(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = parent.get(key, {})
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _words(file: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in cast("list[object]", value)):
        raise ConfigurationError(f'{file}: {key} must be a list of rules, such as ["D104", "cost"]')
    return tuple(cast("list[str]", value))
