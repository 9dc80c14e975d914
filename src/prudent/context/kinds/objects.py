"""Long JSON: a list as an index; an object with its short parts whole, its longest one as an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prudent.context.cutting import Draft, characters_left, head_of, shorten
from prudent.context.json_text import Part, Parts, encode, lines_of, parts_of
from prudent.context.kinds.records import shorten_list
from prudent.context.relevance import score_parts
from prudent.types import JSON

MAX_DESCENT = 5
MORE_CHARS = 30
"""Room for saying how many members are not shown."""


def shorten_json(text: str, limit: int, terms: Sequence[str]) -> Draft | None:
    """Show long JSON, or JSON Lines, as an index; None when the text is no JSON."""
    whole = parts_of(text)
    if whole is None:
        return None
    if not text[whole.end :].strip():
        return _shorten_at(text, whole, limit, terms, "", MAX_DESCENT)
    lines = lines_of(text, whole)
    return shorten_list(text, lines, limit, terms, f"{len(lines):,} lines of JSON") if lines else None


def _shorten_at(text: str, whole: Parts, limit: int, terms: Sequence[str], path: str, descent: int) -> Draft:
    if whole.is_list:
        return shorten_list(text, whole.items, limit, terms, f"{path}: {len(whole.items):,} items" if path else "")
    if not whole.items:
        return head_of(text, limit)
    largest = max(whole.items, key=lambda member: member.end - member.start)
    inside = _worth_entering(text, largest, whole.items) if descent else None
    if inside is None:
        return _outline(text, whole.items, limit, terms)
    rest = _outline(text, [member for member in whole.items if member is not largest], limit * 2 // 5, terms).body
    name = f"{path}.{largest.key}" if path else largest.key
    inner = _shorten_at(text, inside, limit - len(rest) - 1, terms, name, descent - 1)
    return replace(inner, body=f"{rest}\n{inner.body}" if rest else inner.body)


def _worth_entering(text: str, member: Part, members: Sequence[Part]) -> Parts | None:
    """Give the parts of a member that makes up most of the text."""
    if (member.end - member.start) * 2 <= sum(each.end - each.start for each in members):
        return None
    return parts_of(text, member.start) if isinstance(member.value, dict) or _has_several(member.value) else None


def _has_several(value: JSON) -> bool:
    return isinstance(value, list) and len(value) > 1


def _outline(text: str, members: Sequence[Part], limit: int, terms: Sequence[str]) -> Draft:
    """Show every member, short ones whole, long ones with their beginning and place."""
    if not members:
        return Draft("")
    share = max(60, limit // len(members) - 40)
    relevant = score_parts(text, terms, [member.start for member in members])
    lines: list[str] = []
    used = 0
    cut = members[-1].end
    for position, member in enumerate(members):
        line = _member_line(text, member, share * 2 if position in relevant else share)
        if used + len(line) + 1 > limit - MORE_CHARS * (position < len(members) - 1):
            lines.append(f"… {len(members) - position:,} more members")
            cut = member.start
            break
        lines.append(line)
        used += len(line) + 1
    whole = sum(member.end - member.start for member in members)
    first_cut = next((member.start for member in members if member.end - member.start > share), cut)
    return Draft("\n".join(lines)[:limit], characters_left(max(whole - used, 1), len(text)), min(cut, first_cut))


def _member_line(text: str, member: Part, share: int) -> str:
    size = member.end - member.start
    key = shorten(member.key, 80)
    if size <= share:
        return f"{key}: {shorten(text[member.start : member.end], share)}"
    if isinstance(member.value, str):
        return f"{key}: ({len(member.value):,} characters, at start={member.start}) {shorten(member.value, share)}"
    count = len(member.value) if isinstance(member.value, list | dict) else 0
    what = "items" if isinstance(member.value, list) else "members"
    return f"{key}: ({count:,} {what}, {size:,} characters, at start={member.start}) {shorten(encode(member.value), share)}"
