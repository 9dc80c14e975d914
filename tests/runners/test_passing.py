from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from prudent.errors import ConfigurationError, ToolCrashed, ToolError
from prudent.runners.passing import Surroundings, pack_context, pack_failure, pack_recipe, unpack_failure, unpack_tool
from prudent.tools.context import Context
from prudent.tools.definition import Tool


def test_a_recipe_gives_the_same_tool(kit: ModuleType):
    assert unpack_tool(pack_recipe(kit.add)) is kit.add


def test_a_function_that_is_no_tool_in_its_file_becomes_one(kit: ModuleType):
    made = unpack_tool(pack_recipe(Tool("other", kit.plain, "", {}, context_parameter="where")))
    assert (made.name, made.function, made.context_parameter) == ("other", kit.plain, "where")


def test_what_was_bound_to_a_function_goes_along(kit: ModuleType):
    made: Any = unpack_tool(pack_recipe(Tool("bound", partial(kit.plain, 1, other=2), "", {}))).function
    assert (made.func, made.args, made.keywords) == (kit.plain, (1,), {"other": 2})
    again: Any = unpack_tool(pack_recipe(Tool("bound", partial(kit.add.function, 1), "", {}))).function
    assert (again.func, again.args) == (kit.add.function, (1,))
    with pytest.raises(ConfigurationError, match="cannot run in a process, since what was bound to it cannot be passed on"):
        pack_recipe(Tool("bound", partial(kit.plain, other=lambda: 1), "", {}))


def test_functions_that_are_not_to_be_found_by_name(kit: ModuleType):
    for wrong, why in (
        (kit.make_closure(), "has no function or tool named make_closure"),
        (Tool("built-in", len, "", {}), "an object of type builtin_function_or_method"),
        (Tool("made up", FunctionType(kit.plain.__code__, {"__name__": "nowhere"}), "", {}), "not read from a file"),
    ):
        with pytest.raises(ConfigurationError, match=f"cannot run in a process, since .*{why}"):
            pack_recipe(wrong)


def test_the_context_leaves_behind_what_is_the_programs(tmp_path: Path):
    context = Context("r", "c", 2, "k", tmp_path, 9.0, dependencies=open, note=print)
    copy = Context(**pack_context(context))
    assert (copy.run_id, copy.call_id, copy.attempt, copy.idempotency_key) == ("r", "c", 2, "k")
    assert (copy.workspace, copy.timeout_seconds, copy.dependencies) == (tmp_path, 9.0, None)
    copy.progress("is dropped")


def failed(error: Exception) -> Exception:
    """Raise it, so that it has a traceback, and send it through."""
    try:
        raise error
    except Exception as raised:
        return unpack_failure(pack_failure(raised))


def test_exceptions_keep_class_data_and_traceback(kit: ModuleType):
    tool_error = failed(ToolError("no", fix="try"))
    assert isinstance(tool_error, ToolError)
    assert (tool_error.reason, tool_error.fix) == ("no", "try")
    odd = failed(kit.Odd("one", second="two"))
    assert isinstance(odd, kit.Odd)
    assert (str(odd), vars(odd)["second"]) == ("one and two", "two")
    missing = failed(FileNotFoundError(2, "No such file", "x.txt"))
    assert isinstance(missing, FileNotFoundError)
    assert missing.filename == "x.txt"
    assert "test_passing.py" in "".join(missing.__notes__)


def test_an_exception_that_cannot_be_sent_leaves_its_name_and_text(kit: ModuleType):
    error = failed(kit.Unpicklable())
    assert (type(error).__name__, str(error)) == ("Unpicklable", "holds a lock")
    assert not isinstance(error, kit.Unpicklable)


def test_surroundings_in_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert Surroundings.of_this_process().folder == ""
    monkeypatch.chdir("/")
    assert Surroundings.of_this_process().folder == "/"


SCRIPT = """
import asyncio
from dataclasses import dataclass
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
from prudent.tools.definition import tool
WHERE

@dataclass
class Point:
    x: int

@tool(run_in="process")
def double(x: int) -> Point:
    return Point(2 * x + SHIFT)

@tool(run_in="process")
def fail() -> None:
    raise Complaint("no")

class Complaint(Exception):
    pass

async def main():
    runner = ProcessRunner()
    result = await runner.run(double, {"x": 4}, Context())
    print("the script runs", type(result) is Point, result.x)
    try:
        await runner.run(fail, {}, Context())
    except Complaint as error:
        print("and complains", error)
    await runner.aclose()

if __name__ == "__main__":
    asyncio.run(main())
else:
    print("imported as", __name__)
"""


@pytest.mark.parametrize("as_module", [False, True])
def test_tools_of_a_script(tmp_path: Path, as_module: bool):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "shift.py").write_text("SHIFT = 1\n")
    where = "from .shift import SHIFT" if as_module else "from shift import SHIFT"
    (package / "script.py").write_text(SCRIPT.replace("WHERE", where))
    command = ["-m", "package.script"] if as_module else [str(package / "script.py")]
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "the script runs True 9\nand complains no\n", done.stderr
    assert done.stderr == "imported as __prudent_main__\n"


def test_code_without_a_file_is_a_configuration_error():
    script = SCRIPT.replace("WHERE", "SHIFT = 0")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert "ConfigurationError: tool 'double' cannot run in a process, since its module was not read from a file" in done.stderr


def test_crashes_are_not_tool_errors():
    assert not issubclass(ToolCrashed, ToolError)
