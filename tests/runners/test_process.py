"""One call in a worker process, from every side. What a kill reaches stands in test_zygote.py."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prudent import errors
from prudent.errors import ConfigurationError, ToolCrashed, ToolTimedOut
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.types import JSON

pytestmark = pytest.mark.anyio


def about(seconds: float = 30.0, call_id: str = "c1", **fields: Any) -> Context:
    return Context(call_id=call_id, timeout_seconds=seconds, **fields)


async def test_the_result_comes_back_from_another_process(runner: ProcessRunner, kit: ModuleType):
    assert await runner.run(kit.add, {"a": 2, "b": 3}, about()) == 5
    seen: Any = await runner.run(kit.about, {}, about())
    assert seen["pid"] != os.getpid()


async def test_results_and_arguments_keep_their_types(runner: ProcessRunner, kit: ModuleType):
    assert await runner.run(kit.point, {"x": 2}, about()) == kit.Point(2, 4)


async def test_what_a_tool_finds_around_it(
    runner: ProcessRunner, kit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PRUDENT_TEST_COLOUR", "red")
    monkeypatch.chdir(tmp_path)
    context = about(idempotency_key="k", workspace=tmp_path, dependencies=threading.Lock(), note=keep_nothing)
    seen: Any = await runner.run(kit.about, {}, context)
    assert (seen["call_id"], seen["key"], seen["workspace"], seen["dependencies"]) == ("c1", "k", str(tmp_path), None)
    assert (seen["folder"], seen["environment"], seen["stdin"]) == (str(tmp_path), "red", "")
    assert seen["session"] == seen["pid"]
    assert seen["signals"] == [0, 1]  # SIGTERM ends it, a broken pipe is an exception
    assert seen["blocked"] == []
    assert set(sys.path) <= set(seen["path"])
    other = {name: target for name, target in seen["files"].items() if int(name) > 2}
    assert [target.partition(":")[0] for target in other.values()] == ["socket"]
    # a worker in use is told of changes
    monkeypatch.setenv("PRUDENT_TEST_COLOUR", "green")
    monkeypatch.chdir("/")
    changed: Any = await runner.run(kit.about, {}, about())
    assert (changed["pid"], changed["folder"], changed["environment"]) == (seen["pid"], "/", "green")


def keep_nothing(_kind: str, _data: dict[str, JSON]) -> None:
    """Not to be found by a worker's pickle, being no part of any module that it has."""


async def test_a_tool_that_leaves_its_folder_does_not_take_the_next_along(
    runner: ProcessRunner, kit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert await runner.run(kit.wander, {}, about()) == "/"
    seen: Any = await runner.run(kit.about, {}, about())
    assert seen["folder"] == str(tmp_path)


async def test_what_a_tool_prints_stays_out_of_standard_output(
    fresh: ProcessRunner, kit: ModuleType, capfd: pytest.CaptureFixture[str]
):
    await fresh.run(kit.about, {}, about())
    await fresh.run(kit.shell, {"command": "echo printed by a shell"}, about())
    await fresh.aclose()
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed by a tool\n" in err
    assert "printed by a shell\n" in err


async def test_a_worker_is_used_again(runner: ProcessRunner, kit: ModuleType):
    pids = {(await pid_of(runner, kit)) for _ in range(5)}
    assert len(pids) == 1


async def pid_of(runner: ProcessRunner, kit: ModuleType) -> int:
    seen: Any = await runner.run(kit.about, {}, about())
    return seen["pid"]


async def test_twenty_calls_at_once(runner: ProcessRunner, kit: ModuleType, tmp_path: Path):
    async def nap(number: int) -> object:
        return await runner.run(kit.sleep, {"seconds": 0.5, "marker": str(tmp_path / str(number))}, about())

    began = time.monotonic()
    results = await asyncio.gather(*(nap(number) for number in range(20)))
    assert results == [str(tmp_path / str(number)) for number in range(20)]
    assert time.monotonic() - began < 20 * 0.5  # not one after the other


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_file_descriptors_do_not_pile_up(runner: ProcessRunner, kit: ModuleType):
    async def one(number: int) -> None:
        if number % 20 == 0:
            with pytest.raises(ToolCrashed):
                await runner.run(kit.leave, {"status": 1}, about())
        elif number % 20 == 1:
            await runner.run(kit.leave_thread, {}, about())
        else:
            await runner.run(kit.add, {"a": number}, about())

    await one(0)
    await one(2)
    before = open_files()
    for number in range(200):
        await one(number)
    assert open_files() <= before + 2


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        ("key", KeyError, "'gone'"),
        ("timeout", TimeoutError, "the tool's own"),
        ("unicode", UnicodeDecodeError, "invalid start byte"),
        ("unpicklable", Exception, "holds a lock"),
    ],
)
async def test_what_the_tool_raises_comes_through(
    runner: ProcessRunner, kit: ModuleType, how: str, kind: type[Exception], text: str
):
    with pytest.raises(kind, match=text) as caught:
        await runner.run(kit.fail, {"how": how}, about())
    assert not isinstance(caught.value, errors.PrudentError)
    assert await runner.run(kit.add, {"a": 1}, about()) == 2


async def test_errors_keep_their_data(runner: ProcessRunner, kit: ModuleType):
    with pytest.raises(errors.ToolError) as tool_error:
        await runner.run(kit.fail, {"how": "tool"}, about())
    assert (tool_error.value.reason, tool_error.value.fix) == ("no such page", "look at the index")
    with pytest.raises(errors.CallRefused) as refused:
        await runner.run(kit.fail, {"how": "refused"}, about())
    assert (refused.value.kind, refused.value.reason, refused.value.fix) == ("rejected", "not today", "tomorrow")
    with pytest.raises(kit.Odd, match="one and two") as odd:
        await runner.run(kit.fail, {"how": "odd"}, about())
    assert odd.value.second == "two"
    assert "kit.py" in "".join(odd.value.__notes__)
    with pytest.raises(Exception, match="holds a lock") as stand_in:
        await runner.run(kit.fail, {"how": "unpicklable"}, about())
    assert type(stand_in.value).__name__ == "Unpicklable"
    with pytest.raises(RuntimeError, match="StopIteration"):
        await runner.run(kit.fail, {"how": "stop"}, about())


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("leave", {"status": 3}, "exited with status 3"),
        ("leave", {"status": 0}, "exited with status 0"),
        ("touch_nothing", {}, "SIGSEGV"),
        ("shell", {"command": "kill -9 $PPID"}, "SIGKILL"),
        ("exit_politely", {}, "SystemExit"),
        ("interrupt", {}, "KeyboardInterrupt"),
        ("babble", {}, "no reply"),
        ("generate", {}, "of type generator, cannot be brought over"),
    ],
)
async def test_a_crash_is_told_as_such(runner: ProcessRunner, kit: ModuleType, name: str, arguments: dict[str, Any], text: str):
    with pytest.raises(ToolCrashed, match=text):
        await runner.run(getattr(kit, name), arguments, about())
    assert not runner.left_running("c1")
    assert await runner.run(kit.add, {"a": 1}, about()) == 2


async def test_a_tool_that_forks_and_returns_twice_answers_once(runner: ProcessRunner, kit: ModuleType):
    assert await runner.run(kit.fork_and_return, {}, about()) == "parent"
    assert await runner.run(kit.add, {"a": 1}, about()) == 2


async def test_large_arguments_and_results(runner: ProcessRunner, kit: ModuleType):
    assert await runner.run(kit.measure, {"text": "x" * 30_000_000}, about()) == 30_000_000
    assert len(await filled(runner, kit, 100_000_000)) == 100_000_000


async def filled(runner: ProcessRunner, kit: ModuleType, size: int) -> bytes:
    result = await runner.run(kit.fill, {"size": size}, about())
    assert isinstance(result, bytes)
    return result


async def test_too_large_a_result_is_refused_clearly(runner: ProcessRunner, kit: ModuleType):
    with pytest.raises(ToolCrashed, match=r"300,000,\d+ bytes, more than the 268,435,456"):
        await filled(runner, kit, 300_000_000)


async def test_arguments_that_cannot_be_passed_are_refused(runner: ProcessRunner, kit: ModuleType):
    with pytest.raises(ToolCrashed, match="arguments or context cannot be passed"):
        await runner.run(kit.measure, {"text": threading.Lock()}, about())  # pyright: ignore[reportArgumentType]: that is the test
    assert await runner.run(kit.add, {"a": 1}, about()) == 2


async def test_plain_functions_and_methods_can_be_tools_too(runner: ProcessRunner, kit: ModuleType):
    assert await runner.run(tool(kit.plain, run_in="process"), {"text": "a"}, about()) == "A"
    assert await runner.run(tool(kit.Shelf.label, name="shelf", run_in="process"), {"text": "a"}, about()) == "[a]"
    untyped = Tool("raw", kit.plain, "", {}, run_in="process")
    assert await runner.run(untyped, {"text": "b"}, about()) == "B"


async def test_what_no_worker_can_find_is_a_configuration_error(runner: ProcessRunner, kit: ModuleType):
    for wrong in (kit.make_closure(), Tool("partial", print, "", {}, run_in="process")):
        with pytest.raises(ConfigurationError, match="cannot run in a process"):
            await runner.run(wrong, {}, about())


async def test_a_module_that_changed_its_mind_is_told(
    runner: ProcessRunner, tmp_path: Path, load: Callable[[Path], ModuleType]
):
    file = tmp_path / "moody.py"
    file.write_text("def hello() -> str:\n    return 'hello'\n")
    module = load(file)
    file.write_text("raise OSError('not today')\n")
    with pytest.raises(ToolCrashed, match="cannot be imported in a worker process: OSError: not today"):
        await runner.run(Tool("hello", module.hello, "", {}), {}, about())
    file.write_text("")
    with pytest.raises(ToolCrashed, match="no function named hello"):
        await runner.run(Tool("hello", module.hello, "", {}), {}, about())


async def test_a_file_may_import_its_neighbours(runner: ProcessRunner, tmp_path: Path, load: Callable[[Path], ModuleType]):
    (tmp_path / "neighbour.py").write_text("word = 'hello'\n")
    file = tmp_path / "agent_file.py"
    file.write_text("def hello() -> str:\n    import neighbour\n    return neighbour.word\n")
    assert await runner.run(Tool("hello", load(file).hello, "", {}), {}, about()) == "hello"


async def test_the_import_does_not_count_towards_the_limit(
    runner: ProcessRunner, tmp_path: Path, load: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "slow_to_import.py"
    file.write_text("import os, time\ntime.sleep(float(os.environ.get('NAP', 0)))\ndef hello() -> str:\n    return 'hello'\n")
    module = load(file)
    monkeypatch.setenv("NAP", "1.5")
    assert await runner.run(Tool("hello", module.hello, "", {}), {}, about(1.0)) == "hello"
    monkeypatch.setattr("prudent.runners.process.LOAD_SECONDS", 0.3)
    other = Tool("other", module.hello, "", {})
    with pytest.raises(ToolCrashed, match=r"could not be imported in a worker process within 0\.3 s"):
        await asyncio.gather(*(runner.run(other, {}, about(1.0, f"c{n}")) for n in range(2)))


async def test_a_call_that_leaves_something_running_uses_its_worker_up(runner: ProcessRunner, kit: ModuleType):
    pid = await runner.run(kit.leave_thread, {}, about())
    assert await pid_of(runner, kit) != pid


async def test_the_limit_is_the_contexts(runner: ProcessRunner, kit: ModuleType, tmp_path: Path):
    await runner.run(kit.add, {"a": 1}, about())
    with pytest.raises(ToolTimedOut) as caught:
        await runner.run(kit.sleep, {"seconds": 20, "marker": str(tmp_path / "m")}, about(0.2))
    assert (caught.value.seconds, caught.value.killed) == (0.2, True)
    assert not runner.left_running("c1")


async def test_a_warm_call_costs_little(runner: ProcessRunner, kit: ModuleType):
    await runner.run(kit.add, {"a": 1}, about())
    best = 1.0
    for _ in range(5):
        used = time.process_time()
        for _ in range(100):
            await runner.run(kit.add, {"a": 1}, about())
        best = min(best, (time.process_time() - used) / 100)
    assert best < 0.001  # 0.1 ms on a quiet machine
