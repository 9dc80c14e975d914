"""Full results by handle, and the two tools that read them in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from prudent.context.cutting import cut_at
from prudent.context.kinds.binary import hex_rows
from prudent.context.rendering import SOURCE, reading_text
from prudent.context.searching import MAX_COUNTED, search
from prudent.errors import ToolError
from prudent.ports import Artifact, Artifacts
from prudent.tools.definition import Tool
from prudent.types import JSON

WINDOW_CHARS = 2000
WINDOW_BYTES = 480
MAX_HANDLES_NAMED = 12
TOOL_SECONDS = 5.0
RESULT_CHARS = WINDOW_CHARS + 1000
"""What these tools return is short already and must not be cut again."""

_HANDLE: JSON = {"type": "string", "description": 'The handle in the mark of a shortened result, e.g. "r1".'}
_START: JSON = {"type": "integer", "default": 0, "description": "Where to begin, in characters; negative counts from the end."}
_PATTERN: JSON = {"type": "string", "description": "Plain text or a regular expression; case is ignored."}


class MemoryArtifacts:
    """Full results kept in memory: for tests, and for shaping without a journal."""

    def __init__(self) -> None:
        self._kept: dict[str, Artifact] = {}

    def keep(self, call_id: str, media_type: str, content: str | bytes) -> str:
        """Keep a result and return its handle."""
        handle = f"r{len(self._kept) + 1}"
        self._kept[handle] = Artifact(handle, media_type, content)
        return handle

    def find(self, handle: str) -> Artifact | None:
        """Give a kept result back, None when there is none."""
        return self._kept.get(handle)

    def handles(self) -> Sequence[str]:
        """Name what is kept, oldest first."""
        return list(self._kept)


def artifact_tools(artifacts: Artifacts) -> list[Tool]:
    """Make `read_more` and `search_in` over the results kept in `artifacts`."""
    reader = _Reader(artifacts)
    return [
        _tool(
            reader.read_more,
            "read_more",
            f"Read on in a result that was shortened: {WINDOW_CHARS:,} characters from a place on.",
            {"handle": _HANDLE, "start": _START},
            ["handle"],
            ("readMore", "read_on", "继续阅读"),
        ),
        _tool(
            reader.search_in,
            "search_in",
            "Find the places in a shortened result that hold a text; read_more opens them.",
            {"handle": _HANDLE, "pattern": _PATTERN},
            ["handle", "pattern"],
            ("searchIn", "search_in_result", "查找"),
        ),
    ]


def _tool(
    function: Callable[..., Any],
    name: str,
    summary: str,
    properties: dict[str, JSON],
    required: list[JSON],
    aliases: tuple[str, ...],
) -> Tool:
    return Tool(
        name=name,
        function=function,
        summary=summary,
        parameters={"type": "object", "properties": properties, "required": required, "additionalProperties": False},
        effect="read",
        idempotent=True,
        repeatable=True,
        is_task=False,
        run_in="thread",
        timeout_seconds=TOOL_SECONDS,
        max_result_chars=RESULT_CHARS,
        aliases=aliases,
    )


class _Reader:
    """Reads kept results for one run."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self._last: tuple[str, str] | None = None
        """The text read last, by its handle: a page need not be turned into text for every window."""

    def read_more(self, handle: str, start: int = 0) -> str:
        """Show a window of a kept result, with what is before and after it."""
        handle, content = self._open(handle)
        total = len(content)
        start = max(0, total + start) if start < 0 else start
        if start >= total > 0:
            raise ToolError(
                f"{handle} has {total:,} {_unit(content)}, start={start} is beyond its end", fix=f"use a start below {total}"
            )
        if isinstance(content, bytes):
            end = min(start + WINDOW_BYTES, total)
            body = hex_rows(content, start, WINDOW_BYTES)
        else:
            end = cut_at(content, WINDOW_CHARS, start)
            body = content[start:end].rstrip("\n")
        left = (
            f'{total - end:,} follow; go on with read_more(handle="{handle}", start={end})'
            if end < total
            else f"end of {handle}"
        )
        return f"[{handle}: {_unit(content)} {start:,} to {end:,} of {total:,}]\n{body}\n[{left}]"

    def search_in(self, handle: str, pattern: str) -> str:
        """Show the lines of a kept result that hold a pattern, with their places."""
        handle, content = self._open(handle)
        if isinstance(content, bytes):
            raise ToolError(f"{handle} holds bytes, no text", fix=f'read it with read_more(handle="{handle}")')
        hits = search(content, pattern)
        how = "text" if hits.is_plain else "expression"
        if not hits.count:
            return f"[nothing in {handle} holds the {how} {pattern!r}; {len(content):,} characters were searched]"
        more = (
            "" if hits.count == len(hits.shown) else f", the first {len(hits.shown)} are shown; narrow the pattern for others"
        )
        lines = [f"line {hit.line:,}, start={hit.start}: {hit.snippet}" for hit in hits.shown]
        count = f"{hits.count:,}+" if hits.count >= MAX_COUNTED else f"{hits.count:,}"
        return "\n".join([f"[lines of {handle} with the {how} {pattern!r}: {count}{more}]", *lines])

    def _open(self, written: str) -> tuple[str, str | bytes]:
        """Find a result by its handle, however it was quoted, and give it as it is read."""
        handle = written.strip().removeprefix("handle=").strip("\"'`“” ")
        name = handle.removesuffix(SOURCE)
        if self._last and self._last[0] == handle:
            return handle, self._last[1]
        found = self._artifacts.find(name)
        if found is None:
            raise ToolError(f"there is no result with the handle {name!r}", fix=self._known())
        if isinstance(found.content, bytes):
            return handle, found.content
        text = found.content if handle.endswith(SOURCE) else reading_text(found.media_type, found.content)
        self._last = (handle, text)
        return handle, text

    def _known(self) -> str:
        known = list(self._artifacts.handles())[-MAX_HANDLES_NAMED:]
        return f"known handles: {', '.join(known)}" if known else "no result of this run was shortened"


def _unit(content: str | bytes) -> str:
    return "bytes" if isinstance(content, bytes) else "characters"
