"""Text made such that it can be written anywhere: to a database, a terminal, a provider."""

from __future__ import annotations

import re

NUL_SIGN = "\N{SYMBOL FOR NULL}"
"""Stands for a NUL character, one for one, so that positions stay true."""

_ADDRESS = re.compile(r" (?:object )?at 0x[0-9A-Fa-f]+")


def clean(text: str) -> str:
    """Join split surrogate pairs, replace single surrogates and NUL characters; anything else stays as it is."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", NUL_SIGN) if "\0" in text else text


def type_name(value: object) -> str:
    """Name a value's type, bounded and clean."""
    try:
        return clean(str(type(value).__name__))[:80]
    except Exception:  # a metaclass may do anything
        return "object"


def safe_text(value: object) -> str:
    """Give a value's own text, whatever it is, without addresses, since these differ each time; its type where it has none."""
    if isinstance(value, str):
        return clean(str.__str__(value))
    try:
        text = str(value)
    except Exception:  # the value's own code
        return f"<{type_name(value)}>"
    return clean(_ADDRESS.sub("", text)) if " at 0x" in text else clean(text)
