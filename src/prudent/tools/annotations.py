"""Small repairs of annotations, so that pydantic reads them as they are meant."""

from __future__ import annotations

import functools
import sys
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict


def readable(annotation: Any) -> Any:
    """Put a TypedDict that pydantic can read in the place of `typing.TypedDict`, which it refuses before Python 3.12."""
    if sys.version_info >= (3, 12):
        return annotation
    if is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return _readable_typed_dict(annotation)
    old = get_args(annotation)
    new = tuple(readable(part) for part in old)
    if new == old or get_origin(annotation) is Literal:
        return annotation
    if get_origin(annotation) in (Union, UnionType):
        return functools.reduce(_either, new)
    return Annotated[new] if get_origin(annotation) is Annotated else get_origin(annotation)[new]


def _either(one: Any, other: Any) -> Any:
    return one | other


def _readable_typed_dict(annotation: Any) -> Any:
    import typing_extensions  # only Python 3.11 needs it

    make: Any = typing_extensions.TypedDict
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(annotation, include_extras=True).items():
        marked = get_origin(hint)
        inner = get_args(hint)[0] if marked in (Required, NotRequired) else hint
        is_required = marked is Required or (marked is not NotRequired and name in annotation.__required_keys__)
        fields[name] = Required[readable(inner)] if is_required else NotRequired[readable(inner)]
    return make(annotation.__name__, fields)


def admits_none(annotation: Any) -> bool:
    """Whether None may stand where the annotation does."""
    if get_origin(annotation) is Annotated:
        return admits_none(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return any(admits_none(part) for part in get_args(annotation))
    if get_origin(annotation) is Literal:
        return None in get_args(annotation)
    return annotation in (None, NoneType, Any, object)


def or_none(annotation: Any) -> Any:
    """Allow None, inside `Annotated`, so that a description stays with the whole."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return Annotated[(or_none(inner), *metadata)]
    return annotation | None
