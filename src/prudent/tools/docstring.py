"""Reading a Google-style docstring, English or Chinese: what a function does, and what each parameter means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ARGUMENTS = {"args", "arguments", "parameters", "params", "参数", "参数说明", "入参", "参数列表"}
_OTHER_SECTIONS = {
    *("returns", "return", "yields", "yield", "raises", "example", "examples", "note", "notes", "attributes"),
    *("see also", "todo", "warning", "warnings", "references"),
    *("返回", "返回值", "异常", "抛出", "引发", "示例", "例子", "注意", "备注", "说明", "用法"),
}
_HEADING = re.compile(r"([A-Za-z][A-Za-z ]*|[\u4e00-\u9fff]+)\s*[:：]\s*")
_ITEM = re.compile(r"(\w+)\s*(?:[(（][^)）]*[)）])?\s*[:：]\s*(.*)")
_CJK = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class DocText:
    """What a docstring says."""

    summary: str = ""
    """Everything that stands in no section, line breaks kept."""

    parameters: dict[str, str] = field(default_factory=dict[str, str])
    """Descriptions from the section of arguments, each on one line."""


def read_docstring(text: str | None) -> DocText:
    """Read a docstring; the sections other than the arguments (returns, raises, examples, …) are left out."""
    summary: list[str] = []
    arguments: list[str] = []
    section: str | None = None
    for line in inspect.cleandoc(text or "").splitlines():
        if heading := _heading(line):
            section = heading
        elif section and line[:1].strip():
            section = None
        if section is None:
            summary.append(line.rstrip())
        elif section == "arguments" and not heading:
            arguments.append(line)
    return DocText(re.sub(r"\n{3,}", "\n\n", "\n".join(summary)).strip(), dict(_items(arguments)))


def _heading(line: str) -> str | None:
    match = _HEADING.fullmatch(line)
    word = match[1].strip().lower() if match else ""
    if word in _ARGUMENTS:
        return "arguments"
    return "other" if word in _OTHER_SECTIONS else None


def _items(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names and descriptions; a line that is indented deeper, or names nothing, goes on with the item before."""
    name, text = "", ""
    depth: int | None = None
    for line in filter(str.strip, lines):
        indent = len(line) - len(line.lstrip())
        depth = indent if depth is None else depth
        match = _ITEM.fullmatch(line.strip()) if indent <= depth else None
        if not match:
            text = _join(text, line.strip())
            continue
        if name:
            yield name, text
        name, text = match[1], match[2].strip()
    if name:
        yield name, text


def _join(first: str, second: str) -> str:
    """Join two lines of running text: Chinese needs no space between them."""
    if not first or not second:
        return first or second
    both_chinese = _CJK.match(first[-1]) and _CJK.match(second[0])
    return first + second if both_chinese else f"{first} {second}"
