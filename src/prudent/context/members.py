"""How the parts of foreign objects are got at, by what they offer: no library is imported for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

MAX_ITERATED = 10_000
"""Most items taken from what has no end of its own, and most rows taken from a table."""

MAX_ARRAY_ITEMS = 200_000


def members_of(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Give the named parts of a mapping, dataclass, named tuple or the like; None where it has none."""
    kind = _kind_of(value)
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value).items()
    if dataclasses.is_dataclass(kind):
        return _attributes(value, [each.name for each in dataclasses.fields(kind)])
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return _attributes(value, kind._fields)
    if hasattr(kind, "__attrs_attrs__"):
        return _attributes(value, [each.name for each in kind.__attrs_attrs__])
    if hasattr(kind, "__struct_fields__"):
        return _attributes(value, kind.__struct_fields__)
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
        return _by_keys(value)
    return None


def unwrap(value: Any) -> tuple[Any, str] | None:
    """Give the plain Python data of a model, table or array, and a remark; None where it is nothing of that sort."""
    kind = _kind_of(value)
    if hasattr(kind, "model_dump"):
        return _dumped(value), ""
    if hasattr(kind, "to_dicts") and hasattr(kind, "head"):
        return value.head(MAX_ITERATED).to_dicts(), _rows_remark(value)
    if hasattr(kind, "to_dict") and hasattr(kind, "dtypes"):
        return value.head(MAX_ITERATED).to_dict("records"), _rows_remark(value)
    if callable(getattr(kind, "tolist", None)):
        return _native(value)
    return None


def attributes_of(value: Any) -> Iterable[tuple[str, Any]] | None:
    """Give the public attributes of an object that does not say how it wants to be shown."""
    kind = _kind_of(value)
    if kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__ or not hasattr(value, "__dict__"):
        return None
    shown = [(name, each) for name, each in _held(value) if not name.startswith("_")]
    return shown or None


def _kind_of(value: object) -> Any:
    return type(value)


def _held(value: Any) -> Iterable[tuple[str, Any]]:
    return value.__dict__.items()


def _by_keys(value: Any) -> list[tuple[Any, Any]]:
    return [(key, value[key]) for key in islice(value.keys(), MAX_ITERATED)]


def _attributes(value: Any, names: Iterable[str]) -> list[tuple[str, Any]]:
    return [(name, getattr(value, name, "<not set>")) for name in names]


def _dumped(value: Any) -> Any:
    """Read a pydantic model, whether or not its fields still fit its types."""
    try:
        return value.model_dump(warnings=False)
    except TypeError:
        return value.model_dump()


def _rows_remark(table: Any) -> str:
    rows = len(table)
    return f"the table has {rows:,} rows; the first {MAX_ITERATED:,} are kept" if rows > MAX_ITERATED else ""


def _native(array: Any) -> tuple[Any, str]:
    size = getattr(array, "size", 0)
    if not isinstance(size, int) or size <= MAX_ARRAY_ITEMS:
        return array.tolist(), ""
    first = array.reshape(-1)[:MAX_ITERATED].tolist()
    return {"shape": list(array.shape), "first": first}, f"the array has {size:,} items; the first {MAX_ITERATED:,} are kept"
