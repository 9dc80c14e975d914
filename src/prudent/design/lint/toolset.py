"""Family T: the tools of a set together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from prudent.design.lint.rule import Hit, Rule, SetRule, Toolset
from prudent.design.twins import TWINS, Pair

_NOTED, _WARNED = 8, 15
_BY = re.compile(r"^(?P<stem>.+?)(?:_by_|-by-|By(?=[A-Z]))(?P<key>.+)$")
_MOST_NAMED = 8


class Twins(SetRule):
    """Two tools that a model cannot tell apart."""

    code, title, level, points = "T601", "two tools are twins", "warning", 8.0

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Look at the pairs that are most alike."""
        for pair in tools.pairs:
            one, other = tools.definitions[pair.first], tools.definitions[pair.second]
            if not _are_twins(tools, pair):
                continue
            kept, gone = (one, other) if len(one.description) >= len(other.description) else (other, one)
            yield Hit(
                "definition",
                f"{one.name!r} and {other.name!r} are {pair.likeness.score:.0%} alike ({pair.likeness.compared})",
                f"keep {kept.name!r} and leave {gone.name!r} out; or say in each what only the other one can do",
                tool=one.name,
            )


class Family(SetRule):
    """Tools that differ only in the key by which they look something up."""

    code, title, level, points = "T602", "a family that should be one tool", "warning", 5.0

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Look for names such as `get_user_by_id` and `get_user_by_email`."""
        families: dict[str, dict[str, str]] = defaultdict(dict)
        for definition in tools.definitions:
            match = _BY.match(definition.name)
            if match:
                families[match["stem"]][match["key"]] = definition.name
        for stem, members in families.items():
            if len(members) < 2:
                continue
            keys = ", ".join(f'"{key.lower()}"' for key in members)
            first = next(iter(members.values()))
            yield Hit(
                "name",
                f"{', '.join(members.values())} do one thing by different keys, and crowd the choice",
                f'make one tool of them: {stem}(by: {{"enum": [{keys}]}}, value: string)',
                tool=first,
            )


class Several(SetRule):
    """More tools than a model chooses well among."""

    code, title, level, points = "T603", "more than 8 tools", "note", 3.0

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Count them."""
        count = len(tools.definitions)
        if _NOTED < count <= _WARNED:
            yield Hit("set", f"{count} tools; models choose best among 3 to 7", _fewer(tools))


class Many(SetRule):
    """Far more tools than a model chooses well among."""

    code, title, level, points = "T604", "more than 15 tools", "warning", 10.0

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Count them."""
        count = len(tools.definitions)
        if count > _WARNED:
            yield Hit("set", f"{count} tools; models choose best among 3 to 7 and badly above {_WARNED}", _fewer(tools))


class SameName(SetRule):
    """Two tools by one name."""

    code, title, level, points = "T605", "two tools have one name", "error", 15.0

    def check_set(self, tools: Toolset) -> Iterator[Hit]:
        """Count the names."""
        counts = Counter(definition.name for definition in tools.definitions if definition.name)
        for name, count in counts.items():
            if count > 1:
                yield Hit(
                    "name",
                    f"{count} tools are named {name!r}: providers refuse the request, or the last one wins",
                    f"give each its own name, such as {name[:50]}_… by what it works on",
                    tool=name,
                )


def _are_twins(tools: Toolset, pair: Pair) -> bool:
    """Whether a pair is near enough, and not two tools by one name, which is another rule's."""
    return pair.likeness.score >= TWINS and tools.definitions[pair.first].name != tools.definitions[pair.second].name


def _fewer(tools: Toolset) -> str:
    """Say which could go, or be shown apart: those with a common first word form a group."""
    groups: dict[str, list[str]] = defaultdict(list)
    for definition in tools.definitions:
        groups[re.split(r"[_\-.]|(?<=[a-z])(?=[A-Z])", definition.name)[0]].append(definition.name)
    largest = max(groups.items(), key=lambda item: len(item[1]))
    pairs = [pair for pair in tools.pairs if _are_twins(tools, pair)]
    twins = f"; {len(pairs)} pairs are twins (T601)" if pairs else ""
    if len(largest[1]) < 3 or len(largest[1]) > len(tools.definitions) * 0.8:
        return f"show fewer by mode, leave out what is never called (`prudent audit`){twins}"
    named = ", ".join(largest[1][:_MOST_NAMED])
    return f"show groups by mode, such as {named} in a mode of their own{twins}"


RULES: tuple[type[Rule], ...] = (Twins, Family, Several, Many, SameName)
