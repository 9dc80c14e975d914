"""Toolkit `report`: findings as a Markdown file and an HTML page, with tables, charts and the source of every figure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from prudent.errors import ToolError, WorkspaceEscape
from prudent.toolkits.report.content import Section, check
from prudent.toolkits.report.markdown import to_markdown
from prudent.toolkits.report.page import to_page
from prudent.tools.definition import Tool, tool
from prudent.types import JSONMapping
from prudent.workspace import Workspace

_MAX_NAME_CHARS = 60
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")


def write_report(title: str, sections: list[Section], *, folder: Path) -> str:
    """Write a report as a Markdown file and an HTML page; gives their paths. It overwrites no other report.

    Args:
        title: 1 to 200 characters; also gives the file name.
        sections: 1 to 30, in reading order.
        folder: Where reports are kept.
    """
    check(title, sections)
    page, markdown = to_page(title, sections).encode(), to_markdown(title, sections).encode()
    name, is_new = _write(Workspace(folder), file_name(title), page, markdown)
    done = "Wrote" if is_new else "Already there with the same content:"
    return f"{done} {folder / name}.html and {folder / name}.md ({_contents(sections)})."


def file_name(title: str) -> str:
    """Turn a title into a file name without ending: letters and digits of any script, joined by hyphens."""
    plain = unicodedata.normalize("NFKC", title).lower()
    name = re.sub(r"[\W_]+", "-", plain).strip("-")[:_MAX_NAME_CHARS].strip("-")
    return f"report-{name}" if not name or _RESERVED.fullmatch(name) else name


def report(folder: Path) -> list[Tool]:
    """Make the tool `write_report`.

    Args:
        folder: Where reports are kept; it is made with the first report.
    """
    folder = folder.resolve()
    return [
        tool(
            partial(write_report, folder=folder),
            name="write_report",
            when="Use it when the user asks for a report, a summary to keep, a table or a chart. First get all facts; then "
            "call it once.",
            not_when="Not for what a sentence in the answer settles, nor for numbers that no call has given.",
            effect="write",
            idempotent=True,
            timeout_seconds=15,
            run_in="process",
            resource=partial(_resource, folder),
            preview=partial(_preview, folder),
            toolkit="report",
        )
    ]


def _contents(sections: Sequence[Section]) -> str:
    counts = {
        "section": len(sections),
        "table": sum(1 for section in sections if section.table),
        "chart": sum(1 for section in sections if section.chart),
        "figure with its source call": sum(len(section.figures) for section in sections),
    }
    return ", ".join(f"{count} {_plural(name) if count > 1 else name}" for name, count in counts.items() if count)


def _plural(name: str) -> str:
    first, *rest = name.split(" ", 1)
    return " ".join([f"{first}s", *rest]).replace("its source call", "their source calls")


def _write(workspace: Workspace, name: str, page: bytes, markdown: bytes) -> tuple[str, bool]:
    """Write both files under the first name that is free, or holds the same already; the content decides the second name."""
    digest = hashlib.sha256(page + markdown).hexdigest()
    for candidate in (name, f"{name}-{digest[:8]}", f"{name}-{digest[:24]}"):
        files = {f"{candidate}.html": page, f"{candidate}.md": markdown}
        try:
            missing = [file for file, data in files.items() if not _is_there(workspace, file, data)]
            for file in missing:
                workspace.create(file, files[file])
        except FileExistsError:
            continue
        except (OSError, WorkspaceEscape) as error:
            raise ToolError(
                f"the report could not be written: {error}", fix="Tell the user: the folder must be writable."
            ) from error
        return candidate, bool(missing)
    raise ToolError(f"other files stand at {name}", fix="Give another title.")


def _is_there(workspace: Workspace, file: str, data: bytes) -> bool:
    """Whether a file has this content; raises FileExistsError where it has another."""
    path = workspace.resolve(file)
    if not path.exists():
        return False
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return True
    raise FileExistsError(path)


def _resource(folder: Path, arguments: JSONMapping) -> str:
    return str(folder / file_name(str(arguments.get("title", ""))))


def _preview(folder: Path, arguments: JSONMapping) -> str:
    sections = arguments.get("sections")
    headings = (
        [str(section.get("heading", "")) for section in sections if isinstance(section, dict)]
        if isinstance(sections, list)
        else []
    )
    return f"Would write {_resource(folder, arguments)}.html and .md: {'; '.join(headings)[:500]}"
