"""Writing into Python sources what is mechanical, and touching nothing else: spelled enumeration values, defaults and ranges.

Pieces of text are put in at places that the syntax tree names, so that formatting and comments stay as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prudent.design.lint.abbreviations import spell
from prudent.design.lint.defaults import unstated
from prudent.design.lint.judge import Choice
from prudent.design.sheet import Definition, Parameter

_LONGEST_LINE = 110
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
"""A line as Python counts them: a form feed or a rare separator ends none."""

_ARGUMENTS = re.compile(r"\s*(args|arguments|parameters|params|参数|参数说明|入参|参数列表)\s*[:：]\s*$", re.IGNORECASE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Insertion:
    """A piece of text that goes in at a place."""

    at: int
    """Offset in the text."""

    text: str
    instead_of: int = 0
    """How many characters it replaces."""


def mend_source(text: str, definitions: Iterable[Definition], choice: Choice) -> str:
    """Mend the functions of one file as far as that is mechanical; the text as it is where nothing can be done.

    Args:
        text: the file's text.
        definitions: the tools that are defined in it.
        choice: which rules apply.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    layout = _Layout(text)
    functions = {_first_line(node): node for node in ast.walk(tree) if isinstance(node, Function)}
    insertions: list[Insertion] = []
    for definition in definitions:
        node = functions.get(definition.source.line)
        if node is not None:
            insertions += _insertions(node, definition, choice, layout)
    newline = "\r\n" if "\r\n" in text else "\n"
    mended = text
    for one in sorted(insertions, key=lambda one: -one.at):
        mended = mended[: one.at] + one.text.replace("\n", newline) + mended[one.at + one.instead_of :]
    return mended if _is_same_program(tree, mended) else text


class _Layout:
    """Offsets of a text's lines; the tree counts columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _LINE.findall(text)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column_bytes: int) -> int:
        """Give the offset of a place of the tree."""
        written = self.lines[line - 1] if line <= len(self.lines) else ""
        return self._starts[line - 1] + len(written.encode()[:column_bytes].decode(errors="ignore"))

    def end(self, node: ast.expr) -> int:
        """Give the offset behind a node."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def start(self, node: ast.expr) -> int:
        """Give the offset of a node."""
        return self.offset(node.lineno, node.col_offset)

    def start_of_line(self, line: int) -> int:
        """Give the offset of a line, counted from 1."""
        return self._starts[line - 1]


def _insertions(node: Function, definition: Definition, choice: Choice, layout: _Layout) -> Iterator[Insertion]:
    top = [parameter for parameter in definition.parameters if parameter.is_top]
    pairs: dict[str, str] = {}
    if choice.applies("E301", definition.name) and definition.form == "tool":
        pairs = _pairs(top)
        written = list(_spellings(node, pairs, layout))
        pairs = pairs if written else {}
        yield from written
    if choice.applies("P208", definition.name):
        spelled = {short: full for full, short in pairs.items()}
        for parameter in top:
            missing = unstated(parameter, definition, spelled)
            if missing and not re.search(r"""["'\\{}]""", missing):
                yield from _statement(node, parameter, missing, layout, chinese=definition.is_chinese)


def _pairs(parameters: Sequence[Parameter]) -> dict[str, str]:
    """Give the spelled values with the short ones; none where two parameters mean different values by one spelling."""
    pairs: dict[str, str] = {}
    for parameter in parameters:
        for short, full in spell(parameter).items():
            if pairs.setdefault(full, short) != short:
                return {}
    return pairs if len(set(pairs.values())) == len(pairs) else {}


def _spellings(node: Function, pairs: Mapping[str, str], layout: _Layout) -> Iterator[Insertion]:
    """Write `enum_values={…}` into the decorator."""
    decorator = next((one for one in node.decorator_list if _is_tool(one)), None)
    if not pairs or decorator is None:
        return
    option = "enum_values={" + ", ".join(f'"{full}": "{short}"' for full, short in pairs.items()) + "}"
    if not isinstance(decorator, ast.Call):
        yield Insertion(layout.end(decorator), f"({option})")
        return
    if any(keyword.arg in ("enum_values", None) for keyword in decorator.keywords):
        return
    given = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
    if not given:
        yield Insertion(layout.end(decorator) - 1, option)
        return
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
    end, last_line = layout.end(last), last.end_lineno or last.lineno
    has_comma = re.match(r"\s*,", layout.text[end:]) is not None
    if (decorator.end_lineno or 0) == last_line:
        yield Insertion(end, f", {option}")
        return
    line = layout.lines[last_line - 1] if last.lineno == last_line else layout.lines[decorator.lineno]
    indent = line[: len(line) - len(line.lstrip())]
    if not has_comma:
        yield Insertion(end, ",")
    yield Insertion(layout.start_of_line(last_line + 1), f"{indent}{option},\n")


def _statement(node: Function, parameter: Parameter, missing: str, layout: _Layout, *, chinese: bool) -> Iterator[Insertion]:
    """Write what is missing at the end of a parameter's description, where that stands."""
    field = _field_description(node, parameter.name)
    if field is not None:
        end = layout.end(field)
        quoted = layout.text[layout.start(field) : end]
        if field.lineno == field.end_lineno and quoted[:1] in ("'", '"') and not quoted.startswith(('"""', "'''")):
            yield _appended(layout.text, end - 1, missing, indent="", chinese=chinese)
        return
    place = _item_end(node, parameter.name, layout)
    if place is not None:
        at, indent = place
        yield _appended(layout.text, at, missing, indent=indent, chinese=chinese)


def _appended(text: str, at: int, missing: str, *, indent: str, chinese: bool) -> Insertion:
    """Add a half sentence before the final stop, on a line of its own where the line would get long."""
    stop = text[at - 1] if text[at - 1 : at] in (".", "。") else ""
    length = at - (text.rfind("\n", 0, at) + 1)
    wide = bool(indent) and length + len(missing) + 3 > _LONGEST_LINE
    joint = "；" if chinese else ";\n" + indent if wide else "; "
    return Insertion(at - len(stop), f"{joint}{missing}{stop}", len(stop))


def _item_end(node: Function, name: str, layout: _Layout) -> tuple[int, str] | None:
    """Find where a parameter's item in the docstring ends, and the indentation of a further line of it."""
    first = node.body[0] if node.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant) or not isinstance(first.value.value, str):
        return None
    last_line = first.value.end_lineno or first.value.lineno
    closing = layout.end(first.value) - 3
    inside, item_indent, end, further = False, -1, -1, ""
    for number in range(first.value.lineno, last_line + 1):
        line = layout.lines[number - 1]
        text = line[: closing - layout.start_of_line(number)] if number == last_line else line
        indent = len(text) - len(text.lstrip())
        if _ARGUMENTS.match(text):
            inside = True
        elif item_indent >= 0 and (not text.strip() or indent <= item_indent):
            break
        elif item_indent >= 0 or (inside and re.match(rf"\s*{re.escape(name)}\s*(\([^)]*\))?\s*[:：]", text)):
            if item_indent < 0:
                item_indent = indent
                further = " " * (indent + 4)
            end = layout.start_of_line(number) + len(text.rstrip())
    return (end, further) if end >= 0 else None


def _field_description(node: Function, name: str) -> ast.Constant | None:
    """Find `Field(description="…")` in a parameter's annotation or default."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    annotation = next((one.annotation for one in arguments if one.arg == name), None)
    for inner in ast.walk(annotation) if annotation is not None else ():
        if isinstance(inner, ast.keyword) and inner.arg == "description" and isinstance(inner.value, ast.Constant):
            return inner.value
    return None


def _is_tool(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (isinstance(named, ast.Name) and named.id == "tool") or (isinstance(named, ast.Attribute) and named.attr == "tool")


def _first_line(node: Function) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _is_same_program(tree: ast.Module, mended: str) -> bool:
    """Make sure that nothing but texts and options was changed."""
    try:
        again = ast.parse(mended)
    except (SyntaxError, ValueError):
        return False
    return _skeleton(tree) == _skeleton(again)


def _skeleton(tree: ast.Module) -> list[str]:
    """Describe a program without its strings and its decorators."""
    left_out = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, Function)
        for one in node.decorator_list
        for inner in ast.walk(one)
    }
    kept = (node for node in ast.walk(tree) if id(node) not in left_out)
    return [type(node).__name__ for node in kept]
