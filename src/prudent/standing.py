"""Standing rules: what a person allowed once for all calls like it, by answering `always`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from prudent.types import JSON, JSONMapping, JSONObject

GLOB_CHARS = 2000
"""Length of the longest pattern of one argument."""

SHOWN_CHARS = 200

_HIDDEN = re.compile(r"\[secret\]|\[redacted")
_WILD = re.compile(r"([*?[])")
_ESCAPED = re.compile(r"\[([*?[])\]")


@dataclass(frozen=True, slots=True)
class StandingRule:
    """Lets certain calls of one tool run unasked."""

    rule_id: str
    tool_name: str
    globs: Mapping[str, str]
    """Patterns of arguments by name, compared with their text (JSON for what is no string). Every one has to match."""

    exact: bool = False
    """Whether the call may have no arguments but these; else the others are free."""

    def covers(self, tool_name: str, arguments: JSONMapping) -> bool:
        """Whether it lets this call run."""
        return (
            tool_name == self.tool_name
            and not (self.exact and arguments.keys() - self.globs.keys())
            and all(
                name in arguments and fnmatchcase(argument_text(arguments[name]), glob) for name, glob in self.globs.items()
            )
        )

    @property
    def words(self) -> str:
        """The rule as a person reads it, such as "`delete` runs unasked when path is /tmp/*"."""
        when = " and ".join(f"{name} is {_shown(glob)}" for name, glob in self.globs.items())
        if self.exact:
            when = f"{when}, with no other argument" if when else "it has no arguments"
        return f"`{self.tool_name}` runs unasked when {when}" if when else f"`{self.tool_name}` runs unasked"

    def as_json(self) -> JSONObject:
        """Write it down."""
        return {"rule_id": self.rule_id, "tool_name": self.tool_name, "globs": dict(self.globs), "exact": self.exact}


def rule_of(data: JSON) -> StandingRule | None:
    """Read what `as_json` wrote; None for anything else."""
    if not isinstance(data, dict) or not isinstance(globs := data.get("globs"), dict):
        return None
    patterns = {name: str(glob) for name, glob in globs.items()}
    return StandingRule(str(data["rule_id"]), str(data["tool_name"]), patterns, bool(data.get("exact")))


def exact_globs(arguments: JSONMapping) -> dict[str, str]:
    """Give the patterns that match exactly these arguments."""
    return {name: _WILD.sub(r"[\1]", argument_text(value)) for name, value in arguments.items()}


def unfit_for_rule(globs: Mapping[str, str]) -> list[str]:
    """Name the arguments whose patterns hold something hidden, which would never match, or are too long to be kept."""
    return [name for name, glob in globs.items() if len(glob) > GLOB_CHARS or holds_hidden(glob)]


def holds_hidden(glob: str) -> bool:
    """Whether a mark stands in the pattern where there was a secret."""
    return bool(_HIDDEN.search(_ESCAPED.sub(r"\1", glob)))


def argument_text(value: JSON) -> str:
    """Give an argument as patterns see it: equal for equal values, whatever order their keys came in."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _shown(glob: str) -> str:
    """Write a pattern for people: a plain text as it is, in quotes where it could be taken for a pattern or gets lost."""
    if _WILD.search(_ESCAPED.sub("", glob)):
        return _cut(glob)
    text = _ESCAPED.sub(r"\1", glob)
    plain = text and not _WILD.search(text) and not any(character.isspace() for character in text)
    return _cut(text) if plain else _cut(json.dumps(text, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
