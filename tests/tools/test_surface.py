from __future__ import annotations

import pytest

from prudent.errors import CallRefused, ConfigurationError
from prudent.tools.definition import Effect, Tool
from prudent.tools.surface import Surface


def make(name: str, effect: Effect | None = None, **options: object) -> Tool:
    return Tool(
        name=name,
        function=print,
        summary=f"The tool {name}.",
        parameters={"type": "object", "properties": {}},
        effect=effect,
        **options,  # pyright: ignore[reportArgumentType] - options of several types
    )


READ = make("search_knowledge", "read", toolkit="knowledge")
WRITE = make("write_file", "write", toolkit="files")
UNDECLARED = make("send")
THINK = make("think_and_plan", None, is_task=False, aliases=("思考和规划",))
TOOLS = (THINK, READ, WRITE, UNDECLARED)


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


def test_modes() -> None:
    surface = Surface(TOOLS, modes={"outbox": ["send"], "office": ["send", "files"]})
    assert names(surface.shown("act")) == ["think_and_plan", "search_knowledge", "write_file", "send"]
    assert names(surface.shown("plan")) == ["think_and_plan", "search_knowledge"]
    assert names(surface.shown("outbox")) == ["think_and_plan", "send"]
    assert names(surface.shown("office")) == ["think_and_plan", "write_file", "send"]
    assert surface.allows(READ, "plan")
    assert not surface.allows(UNDECLARED, "plan")


def test_task_type_profiles() -> None:
    surface = Surface(TOOLS)
    assert names(surface.shown("research")) == ["think_and_plan", "search_knowledge"]
    assert names(surface.shown("coding")) == ["think_and_plan", "write_file"]
    with pytest.raises(ConfigurationError, match="there is no mode 'data': choose one of act, plan, research, coding"):
        surface.shown("data")
    assert names(Surface(TOOLS, modes={"research": ["send"]}).shown("research")) == ["think_and_plan", "send"]


def test_the_tool_block_is_the_same_object_every_time() -> None:
    surface = Surface(TOOLS)
    assert surface.specs("act") is surface.specs("act")
    assert [spec.name for spec in surface.specs("plan")] == ["think_and_plan", "search_knowledge"]
    with pytest.raises(ConfigurationError):
        surface.specs("nowhere")


def test_a_masked_surface_keeps_its_block_and_refuses_instead() -> None:
    surface = Surface(TOOLS, mask=True)
    assert surface.specs("plan") is surface.specs("act")
    assert len(surface.specs("plan")) == 4
    assert not surface.allows(WRITE, "plan")
    nothing_to_read = Surface([UNDECLARED], mask=True)
    assert len(nothing_to_read.specs("plan")) == 1
    with pytest.raises(ConfigurationError):
        surface.specs("nowhere")


def test_a_description_names_only_what_the_mode_shows() -> None:
    reader = make("read", "read", not_when="To change it use `write_file`.")
    surface = Surface([reader, WRITE])
    assert "write_file" in surface.specs("act")[0].description
    assert "write_file" not in surface.specs("plan")[0].description


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("write_file", "write_file"),
        (" write_file ", "write_file"),
        ("思考和规划", "think_and_plan"),
        ("functions.write_file", "write_file"),
        ("default_api:write_file", "write_file"),
        ("tools/write_file", "write_file"),
        ("functions.functions.send", "send"),
        ("write_file()", "write_file"),
        ("write_file<|channel|>commentary", "write_file"),
        ("WriteFile", "write_file"),
        ("writeFile", "write_file"),
        ("write-file", "write_file"),
        ("Write File", "write_file"),
        ("ThinkAndPlan", "think_and_plan"),
    ],
)
def test_names_that_are_written_differently(written: str, meant: str) -> None:
    assert Surface(TOOLS).find(written).name == meant


def test_an_exact_name_wins_and_an_ambiguous_one_is_refused() -> None:
    surface = Surface([make("get_it"), make("getit"), make("functions.get_it")])
    assert surface.find("getit").name == "getit"
    assert surface.find("functions.get_it").name == "functions.get_it"
    with pytest.raises(CallRefused, match="get_it"):
        surface.find("GetIt")


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("write_files", "there is no tool 'write_files'; the nearest are: write_file"),
        ("delete_everything", "there is no tool 'delete_everything'"),
        ("os.send", "there is no tool 'os.send'"),
        ("", "the call has no tool name; the tools are: "),
        ("   ", "the call has no tool name"),
        ("multi_tool_use.parallel", "multi_tool_use.parallel is no tool, calls cannot be bundled in one; the tools are: "),
        ("x" * 100_000, "there is no tool 'xxx"),
        ("functions.", "there is no tool 'functions.'"),
        ("\ud800", "there is no tool"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(written: str, says: str) -> None:
    with pytest.raises(CallRefused) as caught:
        Surface(TOOLS).find(written)
    assert caught.value.kind == "unknown_tool"
    assert caught.value.reason.startswith(says)
    assert all(tool.name in caught.value.reason for tool in TOOLS)
    assert caught.value.fix == "call each tool by its own name, with its own arguments"
    assert len(caught.value.reason) < 500
    caught.value.reason.encode()


def test_only_tools_of_the_mode_are_offered() -> None:
    with pytest.raises(CallRefused) as caught:
        Surface(TOOLS).find("write_files", "plan")
    assert "write_file," not in caught.value.reason
    with pytest.raises(CallRefused, match="none") as caught:
        Surface([]).find("x")
    assert caught.value.fix == "answer without tools"


def test_many_names_are_cut() -> None:
    with pytest.raises(CallRefused, match=r"tool_7.* and 80 more"):
        Surface([make(f"tool_{index}") for index in range(100)]).find("tool_7x")


def test_what_cannot_work_is_said_at_once() -> None:
    with pytest.raises(ConfigurationError, match="two tools are named 'send'"):
        Surface([UNDECLARED, make("send", "read")])
    with pytest.raises(ConfigurationError, match=r"the mode 'x' names 'sendd', which is not mounted \(nearest: send"):
        Surface(TOOLS, modes={"x": ["sendd"]})
    with pytest.raises(ConfigurationError, match="the mode 'plan' is built in"):
        Surface(TOOLS, modes={"plan": ["send"]})
    with pytest.raises(ConfigurationError, match="the mode 'x' must list tools"):
        Surface(TOOLS, modes={"x": "send"})
    with pytest.raises(ConfigurationError, match="tool 'query' requires 'overview', which is not mounted"):
        Surface([make("query", requires=("overview",))])


def test_many_tools_are_warned_of() -> None:
    fifteen = [make(f"tool_{index}") for index in range(15)]
    assert Surface([*fifteen, THINK]).warnings() == ()
    (warning,) = Surface([*fifteen, UNDECLARED]).warnings()
    assert warning.startswith("16 tools are mounted")


def test_a_name_that_providers_refuse_goes_out_under_another_and_both_are_understood() -> None:
    dotted, plain = (Tool(name=name, function=print, summary="", parameters={}) for name in ("math.sum", "math_sum"))
    surface = Surface([dotted, plain])
    first, second = (spec.name for spec in surface.specs("act"))
    assert second == "math_sum"
    assert first != second
    assert surface.find(first) is dotted
    assert surface.find("math.sum") is dotted
    assert surface.find("math_sum") is plain
