"""From the argument string of a call to JSON. What loses nothing is repaired and recorded, everything else is refused."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from prudent.errors import CallRefused
from prudent.tools.nodes import kind_of
from prudent.types import JSON, JSONObject

MAX_DEPTH = 64
"""Levels of nesting that arguments may have."""

MAX_CHARS = 1_000_000
"""Length that an argument string may have."""

MAX_DIGITS = 300
"""Digits that a whole number may have; more would be no finite number where a float is due."""

_MAX_ENCODINGS = 3
_FENCE = "```"
_LANGUAGE = re.compile(r"[A-Za-z]*")
_STRAY_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MAYBE_TRAILING = re.compile(r",\s*[}\]]")
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+(?:"|\\?\Z))'  # an unclosed string reaches to the end: so this never goes back
    r"|(?P<empty>[\[{,:]\s*,)"
    r"|(?P<trailing>,(?=\s*[}\]]))",
    re.DOTALL,
)


class WrittenFloat(float):
    """A number with a fraction or an exponent that remembers how it was written: `3.10` where a string is due is "3.10"."""

    text: str

    def __new__(cls, text: str) -> WrittenFloat:
        """Read it; a number that no float can hold is refused."""
        number = super().__new__(cls, text)
        if not math.isfinite(number):
            raise CallRefused(
                "invalid_json", f"the number {text[:40]} is too large: it must be finite", fix="send a finite number"
            )
        number.text = text
        return number


class _Doubled(Exception):
    """A key stands twice in an object."""


def read_object(text: str, *, quoting: bool = True) -> tuple[JSONObject, tuple[str, ...]]:
    """Read an argument string that has to be an object; "" and null are no arguments.

    Args:
        text: the string as the model wrote it.
        quoting: whether errors may quote from it; not where it may hold a secret.

    Returns:
        The object, whose floats may be `WrittenFloat`, and what was repaired.
    """
    repairs: list[str] = []
    value: JSON = text
    for count in range(_MAX_ENCODINGS + 1):
        if value is None or (isinstance(value, str) and value.strip() in ("", "null")):
            return {}, (*repairs, "no arguments given: read as {}")
        if not isinstance(value, str):
            break
        value, found = _read_layer(value, count, quoting)
        repairs += found
    if isinstance(value, dict):
        return value, tuple(repairs)
    what = {"array": "a list", "boolean": "true or false", "integer": "a number"}.get(kind_of(value), f"a {kind_of(value)}")
    raise CallRefused(
        "invalid_arguments",
        f"the arguments must be one JSON object, but {what} came" + (f": {text[:100]}" if quoting else ""),
        fix="send a JSON object whose keys are the parameters' names",
    )


def _read_layer(text: str, count: int, quoting: bool) -> tuple[JSON, tuple[str, ...]]:
    if count == 0:
        return read_json(text, quoting=quoting)
    try:
        value, repairs = read_json(text, quoting=quoting)
    except CallRefused as refusal:
        raise CallRefused(
            refusal.kind,
            f"the arguments must be one JSON object, but a string came that holds none ({refusal.reason})",
            fix="send a JSON object whose keys are the parameters' names",
        ) from refusal
    return value, ("the arguments were encoded twice: decoded", *repairs)


def read_json(text: str, *, quoting: bool = True) -> tuple[JSON, tuple[str, ...]]:
    """Read JSON and tell what was repaired: a code fence, trailing commas, raw line breaks inside strings.

    Raises CallRefused for anything that cannot be read without a guess.
    """
    if len(text) > MAX_CHARS:
        raise CallRefused(
            "invalid_arguments",
            f"the arguments are {len(text)} characters long, {MAX_CHARS} are allowed",
            fix="send less in one call",
        )
    try:
        return read_strictly(text), ()
    except json.JSONDecodeError as error:
        first = error
    repairs: list[str] = []
    for repair in (_without_fence, _without_trailing_commas):
        text = repair(text, repairs)
    try:
        return read_strictly(text), tuple(repairs)
    except json.JSONDecodeError:
        pass
    try:
        return read_strictly(text, control_characters=True), (
            *repairs,
            "line breaks or tabs inside a string: kept as they stand",
        )
    except json.JSONDecodeError:
        _refuse(first, quoting)


def read_strictly(text: str, *, control_characters: bool = False) -> JSON:
    """Read JSON as the standard has it, and refuse what readers differ about: doubled keys, NaN, half characters.

    Raises JSONDecodeError where it is no JSON, CallRefused where it must not be used.
    """
    try:
        value: JSON = json.loads(
            text,
            strict=not control_characters,
            parse_constant=_refuse_constant,
            parse_float=WrittenFloat,
            parse_int=_read_int,
            object_pairs_hook=_read_pairs,
        )
    except RecursionError as error:
        raise _too_deep() from error
    except _Doubled as error:
        raise CallRefused("invalid_json", f"the key {error} stands twice in one object", fix="give each key once") from error
    if _STRAY_SURROGATE.search(text) or not text.isascii():
        _check_characters(value)
    return value


def plain(value: JSON, depth: int = 0) -> JSON:
    """Copy a JSON value without `WrittenFloat`; refuse one that is nested too deep, or a number that is not finite."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _refuse_constant(str(value))
    if not isinstance(value, dict | list):
        return value
    check_depth(depth)
    if isinstance(value, list):
        return [plain(item, depth + 1) for item in value]
    return {key: plain(item, depth + 1) for key, item in value.items()}


def check_depth(depth: int) -> None:
    """Refuse an object or a list that stands inside `depth` others, when that is too deep."""
    if depth >= MAX_DEPTH:
        raise _too_deep()


def too_many() -> CallRefused:
    """Say that there is more in the arguments than is looked at."""
    return CallRefused("invalid_arguments", "the arguments hold too many values", fix="send fewer values in one call")


def _too_deep() -> CallRefused:
    return CallRefused(
        "invalid_arguments", f"the arguments are nested deeper than {MAX_DEPTH} levels", fix="send flatter arguments"
    )


def _refuse_constant(name: str) -> NoReturn:
    raise CallRefused(
        "invalid_json", f"{name} is no JSON number: a number must be finite", fix="send a finite number, or leave it out"
    )


def _read_int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise CallRefused(
            "invalid_json", f"a number has {len(text)} digits, {MAX_DIGITS} are allowed", fix="send a shorter number"
        )
    return int(text)


def _read_pairs(pairs: list[tuple[str, JSON]]) -> JSONObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Doubled(json.dumps(key[:60], ensure_ascii=False))
            seen.add(key)
    return found


def _check_characters(value: JSON) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise CallRefused(
            "invalid_json", "a string holds half of a character (a lone surrogate)", fix="send whole characters"
        ) from error
    except RecursionError as error:
        raise _too_deep() from error


def _without_fence(text: str, repairs: list[str]) -> str:
    inner = text.strip()
    if not inner.startswith(_FENCE) or not inner.endswith(_FENCE):
        return text
    repairs.append("code fence removed")
    return _LANGUAGE.sub("", inner[len(_FENCE) : -len(_FENCE)], count=1)


def _without_trailing_commas(text: str, repairs: list[str]) -> str:
    if not _MAYBE_TRAILING.search(text):
        return text
    tokens = list(_TOKEN.finditer(text))
    commas = [token.start() for token in tokens if token["trailing"]]
    if not commas or any(token["empty"] for token in tokens):
        return text
    repairs.append("trailing comma removed")
    ends = [*commas, len(text)]
    starts = [0, *(comma + 1 for comma in commas)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _refuse(error: json.JSONDecodeError, quoting: bool) -> NoReturn:
    text, at = error.doc, error.pos
    if at >= len(text.rstrip()):
        what = "it breaks off before its end"
    elif error.msg.startswith("Unterminated string"):
        what = f"the string that begins at character {at} is never closed: cut off, or a quote in it is not escaped"
    elif error.msg == "Extra data":
        what = f"something follows the end of the JSON at character {at}"
    else:
        what = f"{error.msg[:1].lower()}{error.msg[1:]} at character {at}"
    near = text[max(0, at - 60) : at + 60]
    quoted = f", near: {near}" if quoting and near.strip() else ""
    raise CallRefused("invalid_json", f"the arguments are no valid JSON: {what}{quoted}", fix="send the whole call again")
