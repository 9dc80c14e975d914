"""Arrays of JSON objects brought down to the fields that a tool names."""

from __future__ import annotations

import json
from collections.abc import Sequence

from prudent.context.plain import to_plain
from prudent.types import JSON, JSONObject


def project(result: object, fields: Sequence[str]) -> object:
    """Keep of each object in a list, or in the lists of an object, the named fields in their order; the count stays.

    A result without such a list comes back as it is, and so does a list in which no object has any of the fields.
    """
    value = _decoded(result)
    if isinstance(value, list):
        return _rows(value, fields) or result
    if isinstance(value, dict):
        changed: JSONObject = {
            name: _rows(part, fields) or part if isinstance(part, list) else part for name, part in value.items()
        }
        return changed if changed != value else result
    return result


def _decoded(result: object) -> JSON:
    if isinstance(result, str):
        if result.lstrip()[:1] not in ("[", "{"):
            return None
        try:
            return json.loads(result)
        except ValueError:
            return None
    return None if isinstance(result, bytes | bytearray | memoryview) else to_plain(result).value


def _rows(items: list[JSON], fields: Sequence[str]) -> list[JSON]:
    """Project the objects of a list; empty when none of them has any of the fields."""
    if not any(isinstance(item, dict) and any(name in item for name in fields) for item in items):
        return []
    return [{name: item[name] for name in fields if name in item} if isinstance(item, dict) else item for item in items]
