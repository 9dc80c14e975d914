"""PDF, page by page."""

from __future__ import annotations

import io
import logging

from prudent.toolkits.knowledge.documents import Block, Document, Unreadable
from prudent.toolkits.knowledge.readers.plain import paragraphs

MAX_PAGES = 1000


def read_pdf(data: bytes) -> Document:
    """Read a PDF's text. Pages that are pictures have none; a file with a password is opened only if that is empty."""
    # Slow to import (0.2 s), and most folders hold no PDF.
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    reader = PdfReader(io.BytesIO(data))
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("needs a password")
    except DependencyError as error:
        raise Unreadable("encrypted; reading it takes the package cryptography") from error
    blocks = [
        Block(block.text, (), f"page {number}")
        for number, page in enumerate(reader.pages[:MAX_PAGES], start=1)
        for block in paragraphs(page.extract_text().splitlines(), 0, ())
    ]
    if not blocks:
        raise Unreadable("no text in it (scanned pages?)" if len(reader.pages) else "no pages")
    left_out = len(reader.pages) - MAX_PAGES
    notes = (f"the last {left_out} pages were left out",) if left_out > 0 else ()
    return Document(_title(reader.metadata.title if reader.metadata else None), tuple(blocks), notes)


def _title(named: str | None) -> str:
    title = " ".join((named or "").split())
    return (
        "" if title.lower() in {"untitled", "anonymous", "(anonymous)"} or title.lower().startswith("microsoft word") else title
    )
