"""Reading arguments that were written by a mended schema: back to what the tool's own schema says, and forth again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from prudent.messages import canonical_json
from prudent.types import JSON


@dataclass(frozen=True, slots=True)
class Reading:
    """How the values of one node differ on the wire. One that says nothing is plain: nothing differs."""

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of parameters that are called otherwise on the wire, by that name."""

    inside: Mapping[str, Reading] = field(default_factory=dict[str, "Reading"])
    """Readings of parameters, by their own name."""

    items: Reading | None = None
    """Reading of each item of a list."""

    values: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    """Values that are texts on the wire, by that text."""

    is_text: bool = False
    """Whether an object is written as JSON text."""

    nulls: tuple[str, ...] = ()
    """Required parameters that are left out on the wire where they are null."""

    fillers: tuple[str, ...] = ()
    """Parameters that exist on the wire only."""

    options: tuple[Reading, ...] = ()
    """Readings of alternatives; the first that changes a value is meant."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing differs."""
        mapped = self.names or self.inside or self.items or self.values or self.options
        return not (mapped or self.is_text or self.nulls or self.fillers)

    def back(self, value: JSON) -> JSON:
        """Turn a value as it came from the wire into what the tool means."""
        for option in self.options:
            if (changed := option.back(value)) != value:
                return changed
        if isinstance(value, str):
            if self.is_text:
                return _object_in(value)
            return self.values.get(value, value)
        if isinstance(value, list):
            return [self.items.back(item) for item in value] if self.items else value
        return self._object_back(value) if isinstance(value, dict) else value

    def forth(self, value: JSON) -> JSON:
        """Turn a tool's value into what stands on the wire."""
        for option in self.options:
            if (changed := option.forth(value)) != value:
                return changed
        if self.is_text and isinstance(value, dict):
            return canonical_json(value)
        if self.values and not isinstance(value, str):
            return next((text for text, meant in self.values.items() if _same(meant, value)), value)
        if isinstance(value, list):
            return [self.items.forth(item) for item in value] if self.items else value
        return self._object_forth(value) if isinstance(value, dict) else value

    def _object_back(self, value: dict[str, JSON]) -> JSON:
        named = {self.names.get(name, name): part for name, part in value.items() if name not in self.fillers}
        read = {name: self.inside[name].back(part) if name in self.inside else part for name, part in named.items()}
        return {**read, **{name: None for name in self.nulls if name not in read}}

    def _object_forth(self, value: dict[str, JSON]) -> JSON:
        wire = {own: name for name, own in self.names.items()}
        return {
            wire.get(name, name): self.inside[name].forth(part) if name in self.inside else part
            for name, part in value.items()
            if not (part is None and name in self.nulls)
        }


PLAIN = Reading()


def _object_in(text: str) -> JSON:
    """Give the object that a text holds; the text itself when it holds none."""
    try:
        value: JSON = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _same(one: JSON, other: JSON) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)
