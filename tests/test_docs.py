"""The documentation cannot lie: what stands in its blocks runs, what it links to is there. `docs/stage.py` says how."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.shell import WrongCommand, check, commands
from tests.docs.stage import Stage, assert_alike, forget_modules

from prudent.cli import exits, sitting

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def fetch_nothing(*_: object, **_options: object) -> None:
    """Stand in for the fetching of an embedded model."""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Stage]:
    """A folder with the handbook in it, and a stand-in for every model."""
    (tmp_path / "handbook").symlink_to(ROOT / "examples" / "handbook")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(exits, "others_alive", lambda: False)
    monkeypatch.setattr(sitting, "take_stdout", lambda: sys.stdout)
    stage = Stage(tmp_path, capsys)
    monkeypatch.setitem(sys.modules, "page", stage.module)
    monkeypatch.setattr("prudent.chosen_models.resolve", stage.resolve)
    monkeypatch.setattr("prudent.cli.agents.fetch_model", fetch_nothing)
    yield stage
    forget_modules(tmp_path)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_a_page_shows_is_so(path: Path, stage: Stage) -> None:
    stage.strict = path.parent == DOCS
    stage.play(path)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_a_page_links_to_is_there(path: Path) -> None:
    for target in LINK.findall(without_blocks(path)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), f"{path.name} links to {target}"
        assert not anchor or anchor in anchors(found), f"{path.name} links to {target}; there are {sorted(anchors(found))}"


def test_the_index_names_every_page() -> None:
    linked = {target.partition("#")[0] for target in LINK.findall((DOCS / "index.md").read_text(encoding="utf-8"))}
    assert {path.name for path in DOCS.glob("*.md")} - {"index.md"} <= linked


def without_blocks(path: Path) -> str:
    """Give a page's prose."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """Name the headings of a page as links do."""
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(without_blocks(path))}


def page(folder: Path, text: str) -> Path:
    """Write a page for a test of the stage itself."""
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nprint(1)\n```\n", "the page does not show it"),
        ("```python\nprint(1)\n# prints:\n# 2\n```\n", "the page says"),
        ("```python\n1 / 0\n```\n", "division by zero"),
        ("<!-- raises: no such -->\n```python\n1 / 0\n```\n", "Regex pattern did not match"),
        ("```bash\nprudent run x --agnt examples/starter.toml\n```\n", "No such option"),
        ("```bash\nprudent run x --agent examples/missing.toml\n```\n", "there is no examples/missing.toml"),
        ("```bash\nprudent serve\n```\n", "there is no command"),
        ("```bash\npip install 'prudent[gpu]'\n```\n", "no extra"),
        ("```bash\nuv run just nothing\n```\n", "no recipe"),
        ("```bash\nfrobnicate\n```\n", "unknown command"),
        ("```toml\nplaning = 'tool'\n```\n", "planing is not a setting"),
        ("```json\n{\n```\n", "Expecting property name"),
        ("```rust\nfn\n```\n", "no rule for blocks"),
        ("<!-- runs -->\n<!-- exits: 3 -->\n```bash\nprudent models list\n```\n", "exit 0"),
        ("<!-- typo: x -->\n", "no comment is called"),
        ('<!-- model: ["Hi.", "Ho."] -->\n', "2 of 2 scripted replies were not used"),
        ("```python\nfrom prudent import Agent\nAgent('openai:x').run_sync('x')\n```\n", "say before it what that replies"),
    ],
)
def test_a_page_that_lies_is_found_out(text: str, complaint: str, stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(BaseException, match=re.escape(complaint)):
        stage.play(page(tmp_path, text))


def test_a_page_that_is_right_is_played(stage: Stage, tmp_path: Path) -> None:
    text = """
<!-- model: [call("add", a=1, b=2), "It is 3."] -->
```python
from prudent import Agent, tool

@tool(effect="read")
def add(a: int, b: int) -> int:
    \"\"\"Add.\"\"\"
    return a + b

result = Agent("openai:any", tools=[add]).run_sync("1 + 2?")
print(result.run_id, result.output)
```
<!-- printed -->
```text
… It is 3.
```
```sql
SELECT tool_name, status FROM tool_calls
```
<!-- printed -->
```text
tool_name|status
add|ok
```
"""
    assert stage.play(page(tmp_path, text)) == 4


def test_wildcards_stand_for_what_differs_only() -> None:
    assert_alike('{"a": 1, "b": "x"}', '{"a": "…", "b": "x"}', "json")
    with pytest.raises(AssertionError):
        assert_alike('{"a": 1, "b": "x", "c": 2}', '{"a": "…", "b": "x"}', "json")
    with pytest.raises(AssertionError):
        assert_alike("run 1\nended", "run …\nbegan", "text")


def test_shell_lines_are_taken_apart() -> None:
    source = """
$ A_KEY=x prudent run "a; b" --json > out.json  # and so on
echo "Sum up." | prudent run - \\
    --json 2>&1 && prudent runs
"""
    assert list(commands(source)) == [
        ["prudent", "run", "a; b", "--json"],
        ["echo", "Sum up."],
        ["prudent", "run", "-", "--json"],
        ["prudent", "runs"],
    ]
    with pytest.raises(WrongCommand, match="Missing argument"):
        check(["prudent", "run"], ROOT)
