from __future__ import annotations

import io
import zipfile

import pytest

from prudent.toolkits.knowledge.documents import Block, Unreadable
from prudent.toolkits.knowledge.readers import read_document
from prudent.toolkits.knowledge.readers.word import read_word

_NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS = """<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""


def make_word(body: str, prologue: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        document = f'<?xml version="1.0"?>{prologue}<w:document {_NAMES}><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", document)
    return file.getvalue()


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_paragraphs_and_tables() -> None:
    cell = "<w:tc>{}</w:tc>".format
    table = f"<w:tbl><w:tr>{cell(paragraph('Amount'))}{cell(paragraph('Who'))}</w:tr></w:tbl>"
    body = paragraph("采购 Purchases", "Heading1") + paragraph("Intro") + paragraph("Approval", "Heading2") + table
    document = read_word(make_word(body))
    assert document.title == "采购 Purchases"
    assert document.blocks == (Block("Intro", (), ""), Block("| Amount | Who |", ("Approval",), ""))


def test_an_empty_document_has_nothing() -> None:
    assert read_word(make_word("")).blocks == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "broken"),
        (b"PK\x03\x04 cut", "broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "password"),
        (make_word("<w:p>")[:200], "broken"),
        (make_word("<w:p><unclosed>"), "broken"),
    ],
)
def test_broken_files_are_unreadable(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_document("a.docx", data)


def test_bombs_are_not_unpacked() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"a" * 101_000_000)
    with pytest.raises(Unreadable, match="unpacks to more than"):
        read_document("a.docx", file.getvalue())
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 11))
    laughs = make_word(paragraph("&e10;"), prologue=f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>')
    with pytest.raises(Unreadable):
        read_document("a.docx", laughs)
