"""Long JSON: a list as an index; an object with its short parts whole, its longest one as an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prudent.context.cutting import Draft, characters_left, head_of, shorten
from prudent.context.json_text import Part, encode, parts_of, values_of
from prudent.context.records import shorten_list
from prudent.context.relevance import score_parts

MAX_DESCENT = 5


def shorten_json(text: str, limit: int, terms: Sequence[str]) -> Draft | None:
    """Show long JSON, or JSON Lines, as an index; None when the text is no JSON."""
    values = values_of(text)
    if not values:
        return None
    if len(values) > 1:
        return shorten_list(text, values, limit, terms, f"{len(values):,} lines of JSON")
    return _shorten_at(text, values[0], limit, terms, "", MAX_DESCENT)


def _shorten_at(text: str, part: Part, limit: int, terms: Sequence[str], path: str, descent: int) -> Draft:
    parts = parts_of(text, part.start) or []
    if isinstance(part.value, list):
        return shorten_list(text, parts, limit, terms, f"{path}: {len(parts):,} items" if path else "")
    return _shorten_object(text, parts, limit, terms, path, descent)


def _shorten_object(text: str, members: Sequence[Part], limit: int, terms: Sequence[str], path: str, descent: int) -> Draft:
    """Show short members whole; go on into a member that makes up most of the text."""
    if not members:
        return head_of(text, limit)
    largest = max(members, key=lambda member: member.end - member.start)
    size = largest.end - largest.start
    is_most = size * 2 > sum(member.end - member.start for member in members)
    if not descent or not is_most or not isinstance(largest.value, list | dict) or len(largest.value) < 2:
        return _outline(text, members, limit, terms)
    rest = _outline(text, [member for member in members if member is not largest], limit * 2 // 5, terms).body
    name = f"{path}.{largest.key}" if path else largest.key
    inner = _shorten_at(text, largest, limit - len(rest) - 1, terms, name, descent - 1)
    return replace(inner, body=f"{rest}\n{inner.body}" if len(members) > 1 else inner.body)


def _outline(text: str, members: Sequence[Part], limit: int, terms: Sequence[str]) -> Draft:
    """Show every member, short ones whole, long ones with their beginning and place."""
    if not members:
        return Draft("")
    share = max(24, limit // len(members) - 40)
    relevant = score_parts(text, terms, [member.start for member in members])
    lines: list[str] = []
    used = 0
    cut = members[-1].end
    for position, member in enumerate(members):
        line = _member_line(text, member, share * 2 if position in relevant else share)
        if used + len(line) + 1 > limit:
            lines.append(f"… {len(members) - position:,} more members"[: max(limit - used, 0)])
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
