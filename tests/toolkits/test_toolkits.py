from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from prudent.errors import ConfigurationError
from prudent.toolkits import TOOLKITS, find_toolkit


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


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"no toolkit 'calculater'\. Did you mean 'calculator'"):
        find_toolkit("calculater")
    with pytest.raises(ConfigurationError, match="There are: calculator, knowledge, report"):
        find_toolkit("")


def test_nothing_is_loaded_before_it_is_used() -> None:
    script = "import sys, prudent.toolkits; print(sorted({'lark', 'pypdf', 'mammoth', 'markdown_it'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout == "[]\n"
