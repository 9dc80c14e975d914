"""Definitions written out as Python, ready to paste: a function with `@tool`, or a macro."""

from __future__ import annotations

import keyword
import math
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence

from prudent.messages import ToolSpec
from prudent.tools.nodes import as_list, as_object, branches, kinds
from prudent.types import JSON, JSONMapping, JSONObject

_WIDTH = 100
_MAX_DEPTH = 3
_RANGES = (("minimum", "ge"), ("maximum", "le"), ("exclusiveMinimum", "gt"), ("exclusiveMaximum", "lt"))
_LENGTHS = (("minLength", "min_length"), ("maxLength", "max_length"))
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]"}
_NUMBERS, _TEXTS = frozenset({"integer", "number"}), frozenset({"string"})
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def python_source(spec: ToolSpec, *, effect: str = "", body: str = "it has to be written") -> str:
    """Write a tool whose signature and docstring give this definition.

    Args:
        spec: the definition, references written out.
        effect: what its calls do; "" leaves it undeclared.
        body: what the error says that the function raises as long as nobody has written it.
    """
    options = [f"effect={quoted(effect)}"] if effect else []
    written = f"raise NotImplementedError({quoted(body)})"
    return _module(spec, "from prudent import tool", "tool", options, body=written)


def macro_source(spec: ToolSpec, steps: Sequence[str], *, tools: Sequence[str]) -> str:
    """Write a macro whose signature and docstring give this definition.

    Args:
        spec: the definition.
        steps: each as an expression: `step("find", find, words=given("words"))`.
        tools: the tools in them, which the reader has to bring.
    """
    names = [
        name for name in ("given", "macro", "result", "step") if name == "macro" or any(f"{name}(" in one for one in steps)
    ]
    lines = [f"from prudent.tools.macro import {', '.join(names)}", "", f"# It needs {', '.join(tools)} of your module."]
    listed = "\n".join(["steps=[", *(f"        {one}," for one in steps), "    ]"])
    return _module(spec, "\n".join(lines), "macro", [listed], body="")


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Give each name as Python can write it, no two alike."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = _identifier(name, found.values())
    return found


def _module(spec: ToolSpec, imports: str, decorator: str, options: Sequence[str], *, body: str) -> str:
    properties, required = as_object(spec.parameters.get("properties")), as_list(spec.parameters.get("required"))
    names = identifiers(properties)
    ordered = sorted(properties, key=lambda name: name not in required)
    parameters = [_parameter(names[name], as_object(properties[name]), is_required=name in required) for name in ordered]
    name = _identifier(spec.name, ())
    given = [*([f"name={quoted(spec.name)}"] if name != spec.name else []), *options]
    if any("\n" in option for option in given):
        heading = [f"@{decorator}(", *(f"    {option}," for option in given), ")"]
    else:
        heading = [f"@{decorator}({', '.join(given)})" if given else f"@{decorator}"]
    lines = [*heading, *_signature(name, parameters), *_docstring(spec, {names[name]: properties[name] for name in ordered})]
    lines += [f"    {body}"] if body else []
    return "\n".join([*_typing("\n".join(parameters)), imports, "", "", *lines, ""])


def _typing(code: str) -> list[str]:
    typing = [name for name in ("Annotated", "Any", "Literal") if re.search(rf"(?<![\w'\"]){name}(?![\w'\"])", code)]
    lines = [f"from typing import {', '.join(typing)}", ""] if typing else []
    return [*lines, *(["from pydantic import Field", ""] if "Field(" in code else [])]


def _signature(name: str, parameters: list[str]) -> list[str]:
    line = f"def {name}({', '.join(parameters)}) -> str:"
    if len(line) <= _WIDTH:
        return [line]
    return [f"def {name}(", *(f"    {parameter}," for parameter in parameters), ") -> str:"]


def _parameter(name: str, node: JSONObject, *, is_required: bool) -> str:
    written = _type(node, 0)
    default = node.get("default")
    if not is_required and (isinstance(default, str | bool) or _is_number(default)):
        return f"{name}: {_limited(written, node)} = {literal(default)}"
    if is_required:
        return f"{name}: {_limited(written, node)}"
    optional = written if written == "Any" or written.endswith("| None") else f"{written} | None"
    return f"{name}: {_limited(optional, node)} = None"


def _limited(written: str, node: JSONObject) -> str:
    """Add the range that a value must be in."""
    admitted = kinds(node, node) - {"null"}
    limits: list[str] = []
    if admitted and admitted <= _NUMBERS:
        limits = [f"{ours}={limit!r}" for key, ours in _RANGES if _is_number(limit := node.get(key))]
    elif admitted == _TEXTS:
        limits = [f"{ours}={limit}" for key, ours in _LENGTHS if type(limit := node.get(key)) is int and limit >= 0]
    return f"Annotated[{written}, Field({', '.join(limits)})]" if limits and not as_list(node.get("enum")) else written


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _type(node: JSONObject, depth: int) -> str:
    choices = [choice for choice in as_list(node.get("enum")) if choice is not None]
    if choices and all(isinstance(choice, str | int) for choice in choices):
        return f"Literal[{', '.join(dict.fromkeys(map(literal, choices)))}]"
    if depth > _MAX_DEPTH:
        return "Any"
    if alternatives := branches(node):
        written = list(dict.fromkeys(_type(as_object(branch), depth + 1) for branch in alternatives))
        return "Any" if "Any" in written else " | ".join(sorted(written, key=lambda name: name == "None"))
    named = [_named(kind, node, depth) for kind in sorted(kinds(node, node) - {"null"})]
    written = list(dict.fromkeys(named))
    nullable = "null" in kinds(node, node)
    if not written:
        return "None" if nullable else "Any"
    return " | ".join([*written, "None"] if nullable else written)


def _named(kind: str, node: JSONObject, depth: int) -> str:
    if kind == "array":
        return f"list[{_type(as_object(node.get('items')), depth + 1)}]"
    return _TYPES.get(kind, "Any")


def _docstring(spec: ToolSpec, parameters: JSONMapping) -> list[str]:
    lines = _wrapped(spec.description or f"{spec.name}.", "    ", '    """')
    about = {
        name: text
        for name, node in parameters.items()
        if isinstance(text := as_object(node).get("description"), str) and text.strip()
    }
    if about:
        lines += ["", "    Args:"]
        for name, text in about.items():
            lines += _wrapped(text, " " * 12, f"        {name}: ")
    if len(lines) == 1 and len(lines[0]) < _WIDTH - 3 and not lines[0].endswith('"'):
        return [lines[0] + '"""']
    return [*lines, '    """']


def _wrapped(text: str, indent: str, first: str) -> list[str]:
    safe = _UNSAFE.sub(" ", text).replace("\\", "\\\\").replace('"""', "'''")
    plain = " ".join(safe.split()) or "…"
    return textwrap.wrap(plain, _WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False)


def _identifier(name: str, used: Collection[str]) -> str:
    plain = re.sub(r"\W", "_", name).strip("_") or "value"
    if not plain.isidentifier():
        plain = f"p_{plain}" if f"p_{plain}".isidentifier() else "value"
    if keyword.iskeyword(plain):
        plain += "_"
    number, wanted = 2, plain
    while plain in used:
        plain, number = f"{wanted}_{number}", number + 1
    return plain


def literal(value: JSON) -> str:
    """Write a JSON value as Python."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)}: {literal(part)}" for name, part in value.items()) + "}"
    return repr(value) if not isinstance(value, float) or math.isfinite(value) else f'float("{value}")'


def quoted(text: str) -> str:
    """Write a text as Python, in double quotes where that needs no more signs."""
    written = repr(text)
    return '"' + written[1:-1] + '"' if written[0] == "'" and '"' not in text and "\\'" not in written else written
