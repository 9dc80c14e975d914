"""A tool's definition as it is judged: what the model reads, and what is known of the function behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from prudent.design.words import estimate_tokens, is_chinese
from prudent.messages import ToolSpec, canonical_json
from prudent.tools.description import sentences
from prudent.tools.nodes import as_list, as_object, branches, follow, kinds
from prudent.tools.options import Effect
from prudent.types import JSON, JSONMapping, JSONObject

Form = Literal["tool", "function", "openai", "anthropic", "mcp", "plain"]
"""Where a definition comes from: a `@tool`, a plain function, or JSON in one of four forms."""

_MAX_DEPTH = 6
_MAX_PARAMETERS = 500

Step = str | int
Place = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a definition is written."""

    file: str = ""
    line: int = 0
    """From 1; 0 where it is not known."""

    pointer: Place = ()
    """In a JSON file: keys and indexes that lead to the definition."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, or one property of a parameter that is an object."""

    name: str
    place: str
    """Such as `parameters.filters[].since`."""

    node: JSONMapping
    """Its schema, references followed."""

    required: bool
    kinds: frozenset[str]
    """JSON types that it admits, null left out; empty for any."""

    about: str
    """Its description, and the sentences that name it in the description of the tool, or of the object it stands in."""

    pointer: Place
    """Keys that lead to its schema from the schema of all arguments."""

    is_top: bool
    """Whether it is a parameter itself, and no part of one."""

    @property
    def is_text(self) -> bool:
        """Whether it takes strings and nothing else."""
        return set(self.kinds) == {"string"}

    @property
    def is_number(self) -> bool:
        """Whether it takes numbers and nothing else."""
        return bool(self.kinds) and self.kinds <= {"integer", "number"}

    @property
    def is_flag(self) -> bool:
        """Whether it takes true and false and nothing else."""
        return set(self.kinds) == {"boolean"}

    @property
    def text(self) -> str:
        """Its own description, also that of the one alternative that has one."""
        return _description(self.node)

    @property
    def enum(self) -> list[JSON]:
        """The values of its enumeration, those of a list's items for a list."""
        values = as_list(self.node.get("enum")) or as_list(as_object(self.node.get("items")).get("enum"))
        for branch in branches(self.node):
            values = values or as_list(as_object(branch).get("enum"))
        return values

    def constraint(self, key: str) -> JSON:
        """Give what the schema says under a keyword, also inside the one alternative that is not null."""
        if key in self.node:
            return self.node[key]
        found = [as_object(branch).get(key) for branch in branches(self.node)]
        given = [value for value in found if value is not None]
        return given[0] if len(given) == 1 else None


@dataclass(frozen=True)
class Definition:
    """One tool's definition."""

    name: str
    description: str
    """All that the model reads beside the schema."""

    schema: JSONObject
    """Of the arguments; {} where there is none."""

    form: Form
    source: Source = field(default_factory=Source)
    not_when: str = ""
    """What it says of when to choose another tool, where it is a field of its own."""

    examples: tuple[JSONMapping, ...] = ()
    effect: Effect | None = None
    has_preview: bool = False
    runs_in_thread: bool = False
    """Whether it is a plain function that runs in a thread, where nothing can kill it."""

    broken: str = ""
    """Why it could not be read as a definition; "" for one that could."""

    has_schema: bool = True

    @cached_property
    def spec(self) -> ToolSpec:
        """The definition as it goes to a model."""
        return ToolSpec(self.name, self.description, self.schema)

    @cached_property
    def tokens(self) -> int:
        """How many tokens it costs in every model call, estimated."""
        return estimate_tokens(f"{self.name}{self.description}{_json(self.schema)}")

    @cached_property
    def is_chinese(self) -> bool:
        """Whether it is written in Chinese, so that what is proposed should be, too."""
        return is_chinese(self.description + " ".join(parameter.text for parameter in self.parameters))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters and their properties, the first 500."""
        found: list[Parameter] = []
        for parameter in self._walk(self.schema, "parameters", (), 0):
            found.append(parameter)
            if len(found) >= _MAX_PARAMETERS:
                break
        return tuple(found)

    @property
    def is_code(self) -> bool:
        """Whether it is a Python function, whose schema is mended for each provider at run time."""
        return self.form in ("tool", "function")

    def say(self, english: str, chinese: str) -> str:
        """Choose the wording in the definition's own language."""
        return chinese if self.is_chinese else english

    def _walk(self, node: JSONMapping, place: str, pointer: Place, depth: int) -> Iterator[Parameter]:
        if depth > _MAX_DEPTH:
            return
        required = [key for key in as_list(node.get("required")) if isinstance(key, str)]
        for name, raw in as_object(node.get("properties")).items():
            inner = follow(self.schema, raw)
            where = f"{place}.{name}"
            at = (*pointer, "properties", name)
            admitted = kinds(self.schema, inner) - {"null"}
            if depth == 0:
                named = [sentence for sentence in self._sentences if names(sentence, name)]
            else:
                named = [part for part in sentences(text_of(node.get("description"))) if name.lower() in part.lower()]
            about = " ".join([_description(inner), *named]).strip()
            yield Parameter(name, where, inner, name in required, admitted, about, at, depth == 0)
            yield from self._inside(inner, where, at, depth + 1)

    def _inside(self, node: JSONMapping, place: str, pointer: Place, depth: int) -> Iterator[Parameter]:
        yield from self._walk(node, place, pointer, depth)
        items = follow(self.schema, node.get("items")) if isinstance(node.get("items"), dict) else {}
        if items:
            yield from self._walk(items, f"{place}[]", (*pointer, "items"), depth)
        for key in ("anyOf", "oneOf"):
            for index, branch in enumerate(as_list(node.get(key))[:10]):
                inner = follow(self.schema, branch)
                yield from self._inside(inner, place, (*pointer, key, index), depth + 1) if depth <= _MAX_DEPTH else ()

    @cached_property
    def _sentences(self) -> list[str]:
        return sentences(self.description[:20_000])


def names(sentence: str, parameter: str) -> bool:
    """Whether a sentence speaks of a parameter and does not merely use the same word."""
    if len(parameter) < 3 or parameter not in sentence:
        return False
    is_unlike_words = "_" in parameter or not (parameter.islower() or parameter.istitle())
    return (
        is_unlike_words
        or re.search(rf"[`'\"“]{re.escape(parameter)}[`'\"”]|{re.escape(parameter)}\s*[:=：]", sentence) is not None
    )


def _description(node: JSONMapping) -> str:
    """Give a node's description, or that of the one alternative that has one."""
    texts = [text_of(as_object(part).get("description")) for part in ({**node}, *branches(node))]
    return next(filter(None, texts), "")


def text_of(value: JSON) -> str:
    """Give a text as it is, and nothing for anything else."""
    return value if isinstance(value, str) else ""


def _json(value: Mapping[str, JSON]) -> str:
    try:
        return canonical_json(value)
    except (ValueError, RecursionError):
        return ""
