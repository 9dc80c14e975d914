"""What secrets look like: one row a kind of key, and the rules for `password=…` and for passwords in URLs.

Every search starts from a few lower-case marks, so that a long text with one suspicious word costs little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

RUN_LENGTH = 16
"""Shortest run of letters, digits and `_-./+=~` that every key of `SHAPES` holds."""

NAME_MARKS = ("passw", "passphrase", "pwd", "token", "secret", "key", "密码", "口令", "密钥")
"""Pieces, one of which every name of a secret holds."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret that is known by its form."""

    kind: str
    marks: tuple[str, ...]
    """Lower-case beginnings, one of which every such secret has."""

    pattern: re.Pattern[str]
    """Matches it from its mark on; where it has a group named `secret`, only that is hidden."""


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A secret in a text."""

    start: int
    end: int
    kind: str


_LEFT_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))"
"""Where a key may begin: not inside a word, but behind an escape such as a line feed in JSON."""


def _shape(kind: str, marks: str, pattern: str) -> Shape:
    return Shape(kind, tuple(marks.split()), re.compile(_LEFT_EDGE + pattern))


SHAPES: tuple[Shape, ...] = (
    _shape(
        "private key",
        "-----begin",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]{1,20000}+|-(?!-)){0,20}-----END [A-Z0-9 ]{0,40}-----|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{40,})*)",
    ),
    _shape("anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{12,}"),
    _shape(
        "openai key",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|or|live|test)-[A-Za-z0-9_-]{12,}"
        r"|(?=[A-Za-z]{0,99}[0-9])[A-Za-z0-9]{20,}"
        r"|(?=[a-z0-9_-]{0,99}[A-Z])(?=[A-Za-z_-]{0,99}[0-9])[A-Za-z0-9_-]{24,})",
    ),
    _shape("payment key", "sk_ rk_ whsec_", r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    _shape("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    _shape("gitlab token", "glpat-", r"glpat-[A-Za-z0-9_-]{16,}"),
    _shape("aws key", "akia asia", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("google key", "aiza", r"AIza[A-Za-z0-9_-]{30,}"),
    _shape("slack token", "xox xapp-", r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{12,}"),
    _shape("hugging face token", "hf_", r"hf_[A-Za-z0-9]{24,}"),
    _shape("package index token", "npm_ pypi-", r"(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,})"),
    _shape("bearer token", "bearer", r"(?i:bearer)\s{1,3}(?P<secret>(?=[A-Za-z._~+/=-]{0,99}[0-9])[A-Za-z0-9._~+/=-]{16,})"),
    _shape("basic login", "basic", r"(?i:basic)\s{1,3}(?P<secret>(?=[A-Za-z+/]{0,99}[0-9])[A-Za-z0-9+/]{14,}={0,2})"),
    _shape("web token", "eyj", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
)

_URL_PASSWORD = re.compile(r"://[^\s/:@\"'\\<>]{0,64}:(?P<secret>[^\s/@\"'\\<>{}$\[\]]{3,200})@")
_ASSIGNED = re.compile(
    r"""(?x) (?P<name>[\w-]{2,24}+) (?:\\{0,3}["'])? \s{0,3} (?:=>|:=|==?|:|：) (?P<gap>\s{0,3}) (?P<quote>\\{0,3}["'])?
    (?P<secret>[^\s"'\\,;&<>{}()\[\]`，。；]{6,400}+) (?P<after>\\{0,3}["']|[(\[])?"""
)
_NAME = re.compile(r"[\w-]{0,48}")

_PASSWORD_NAME = re.compile(r"(?:^|_)(?:passw(?:or)?d|passphrase|pwd)$|密码$|口令$")
_KEY_NAME = re.compile(
    r"(?:^|_)(?:api_?key|(?:access|secret|private|account|signing|encryption|auth)_?key|(?:client_?)?secret|token)$|密钥$"
)
_HARMLESS_TOKEN = re.compile(
    r"(?:page|next|sync|cursor|confirm|cancel|start|end|stop|max|min|resume|prev|previous|continuation|pagination"
    r"|first|last|pad|eos|bos|unk|mask|sep|special)_token$"
)
_PLACEHOLDERS = frozenset(
    ("string", "required", "optional", "hidden", "undefined", "missing", "invalid", "unknown", "example", "placeholder")
)
_VARIABLE = re.compile(r"[A-Za-z_]+(?:[_.][A-Za-z]+)+|[A-Za-z]*(?:password|passwd|pwd|passphrase)")


def find_secrets(text: str) -> list[Found]:
    """Find all that looks like a secret, in order and without overlaps."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few capitals become two letters, which would shift all places behind them.
        lowered = "".join(c.lower() if c.isascii() else c for c in text)
    found = [*_keys(text, lowered), *_url_passwords(text), *_assigned(text, lowered)]
    apart: list[Found] = []
    for item in sorted(found, key=lambda item: item.start):
        if apart and item.start < apart[-1].end:
            apart[-1] = Found(apart[-1].start, max(apart[-1].end, item.end), apart[-1].kind)
        else:
            apart.append(item)
    return apart


@lru_cache(maxsize=2048)
def secret_name(name: str) -> str:
    """Tell what a name promises: `password`, `key`, or "" for nothing secret."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_")
    if _PASSWORD_NAME.search(words):
        return "password"
    return "key" if _KEY_NAME.search(words) and not _HARMLESS_TOKEN.search(words) else ""


def is_secret_value(promise: str, value: str, *, quoted: bool, close: bool) -> bool:
    """Tell whether what stands behind a secret's name is a value and no word, type, variable or placeholder.

    Args:
        promise: What `secret_name` said.
        value: What stands there, without quotes.
        quoted: Whether it stands in quotes, and so is a value and no variable.
        close: Whether it stands right behind the sign; after a space it may be prose.
    """
    if value.lower() in _PLACEHOLDERS or value[0] in "$*%" or not value.strip("*.-_xX"):
        return False
    has_digit = any(c.isdigit() for c in value)
    if promise == "key":
        return len(value) >= 8 and has_digit and any(c.isalpha() for c in value)
    return quoted or has_digit or (not _VARIABLE.fullmatch(value) and (close or not value.isalpha()))


def _keys(text: str, lowered: str) -> Iterator[Found]:
    for shape in SHAPES:
        group = "secret" if "secret" in shape.pattern.groupindex else 0
        end = 0
        for place in _places(lowered, shape.marks):
            if place >= end and (match := shape.pattern.match(text, place)):
                end = match.end()
                yield Found(match.start(group), match.end(group), shape.kind)


def _url_passwords(text: str) -> Iterator[Found]:
    if "@" in text:
        for place in _places(text, ("://",)):
            if match := _URL_PASSWORD.match(text, place):
                yield Found(match.start("secret"), match.end("secret"), "password")


def _assigned(text: str, lowered: str) -> Iterator[Found]:
    for place in _places(lowered, NAME_MARKS):
        match = _ASSIGNED.match(text, place)
        if match and (promise := _promise(text, match)):
            yield Found(match.start("secret"), match.end("secret"), promise)


def _promise(text: str, match: re.Match[str]) -> str:
    """Tell what an assignment's name promises, "" where its value is none that should be hidden."""
    backwards = text[max(0, match.start() - 49) : match.start()][::-1]
    begin = _NAME.match(backwards)
    assert begin
    name = begin[0][::-1] + match["name"]
    if backwards[begin.end() : begin.end() + 1] == "\\" and name[0] in "nrtbf":
        # The letter belongs to an escape such as a line feed in JSON.
        name = name[1:]
    promise = secret_name(name)
    quoted, closed = bool(match["quote"]), (match["after"] or "").endswith(('"', "'"))
    if not promise or (match["after"] or " ")[0] in "([" or quoted != closed:
        return ""
    return promise if is_secret_value(promise, match["secret"], quoted=quoted, close=not match["gap"]) else ""


def _places(text: str, marks: tuple[str, ...]) -> list[int]:
    """List where any of the marks stands, in order."""
    places: list[int] = []
    for mark in marks:
        place = text.find(mark)
        while place >= 0:
            places.append(place)
            place = text.find(mark, place + 1)
    return sorted(places)
