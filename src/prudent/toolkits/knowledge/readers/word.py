"""Word documents (docx), by way of HTML."""

from __future__ import annotations

import importlib
import io
import zipfile

from prudent.toolkits.knowledge.documents import Document, Unreadable
from prudent.toolkits.knowledge.readers.page import read_html

_MAX_UNPACKED = 100_000_000
_STYLES = "p[style-name='Title'] => h1:fresh"


def read_word(data: bytes) -> Document:
    """Read a docx file's headings, paragraphs, lists and tables."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable("needs a password, or is in the old Word format")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_UNPACKED:
            raise Unreadable(f"unpacks to more than {_MAX_UNPACKED:,} bytes")
    # Slow to import, and most folders hold no Word document.
    mammoth = importlib.import_module("mammoth")
    page = mammoth.convert_to_html(
        io.BytesIO(data), style_map=_STYLES, include_embedded_style_map=False, convert_image=_leave_out
    )
    return read_html(str(page.value), numbered=False)


def _leave_out(_image: object) -> list[object]:
    """Put nothing in place of a picture, which would be carried along as text."""
    return []
