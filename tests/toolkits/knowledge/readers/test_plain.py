from __future__ import annotations

import pytest

from prudent.toolkits.knowledge.documents import Block, Unreadable
from prudent.toolkits.knowledge.readers.plain import decode, read_plain

CHINESE = "年度套餐自购买之日起十五天内可以退货，全额退款。超过十五天不能退货。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_tell_themselves_are_no_guess(encoding: str) -> None:
    assert decode(CHINESE.encode(encoding)) == (CHINESE, ())


@pytest.mark.parametrize("encoding", ["gb18030", "gbk", "big5", "utf-16-le", "utf-16-be"])
def test_a_guessed_encoding_says_so(encoding: str) -> None:
    text = CHINESE if encoding != "big5" else "年度方案可於購買後三十天內退貨，退還全部費用。"
    decoded, notes = decode(text.encode(encoding))
    assert decoded == text
    assert notes[0].startswith("encoding guessed: ")


def test_western_text_is_guessed_too() -> None:
    text = "Les coûts de déplacement sont remboursés à Genève – où ça ?"
    decoded, notes = decode(text.encode("cp1252"))
    assert decoded == text
    assert notes


def test_a_declared_encoding_is_believed_if_it_works() -> None:
    assert decode(CHINESE.encode("gbk"), declared="gb2312") == (CHINESE, ())
    assert decode(CHINESE.encode(), declared="latin-1") == (CHINESE, ())
    assert decode("Genève".encode("cp1252"), declared="no-such-encoding")[1]


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0", b"\0" * 100, b"text\0text"])
def test_what_is_no_text_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match="no text"):
        decode(data)


def test_empty_files_have_nothing() -> None:
    assert read_plain(b"").blocks == ()
    assert read_plain(b" \n\n\t").blocks == ()


def test_a_first_line_that_stands_alone_is_the_title() -> None:
    document = read_plain(b"Warranty\r\n\r\nThree years.\r\nOne more.\r\n")
    assert document.title == "Warranty"
    assert document.blocks == (Block("Warranty", (), "line 1"), Block("Three years.\nOne more.", (), "line 3"))
    assert read_plain(b"A sentence\nthat goes on.").title == ""


def test_long_paragraphs_are_cut_with_their_lines() -> None:
    document = read_plain("\n".join(f"entry {number:04} " + "x" * 80 for number in range(100)).encode())
    assert len(document.blocks) > 5
    for block in document.blocks:
        line = int(block.place.removeprefix("line "))
        assert block.text.startswith(f"entry {line - 1:04}")
