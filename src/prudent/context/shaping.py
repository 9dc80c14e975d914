"""Raw results turned into what the model sees: short, with a visible mark and a handle where something is left out.

A result is data. Nothing in it is obeyed, and nothing is taken out of it because of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from prudent.context.cleaning import type_name
from prudent.context.cutting import Draft, mark
from prudent.context.digests import digest_request, shown_digest
from prudent.context.failures import describe_exception, error_text
from prudent.context.json_text import encode
from prudent.context.kinds.binary import IMAGES_SENT, MAX_IMAGE_BYTES
from prudent.context.kinds.texts import shorten_text
from prudent.context.projection import project
from prudent.context.relevance import terms_of
from prudent.context.rendering import SOURCE, Rendered, hash_of, reading_text, render
from prudent.errors import ErrorKind
from prudent.messages import Image, Message
from prudent.ports import Artifacts, Shaped
from prudent.tools.definition import Tool

__all__ = ["ResultShaper", "describe_exception", "error_text"]

MAX_IMAGES = 4
MAX_NOTE_CHARS = 240


class ResultShaper:
    """The common shaping of results; a tool's own `shape` comes before it."""

    def __init__(self, artifacts: Artifacts, *, images: bool = False, task: str = "") -> None:
        """Shape results of one run.

        Args:
            artifacts: where full results are kept.
            images: whether the model takes pictures; else it gets their description.
            task: what the run is about; decides which parts of long results are pointed out.
        """
        self._artifacts = artifacts
        self._images = images
        self._task = task

    def shape(self, tool: Tool, call_id: str, result: object) -> Shaped:
        """Shape a result: at most `max_result_chars` characters and a mark. Never raises, whatever the result is."""
        try:
            return self._shape(tool, call_id, result)
        except Exception as error:  # the result's own code may do anything; the run goes on
            text = f"(the result, of type {type_name(result)}, could not be shown: {type_name(error)})"
            return Shaped(text, len(text), hash_of(text))

    def shape_error(self, error: Exception) -> tuple[ErrorKind, Shaped]:
        """Tell the model why a call has no result: `{"error": {"kind", "reason", "fix"}}`. Never raises."""
        kind: ErrorKind = "tool_error"
        try:
            kind, reason, fix = describe_exception(error)
            text = error_text(kind, reason, fix)
        except Exception:  # the error's own code may do anything
            text = error_text(kind, f"the tool failed with {type_name(error)}")
        return kind, Shaped(text, len(text), hash_of(text))

    def digest_request(self, shaped: Shaped, window_tokens: int) -> tuple[Message, ...] | None:
        """Write what a model is asked for a summary of a kept result; None for what is no long text."""
        return digest_request(self._artifacts.find(shaped.artifact), self._task, window_tokens)

    def with_digest(self, tool: Tool, shaped: Shaped, written: str, *, by: str) -> Shaped:
        """Show a model's summary; the result as it was where no figure of it can be believed."""
        shown = shown_digest(self._artifacts.find(shaped.artifact), written, max(tool.max_result_chars, 1), by)
        return replace(shaped, shown=shown) if shown else shaped

    def _shape(self, tool: Tool, call_id: str, result: object) -> Shaped:
        raw, seen, notes = _render_twice(tool, result)
        images = self._pictures(seen)
        draft = self._draft(seen, max(tool.max_result_chars, 1))
        kept = seen
        if raw is not seen and (draft.left_out or len(raw.text) > len(seen.text)):
            kept, draft = (
                raw,
                replace(draft, left_out=f"parts of {raw.chars:,} characters", next_start=0, searchable=not raw.is_bytes),
            )
        is_page = seen.media_type == "text/html" and draft.body != seen.text
        handle = self._keep(call_id, kept) if draft.left_out or is_page or _is_lost(kept, images) else ""
        notes = (*notes, *seen.notes, *_remarks(seen, images, handle, is_page=is_page))
        shown = _with_notes(draft.body, seen, draft, notes)
        shown = "\n".join(filter(None, (shown, mark(draft, handle))))
        return Shaped(shown, raw.chars, raw.hash if raw is seen else hash_of(raw.hash + seen.hash), handle, images)

    def _draft(self, seen: Rendered, limit: int) -> Draft:
        if seen.is_bytes:
            left_out = "" if seen.pictures or not seen.content else "the bytes themselves"
            return Draft(seen.text, left_out, searchable=False)
        if not seen.text.strip():
            return Draft(f"(blank text of {len(seen.text):,} characters)" if seen.text else "(empty text)")
        if len(seen.text) <= limit:
            return Draft(seen.text)
        reading = reading_text(seen.media_type, seen.text)
        return Draft(reading) if len(reading) <= limit else shorten_text(reading, limit, terms_of(self._task))

    def _pictures(self, seen: Rendered) -> tuple[Image, ...]:
        if not self._images:
            return ()
        fit = [each for each in seen.pictures if each.media_type in IMAGES_SENT and len(each.data) <= MAX_IMAGE_BYTES]
        return tuple(fit[:MAX_IMAGES])

    def _keep(self, call_id: str, kept: Rendered) -> str:
        try:
            return self._artifacts.keep(call_id, kept.media_type, kept.content)
        except Exception:  # the mark says that the rest is not there; a lost run shows at the next append
            return ""


def _render_twice(tool: Tool, result: object) -> tuple[Rendered, Rendered, tuple[str, ...]]:
    """Render the raw result, and what the tool's own shaping makes of it; the same where there is none."""
    shape = tool.shape or (partial(project, fields=tool.fields) if tool.fields else None)
    if shape is None:
        raw = render(result)
        return raw, raw, ()
    once = isinstance(result, Iterator)
    raw = None if once else render(result)
    try:
        seen = render(shape(result))
    except Exception as error:  # a user's function
        raw = raw or render(result)
        return raw, raw, (f"the tool's own shaping failed with {type_name(error)}; this is the raw result",)
    return raw or seen, seen, ()


def _is_lost(kept: Rendered, images: tuple[Image, ...]) -> bool:
    """Whether what was returned would be gone: bytes of which only a description is shown."""
    return kept.is_bytes and kept.chars > 0 and not images


def _remarks(seen: Rendered, images: tuple[Image, ...], handle: str, *, is_page: bool) -> tuple[str, ...]:
    """Say what the text alone does not: where pictures are, and that a page is shown as text."""
    remarks: list[str] = []
    if is_page and handle:
        remarks.append(f'text of an HTML page; read_more("{handle}{SOURCE}") reads its source')
    if images:
        remarks.append(
            f"{len(images)} of {len(seen.pictures)} pictures attached" if len(seen.pictures) > 1 else "picture attached"
        )
    elif seen.pictures:
        remarks.append(f"the picture itself is not shown; kept as {handle}" if handle else "pictures are not shown")
    return tuple(remarks)


def _with_notes(body: str, seen: Rendered, draft: Draft, notes: tuple[str, ...]) -> str:
    """Add notes: inside where the body is whole JSON, so that it stays valid; else on a line of their own."""
    if not notes:
        return body
    note = "; ".join(notes)[:MAX_NOTE_CHARS]
    if not seen.is_json or draft.left_out:
        return f"{body}\n[note: {note}]"
    name = "_note" if '"note":' in body else "note"
    if body.startswith("{") and body != "{}":
        return f'{body[:-1]},"{name}":{encode(note)}}}'
    return f'{{"result":{body},"note":{encode(note)}}}'
