"""`tool_search`: the tool by which a model finds other tools, where there are too many to show them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

from prudent.errors import ConfigurationError
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.tools.description import sentences
from prudent.tools.nodes import as_list, as_object
from prudent.tools.refusal import nearest
from prudent.tools.search import FOUND_AT_MOST, ToolIndex
from prudent.tools.search_words import topics
from prudent.types import JSON

TOOL_SEARCH = "tool_search"
ToolSearch = bool | Literal["auto"]
"""Whether tools are found by search; `auto`: where there are more than fifteen."""

_MAX_TOPICS = 30
_LINE_CHARS = 160
_SUMMARY = {
    "en": "Find tools by what you want to do. You see only some of your tools: {count} more can be found here, about {topics}. "
    "Search before you say that something cannot be done. What is found joins your tools, and you call it by its name.",
    "zh": "按要做的事查找工具。现在只显示了部分工具：这里还能找到 {count} 个，涉及 {topics}。在说做不到之前先查找。"
    "找到的工具会加入可用工具，之后按名称调用。",
}
_QUERY = {"en": "What you want to do, in a few words, such as: rename a file", "zh": "要做什么，几个词即可，例如：重命名文件"}


class ToolFinder:
    """Finds tools of an agent that are not shown at once."""

    def __init__(self, tools: Sequence[Tool], *, language: str = "en") -> None:
        self._tools = tuple(tools)
        self._index: ToolIndex | None = None
        self.allows: Callable[[Tool, str], bool] = _everything
        """Whether a tool may be called in a mode; set by the surface that the tools are laid out on."""

        self.tool = self._make(language)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the tools that are shown only when they have been found."""
        return frozenset(tool.name for tool in self._tools)

    async def tool_search(self, context: Context, query: str) -> str:
        """Find tools and bring them to the surface."""
        self._index = self._index or ToolIndex(self._tools)
        ranked = self._index.search(query, len(self._tools))
        found = [tool for tool in ranked if self.allows(tool, context.mode)][:FOUND_AT_MOST]
        if not found:
            return f"No tool fits {query[:80]!r}. Try other words; there are tools about {self._topics()}."
        names = dict.fromkeys(name for tool in found for name in (tool.name, *self._required(tool)))
        context.note("tools_found", {"query": query[:200], "found": [*names]})
        lines = "\n".join(_line(tool) for tool in self._tools_named(names))
        return f"These are among your tools from your next reply on, the most fitting first:\n{lines}"

    def _required(self, tool: Tool) -> list[str]:
        """Name what has to be called before a tool, and before that, as far as it is hidden, too."""
        names: list[str] = []
        by_name = {known.name: known for known in self._tools}
        wanted = list(tool.requires)
        while wanted:
            name = wanted.pop(0)
            if name in by_name and name not in names:
                names.append(name)
                wanted += by_name[name].requires
        return names

    def _tools_named(self, names: Collection[str]) -> list[Tool]:
        by_name = {tool.name: tool for tool in self._tools}
        return [by_name[name] for name in names]

    def _topics(self) -> str:
        """Name what the tools are about: their toolkits, then the words that most of their names have."""
        toolkits = dict.fromkeys(tool.toolkit for tool in self._tools if tool.toolkit)
        named = topics((tool.name for tool in self._tools), _MAX_TOPICS)
        return ", ".join(list(dict.fromkeys([*toolkits, *named]))[:_MAX_TOPICS]) or "other things"

    def _make(self, language: str) -> Tool:
        summary = _SUMMARY.get(language, _SUMMARY["en"]).format(count=len(self._tools), topics=self._topics())
        query: JSON = {"type": "string", "description": _QUERY.get(language, _QUERY["en"])}
        return Tool(
            name=TOOL_SEARCH,
            function=self.tool_search,
            summary=summary,
            parameters={"type": "object", "properties": {"query": query}, "required": ["query"], "additionalProperties": False},
            effect="read",
            idempotent=True,
            run_in="inline",
            repeatable=True,
            is_task=False,
            context_parameter="context",
            aliases=("search_tools", "find_tool", "查找工具"),
        )


def finder_for(
    tools: Sequence[Tool], search: ToolSearch, always_visible: Collection[str], *, above: int, language: str = "en"
) -> ToolFinder | None:
    """Give a finder of the tools that are not always visible; None where all of them are shown.

    Args:
        tools: the agent's own.
        search: whether to search; `auto` does where there are more tools than `above`.
        always_visible: names or toolkits of tools that are shown from the start.
        above: how many tools are few enough to be shown.
        language: of what the model is told.

    Raises:
        ConfigurationError: `always_visible` names what is not there.
    """
    _check_known(tools, always_visible)
    if not (search is True or (search == "auto" and len(tools) > above)):
        return None
    hidden = [tool for tool in tools if tool.name not in always_visible and tool.toolkit not in always_visible]
    return ToolFinder(hidden, language=language) if hidden else None


def _check_known(tools: Sequence[Tool], names: Collection[str]) -> None:
    known = {*(tool.name for tool in tools), *(tool.toolkit for tool in tools if tool.toolkit)}
    for name in names:
        if name not in known:
            close = ", ".join(nearest(name, known)[:3]) or "none"
            raise ConfigurationError(f"always_visible names {name!r}, which is not mounted (nearest: {close})")


def _line(tool: Tool) -> str:
    required = as_list(tool.parameters.get("required"))
    names = [name if name in required else f"{name}?" for name in as_object(tool.parameters.get("properties"))]
    first = next(iter(sentences(tool.summary)), "")
    return f"- {tool.name}({', '.join(names)}): {first}"[:_LINE_CHARS]


def _everything(_tool: Tool, _mode: str) -> bool:
    """Allow whatever there is: before the tools are laid out on a surface."""
    return True
