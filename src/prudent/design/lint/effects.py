"""Family X: what a call does to the world, and how it can be looked at first and stopped."""

from __future__ import annotations

from collections.abc import Iterator

from prudent.design.lint.rule import Hit, Rule, Toolset
from prudent.design.sheet import Definition
from prudent.design.words import name_parts

_DESTROYS = frozenset(
    {"delete", "remove", "drop", "destroy", "purge", "wipe", "truncate", "erase", "uninstall", "revoke", "terminate", "unlink"}
)
_HARMLESS = frozenset({"duplicates", "whitespace", "punctuation", "background", "noise", "stopwords", "outliers", "filter"})
_PREVIEWS = frozenset(
    {"dry", "preview", "confirm", "confirmation", "simulate", "force", "yes", "plan", "试运行", "确认", "预览"}
)


class NoPreview(Rule):
    """It destroys, and nobody can see beforehand what."""

    code, title, level, points = "X901", "a destructive tool has no preview", "warning", 6.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for a preview, or for a parameter that asks for one."""
        del tools
        words = {part for parameter in definition.parameters for part in name_parts(parameter.name)}
        if definition.has_preview or not destroys(definition) or _PREVIEWS & words:
            return
        if definition.is_code:
            rewrite = (
                f'@tool(…, preview=lambda arguments: f"would {" ".join(name_parts(definition.name))} {{arguments}}"), '
                "better with what is there now"
            )
        else:
            rewrite = (
                '"dry_run": {"type": "boolean", "default": true, '
                '"description": "True tells what would be done, and does nothing."}'
            )
        yield Hit(
            "definition",
            "what it does cannot be undone, and whoever is asked to approve it cannot see what would happen",
            rewrite,
            level=None if definition.form == "tool" else "note",
        )


class CannotBeKilled(Rule):
    """It writes from a thread, which nothing can end."""

    code, title, level, points = "X902", "a plain function that writes runs in a thread", "warning", 5.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look where it runs."""
        del tools
        if definition.form != "tool" or definition.effect not in ("write", "destructive") or not definition.runs_in_thread:
            return
        yield Hit(
            "definition",
            "Python cannot end a thread: when the run is stopped or the call passes its limit, this goes on writing",
            '@tool(…, run_in="process"), with the function at module level; or make it async if it only waits',
        )


class Undeclared(Rule):
    """Nobody says what it does to the world."""

    code, title, level, points = "X903", "the effect is not declared", "note", 3.0

    def check(self, definition: Definition, tools: Toolset) -> Iterator[Hit]:
        """Look for an effect."""
        del tools
        if definition.form == "tool" and definition.effect is None:
            yield Hit(
                "definition",
                "an undeclared effect counts as `write`: hidden in mode `plan`, never started early, doubtful after a crash",
                '@tool(effect="read") if it only looks, else effect="write" or "destructive"',
            )


def destroys(definition: Definition) -> bool:
    """Whether a tool destroys something: it says so, or, where it says nothing, its name does."""
    if definition.effect is not None:
        return definition.effect == "destructive"
    parts = name_parts(definition.name)
    return bool(_DESTROYS & set(parts)) and not _HARMLESS & set(parts)


RULES: tuple[type[Rule], ...] = (NoPreview, CannotBeKilled, Undeclared)
