from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from prudent.toolkits.knowledge.documents import Block, Unreadable
from prudent.toolkits.knowledge.readers import read_document
from prudent.toolkits.knowledge.readers.pdf import read_pdf


def make_pdf(pages: Sequence[str], *, title: str = "", locked_by: str | None = None) -> bytes:
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(300, 300)
        if text:
            stream = DecodedStreamObject()
            lines = " ".join(f"({line}) Tj T*" for line in text.split("\n"))
            stream.set_data(f"BT /F1 12 Tf 14 TL 20 250 Td {lines} ET".encode())
            page[NameObject("/Contents")] = stream
            page[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
            )
    if title:
        writer.add_metadata({"/Title": title})
    if locked_by is not None:
        writer.encrypt(locked_by, "owner", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def test_each_page_gives_its_text_and_number() -> None:
    document = read_pdf(make_pdf(["Security", "", "Lost devices\nwithin 4 hours"], title="Our  rules"))
    assert document.title == "Our rules"
    assert document.blocks == (Block("Security", (), "page 1"), Block("Lost devices\nwithin 4 hours", (), "page 3"))


def test_titles_that_say_nothing_are_none() -> None:
    assert read_pdf(make_pdf(["x"], title="untitled")).title == ""
    assert read_pdf(make_pdf(["x"])).title == ""


def test_a_password_is_a_reason() -> None:
    with pytest.raises(Unreadable, match="needs a password"):
        read_pdf(make_pdf(["secret"], locked_by="open sesame"))
    assert read_pdf(make_pdf(["free"], locked_by="")).blocks[0].text == "free"


def test_pages_without_text_are_a_reason() -> None:
    with pytest.raises(Unreadable, match="scanned"):
        read_pdf(make_pdf([""]))
    with pytest.raises(Unreadable, match="no pages"):
        read_pdf(make_pdf([]))


@pytest.mark.parametrize("cut", [0, 10, 200, 500])
def test_broken_files_are_unreadable(cut: int) -> None:
    with pytest.raises(Unreadable):
        read_document("a.pdf", make_pdf(["text"])[:cut])
    with pytest.raises(Unreadable):
        read_document("a.PDF", b"%PDF-1.7\n" + bytes(range(256)) * 40)
