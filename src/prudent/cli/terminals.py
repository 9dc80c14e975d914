"""What the standard streams are: terminals that can move a cursor, terminals that cannot, or none."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sits at the other end."""
    try:
        return bool(stream and stream.isatty())
    except ValueError:  # closed
        return False


def is_lively(stream: TextIO) -> bool:
    """Whether it is a terminal that can move its cursor, and whose user did not ask for plain text."""
    return is_terminal(stream) and os.environ.get("TERM", "") not in ("", "dumb") and "NO_COLOR" not in os.environ


def somebody_there(shown_on: TextIO) -> bool:
    """Whether a person can be asked: there is a keyboard, and the question would be seen."""
    return is_terminal(sys.stdin) and is_terminal(shown_on)
