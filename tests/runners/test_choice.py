from __future__ import annotations

import os
import threading
from types import ModuleType

import pytest

from prudent.errors import ConfigurationError
from prudent.ports import Runner
from prudent.runners.choice import ByKind, default_runners
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
from prudent.tools.definition import RunIn, Tool, tool
from prudent.types import JSONObject

pytestmark = pytest.mark.anyio


class Noting:
    """A runner that notes what it is asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []
        self.left: set[str] = set()

    async def run(self, tool: Tool, arguments: JSONObject, context: Context) -> object:
        self.asked.append(tool.name)
        return self.name

    def left_running(self, whole_call_id: str) -> bool:
        return whole_call_id in self.left

    async def aclose(self) -> None:
        self.asked.append("close")


def make(name: str, run_in: RunIn) -> Tool:
    return Tool(name, print, "", {}, run_in=run_in)


async def test_each_tool_runs_where_it_says():
    kinds: dict[RunIn, Noting] = {"inline": Noting("i"), "thread": Noting("t"), "process": Noting("p")}
    runner: Runner = ByKind(kinds)
    for kind, noting in kinds.items():
        assert await runner.run(make(f"a {kind}", kind), {}, Context()) == noting.name
        assert noting.asked == [f"a {kind}"]


async def test_it_asks_all_what_was_left_running():
    kinds: dict[RunIn, Noting] = {"inline": Noting("i"), "thread": Noting("t")}
    runner = ByKind(kinds)
    kinds["thread"].left.add("c1")
    assert runner.left_running("c1")
    assert not runner.left_running("c2")


async def test_it_closes_all():
    kinds: dict[RunIn, Noting] = {"inline": Noting("i"), "thread": Noting("t")}
    await ByKind(kinds).aclose()
    assert [noting.asked for noting in kinds.values()] == [["close"], ["close"]]


async def test_a_kind_that_does_not_exist_is_a_configuration_error():
    runner = ByKind()
    with pytest.raises(ConfigurationError, match="tool 'paint' declares run_in='sandbox', which does not exist yet"):
        await runner.run(make("paint", "sandbox"), {}, Context())
    with pytest.raises(ConfigurationError, match="paint"):
        runner.prepare([make("paint", "sandbox")])


async def test_the_real_ones(kit: ModuleType):
    runner = ByKind()
    runner.prepare([kit.add])

    @tool
    def in_a_thread() -> int:
        """Tell the thread."""
        return threading.get_ident()

    @tool
    async def on_the_loop() -> int:
        """Tell the thread."""
        return threading.get_ident()

    assert await runner.run(in_a_thread, {}, Context()) != threading.get_ident()
    assert await runner.run(on_the_loop, {}, Context()) == threading.get_ident()
    seen = await runner.run(kit.about, {}, Context())
    assert isinstance(seen, dict)
    assert seen["pid"] != os.getpid()
    await runner.aclose()


@pytest.mark.parametrize(("platform", "kind"), [("linux", "ProcessRunner"), ("darwin", "PortableProcessRunner")])
def test_other_systems_have_another_process_runner(monkeypatch: pytest.MonkeyPatch, platform: str, kind: str):
    monkeypatch.setattr("sys.platform", platform)
    assert type(default_runners()["process"]).__name__ == kind


def test_nothing_is_prepared_for_tools_that_need_nothing(monkeypatch: pytest.MonkeyPatch):
    def fail(self: ProcessRunner) -> None:
        raise AssertionError

    monkeypatch.setattr(ProcessRunner, "prepare", fail)
    ByKind().prepare([make("a", "thread"), make("b", "inline")])
