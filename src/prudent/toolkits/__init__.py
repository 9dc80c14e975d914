"""Bundled toolkits. Each is a factory that gives a list of tools; each stands alone and is loaded when it is used."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from prudent.errors import ConfigurationError
from prudent.tools.definition import Tool

TOOLKITS: Mapping[str, str] = MappingProxyType(
    {
        "calculator": "prudent.toolkits.calculator:calculator",
        "knowledge": "prudent.toolkits.knowledge:knowledge",
        "report": "prudent.toolkits.report:report",
        "release": "prudent.toolkits.release:release",
        "openapi": "prudent.tools.importers.openapi:openapi",
    }
)
"""By the name that an agent file uses: the module and the factory in it."""


def find_toolkit(name: str) -> Callable[..., list[Tool]]:
    """Load a toolkit's factory by name.

    Raises:
        ConfigurationError: when there is no such toolkit.
    """
    try:
        module, _, factory = TOOLKITS[name].partition(":")
    except KeyError:
        near = difflib.get_close_matches(name, TOOLKITS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ConfigurationError(f"there is no toolkit {name!r}.{hint} There are: {', '.join(TOOLKITS)}.") from None
    return getattr(importlib.import_module(module), factory)
