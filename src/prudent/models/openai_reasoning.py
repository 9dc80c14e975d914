"""Reasoning as chat-completions servers send it, and how it goes back: exactly as it came.

It stands in `reasoning_content`, `reasoning`, `reasoning_details`, in parts of the content, in tags at the head of the
text, or as a signature in `extra_content`; each of them is kept under its own name.
"""

from __future__ import annotations

import json
from typing import Literal

from prudent.models.openai_text import mended
from prudent.models.untrusted import list_of, object_of, text_of
from prudent.types import JSON, JSONObject

TEXT_FIELDS = ("reasoning_content", "reasoning")
FIELDS = (*TEXT_FIELDS, "reasoning_details", "extra_content")
"""Fields of an assistant message that carry reasoning; a server may refuse any of them by name."""

_GROWING = frozenset({"text", "summary", "data"})
"""Members of a detail that a stream delivers in pieces."""

SendBack = Literal["with_calls", "always", "never"]
"""Which assistant messages take their reasoning back."""


class ReasoningKeeper:
    """Collects the reasoning of one reply."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._details: list[JSONObject] = []
        self._parts: list[JSONObject] = []
        self._extra: JSONObject = {}

    def feed(self, delta: JSONObject) -> str:
        """Take a delta's reasoning fields in, and give what of them people can read."""
        readable = ""
        for name in TEXT_FIELDS:
            piece = delta.get(name)
            if isinstance(piece, str):
                self._texts.setdefault(name, []).append(piece)
                # Some servers send the same text under both names.
                readable = readable or piece
        for entry in list_of(delta.get("reasoning_details")):
            piece = self._merge_detail(object_of(entry))
            readable = readable or piece
        self._extra = object_of(delta.get("extra_content")) or self._extra
        return readable

    def feed_parts(self, parts: list[JSON]) -> tuple[str, str]:
        """Take content that comes as a list of parts in; give its thinking and its text."""
        thinking, text = "", ""
        for part in map(object_of, parts):
            if part.get("type") == "thinking":
                inner = part.get("thinking")
                piece = inner if isinstance(inner, str) else "".join(text_of(object_of(p).get("text")) for p in list_of(inner))
                thinking += piece
                self._add_part("thinking", piece)
            elif part.get("type") == "text":
                text += text_of(part.get("text"))
        return thinking, text

    def opaque(self, *, provider: str, text: str, tagged: str, calls: JSONObject) -> str:
        """Write everything that has to go back, as JSON; "" when there is nothing.

        `tagged` is the text with its thinking in tags, where it came so; `calls` what is attached to calls, by position.
        """
        fields: JSONObject = {}
        if self._details:
            fields["reasoning_details"] = list(self._details)
        else:
            fields.update({name: mended("".join(pieces)) for name, pieces in self._texts.items()})
        if self._extra:
            fields["extra_content"] = self._extra
        kept: JSONObject = {"fields": fields} if fields else {}
        if self._parts:
            kept["content"] = [*self._parts, *([{"type": "text", "text": text}] if text else [])]
        elif tagged:
            kept["content"] = tagged
        if calls:
            kept["calls"] = calls
        return json.dumps({"provider": provider, **kept}, ensure_ascii=False) if kept else ""

    def _merge_detail(self, entry: JSONObject) -> str:
        known = next((detail for detail in reversed(self._details) if _same_detail(detail, entry)), None)
        if known is None:
            self._details.append(dict(entry))
        else:
            for name, value in entry.items():
                if name in _GROWING and isinstance(value, str):
                    known[name] = text_of(known.get(name)) + value
                elif value not in (None, "") or name not in known:
                    known[name] = value
        return text_of(entry.get("text")) or text_of(entry.get("summary"))

    def _add_part(self, kind: str, piece: str) -> None:
        if not self._parts:
            self._parts.append({"type": kind, kind: [{"type": "text", "text": ""}]})
        inner = object_of(list_of(self._parts[-1][kind])[0])
        inner["text"] = text_of(inner["text"]) + piece


def _same_detail(known: JSONObject, entry: JSONObject) -> bool:
    """Whether a piece of a stream goes on with a detail that is known already."""
    if known.get("type") != entry.get("type"):
        return False
    if "index" in entry or "index" in known:
        return entry.get("index") == known.get("index")
    return entry.get("id") in (None, known.get("id"))


def kept_for(opaque: str, provider: str) -> JSONObject:
    """Read what `opaque` wrote; empty when another provider wrote it, whose signatures this one could not check."""
    kept = object_of(json.loads(opaque)) if opaque else {}
    return kept if kept.get("provider") == provider else {}
