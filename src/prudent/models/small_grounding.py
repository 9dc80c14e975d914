"""Holding a small model's arguments and answers to what is known: numbers and identifiers that occur, and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prudent.messages import ToolSpec
from prudent.models.constrained_schema import closed_object
from prudent.models.small_situation import Step, values_named
from prudent.models.small_words import is_chinese
from prudent.types import JSON, JSONObject

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SIGNED = re.compile(r"(?<!\d)(?<!\d )\+\d+")
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)*)\s*(?:%|％|percent|per cent)|百分之\s*(\d+(?:[.,]\d+)*)")
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|ids|key|ref)$")
_HANDLE = re.compile(r"(?:^|_)handle$")
_CODE = re.compile(r"(?<![A-Za-z0-9\-])(?=[A-Za-z\-]*\d)[A-Za-z0-9\-]{4,40}(?![A-Za-z0-9\-])")

_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate(_COUNTED, start=1)},
    **{character: str(number) for number, character in enumerate("一二三四五六七八九十", 1)},
    "两": "2",
}
_IMPLIED = (
    (re.compile(r"\b(?:year|yearly|annual|annually)\b|年", re.I), ("12",)),
    (re.compile(r"\bweeks?\b|周|星期", re.I), ("7",)),
    (re.compile(r"\b(?:half|double|twice|both)\b|半|两倍", re.I), ("2",)),
    (re.compile(r"\bdozens?\b|打", re.I), ("12",)),
    (re.compile(r"\bquarter(?:ly|s)?\b|季度", re.I), ("3", "4")),
)
"""Numbers that words imply, as everybody knows them."""

_WORD = re.compile(r"[a-z]+|[一二三四五六七八九十两](?=[个台件天次年月周人套张晚份公])")
_AMOUNT = re.compile(
    r"\bhow (?:much|many)\b|\b(?:costs?|pay|price|totals?|sum|fees?|charge[ds]?|owe|altogether|in all)\b"
    r"|多少|几|一共|总共|合计|共计|费用|总价",
    re.IGNORECASE,
)

_COPIED = re.compile(r"(?:from|of) the question|取自问题|问题中的")
_SMALL_WORD = re.compile(
    r"(?:an?|and|any|are|as|at|be|by|can|could|did|do|does|for|from|had|has|have|how|i|if|in|is|it|its|long|many|may|me|much"
    r"|must|my|not?|of|on|or|our|shall|should|so|than|that|the|their|them|then|there|they|this|to|us|was|we|were|what|when"
    r"|where|which|who|why|will|with|would|yes|you|your|please|tell)",
    re.IGNORECASE,
)
_CHINESE_SMALL = re.compile(r"请问|多少|多久|多长时间|什么|怎么|怎样|哪里|哪些|是否|可以|能否|吗|呢|[^\w.%]")
_LEAST_WORDS = 2
_NAMING_CHARS = 4
_MOST_TERMS = 4

CHINESE_TEXT = r'^[\u3400-\u9fff0-9][^"\\\n]*$'
"""A text that begins in Chinese goes on in Chinese; small models fall into English else."""


def numbers_in(text: str) -> list[str]:
    """Find the numbers of a text as they are written, each once, in order."""
    return list(dict.fromkeys(_NUMBER.findall(text)))


def known_numbers(question: str, facts: Sequence[str]) -> list[str]:
    """Give the numbers to calculate with: the question's own, those of the facts, and those that words imply."""
    implied = [number for pattern, numbers in _IMPLIED if pattern.search(question) for number in numbers]
    return list(dict.fromkeys([*own_numbers(question), *plain_numbers(numbers_in("\n".join(facts))), *implied]))


def own_numbers(question: str) -> list[str]:
    """Give the numbers that a question brings: those written in it, and those that its number words mean."""
    found = numbers_in(question)
    for word in _WORD.findall(question.lower()):
        found += [_NUMBER_WORDS[word]] if word in _NUMBER_WORDS else []
    return plain_numbers(found)


def plain_numbers(numbers: Sequence[str]) -> list[str]:
    """Write numbers as a calculation takes them; times of day and the like are left out."""
    plain = [re.sub(r",(?=\d{3}(?!\d))", "", number) for number in numbers if ":" not in number]
    return list(dict.fromkeys(number for number in plain if number.count(".") <= 1 and "," not in number))


def asks_for_amount(question: str) -> bool:
    """Whether a question asks how much or how many something is."""
    return bool(_AMOUNT.search(question))


def answer_pattern(known: str, *, begin: str = "") -> str:
    """Give the pattern of a text that begins with a word or a number, does no sums, and whose numbers all occur in `known`.

    With `begin` it begins with that.
    """
    letter = r"[€$£(]?[^\W\d_]"
    other = r'([^0-9.,:*=+×÷{}"\\\n]|[.,:]+[^0-9.,:*=+×÷{}"\\\n])'
    written = numbers_in(known)
    numbers = sorted({*written, *plain_numbers(written), *_SIGNED.findall(known)}, key=lambda number: (-len(number), number))
    some = "|".join(map(_literal, numbers))
    first = begin or (f"({some}|{letter})" if some else letter)
    more = f"({other}({some})?)*" if some else f"{other}*"
    return f"^{first}{more}[.:,]?$"


def _literal(number: str) -> str:
    return re.sub(r"([.+])", r"\\\1", number)


def subject_of(question: str) -> str:
    """Give the characters that a Chinese question begins with, "" for others.

    An answer that has to take them up says whose number it is, and then says the right one more often.
    """
    found = re.match(r"[\u3400-\u9fff]{2}", question)
    return found[0] if found else ""


def expression_pattern(numbers: Sequence[str], text: str) -> str:
    """Give the pattern of a calculation over known numbers, without brackets, since with them small models find no end."""
    shares = {number for pair in _PERCENT.findall(text) for number in pair if number}
    terms = [number.replace(".", r"\.") + ("%?" if number in shares else "") for number in numbers]
    some = f"({'|'.join([*terms, *(['100'] if shares else [])])})"
    return f"^{some}( [-+*/] {some}){{1,{_MOST_TERMS - 1}}}$"


def is_small_word(word: str) -> bool:
    """Whether a word tells nothing of what a text is about."""
    return word in _NUMBER_WORDS or bool(_SMALL_WORD.fullmatch(word))


def words_of(question: str) -> str:
    """Give the words of a question that a search is made of, "" when they are too few."""
    if is_chinese(question):
        return " ".join(_CHINESE_SMALL.sub(" ", question).split())
    words = [word for word in re.findall(r"[\w€$][\w.,:\-%]*(?<![.,:])", question) if not is_small_word(word)]
    return "" if len(words) < _LEAST_WORDS else " ".join(words)


def givers(tools: Sequence[ToolSpec]) -> set[str]:
    """Name the tools whose results are there to be opened by another one."""
    mounted = [tool.name for tool in tools]
    found: set[str] = set()
    for tool in tools:
        properties = tool.parameters.get("properties")
        for schema in properties.values() if isinstance(properties, dict) else ():
            found |= _tools_named(schema, mounted) - {tool.name}
    return found


def _tools_named(schema: JSON, mounted: Sequence[str]) -> set[str]:
    """Find the tools that a parameter's description names."""
    described = str(schema.get("description", "")) if isinstance(schema, dict) else ""
    return {name for name in mounted if re.search(rf"\b{re.escape(name)}\b", described)}


def ground(spec: ToolSpec, mounted: Sequence[str], steps: Sequence[Step], question: str) -> JSONObject | None:
    """Narrow a tool's arguments to what is known; None when it cannot be called yet, or not again.

    A parameter that is described as taken from the question is: small models widen it with what they imagine. Optional
    parameters are left out, since small models fill them at random; those that choose among words stay. A parameter
    that identifies something takes a value that a result or the question holds.
    """
    properties = spec.parameters.get("properties")
    required = spec.parameters.get("required")
    if not isinstance(properties, dict):
        return closed_object({})
    needed = required if isinstance(required, list) else []
    fields: JSONObject = {}
    for name, schema in properties.items():
        if not isinstance(schema, dict) or (name not in needed and "enum" not in schema):
            continue
        values = _identifiers(name, schema, mounted, steps, question)
        if values is None:
            copied = words_of(question) if _COPIED.search(str(schema.get("description", ""))) else ""
            fields[name] = {"const": copied} if copied else _capped(schema, chinese=is_chinese(question))
            continue
        used = {str(step.arguments.get(name)) for step in steps if step.name == spec.name}
        whole = schema.get("type") == "integer"
        fresh: list[JSON] = [int(v) if whole and v.isdecimal() else v for v in values if v not in used]
        if not fresh:
            return None
        fields[name] = {"enum": fresh}
    return closed_object(fields)


def is_named(tool: str, question: str) -> bool:
    """Whether a question names a tool by a word of its name: "a report" for `write_report`."""
    words = {word for word in re.split(r"[_\W]+", tool.lower()) if len(word) >= _NAMING_CHARS}
    return bool(words & {word.rstrip("s") for word in re.findall(r"[a-z]+", question.lower())})


def is_involved(arguments: JSONObject) -> bool:
    """Whether a tool takes lists of objects: small models fill them in without need, so it is offered only when named."""
    properties = arguments["properties"]
    assert isinstance(properties, dict)
    lists = [schema for schema in properties.values() if isinstance(schema, dict) and schema.get("type") == "array"]
    return any(isinstance(items := schema.get("items"), dict) and "properties" in items for schema in lists)


def is_free(arguments: JSONObject) -> bool:
    """Whether a tool takes no identifier: a second call of it would be the first one again in other words."""
    properties = arguments["properties"]
    assert isinstance(properties, dict)
    return not any(isinstance(schema, dict) and list(schema) == ["enum"] for schema in properties.values())


def _identifiers(
    name: str, schema: JSONObject, mounted: Sequence[str], steps: Sequence[Step], question: str
) -> list[str] | None:
    """Give the values a parameter may take when it identifies something, None when any will do.

    A handle is only ever given by a result; an id may also stand in the question.
    """
    named = _tools_named(schema, mounted)
    if named:
        return values_named(name, [step for step in steps if step.name in named], of_entries=True)
    if _HANDLE.search(name):
        return values_named(name, steps)
    if not _IDENTIFIER.search(name):
        return None
    return [*values_named(name, steps), *_CODE.findall(question)] or None


def _capped(schema: JSON, *, chinese: bool) -> JSON:
    """Bound what a small model would pad without end, texts and lists, and keep its texts in the question's language."""
    if not isinstance(schema, dict):
        return schema
    capped: JSONObject = dict(schema)
    if capped.get("type") == "string" and not {"enum", "pattern", "format"} & set(capped):
        capped["maxLength"] = _smaller(capped.get("maxLength"), _TEXT_CHARS)
        if chinese:
            capped["pattern"] = CHINESE_TEXT
    if capped.get("type") == "array":
        capped["maxItems"] = _smaller(capped.get("maxItems"), _LIST_ITEMS)
        capped["items"] = _capped(capped.get("items", {}), chinese=chinese)
    properties = capped.get("properties")
    if isinstance(properties, dict):
        required = capped.get("required")
        needed = required if isinstance(required, list) else list(properties)
        kept = {key: value for key, value in properties.items() if key in needed or _is_text(value)}
        capped["properties"] = {key: _capped(value, chinese=chinese) for key, value in kept.items()}
        capped["required"] = list(kept)
    return capped


def _is_text(schema: JSON) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and "enum" not in schema


def _smaller(limit: JSON, most: int) -> int:
    return min(limit, most) if isinstance(limit, int) else most


_TEXT_CHARS = 200
_LIST_ITEMS = 3
