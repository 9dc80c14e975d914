"""The surface: which tools a mode shows, and which tool a name means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from prudent.errors import CallRefused, ConfigurationError
from prudent.messages import ToolSpec
from prudent.tools.definition import Tool
from prudent.tools.dialects import wire_names
from prudent.tools.finding import ToolFinder
from prudent.tools.refusal import nearest

PROFILES: Mapping[str, frozenset[str]] = {
    "research": frozenset({"web", "knowledge"}),
    "coding": frozenset({"files", "shell"}),
    "data": frozenset({"table", "python"}),
}
"""Task-type profiles: the toolkits whose tools they show. A mode of that name exists while such a tool is mounted."""

MANY_TOOLS = 15
_MAX_NAMED = 20
_DECORATION = re.compile(r"^(?:(?:functions?|tools?|default_api|api|namespace)[.:/]+)+|(?:<\|.*|\(\))$", re.DOTALL)
_SEPARATORS = re.compile(r"[\s_.-]+")
_BUNDLERS = frozenset({"multi_tool_use.parallel", "multi_tool_use", "parallel"})


class Surface:
    """The tools of an agent, by mode.

    `act` shows all of them; `plan` those that declare to change nothing, and the runtime's own; a custom mode those it lists
    by name or by toolkit, and the runtime's own.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        modes: Mapping[str, Collection[str]] | None = None,
        mask: bool = False,
        finder: ToolFinder | None = None,
    ) -> None:
        """Lay the tools out.

        Args:
            tools: all tools of the agent.
            modes: names or toolkits of the tools that custom modes show.
            mask: keep the tool block the same in all modes (and so the provider's cache); hidden tools are refused instead.
            finder: finds the tools that are not shown from the start; None where all are.

        Raises:
            ConfigurationError: two tools have one name, or a mode or a `requires` names what is not there.
        """
        self._mask = mask
        self.tools = _by_name(tools)
        """Every tool by its name."""

        self._shown = {"act": tuple(tools), "plan": tuple(tool for tool in tools if tool.reads or not tool.is_task)}
        for mode, wanted in {**_profiles(tools), **(modes or {})}.items():
            self._shown[mode] = self._choose(mode, wanted)
        for tool in tools:
            self._check_known(f"tool {tool.name!r} requires", tool.requires, self.tools)
        self._wire_names = wire_names(self.tools)
        by_wire_name = {self._wire_names[tool.name]: tool for tool in tools}
        self._aliases = {**{alias: tool for tool in tools for alias in tool.aliases}, **by_wire_name}
        self._by_likeness = _by_likeness(tools)
        self._specs: dict[tuple[str, tuple[str, ...]], tuple[ToolSpec, ...]] = {}
        self._hidden = finder.hidden if finder else frozenset[str]()
        if finder:
            finder.allows = self.allows

    def shown(self, mode: str) -> tuple[Tool, ...]:
        """List the tools that may be called in a mode. Raises ConfigurationError for a mode that does not exist."""
        if mode not in self._shown:
            raise ConfigurationError(f"there is no mode {mode!r}: choose one of {', '.join(self._shown)}")
        return self._shown[mode]

    def specs(self, mode: str, found: tuple[str, ...] = ()) -> tuple[ToolSpec, ...]:
        """Give the tool block of a mode: the same object every time, for all modes when masked.

        Tools that were found stand at its end in the order in which they were found, so that nothing before them changes.
        """
        shown = self.shown(mode)
        if self._mask:
            mode, shown = "act", self.shown("act")
        key = (mode, found)
        if key not in self._specs:
            mounted = frozenset(tool.name for tool in shown)
            block = [tool for tool in shown if tool.name not in self._hidden]
            block += [tool for name in found if (tool := self.tools.get(name)) in shown and tool not in block]
            self._specs[key] = tuple(self._describe(tool, mounted) for tool in block)
        return self._specs[key]

    def _describe(self, tool: Tool, mounted: Collection[str]) -> ToolSpec:
        """Give a tool's definition under a name that every provider takes; `find` knows both names."""
        spec, name = tool.describe(mounted), self._wire_names[tool.name]
        return spec if spec.name == name else replace(spec, name=name)

    def allows(self, tool: Tool, mode: str) -> bool:
        """Whether a tool may be called in a mode."""
        return tool in self.shown(mode)

    def find(self, name: str, mode: str = "act") -> Tool:
        """Find the tool that a name means: the name itself, an alias, or one written differently without doubt.

        Raises CallRefused of kind `unknown_tool`, with the nearest of the mode's tools.
        """
        wanted = name.strip()
        if found := self.tools.get(wanted) or self._aliases.get(wanted):
            return found
        bare = _DECORATION.sub("", wanted[:200]).strip()
        candidates = self._by_likeness.get(_likeness(bare), ())
        if len(candidates) == 1 and wanted not in _BUNDLERS:
            return candidates[0]
        raise self._unknown(wanted, bare, [tool.name for tool in self.shown(mode)])

    def warnings(self) -> tuple[str, ...]:
        """Say what a person should know before the start."""
        count = sum(tool.is_task for tool in self.tools.values())
        if count <= MANY_TOOLS or self._hidden:
            return ()
        return (
            f"{count} tools are mounted; models choose best among 3 to 7 and badly above {MANY_TOOLS}: "
            "leave some out, show fewer by mode, or let them be found (tool_search)",
        )

    def _choose(self, mode: str, wanted: Collection[str]) -> tuple[Tool, ...]:
        if mode in ("act", "plan"):
            raise ConfigurationError(f"the mode {mode!r} is built in: give the custom mode another name")
        if isinstance(wanted, str):
            raise ConfigurationError(f"the mode {mode!r} must list tools, such as [{wanted!r}]")
        toolkits = {tool.toolkit for tool in self.tools.values() if tool.toolkit}
        self._check_known(f"the mode {mode!r} names", wanted, {*self.tools, *toolkits})
        names = set(wanted)
        return tuple(t for t in self.tools.values() if not t.is_task or t.name in names or t.toolkit in names)

    def _check_known(self, start: str, names: Iterable[str], known: Collection[str]) -> None:
        for name in names:
            if name not in known:
                close = ", ".join(nearest(name, known)[:3]) or "none"
                raise ConfigurationError(f"{start} {name!r}, which is not mounted (nearest: {close})")

    def _unknown(self, wanted: str, bare: str, names: list[str]) -> CallRefused:
        close = nearest(bare, names)
        listed = ", ".join(close[:_MAX_NAMED]) + (f" and {len(close) - _MAX_NAMED} more" if len(close) > _MAX_NAMED else "")
        if not wanted:
            reason = f"the call has no tool name; the tools are: {listed or 'none'}"
        elif wanted in _BUNDLERS:
            reason = f"{wanted} is no tool, calls cannot be bundled in one; the tools are: {listed or 'none'}"
        else:
            reason = f"there is no tool {wanted[:80]!r}; the nearest are: {listed or 'none'}"
        fix = "call each tool by its own name, with its own arguments" if names else "answer without tools"
        return CallRefused("unknown_tool", reason, fix=fix)


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in found:
            raise ConfigurationError(f'two tools are named {tool.name!r}: give one of them another name by @tool(name="…")')
        found[tool.name] = tool
    return found


def _by_likeness(tools: Sequence[Tool]) -> dict[str, tuple[Tool, ...]]:
    found: dict[str, tuple[Tool, ...]] = {}
    for tool in tools:
        for key in {_likeness(name) for name in (tool.name, *tool.aliases)}:
            found[key] = (*found.get(key, ()), tool)
    return found


def _likeness(name: str) -> str:
    """Reduce a name to what stays the same in another case or with other separators."""
    return _SEPARATORS.sub("", name).casefold()


def _profiles(tools: Sequence[Tool]) -> dict[str, frozenset[str]]:
    mounted = {tool.toolkit for tool in tools}
    return {name: toolkits & mounted for name, toolkits in PROFILES.items() if toolkits & mounted}
