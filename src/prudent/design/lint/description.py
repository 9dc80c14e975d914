"""Family D: what a tool's description says, and what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prudent.design.lint.rule import Hit, Rule, Toolset
from prudent.design.sheet import Definition
from prudent.design.words import canonical, content_words, name_parts, word_count
from prudent.tools.description import sentences, tools_named
from prudent.tools.nodes import as_object

_LEAST_WORDS = 6
_MOST_REPEATED = 9
_WHEN = re.compile(
    r"""\bwhen(ever)?\b|\bif\s+(you|the\s+user|a\s+user|asked|needed)|\buse\s+(it|this|the|for|to|only|after|before|as)\b
    |\buseful\b|\bcall\s+(it|this)\b|\bbest\s+for\b|\bsuitable\b|\bintended\b|\bideal\b|\bcan\s+be\s+used\b|\bneeded\s+to\b
    |\b(before|after)\s+\w+ing\b|\bused\s+(to|for|by|in)\b|\bhelps?\b|\bfor\s+(cases|tasks|questions|situations)\b|\bprefer\b
    |当.{0,30}时|适用|用于|适合|时使用|时调用|如果|需要.{0,20}时|可用来|用来|场景""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_WHEN = re.compile(
    r"""\bnot\s+(for|when|if|to\s+be\s+used|suitable|meant|intended)\b|\bdo\s+not\s+use|\bdon['’]t\s+use|\binstead\b
    |\brather\s+than\b|\bunlike\b|\bexcept\b|\bonly\s+(for|when|if|works)\b|\bnever\s+use|\bdeprecated\b|\bavoid\b
    |\buse\s+[`'"]?\w+_\w+|\bwhereas\b|不要|不适用|不用于|而不是|请用|请使用|改用|勿|仅用于|除外""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = r"[`'\"“]?([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)[`'\"”]?(?:\(\))?"
_SENDS_ON = (
    re.compile(rf"\b(?:the|use|call|run|with|from)\s+{_NAME}\s+(?:tool|function)\b"),
    re.compile(rf"\binstead\s+of\s+(?:the\s+)?{_NAME}(?!\s*=)"),
    re.compile(rf"\b(?:use|call|prefer|see|try)\s+{_NAME}\s+(?:instead|first|before|for\s|when\s|to\s|if\s)"),
    re.compile(rf"(?:请用|请使用|改用|调用|使用)\s*{_NAME}"),
)
_LEAD = re.compile(
    r"^(this|the)\s+(tool|function|api|method|endpoint|operation)('s)?\s+(is\s+used\s+to\s+|allows\s+(you|users)\s+to\s+|will\s+)?",
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(r"^(?!This|Access|Process|Address|Is\b|As\b)([A-Za-z][a-z]+?)(ies|sses|shes|ches|xes|es|s)\b(?<!ss)")
"""A verb such as `Creates` at the beginning."""


class Missing(Rule):
    """No description at all."""

    code, title, level, points = "D101", "no description", "error", 30.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for a text."""
        del tools
        if definition.broken or definition.description.strip():
            return
        words = " ".join(name_parts(definition.name)) or "do one thing"
        takes = ", ".join(parameter.name for parameter in definition.parameters if parameter.is_top)
        given = f" from {takes}" if takes else ""
        yield Hit(
            "description",
            "there is no description, so a model knows the tool by its name only",
            f'write what it does, what it gives back and when to use it: "{words[:1].upper()}{words[1:]}{given}. '
            'Gives … Use it when …"',
        )


class OnlyTheName(Rule):
    """A description that says what the name says."""

    code, title, level, points = "D103", "the description only repeats the name", "warning", 12.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Compare the words of both."""
        del tools
        if not repeats(definition.name, definition.description):
            return
        text = definition.description.strip().rstrip(".。")
        yield Hit(
            "description",
            f"{text[:60]!r} says no more than the name {definition.name!r}",
            definition.say(
                f'say what it works on, gives back and is for: "{text}. {_takes(definition)}Gives …. Use it when …"',
                f"写明处理什么、返回什么、何时使用：“{text}。{_takes(definition)}返回……。当……时使用。”",
            ),
        )


class Short(Rule):
    """A description too short to choose by."""

    code, title, level, points = "D102", "the description is short", "warning", 6.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Count its words; Chinese by its characters."""
        del tools
        text = definition.description.strip()
        count = word_count(text)
        if not text or count >= _LEAST_WORDS or repeats(definition.name, text):
            return
        bare = text.rstrip(".。")
        yield Hit(
            "description",
            f"{text[:60]!r} is too short to choose by: one to three sentences are usual",
            definition.say(
                f'say what it gives back and when to use it: "{bare}. {_takes(definition)}Gives … '
                f'Use it when {purpose(definition)}."',
                f"补充返回内容和使用时机：“{bare}。{_takes(definition)}返回……。当需要{bare}时使用。”",
            ),
        )


class NoWhen(Rule):
    """Nothing about when to use it."""

    code, title, level, points = "D104", "it does not say when to use it", "note", 3.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for a sentence about the occasion."""
        del tools
        text = definition.description
        if not text.strip() or _WHEN.search(text):
            return
        yield Hit(
            "description",
            "it says what the tool does, but not on which occasion a model should choose it",
            definition.say(
                f'add: "Use it when {purpose(definition)}."',
                f"补充：“当需要{(sentences(text) or [text])[0].rstrip('。.')[:60]}时使用。”",
            ),
        )


class NoWhenNot(Rule):
    """Nothing that tells it from a close neighbour."""

    code, title, level, points = "D105", "nothing tells it from a close neighbour", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look at the nearest tool of the set, and whether the description tells when that one is meant."""
        for other, pair in tools.neighbours(definition):
            if other.name == definition.name:
                continue
            if other.name in definition.description or _NOT_WHEN.search(f"{definition.description} {definition.not_when}"):
                return
            own = set(sentences(definition.description))
            others = [sentence for sentence in sentences(other.description) if sentence not in own] or [other.name]
            does = others[0].removeprefix("Tool description: ").rstrip(".。")[:80]
            yield Hit(
                "description",
                f"it is close to {other.name!r} ({pair.likeness.compared}), and does not say when that one is meant",
                definition.say(
                    f'add: "Not for this: {does[:1].lower()}{does[1:]}; for that use `{other.name}`."',
                    f"补充：“不适用：{does}；请使用 `{other.name}`。”",
                ),
            )
            return


class SendsToNobody(Rule):
    """It sends the model to a tool that is not there."""

    code, title, level, points = "D106", "it names a tool that is not there", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for names of tools in sentences that send the model to another one."""
        own = {definition.name, *as_object(definition.schema.get("properties"))}
        own |= {parameter.name for parameter in definition.parameters}
        own |= {value for parameter in definition.parameters for value in parameter.enum if isinstance(value, str)}
        if definition.form == "tool":
            named = sorted(tools_named(definition.not_when, own) - tools.names)
        else:
            found = {name for pattern in _SENDS_ON for name in pattern.findall(definition.description[:20_000])}
            named = sorted(name for name in found if name not in own and name not in tools.names)
        for name in named:
            hidden = " (the sentence is left out while that tool is not mounted)" if definition.form == "tool" else ""
            yield Hit(
                "description",
                f"it sends the model to {name!r}, and no tool here has that name{hidden}",
                f"mount {name}, name the tool that does this here, or leave the sentence out",
                level="note" if definition.form == "tool" else None,
            )


def repeats(name: str, text: str) -> bool:
    """Whether a text says nothing but the words of a name."""
    if word_count(text) > _MOST_REPEATED:
        return False
    said = {canonical(word) for word in content_words(text)}
    known = {canonical(part) for part in name_parts(name)}
    return bool(said) and said <= known


def purpose(definition: Definition) -> str:
    """Say on what occasion a tool is used, by the first sentence of its description."""
    first = (sentences(definition.description) or [" ".join(name_parts(definition.name))])[0].rstrip(".。")
    plain = _THIRD_PERSON.sub(_bare_verb, _LEAD.sub("", first))
    plain = plain[:1].lower() + plain[1:] if plain[1:2].islower() else plain
    return f"the task is to {plain[:90]}{'…' if len(plain) > 90 else ''}"


def _bare_verb(match: re.Match[str]) -> str:
    stem, ending = match[1], match[2]
    if ending == "ies":
        return f"{stem}y"
    return stem + (ending[:-2] if ending in ("sses", "shes", "ches", "xes") else "e" if ending == "es" else "")


def _takes(definition: Definition) -> str:
    names = [parameter.name for parameter in definition.parameters if parameter.is_top and parameter.required]
    if not names:
        return ""
    return definition.say(f"Takes {', '.join(names)}. ", f"参数为 {'、'.join(names)}，")


RULES: tuple[type[Rule], ...] = (Missing, Short, OnlyTheName, NoWhen, NoWhenNot, SendsToNobody)
