"""Python files by path: imported once, under a steady name, with errors in the file's own terms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prudent.config.python_file import find_name, load_python_file, split_reference
from prudent.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("reference", "split"),
    [
        ("agents.py:support", ("agents.py", "support")),
        ("agents.py", ("agents.py", "")),
        ("agent.toml", ("agent.toml", "")),
        (r"C:\work\agents.py:support", (r"C:\work\agents.py", "support")),
        (r"C:\work\agents.py", (r"C:\work\agents.py", "")),
        ("a.py:Outer.inner", ("a.py", "Outer.inner")),
    ],
)
def test_a_reference_has_a_file_and_a_name(reference: str, split: tuple[str, str]):
    assert split_reference(reference) == split


def test_a_file_is_imported_once_and_can_import_its_neighbours(tmp_path: Path):
    write(tmp_path, "neighbour_of_mine.py", "value = 7\n")
    file = write(tmp_path, "some_agents.py", "from neighbour_of_mine import value\nclass Outer:\n    inner = value\n")
    module = load_python_file(file)
    assert load_python_file(file) is module
    assert module.__name__ == "some_agents"
    assert sys.modules["some_agents"] is module
    assert find_name(module, "Outer.inner", file) == 7


def test_names_that_are_taken_are_not_taken_again(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = load_python_file(write(tmp_path / "a", "same_name.py", "x = 1\n"))
    second = load_python_file(write(tmp_path / "b", "same_name.py", "x = 2\n"))
    shadow = load_python_file(write(tmp_path / "a", "json.py", "x = 3\n"))
    assert (first.x, second.x, shadow.x) == (1, 2, 3)
    assert second.__name__ == load_python_file(tmp_path / "b" / "same_name.py").__name__ != "same_name"
    assert sys.modules["json"] is not shadow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\ny = tol\n", "broken.py:2: NameError: name 'tol' is not defined"),
        ("def f(:\n", "broken.py:1: SyntaxError"),
        ("import not_there_at_all\n", "broken.py:1: ModuleNotFoundError: No module named 'not_there_at_all' (is it installed"),
        ("import sys\nsys.exit(3)\n", "broken.py:2: the file ends the program (3)"),
        ("from prudent.errors import ConfigurationError\nraise ConfigurationError('no')\n", "broken.py:2: no"),
        ("def f():\n    return 1 / 0\nf()\n", "broken.py:2: ZeroDivisionError: division by zero\n    return 1 / 0"),
    ],
)
def test_errors_are_told_in_the_files_own_terms(tmp_path: Path, text: str, expected: str):
    file = write(tmp_path, "broken.py", text)
    with pytest.raises(ConfigurationError) as caught:
        load_python_file(file)
    assert str(caught.value).startswith(expected)
    assert "broken" not in sys.modules


def test_an_error_in_a_neighbour_names_the_neighbour(tmp_path: Path):
    write(tmp_path, "bad_neighbour.py", "x = 1\nraise ValueError('here')\n")
    with pytest.raises(ConfigurationError, match=r"^bad_neighbour\.py:2: ValueError: here"):
        load_python_file(write(tmp_path, "asks_neighbour.py", "import bad_neighbour\n"))


def test_a_missing_file_or_name_comes_with_the_nearest(tmp_path: Path):
    file = write(tmp_path, "support_agents.py", "support = 1\n_hidden = 2\n")
    with pytest.raises(ConfigurationError, match=r"did you mean 'support_agents\.py'"):
        load_python_file(tmp_path / "suport_agents.py")
    with pytest.raises(ConfigurationError, match="has no 'suport'; did you mean 'support'"):
        find_name(load_python_file(file), "suport", file)
