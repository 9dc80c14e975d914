"""Bytes in words."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.context.kinds.binary import describe_bytes, dimensions, hex_rows, media_type_of, text_of

JPEG = (
    b"\xff\xd8\xff\xe0"
    + struct.pack(">H", 16)
    + b"JFIF"
    + bytes(10)
    + b"\xff\xc0"
    + struct.pack(">HBHH", 17, 8, 480, 640)
    + bytes(10)
)
GIF = b"GIF89a" + struct.pack("<HH", 20, 10) + bytes(10)
WEBP_X = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + (799).to_bytes(3, "little") + (599).to_bytes(3, "little")
WEBP_L = b"RIFF\x00\x00\x00\x00WEBPVP8L" + bytes(4) + b"\x2f" + (99 | 49 << 14).to_bytes(4, "little") + bytes(8)
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(10) + struct.pack("<HH", 320, 200)
BMP = b"BM" + (70).to_bytes(4, "little") + bytes(12) + struct.pack("<ii", 12, -8) + bytes(44)


@pytest.mark.parametrize(
    ("data", "media_type", "measures"),
    [
        (JPEG, "image/jpeg", (640, 480)),
        (GIF, "image/gif", (20, 10)),
        (WEBP_X, "image/webp", (800, 600)),
        (WEBP_L, "image/webp", (100, 50)),
        (WEBP, "image/webp", (320, 200)),
        (BMP, "image/bmp", (12, 8)),
        (b"%PDF-1.7", "application/pdf", None),
        (b"PK\x03\x04rest", "application/zip", None),
        (b"\x1f\x8brest", "application/gzip", None),
        (b"SQLite format 3\0", "application/vnd.sqlite3", None),
        (b"BM is a text", "application/octet-stream", None),
        (b"", "application/octet-stream", None),
    ],
)
def test_bytes_are_recognised_by_how_they_begin(data: bytes, media_type: str, measures: tuple[int, int] | None) -> None:
    assert media_type_of(data) == media_type
    assert dimensions(data) == measures


@pytest.mark.parametrize("data", [JPEG, GIF, WEBP, WEBP_L, WEBP_X, BMP, b"\x89PNG\r\n\x1a\n"])
def test_a_picture_cut_anywhere_is_still_described(data: bytes) -> None:
    for end in range(len(data)):
        assert f"{end:,} bytes" in describe_bytes(data[:end], "image/png")


@given(st.binary())
def test_any_bytes_are_described_in_a_line_that_can_be_read(data: bytes) -> None:
    line = describe_bytes(data, media_type_of(data))
    assert line.isprintable()
    assert len(line) < 300


def test_text_is_told_from_other_bytes() -> None:
    assert text_of("Grüße\n你好".encode()) == "Grüße\n你好"
    assert text_of("\ufeffa,b\n".encode()) == "a,b\n"
    assert text_of("你好".encode("utf-16")) == "你好"
    assert text_of(b"\x00\xff\xfe\x80 head") is None
    assert text_of(b"\xff\xfe\x80") is None
    assert text_of(bytes(range(1, 32)) * 9) is None


def test_rows_of_bytes_have_their_place() -> None:
    rows = hex_rows(b"0123456789abcdefXYZ\xff", 0, 480).split("\n")
    assert rows[0] == f"00000000  {b'0123456789abcdef'.hex(' ')}  0123456789abcdef"
    assert rows[1].startswith("00000016  58 59 5a ff ")
    assert rows[1].endswith("XYZ.")
