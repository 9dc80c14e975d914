"""One definition in the place of several that are hard to tell apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from prudent.design.words import canonical, content_words, is_chinese, name_parts
from prudent.messages import ToolSpec
from prudent.tools.description import sentences, tools_named
from prudent.tools.inlining import wire_schema
from prudent.tools.nodes import as_list, as_object, kinds
from prudent.types import JSON, JSONObject

Renames = Mapping[tuple[str, str, str, str], int]
"""How often a tool's parameter (tool, parameter) got the value of another tool's (tool, parameter)."""

LEAST_RENAMES = 2

_ENDS = (".", "!", "?", ":", "。", "！", "？", "：")
_NUMBERS = frozenset({"integer", "number"})
_MOST_SENTENCES = 3
_NEW_WORDS = 0.5
_LINKING = frozenset({"by", "of", "for", "with", "from", "in", "on", "to", "v"})
_NOT_ITS_CASE = ("when not to use:", "不适用：", "example arguments:", "参数示例：")


@dataclass(frozen=True, slots=True)
class Merged:
    """A definition that does what several did."""

    spec: ToolSpec
    replaces: tuple[str, ...]
    """The tools in whose place it comes, the most called first."""

    names: Mapping[str, Mapping[str, str]]
    """What the parameters of each tool are called now."""


def merge(specs: Sequence[ToolSpec], *, taken: Collection[str] = (), renames: Renames | None = None) -> Merged:
    """Write one definition for several.

    What all of them require stays required, everything else becomes optional. Parameters are the same where their names
    mean the same, or where models gave both the same value.

    Args:
        specs: at least two, the one that is called most first: its name and its wording are kept where possible.
        taken: names of other tools, which the new one cannot have.
        renames: parameters that got the same values.
    """
    schemas = [wire_schema(spec.parameters) for spec in specs]
    names = _common_names(specs, schemas, renames or {})
    properties: dict[str, JSON] = {}
    for schema, own in zip(schemas, names, strict=True):
        for name, node in as_object(schema["properties"]).items():
            merged = own[name]
            properties[merged] = _join(properties[merged], node) if merged in properties else node
    needs = [
        [own[name] for name in as_list(schema.get("required")) if isinstance(name, str) and name in own]
        for schema, own in zip(schemas, names, strict=True)
    ]
    required = [name for name in properties if all(name in need for need in needs)]
    parameters: JSONObject = {
        "type": "object",
        "properties": {name: properties[name] for name in sorted(properties, key=lambda name: name not in required)},
        **({"required": [*required]} if required else {}),
        "additionalProperties": False,
    }
    cases = [[name for name in need if name not in required] for need in needs]
    description = _description(specs, cases)
    spec = ToolSpec(_name(specs, taken), description, parameters)
    given = {spec.name: own for spec, own in zip(specs, names, strict=True)}
    return Merged(spec, tuple(spec.name for spec in specs), given)


def _common_names(specs: Sequence[ToolSpec], schemas: Sequence[JSONObject], renames: Renames) -> list[dict[str, str]]:
    """Give each tool's parameters the names they have in the merged tool."""
    names: list[dict[str, str]] = []
    for at, (spec, schema) in enumerate(zip(specs, schemas, strict=True)):
        own: dict[str, str] = {}
        known = {merged: (other, name) for other, given in enumerate(names) for name, merged in reversed(given.items())}
        for name in as_object(schema["properties"]):
            free = {merged: where for merged, where in known.items() if merged not in own.values()}
            same = [merged for merged, (_, before) in free.items() if _mean_the_same(before, name)]
            same += [
                m for m, (other, before) in free.items() if _got_the_same((specs[other].name, before, spec.name, name), renames)
            ]
            fitting = [merged for merged in same if _can_join(schemas, known[merged], (at, name))]
            own[name] = fitting[0] if fitting else _unused(name, {*known, *own.values()})
        names.append(own)
    return names


def _can_join(schemas: Sequence[JSONObject], one: tuple[int, str], other: tuple[int, str]) -> bool:
    """Whether both parameters can be one: the same types, or one of them takes anything."""
    first, second = (
        kinds(schemas[at], as_object(as_object(schemas[at]["properties"])[name])) - {"null"} for at, name in (one, other)
    )
    return not first or not second or first == second or (first | second) == _NUMBERS


def _mean_the_same(one: str, other: str) -> bool:
    return one == other or ([canonical(part) for part in name_parts(one)] or [one]) == [
        canonical(part) for part in name_parts(other)
    ]


def _got_the_same(pair: tuple[str, str, str, str], renames: Renames) -> bool:
    tool, name, other, its = pair
    return renames.get(pair, 0) + renames.get((other, its, tool, name), 0) >= LEAST_RENAMES


def _unused(name: str, used: Collection[str]) -> str:
    number = 2
    wanted = name
    while name in used:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _join(one: JSON, other: JSON) -> JSON:
    """Put two schemas of a parameter together: all choices of both, the wider range, the longer description."""
    first, second = as_object(one), as_object(other)
    joined: JSONObject = {**first}
    texts = [text for node in (first, second) if isinstance(text := node.get("description"), str)]
    if texts:
        joined["description"] = max(texts, key=len)
    if "enum" in first:
        if "enum" in second:
            choices = as_list(first["enum"])
            joined["enum"] = [*choices, *(choice for choice in as_list(second["enum"]) if choice not in choices)]
        else:
            del joined["enum"]
    if (kinds(first, first) | kinds(second, second)) - {"null"} == _NUMBERS:
        joined["type"] = "number"
    for key, wider in (("minimum", min), ("maximum", max), ("minLength", min), ("maxLength", max)):
        low, high = first.get(key), second.get(key)
        if isinstance(low, int | float) and isinstance(high, int | float):
            joined[key] = wider(low, high)
        else:
            joined.pop(key, None)
    for key in ("pattern", "format"):
        if joined.get(key) != second.get(key):
            joined.pop(key, None)
    return joined


def _name(specs: Sequence[ToolSpec], taken: Collection[str]) -> str:
    """Choose what the names have in common, such as `get_user`, where that is a name; else the first one's."""
    parts = [name_parts(spec.name) for spec in specs]
    common: list[str] = []
    for same in zip(*parts, strict=False):
        if len(set(same)) > 1:
            break
        common.append(same[0])
    while common and common[-1] in _LINKING:
        common.pop()
    name = "_".join(common)
    others = set(taken) - {spec.name for spec in specs}
    return name if len(common) > 1 and name.isascii() and name not in others else specs[0].name


def _description(specs: Sequence[ToolSpec], cases: Sequence[Sequence[str]]) -> str:
    """Keep the first one's words, and add what the others say that it does not; leave out who should be called instead."""
    gone = {spec.name for spec in specs}
    said = [sentence for sentence in sentences(specs[0].description) if not tools_named(sentence, ()) & gone]
    known = {canonical(word) for sentence in said for word in content_words(sentence)}
    for spec in specs[1:]:
        added = 0
        for sentence in sentences(spec.description):
            words = {canonical(word) for word in content_words(sentence)}
            is_new = bool(words - known) and len(words - known) >= _NEW_WORDS * len(words)
            is_case = sentence.lower().startswith(_NOT_ITS_CASE) or bool(tools_named(sentence, ()) & gone)
            if is_new and not is_case and added < _MOST_SENTENCES:
                said.append(sentence)
                known |= words
                added += 1
    chinese = is_chinese(" ".join(said))
    said.extend(_rule(cases, chinese=chinese))
    ended = [sentence if sentence.endswith(_ENDS) else sentence + ("。" if chinese else ".") for sentence in said]
    return ("" if chinese else " ").join(ended)


def _rule(cases: Sequence[Sequence[str]], *, chinese: bool) -> list[str]:
    """Say which parameters have to be given together, where the tools differ in that."""
    ways = list(dict.fromkeys(tuple(case) for case in cases))
    if len(ways) < 2 or not all(ways):
        return []
    if chinese:
        return ["必须且只能给出其中一组参数：" + "；".join("、".join(way) for way in ways) + "。"]
    between = "; or " if any(len(way) > 1 for way in ways) else " or "
    return ["Give exactly one of these: " + between.join(" and ".join(way) for way in ways) + "."]
