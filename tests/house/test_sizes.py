"""Limits with teeth: no file over 300 lines, no marks that switch a check off without a reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "prudent").rglob("*.py"))
MOST_LINES = 300
MOST_STATEMENTS = 40


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_file_does_one_job_in_300_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_no_check_is_switched_off_in_the_loop() -> None:
    for path in (ROOT / "src" / "prudent" / "loop").rglob("*.py"):
        assert not re.search(r"# *(noqa|type: *ignore|pyright: *ignore)", path.read_text(encoding="utf-8")), path


def test_nothing_hides_behind_type_checking() -> None:
    for path in SOURCES:
        assert not re.search(r"import .*TYPE_CHECKING|if TYPE_CHECKING", path.read_text(encoding="utf-8")), path


def test_the_turn_loop_fits_on_a_screen() -> None:
    text = (ROOT / "src" / "prudent" / "loop" / "run.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100


def test_imports_inside_functions_have_their_reason_beside_them() -> None:
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    near = lines[max(0, inner.lineno - 3) : (inner.end_lineno or inner.lineno)]
                    assert any("#" in line for line in near), f"{path}:{inner.lineno}: {lines[inner.lineno - 1].strip()}"


def test_there_is_no_drawer_for_everything() -> None:
    assert not [path for path in SOURCES if path.name in ("utils.py", "helpers.py", "common.py", "misc.py")]


def test_private_names_stay_in_their_module() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("prudent"):
                assert not [alias.name for alias in node.names if alias.name.startswith("_")], path
