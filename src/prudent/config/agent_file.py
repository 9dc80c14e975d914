"""`agent.toml` -> Agent. Strict: what is unknown or of another type is refused, with the line and the nearest setting."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from prudent.agent import Agent, AgentSource
from prudent.brakes.approval import Rule
from prudent.brakes.budget import Budget
from prudent.config.places import line_of
from prudent.config.python_file import find_name, load_python_file, split_reference
from prudent.config.schema import TABLES, AgentTable
from prudent.config.toolkit_options import SettingProblem, mount_toolkit
from prudent.errors import ConfigurationError
from prudent.nearest import nearest
from prudent.tools.definition import Tool

_MOST_ERRORS = 3


def read_agent_file(path: Path) -> Agent:
    """Read an agent from a TOML file. Paths in it are taken from the file's own folder.

    Raises:
        ConfigurationError: The file is not there, is no TOML, or says something that cannot work.
    """
    text = _read(path)
    file = AgentFile(path.resolve(), text)
    try:
        return file.agent()
    except ValidationError as error:
        raise ConfigurationError(file.explain(error)) from error


@dataclass(frozen=True, slots=True)
class AgentFile:
    """One agent file: its text, and what is made of it."""

    path: Path
    text: str

    def agent(self) -> Agent:
        """Make the agent."""
        table = AgentTable.model_validate(self._parsed())
        options = table.model_dump(
            exclude={"budget", "toolkits", "policy", "tools", "modes", "output_type", "answer_check", "workspace"}
        )
        try:
            return Agent(
                **options,
                tools=self._tools(table),
                budget=Budget(**table.budget.model_dump()),
                policy=[Rule(**rule.model_dump()) for rule in table.policy],
                modes=table.modes or None,
                workspace=self._beside(table.workspace) if table.workspace else None,
                output_type=self._reference("output_type", table.output_type),
                answer_check=cast("Callable[[str], Any] | None", self._reference("answer_check", table.answer_check)),
                source=AgentSource(str(self.path), "", self._hash(table)),
            )
        except SettingProblem as problem:
            raise ConfigurationError(f"{self._place(problem.place)}: {problem}") from problem
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.path.name}: {error}") from error

    def explain(self, error: ValidationError) -> str:
        """Say what is wrong, each with its line; the first few are enough."""
        errors = error.errors(include_url=False)
        lines = [f"{self._place(item['loc'])}: {_sentence(item)}" for item in errors[:_MOST_ERRORS]]
        more = len(errors) - _MOST_ERRORS
        return "\n    ".join(lines) + (f"\n    and {more} more" if more > 0 else "")

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigurationError(f"{self.path.name} is not valid TOML: {error}") from error

    def _tools(self, table: AgentTable) -> list[Any]:
        tools: list[Tool] = []
        for name, options in table.toolkits.items():
            tools += mount_toolkit(name, options, folder=self.path.parent)
        return [*tools, *(self._reference("tools", reference) for reference in table.tools)]

    def _reference(self, setting: str, reference: str | None) -> object:
        """Load what `file.py:name` stands for."""
        if reference is None:
            return None
        file, name = split_reference(reference)
        if not name:
            raise SettingProblem((setting,), f'{setting} is {reference!r}: write "file.py:name"')
        path = self._beside(file)
        try:
            return find_name(load_python_file(path), name, path)
        except ConfigurationError as error:
            raise SettingProblem((setting,), str(error)) from error

    def _beside(self, path: str) -> Path:
        return self.path.parent / Path(path).expanduser()

    def _place(self, loc: Sequence[str | int]) -> str:
        line = line_of(self.text, loc)
        return f"{self.path.name}:{line}" if line else self.path.name

    def _hash(self, table: AgentTable) -> str:
        """Hash the file and the Python files it names: a change in any of them is a changed agent."""
        digest = hashlib.sha256(self.text.encode())
        references = [*table.tools, table.output_type or "", table.answer_check or ""]
        for file in sorted({split_reference(reference)[0] for reference in references if reference}):
            digest.update(self._beside(file).read_bytes())
        return digest.hexdigest()


def _read(path: Path) -> str:
    if not path.is_file():
        neighbours = [file.name for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        hint = nearest(path.name, neighbours) or "; `prudent init` writes one to begin from"
        raise ConfigurationError(f"there is no agent file {path}{hint}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read as UTF-8 text: {error}") from error


def _sentence(error: ErrorDetails) -> str:
    """Say one thing that is wrong in the file's terms."""
    place = [str(part) for part in error["loc"]]
    name = ".".join(place)
    if error["type"] == "extra_forbidden":
        return f"{name} is not a setting{_nearest_setting(place)}"
    if error["type"] == "missing":
        return f"{name} is missing"
    given = error["input"]
    shown = f"{given!r}"[:60] if not isinstance(given, dict) else "a table"
    return f"{name} is {shown}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _nearest_setting(place: Sequence[str]) -> str:
    """Name the nearest setting of that table, or the table in which the setting belongs."""
    key, table = place[-1], place[0] if len(place) > 1 else ""
    here = nearest(key, TABLES[table].model_fields) if table in TABLES else ""
    if here:
        return here
    homes = [name for name, model in TABLES.items() if key in model.model_fields and name != table]
    return f"; it belongs {f'in [{homes[0]}]' if homes[0] else 'above the first table'}" if homes else ""
