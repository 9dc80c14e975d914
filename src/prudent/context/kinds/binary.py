"""Bytes in words: what they are, how large, and for pictures their measures."""

from __future__ import annotations

import struct

PREVIEW_BYTES = 32
ROW_BYTES = 16

IMAGES_SENT = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The kinds of picture that models take."""

MAX_IMAGE_BYTES = 5_000_000
"""Providers refuse larger pictures."""

_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"\x7fELF", "application/x-elf"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
)

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def media_type_of(data: bytes) -> str:
    """Tell what bytes are by how they begin."""
    for sign, media_type in _SIGNS:
        if data.startswith(sign):
            return media_type
    if data[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "application/octet-stream")
    if data[:2] == b"BM" and len(data) > 26 and int.from_bytes(data[2:6], "little") == len(data):
        return "image/bmp"
    return "video/mp4" if data[4:8] == b"ftyp" else "application/octet-stream"


def text_of(data: bytes) -> str | None:
    """Read bytes that are a text; None when they are not."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return _decoded(data, encoding)
    return None if b"\0" in data[:4096] else _decoded(data, "utf-8")


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    strange = sum(sign < " " and sign not in "\t\r\n\f\x1b" for sign in text[:4096])
    return text if strange * 50 <= min(len(text), 4096) else None


def describe_bytes(data: bytes, media_type: str) -> str:
    """Say in one line what bytes are; of what is no picture the first ones."""
    size = f"{len(data):,} bytes"
    if media_type.startswith("image/"):
        measures = dimensions(data)
        pixels = f", {measures[0]} × {measures[1]} pixels" if measures else ""
        return f"({media_type} picture{pixels}, {size})"
    if not data:
        return "(no bytes)"
    head = data[:PREVIEW_BYTES]
    more = " …" if len(data) > PREVIEW_BYTES else ""
    return f"({media_type}, {size}; begins with hex {head.hex(' ')}{more}, as text {printable(head)!r})"


def printable(data: bytes) -> str:
    """Show each byte as its ASCII character, or as a dot."""
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def hex_rows(data: bytes, start: int, limit: int) -> str:
    """Show bytes in rows of sixteen: place, hex, characters."""
    places = range(start, min(start + limit, len(data)), ROW_BYTES)
    return "\n".join(f"{at:08d}  {row.hex(' '):<47}  {printable(row)}" for at in places for row in (data[at : at + ROW_BYTES],))


def dimensions(data: bytes) -> tuple[int, int] | None:
    """Give width and height of a picture from its head, None where they cannot be read."""
    try:
        if data.startswith(b"\x89PNG"):
            return struct.unpack(">II", data[16:24])
        if data.startswith(b"GIF8"):
            return struct.unpack("<HH", data[6:10])
        if data.startswith(b"BM"):
            width, height = struct.unpack("<ii", data[18:26])
            return width, abs(height)
        if data.startswith(b"\xff\xd8"):
            return _jpeg_dimensions(data)
        return _webp_dimensions(data) if data[8:12] == b"WEBP" else None
    except (struct.error, IndexError):
        return None


def _jpeg_dimensions(data: bytes) -> tuple[int, int] | None:
    at = 2
    while data[at] == 0xFF:
        length = struct.unpack(">H", data[at + 2 : at + 4])[0]
        if data[at + 1] in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None


def _webp_dimensions(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF
