"""`prudent lint --fix`, `--diff` and `--rewrite`: what would be changed, as a diff, and changing it."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio

from prudent.cli.exits import OK
from prudent.cli.lint_inputs import Input
from prudent.cli.lint_text import write_lines
from prudent.cli.narration import Line, Style, line
from prudent.cli.text import count, visible
from prudent.design.lint.judge import Choice, Verdict, judge
from prudent.design.mending import mend_source
from prudent.design.mending_json import mend_json
from prudent.design.reading import parse
from prudent.design.rewriting import rewrite
from prudent.design.sheet import Definition
from prudent.errors import ConfigurationError
from prudent.models.names import resolve
from prudent.ports import Model


def show_fixes(inputs: Sequence[Input], choice: Choice, *, write: bool) -> int:
    """Show what is mechanical to mend, and write it where that is asked for."""
    changes = [*_python_changes(inputs, choice), *_json_changes(inputs, choice)]
    for source, target, old, new in changes:
        write_lines(_diff(old, new, str(source), str(target)))
        if write:
            _write(target, new)
            sys.stdout.write(f"wrote {target}\n")
    if not changes:
        sys.stdout.write("nothing here can be mended by itself; `prudent lint` says what to write\n")
    elif not write:
        sys.stdout.write(f"{count(len(changes), 'file')} would be written by --fix\n")
    return OK


def show_rewrites(inputs: Sequence[Input], verdicts: Sequence[Verdict], model: str, base_url: str | None) -> int:
    """Show what a model would write instead, and what each score would be."""
    pairs = [
        (definition, tool.findings)
        for one, verdict in zip(inputs, verdicts, strict=True)
        for definition, tool in zip(one.definitions, verdict.tools, strict=True)
        if tool.findings and not definition.broken
    ]
    opened = resolve(model, base_url=base_url)

    async def ask_all(asked: Model) -> None:
        try:
            for definition, findings in pairs:
                better = await rewrite(definition, findings, asked)
                write_lines(_comparison(definition, better))
        finally:
            await asked.aclose()

    anyio.run(ask_all, opened)
    if not pairs:
        sys.stdout.write("there is nothing to rewrite\n")
    return OK


def _python_changes(inputs: Sequence[Input], choice: Choice) -> Iterator[tuple[Path, Path, str, str]]:
    by_file: dict[str, list[Definition]] = {}
    for one in inputs:
        for definition in one.definitions:
            if definition.is_code and definition.source.file:
                by_file.setdefault(definition.source.file, []).append(definition)
    for name, definitions in by_file.items():
        file = Path(name)
        if not file.is_file() or "site-packages" in file.parts:
            continue
        old = file.read_bytes().decode("utf-8", "replace")
        new = mend_source(old, definitions, choice)
        if new != old and "\ufffd" not in old:
            yield file, file, old, new


def _json_changes(inputs: Sequence[Input], choice: Choice) -> Iterator[tuple[Path, Path, str, str]]:
    for one in inputs:
        if one.file is None:
            continue
        document = parse(one.file.read_text(encoding="utf-8-sig"), one.file)
        mended = mend_json(document, one.definitions, choice)
        if mended != document:
            old, new = (json.dumps(value, ensure_ascii=False, indent=2) + "\n" for value in (document, mended))
            yield one.file, one.file.with_name(f"{one.file.stem}.fixed.json"), old, new


def _write(file: Path, text: str) -> None:
    try:
        file.write_bytes(text.encode())
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}") from error


def _comparison(old: Definition, new: Definition | None) -> Iterator[Line]:
    if new is None:
        yield line(("warn", f"{visible(old.name)}: the model gave no usable answer"))
        return
    before, after = (judge("", [definition]).tools[0].score for definition in (old, new))
    yield from _diff(_readable(old), _readable(new), old.name, f"{old.name} (score {before} -> {after})")


def _readable(definition: Definition) -> str:
    lines = [definition.description]
    lines += [f"  {parameter.name}: {parameter.text}" for parameter in definition.parameters if parameter.is_top]
    return "\n".join(lines) + "\n"


def _diff(old: str, new: str, source: str, target: str) -> Iterator[Line]:
    styles: dict[str, Style] = {"+": "good", "-": "bad", "@": "dim"}
    for text in difflib.unified_diff(old.splitlines(), new.splitlines(), source, target, lineterm=""):
        yield line((styles.get(text[:1], ""), visible(text)))
