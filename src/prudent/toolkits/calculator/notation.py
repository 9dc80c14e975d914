"""What people write, turned into the plain characters that the grammar reads."""

from __future__ import annotations

import re
import unicodedata

from prudent.errors import ToolError
from prudent.toolkits.calculator.functions import FUNCTIONS

MAX_CHARS = 1000
MAX_DEPTH = 50

_AS_ASCII = str.maketrans(
    {
        "×": "*",
        "✕": "*",
        "∙": "*",
        "·": "*",
        "⋅": "*",
        "∗": "*",
        "÷": "/",
        "∕": "/",
        "−": "-",
        "–": "-",
        "—": "-",
        "²": "^2",
        "³": "^3",
        "π": "pi",
        "√": "sqrt",
        "、": ", ",
        "【": "(",
        "】": ")",
        "[": "(",
        "]": ")",
    }
)

_PIECE = re.compile(
    r"(?P<call>[A-Za-z][A-Za-z0-9]*)\s*\(|(?P<open>\()|(?P<close>\))|(?P<grouped>\d{1,3}(?:,\d{3})+(?![\d,]))|(?P<comma>,)\s*|.",
    re.S,
)


def clean(expression: str) -> str:
    """Give the expression in ASCII digits and operators, without separators of thousands, ready for the grammar.

    Raises:
        ToolError: when it is empty, too long, nested too deeply, or a comma can be read in two ways.
    """
    if len(expression) > MAX_CHARS:
        raise ToolError(
            f"the expression has {len(expression):,} characters, at most {MAX_CHARS:,} are taken",
            fix="Work it out in parts: one call for each part, then one that joins the results.",
        )
    text = _plain_characters(expression)
    if not text:
        raise ToolError("the expression is empty", fix='Give one expression, such as "1299 * 19%".')
    return _without_thousands(text)


def _plain_characters(expression: str) -> str:
    text = expression.translate(_AS_ASCII)
    for character in text:
        if unicodedata.category(character) == "No":
            raise ToolError(f"{character!r} can be read in more than one way", fix='Write a fraction as "1/2".')
    text = unicodedata.normalize("NFKC", text).translate(_AS_ASCII)
    text = "".join(str(unicodedata.decimal(c)) if unicodedata.category(c) == "Nd" else c for c in text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*[=?。]+\s*\??$", "", text)


class _Bracket:
    """An open bracket: of a function that takes several arguments, or of a group."""

    def __init__(self, *, separates: bool) -> None:
        self.separates = separates
        self.grouped = ""
        self.spaced = False


def _without_thousands(text: str) -> str:
    """Drop commas inside numbers. Between the arguments of a function a comma separates, whatever stands around it."""
    stack = [_Bracket(separates=False)]
    pieces: list[str] = []
    for match in _PIECE.finditer(text):
        piece = match.group()
        if match["call"] or match["open"]:
            stack.append(_Bracket(separates=_takes_several(match["call"])))
            if len(stack) > MAX_DEPTH:
                raise ToolError(f"more than {MAX_DEPTH} brackets inside one another", fix="Work out the inner part first.")
        elif match["close"]:
            _check_commas(stack.pop() if len(stack) > 1 else stack[0])
        elif match["grouped"] and stack[-1].separates:
            stack[-1].grouped = piece
        elif match["grouped"]:
            piece = piece.replace(",", "")
        elif match["comma"]:
            _check_comma(stack[-1], text, match.start())
            stack[-1].spaced |= piece != ","
        pieces.append(piece)
    return "".join(pieces)


def _takes_several(name: str | None) -> bool:
    function = FUNCTIONS.get((name or "").lower())
    return function is not None and function.most > 1


def _check_comma(bracket: _Bracket, text: str, at: int) -> None:
    if not bracket.separates:
        raise ToolError(
            f"the comma in {text[max(at - 8, 0) : at + 8]!r} separates neither thousands nor arguments",
            fix="Write numbers with a decimal point, such as 1299.50 or 1,299.50.",
        )


def _check_commas(bracket: _Bracket) -> None:
    if bracket.grouped and bracket.spaced:
        raise ToolError(
            f"{bracket.grouped!r} inside a function can be one number or several",
            fix=f"Write {bracket.grouped.replace(',', '')} for one number, {bracket.grouped.replace(',', ', ')} for several.",
        )
