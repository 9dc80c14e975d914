from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from prudent.config.loading import load_agent
from prudent.errors import ConfigurationError, ToolError
from prudent.runners.choice import ByKind
from prudent.toolkits import TOOLKITS, find_toolkit
from prudent.tools.context import Context
from prudent.types import JSONObject


@pytest.mark.parametrize("name", TOOLKITS)
def test_each_name_leads_to_a_factory_that_says_what_it_takes(name: str) -> None:
    factory = find_toolkit(name)
    assert factory.__name__ == name
    assert factory.__doc__
    assert inspect.signature(factory).return_annotation == "list[Tool]"


def test_tools_are_ready_for_a_model(tmp_path: Path) -> None:
    tools = [*find_toolkit("calculator")(), *find_toolkit("knowledge")(tmp_path), *find_toolkit("report")(tmp_path)]
    mounted = {tool.name for tool in tools}
    assert mounted == {"calculator", "search_knowledge", "read_passage", "write_report"}
    for tool in tools:
        spec = tool.describe(mounted)
        assert tool.effect
        assert tool.idempotent
        assert "When to use: " in spec.description
        assert "When not to use: " in spec.description
        assert "library" not in str(spec.parameters)
        assert len(spec.description) + len(str(spec.parameters)) < 2800


@pytest.mark.anyio
async def test_tools_that_touch_files_run_in_a_process(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Plans\n\nA yearly plan.\n")
    search, read = find_toolkit("knowledge")(tmp_path, index_path=tmp_path / "index.db")
    (write,) = find_toolkit("report")(tmp_path / "reports")
    assert {search.run_in, read.run_in, write.run_in} == {"process"}
    runners = ByKind()
    try:
        found = await runners.run(search, {"query": "yearly", "limit": 5}, Context(timeout_seconds=60))
        assert "[1] Plans (a.md, line 3;" in str(found)
        assert "A yearly plan." in str(await runners.run(read, {"id": 1}, Context(timeout_seconds=60)))
        section: JSONObject = {"heading": "H", "table": {"columns": ["a"], "rows": [[1]]}}
        await runners.run(write, {"title": "T", "sections": [section]}, Context(timeout_seconds=60))
        assert (tmp_path / "reports" / "t.html").exists()
        with pytest.raises(ToolError, match="no passage 99"):
            await runners.run(read, {"id": 99}, Context(timeout_seconds=60))
    finally:
        await runners.aclose()


def test_with_an_embedder_documents_are_searched_where_its_model_is(tmp_path: Path) -> None:
    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [(1.0,)] * len(texts)

    search, _ = find_toolkit("knowledge")(tmp_path, embedder=embed)
    assert search.run_in == "thread"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"no toolkit 'calculater'\. Did you mean 'calculator'"):
        find_toolkit("calculater")
    with pytest.raises(ConfigurationError, match="There are: calculator, knowledge, report"):
        find_toolkit("")


def test_nothing_is_loaded_before_it_is_used() -> None:
    script = "import sys, prudent.toolkits; print(sorted({'lark', 'pypdf', 'mammoth', 'markdown_it'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout == "[]\n"


def test_the_starter_agent_has_all_of_them() -> None:
    agent = load_agent(str(Path(__file__).parents[2] / "examples" / "starter.toml"))
    assert {tool.name for tool in agent.tools} == {"calculator", "search_knowledge", "read_passage", "write_report"}
