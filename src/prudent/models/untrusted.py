"""Reads JSON whose shape cannot be trusted: what is not of the expected kind counts as absent."""

from __future__ import annotations

from typing import cast

from prudent.types import JSON, JSONObject


def object_of(value: object) -> JSONObject:
    """Give an object back, or an empty one for anything else."""
    return cast("JSONObject", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[JSON]:
    """Give a list back, or an empty one for anything else."""
    return cast("list[JSON]", value) if isinstance(value, list) else []


def text_of(value: object) -> str:
    """Give a string back, a number as text, and "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def count_of(value: object) -> int:
    """Give a count back, and 0 for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < 1e15 else 0
